"""Moves gone wrong: what is sampled where, which step is taken, and how steps decay."""

from ratecert.papers.federated_bilevel.wrong.reached import BOTH, BSGM, BSGVRM
from ratecert.power.edits import Edit, Mistake

ONE, TWO = "solvers/methods/local_bsgm.py", "solvers/methods/local_bsgvrm.py"
SHARED, STEPS = "solvers/methods/local_method.py", "solvers/contract/schedule.py"

WRONG_MOVES = (
    Mistake(
        "y updated before use: u is sampled at (x_t, y_{t+1})",
        BSGM,
        (
            Edit(
                ONE,
                "        u = (1 - self.alpha * eta) * s.u + (self.alpha * eta) * h(s.x, s.y)\n"
                "        v = (1 - self.beta * eta) * s.v + (self.beta * eta) * g(s.x, s.y)\n",
                "        v = (1 - self.beta * eta) * s.v + (self.beta * eta) * g(s.x, s.y)\n"
                "        y = s.y - (self.rho_2 * eta) * v\n"
                "        u = (1 - self.alpha * eta) * s.u + (self.alpha * eta) * h(s.x, y)\n",
            ),
        ),
    ),
    Mistake(
        "y moved, along v_{t-1}, before u is sampled",
        BSGM,
        (
            Edit(
                ONE,
                "(self.alpha * eta) * h(s.x, s.y)",
                "(self.alpha * eta) * h(s.x, s.y - (self.rho_2 * eta) * s.v)",
            ),
        ),
    ),
    Mistake(
        "y moved, along v_{t-1}, before u is sampled",
        BSGVRM,
        (
            Edit(
                TWO,
                "s.y_previous)) + h(s.x, s.y)",
                "s.y_previous)) + h(s.x, s.y - (self.rho_2 * eta) * s.v)",
            ),
        ),
    ),
    Mistake(
        "stale x: v is sampled at x_{t-1}",
        BSGM,
        (
            Edit(
                ONE,
                "(self.beta * eta) * g(s.x, s.y)",
                "(self.beta * eta) * g(s.x + (self.rho_1 * eta) * s.u, s.y)",
            ),
        ),
    ),
    Mistake(
        "stale x: v is sampled at x_{t-1}",
        BSGVRM,
        (Edit(TWO, "s.y_previous)) + g(s.x, s.y)", "s.y_previous)) + g(s.x_previous, s.y)"),),
    ),
    Mistake(
        "rho_1 and rho_2 swapped",
        BOTH,
        (
            Edit(
                SHARED,
                "x=s.x - (self.rho_1 * eta) * u, y=s.y - (self.rho_2 * eta) * v",
                "x=s.x - (self.rho_2 * eta) * u, y=s.y - (self.rho_1 * eta) * v",
            ),
        ),
    ),
    Mistake(
        "x moves along u_{t-1}: the new momentum is used one step late",
        BSGM,
        (Edit(SHARED, "(self.rho_1 * eta) * u, y", "(self.rho_1 * eta) * (s.u if t > 0 else u), y"),),
    ),
    Mistake(
        "wrong decay: eta_t ~ t^(-1/2) for t^(-1/3)",
        BSGVRM,
        (Edit(STEPS, "** (1 / 3)", "** (1 / 2)"),),
    ),
    Mistake(
        "the decaying step one iteration ahead: eta_{t+1} for eta_t",
        BSGVRM,
        (Edit(STEPS, "max(self.offset + t, self.floor)", "max(self.offset + t + 1, self.floor)"),),
        unseen="The steps differ by a factor 1 - 1/(3t), which no rate and no bound resolves.",
    ),
)
