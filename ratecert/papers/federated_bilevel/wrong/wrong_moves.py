"""Moves gone wrong: what is sampled where, which step is taken, and how steps decay."""

from functools import partial

from ratecert.papers.federated_bilevel.wrong.reached import BOTH, BSGM, BSGVRM
from ratecert.power.edits import mistake

ONE, TWO = "solvers/methods/local_bsgm.py", "solvers/methods/local_bsgvrm.py"
SHARED, STEPS = "solvers/methods/local_method.py", "solvers/contract/schedule.py"
in_bsgm = partial(mistake, BSGM, ONE)
in_bsgvrm = partial(mistake, BSGVRM, TWO)

WRONG_MOVES = (
    in_bsgm(
        "y updated before use: u is sampled at (x_t, y_{t+1})",
        "        u = (1 - self.alpha * eta) * s.u + (self.alpha * eta) * h(s.x, s.y)\n"
        "        v = (1 - self.beta * eta) * s.v + (self.beta * eta) * g(s.x, s.y)\n",
        "        v = (1 - self.beta * eta) * s.v + (self.beta * eta) * g(s.x, s.y)\n"
        "        y = s.y - (self.rho_2 * eta) * v\n"
        "        u = (1 - self.alpha * eta) * s.u + (self.alpha * eta) * h(s.x, y)\n",
    ),
    in_bsgm(
        "y moved, along v_{t-1}, before u is sampled",
        "(self.alpha * eta) * h(s.x, s.y)",
        "(self.alpha * eta) * h(s.x, s.y - (self.rho_2 * eta) * s.v)",
    ),
    in_bsgvrm(
        "y moved, along v_{t-1}, before u is sampled",
        "s.y_previous)) + h(s.x, s.y)",
        "s.y_previous)) + h(s.x, s.y - (self.rho_2 * eta) * s.v)",
    ),
    in_bsgm(
        "stale x: v is sampled at x_{t-1}",
        "(self.beta * eta) * g(s.x, s.y)",
        "(self.beta * eta) * g(s.x + (self.rho_1 * eta) * s.u, s.y)",
    ),
    in_bsgvrm(
        "stale x: v is sampled at x_{t-1}",
        "s.y_previous)) + g(s.x, s.y)",
        "s.y_previous)) + g(s.x_previous, s.y)",
    ),
    mistake(
        BOTH,
        SHARED,
        "rho_1 and rho_2 swapped",
        "x=s.x - (self.rho_1 * eta) * u, y=s.y - (self.rho_2 * eta) * v",
        "x=s.x - (self.rho_2 * eta) * u, y=s.y - (self.rho_1 * eta) * v",
    ),
    mistake(
        BSGM,
        SHARED,
        "x moves along u_{t-1}: the new momentum is used one step late",
        "(self.rho_1 * eta) * u, y",
        "(self.rho_1 * eta) * (s.u if t > 0 else u), y",
    ),
    mistake(
        BSGVRM,
        STEPS,
        "wrong decay: eta_t ~ t^(-1/2) for t^(-1/3)",
        "cube_root(max(self.offset + t, self.floor))",
        "power(max(self.offset + t, self.floor), 1 / 2)",
    ),
    mistake(
        BSGVRM,
        STEPS,
        "the decaying step one iteration ahead: eta_{t+1} for eta_t",
        "max(self.offset + t, self.floor)",
        "max(self.offset + t + 1, self.floor)",
        unseen="The steps differ by a factor 1 - 1/(3t), which no rate and no bound resolves.",
    ),
)
