"""Orders of growth K^a T^b eps^c log^d, and what follows from a theorem in them."""
