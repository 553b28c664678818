"""Fifteen ways to get LocalBSGM, LocalBSGVRM or their estimator wrong, each with a claim that has to notice it.

A mistake is a list of edits of the sources. The claim measures the algorithm, so its verdict has to change.
"""

from power.trial import Edit

BIAS, PERIOD = "delta-q", "communication-period.excess"
SPEEDUP, REDUCED_SPEEDUP = "linear-speedup.corollary-1", "linear-speedup.corollary-3"
LOCAL = "solvers/methods/local.py"
ESTIMATOR = "solvers/estimators/hypergradient.py"


def edits(file: str, *lines: str) -> list[Edit]:
    """In one file; `lines` are, in turn, a line as it is and the wrong one in its place."""
    return [Edit(file, line, wrong) for line, wrong in zip(lines[::2], lines[1::2], strict=True)]


NOTICED: dict[str, tuple[str, list[Edit]]] = {  # what is wrong -> the claim that notices it
    "old and new momentum swapped: alpha eta u_{t-1} + (1 - alpha eta) h_t": (PERIOD, edits(
        LOCAL,
        "(1 - self.alpha * eta) * s.u + (self.alpha * eta) * h(",
        "(self.alpha * eta) * s.u + (1 - self.alpha * eta) * h(",
        "(1 - self.beta * eta) * s.v + (self.beta * eta) * g(",
        "(self.beta * eta) * s.v + (1 - self.beta * eta) * g(",
    )),
    "heavy ball: samples enter with weight 1 instead of alpha eta": (PERIOD, edits(
        LOCAL, "(self.alpha * eta) * h(", "h(", "(self.beta * eta) * g(", "g(",
    )),
    "momenta start at zero: u_0 = alpha eta h_0": (SPEEDUP, edits(
        LOCAL,
        "return h(s.x, s.y), g(s.x, s.y)\n        eta = self.step_size(t)\n",
        "return (self.alpha * self.step_size(t)) * h(s.x, s.y), (self.beta * self.step_size(t)) * g(s.x, s.y)\n"
        "        eta = self.step_size(t)\n",
    )),
    "stale x: v is sampled at x_{t-1}": (PERIOD, edits(
        LOCAL,
        "(self.beta * eta) * g(s.x, s.y)",
        "(self.beta * eta) * g(s.x + (self.rho_1 * eta) * s.u, s.y)",
    )),
    "momentum weight alpha eta for alpha eta^2": (REDUCED_SPEEDUP, edits(
        LOCAL,
        "(1 - self.alpha * eta**2)", "(1 - self.alpha * eta)",
        "(1 - self.beta * eta**2)", "(1 - self.beta * eta)",
    )),
    "the difference is not weighted: 1 - alpha eta^2 on u alone": (REDUCED_SPEEDUP, edits(
        LOCAL,
        "(1 - self.alpha * eta**2) * (s.u - h(s.x_previous, s.y_previous))",
        "(1 - self.alpha * eta**2) * s.u - h(s.x_previous, s.y_previous)",
        "(1 - self.beta * eta**2) * (s.v - g(s.x_previous, s.y_previous))",
        "(1 - self.beta * eta**2) * s.v - g(s.x_previous, s.y_previous)",
    )),
    "the first batch ignored: B = 1": (REDUCED_SPEEDUP, edits(
        LOCAL, "batch = self.B if t == 0 else 1", "batch = 1",
    )),
    "alpha and beta swapped": (PERIOD, edits(
        LOCAL,
        "(1 - self.alpha * eta**2)", "(1 - self.beta * eta ** 2)",
        "(1 - self.beta * eta**2)", "(1 - self.alpha * eta**2)",
    )),
    "one Neumann factor too many: Q + 1": (BIAS, edits(
        ESTIMATOR, "repeated(bits, self.Q, ", "repeated(bits, self.Q + 1, ",
    )),
    "the sum without its first term, q = 0": (BIAS, edits(
        ESTIMATOR, "through(longer, r, 1.0 * r)", "through(longer, r, 0.0 * r)",
    )),
    "theta forgotten in front of the sum": (BIAS, edits(
        ESTIMATOR,
        "r = self.theta * problem.grad_y_f(sample.xi, x, y)",
        "r = problem.grad_y_f(sample.xi, x, y)",
    )),
    "the sign of the implicit term": (BIAS, edits(
        ESTIMATOR, "gradient -= problem.jacobian_g(sample.zeta", "gradient += problem.jacobian_g(sample.zeta",
    )),
    "period off by one: a round takes p + 1 steps": (PERIOD, edits(
        LOCAL, "repeats=self.p,", "repeats=self.p + 1,",
    )),
    "momenta not averaged": (PERIOD, edits(
        LOCAL,
        'averaged: ClassVar[tuple[str, ...]] = ("x", "y", "u", "v")',
        'averaged: ClassVar[tuple[str, ...]] = ("x", "y")',
    )),
    "noise shared over devices": (SPEEDUP, [
        Edit("solvers/engines/expect.py", "alone = 1 if shared_noise else experiment.K", "alone = 1"),
        Edit("solvers/engines/stationary.py", "alone = 1 if shared_noise else K", "alone = 1"),
    ]),
}  # fmt: skip
