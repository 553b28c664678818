"""Computations: in processes or on a cluster, kept on disk."""
