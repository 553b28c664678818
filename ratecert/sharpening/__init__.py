"""How much better a theorem could be: every world is a lower bound on the constants of all theorems of its form."""
