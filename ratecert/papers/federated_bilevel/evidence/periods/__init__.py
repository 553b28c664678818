"""Runs in which the communication period is the variable."""
