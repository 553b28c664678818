"""Wrong algorithms and wrong statements, on which the claims are tried."""
