"""What runs an algorithm: sampling, enumeration, exact moments, fixed points, certificates."""
