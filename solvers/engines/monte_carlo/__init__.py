"""Sampling: many runs side by side, as arrays."""
