"""Statements as they are read: in a terminal, in LaTeX and in plain text."""
