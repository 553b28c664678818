"""Searches for an instance that breaks a statement: inside its conditions, and with the largest measured/bound."""
