"""What the claims measure and compute; claims judge it."""
