"""Claims that follow from a paper's data: nobody writes them.

code      a digest of the file that a paper is in, and of what it imports from beside it
theorem   a theorem that is bound to a run (binding/): searched for a counterexample
derived   a corollary's order as its theorem gives it, in exact rationals
rate      a corollary of such a theorem: its exponents, measured along its own scalings
counts    printed costs, counted in the runs along a corollary
claims    all of them for one paper
choosing  claims by name
"""
