"""Fifteen ways to get LocalBSGM, LocalBSGVRM or their estimator wrong, each with a claim that has to notice it.

A mistake is a list of edits of the sources. The claim measures the algorithm, so its verdict has to change.
"""

from functools import partial

from power.trial import Edit, Mistake, mistake

BSGM, BSGVRM = ("LocalBSGM",), ("LocalBSGVRM",)
BOTH = (*BSGM, *BSGVRM)
METHODS, NEUMANN = "solvers/methods/", "solvers/estimators/hypergradient.py"
in_bsgm = partial(mistake, BSGM, f"{METHODS}local_bsgm.py")
in_bsgvrm = partial(mistake, BSGVRM, f"{METHODS}local_bsgvrm.py")
in_estimator = partial(mistake, BOTH, NEUMANN)
in_both = partial(mistake, BOTH, f"{METHODS}local_method.py")

BIAS, PERIOD = "delta-q", "communication-period.excess"
SPEEDUP, REDUCED_SPEEDUP = "linear-speedup.corollary-1", "linear-speedup.corollary-3"

NOTICED: tuple[tuple[Mistake, str], ...] = (
    (
        in_bsgm(
            "old and new momentum swapped: alpha eta u_{t-1} + (1 - alpha eta) h_t",
            "(1 - self.alpha * eta) * s.u + (self.alpha * eta) * h(",
            "(self.alpha * eta) * s.u + (1 - self.alpha * eta) * h(",
            "(1 - self.beta * eta) * s.v + (self.beta * eta) * g(",
            "(self.beta * eta) * s.v + (1 - self.beta * eta) * g(",
        ),
        PERIOD,
    ),
    (
        in_bsgm(
            "heavy ball: samples enter with weight 1 instead of alpha eta",
            "(self.alpha * eta) * h(",
            "h(",
            "(self.beta * eta) * g(",
            "g(",
        ),
        PERIOD,
    ),
    (
        in_bsgm(
            "momenta start at zero: u_0 = alpha eta h_0",
            "return h(s.x, s.y), g(s.x, s.y)",
            "return (self.alpha * self.step_size(t)) * h(s.x, s.y), (self.beta * self.step_size(t)) * g(s.x, s.y)",
        ),
        SPEEDUP,
    ),
    (
        in_bsgm(
            "stale x: v is sampled at x_{t-1}",
            "(self.beta * eta) * g(s.x, s.y)",
            "(self.beta * eta) * g(s.x + (self.rho_1 * eta) * s.u, s.y)",
        ),
        PERIOD,
    ),
    (
        in_bsgvrm(
            "momentum weight alpha eta for alpha eta^2",
            "(1 - self.alpha * eta**2)",
            "(1 - self.alpha * eta)",
            "(1 - self.beta * eta**2)",
            "(1 - self.beta * eta)",
        ),
        REDUCED_SPEEDUP,
    ),
    (
        in_bsgvrm(
            "the difference is not weighted: 1 - alpha eta^2 on u alone",
            "(1 - self.alpha * eta**2) * (s.u - h(s.x_previous, s.y_previous))",
            "(1 - self.alpha * eta**2) * s.u - h(s.x_previous, s.y_previous)",
            "(1 - self.beta * eta**2) * (s.v - g(s.x_previous, s.y_previous))",
            "(1 - self.beta * eta**2) * s.v - g(s.x_previous, s.y_previous)",
        ),
        REDUCED_SPEEDUP,
    ),
    (
        in_bsgvrm("the first batch ignored: B = 1", "batch = self.B if t == 0 else 1", "batch = 1"),
        REDUCED_SPEEDUP,
    ),
    (
        in_bsgvrm(
            "alpha and beta swapped",
            "(1 - self.alpha * eta**2)",
            "(1 - self.beta * eta ** 2)",
            "(1 - self.beta * eta**2)",
            "(1 - self.alpha * eta**2)",
        ),
        PERIOD,
    ),
    (
        in_estimator(
            "one Neumann factor too many: Q + 1", "for _ in range(self.Q))", "for _ in range(self.Q + 1))"
        ),
        BIAS,
    ),
    (in_estimator("the sum without its first term, q = 0", "total = 1.0 * r", "total = 0.0 * r"), BIAS),
    (
        in_estimator(
            "theta forgotten in front of the sum",
            "r = self.theta * problem.grad_y_f(sample.xi, x, y)",
            "r = problem.grad_y_f(sample.xi, x, y)",
        ),
        BIAS,
    ),
    (
        in_estimator(
            "the sign of the implicit term",
            "gradient -= problem.jacobian_g(sample.zeta",
            "gradient += problem.jacobian_g(sample.zeta",
        ),
        BIAS,
    ),
    (
        in_both("period off by one: a round takes p + 1 steps", "repeats=self.p,", "repeats=self.p + 1,"),
        PERIOD,
    ),
    (
        in_both(
            "momenta not averaged",
            'averaged: ClassVar[tuple[str, ...]] = ("x", "y", "u", "v")',
            'averaged: ClassVar[tuple[str, ...]] = ("x", "y")',
        ),
        PERIOD,
    ),
    (
        Mistake(
            "noise shared over devices",
            BOTH,
            (
                Edit("solvers/engines/expect.py", "alone = 1 if shared_noise else experiment.K", "alone = 1"),
                Edit("solvers/engines/stationary.py", "alone = 1 if shared_noise else K", "alone = 1"),
            ),
        ),
        SPEEDUP,
    ),
)
