"""Rates where moments do not close: planned replicates, intervals, judging."""
