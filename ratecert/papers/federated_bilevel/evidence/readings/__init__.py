"""The readings of what Algorithms 1 and 2 leave open, run along Corollaries 1 and 3 and held against one another."""
