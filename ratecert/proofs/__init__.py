"""Counterexamples as proofs: a file that shows, in fractions alone, that a printed inequality is false."""
