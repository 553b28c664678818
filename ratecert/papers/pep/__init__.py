"""What the library's pages on PEPit's examples share: letters and an assumption of the docstrings, and their numbers.

table         the printed guarantee, PEPit's number and the worst quadratic, side by side
numbers.json  what PEPit computes there, written by tests/oracles/pep_numbers.py, so that nothing here needs a solver
"""

import ratecert as rc

n = rc.letter("n", means="number of iterations")
gamma, alpha, L, mu = rc.letters("gamma alpha L mu")
R = rc.letter(
    "R", means="distance of the start from a minimiser", units="x", of="distance", latex=r"\|x_0-x_\star\|"
)
Delta = rc.letter("Delta", means="f(x_0) - f*", units="f", of="gap", latex=r"(f(x_0)-f_\star)")

SMOOTH = rc.statements.Assumption(
    id="smooth",
    title="Smooth and convex",
    source="first lines of the docstrings",
    sentence="f is L-smooth and mu-strongly convex (mu = 0: convex).",
    constants={"L": 0.0},
)
