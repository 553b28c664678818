"""What follows from a theorem along a corollary: by the algebra of orders, and far out in high precision."""
