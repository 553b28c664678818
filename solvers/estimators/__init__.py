"""Estimates of the hypergradient and its parts, from samples."""
