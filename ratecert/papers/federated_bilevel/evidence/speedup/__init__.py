"""Exact runs along the corollaries, their exponents, and the constants that go with them."""
