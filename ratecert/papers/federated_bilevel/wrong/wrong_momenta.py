"""Momenta gone wrong: their weights, their start, and the difference that reduces the variance in Algorithm 2."""

from ratecert.papers.federated_bilevel.wrong.reached import BSGM, BSGVRM
from ratecert.power.edits import Edit, Mistake

ONE, TWO = "solvers/methods/local_bsgm.py", "solvers/methods/local_bsgvrm.py"

MOMENTUM = (
    Mistake(
        "momentum weight alpha eta^2 for alpha eta",
        BSGM,
        (Edit(ONE, "eta = self.step_size(t)", "eta = self.step_size(t) ** 2"),),
    ),
    Mistake(
        "old and new momentum swapped: alpha eta u_{t-1} + (1 - alpha eta) h_t",
        BSGM,
        (
            Edit(
                ONE,
                "(1 - self.alpha * eta) * s.u + (self.alpha * eta) * h(",
                "(self.alpha * eta) * s.u + (1 - self.alpha * eta) * h(",
            ),
            Edit(
                ONE,
                "(1 - self.beta * eta) * s.v + (self.beta * eta) * g(",
                "(self.beta * eta) * s.v + (1 - self.beta * eta) * g(",
            ),
        ),
    ),
    Mistake(
        "heavy ball: samples enter with weight 1 instead of alpha eta",
        BSGM,
        (
            Edit(ONE, "(self.alpha * eta) * h(", "h("),
            Edit(ONE, "(self.beta * eta) * g(", "g("),
        ),
    ),
    Mistake(
        "no momentum: the samples themselves",
        BSGM,
        (
            Edit(ONE, "u = (1 - self.alpha * eta) * s.u + (self.alpha * eta) * h(", "u = h("),
            Edit(ONE, "v = (1 - self.beta * eta) * s.v + (self.beta * eta) * g(", "v = g("),
        ),
    ),
    Mistake(
        "alpha and beta swapped",
        BSGM,
        (
            Edit(
                ONE,
                "u = (1 - self.alpha * eta) * s.u + (self.alpha * eta)",
                "u = (1 - self.beta * eta) * s.u + (self.beta * eta)",
            ),
            Edit(
                ONE,
                "v = (1 - self.beta * eta) * s.v + (self.beta * eta)",
                "v = (1 - self.alpha * eta) * s.v + (self.alpha * eta)",
            ),
        ),
    ),
    Mistake(
        "momenta start at zero: u_0 = alpha eta h_0",
        BSGM,
        (
            Edit(
                ONE,
                "return h(s.x, s.y), g(s.x, s.y)",
                "return (self.alpha * self.step_size(t)) * h(s.x, s.y), (self.beta * self.step_size(t)) * g(s.x, s.y)",
            ),
        ),
    ),
    Mistake(
        "momentum weight alpha eta for alpha eta^2",
        BSGVRM,
        (
            Edit(TWO, "(1 - self.alpha * eta**2)", "(1 - self.alpha * eta)"),
            Edit(TWO, "(1 - self.beta * eta**2)", "(1 - self.beta * eta)"),
        ),
    ),
    Mistake(
        "eta_t for eta_{t-1} in the momentum weight",
        BSGVRM,
        (Edit(TWO, "eta = self.step_size(t - 1)", "eta = self.step_size(t)"),),
        unseen="A constant step is the same at t and t - 1. A decaying one differs by a factor 1 - 1/(3t), which no "
        "rate and no bound resolves.",
    ),
    Mistake(
        "alpha and beta swapped",
        BSGVRM,
        (
            Edit(TWO, "(1 - self.alpha * eta**2)", "(1 - self.beta * eta ** 2)"),
            Edit(TWO, "(1 - self.beta * eta**2)", "(1 - self.alpha * eta**2)"),
        ),
    ),
    Mistake(
        "momenta start at half of the first samples",
        BSGVRM,
        (Edit(TWO, "return h(s.x, s.y), g(s.x, s.y)", "return 0.5 * h(s.x, s.y), 0.5 * g(s.x, s.y)"),),
    ),
)

DIFFERENCE = (
    Mistake(
        "a fresh sample at the previous point in the difference of u",
        BSGVRM,
        (
            Edit(
                TWO,
                "(s.u - h(s.x_previous, s.y_previous))",
                "(s.u - oracle.sample(replace(self.hypergradient, label='old'), t)(s.x_previous, s.y_previous))",
            ),
            Edit(TWO, "from dataclasses import dataclass", "from dataclasses import dataclass, replace"),
        ),
    ),
    Mistake(
        "a fresh sample at the previous point in the difference of v",
        BSGVRM,
        (
            Edit(
                TWO,
                "(s.v - g(s.x_previous, s.y_previous))",
                "(s.v - oracle.sample(LowerGradient(label='old'), t)(s.x_previous, s.y_previous))",
            ),
        ),
    ),
    Mistake(
        "the difference is not weighted: 1 - alpha eta^2 on u alone",
        BSGVRM,
        (
            Edit(
                TWO,
                "(1 - self.alpha * eta**2) * (s.u - h(s.x_previous, s.y_previous))",
                "(1 - self.alpha * eta**2) * s.u - h(s.x_previous, s.y_previous)",
            ),
            Edit(
                TWO,
                "(1 - self.beta * eta**2) * (s.v - g(s.x_previous, s.y_previous))",
                "(1 - self.beta * eta**2) * s.v - g(s.x_previous, s.y_previous)",
            ),
        ),
    ),
    Mistake(
        "the previous point is the present one: no correction",
        BSGVRM,
        (Edit(TWO, "x_previous=s.x, y_previous=s.y)", "x_previous=moved.x, y_previous=moved.y)"),),
        unseen="What is left is a momentum of weight alpha eta^2, too slow for the steps of the claims: runs no longer "
        "settle. Half of the claims cannot be computed any more and are undecided, so it is noticed all the same.",
    ),
    Mistake(
        "the first batch ignored: B = 1",
        BSGVRM,
        (Edit(TWO, "batch = self.B if t == 0 else 1", "batch = 1"),),
    ),
    Mistake(
        "the first batch in every iteration",
        BSGVRM,
        (Edit(TWO, "batch = self.B if t == 0 else 1", "batch = self.B"),),
    ),
)

WRONG_MOMENTA = (*MOMENTUM, *DIFFERENCE)
