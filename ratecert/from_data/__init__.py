"""Claims that follow from a paper's data: nobody writes them.

code      a digest of the file that a paper is in, and of what it imports from beside it
theorem   a theorem that is bound to a run (executable/): searched for a counterexample
rate      a corollary of such a theorem: its exponents, measured along its own scalings
claims    all of them for one paper
"""
