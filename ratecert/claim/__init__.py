"""The vocabulary of claims: checks, rows, lines and charts."""
