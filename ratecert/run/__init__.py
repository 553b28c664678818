"""Computations: in processes or on a cluster, stored on disk."""
