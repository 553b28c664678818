"""What the library's pages on PEPit's examples share, and the table of their numbers.

page          letters, assumptions and runs that the docstrings have in common
settings      each example at a few settings: PEPit's arguments, and the same for our search
numbers.json  what PEPit computes there, written by tests/oracles/pep_numbers.py, so that nothing here needs a solver
table         the printed guarantee, PEPit's number and the worst quadratic, side by side
"""
