"""Bounds that no outcome of the noise can exceed."""
