"""Momenta gone wrong: their weights, their start, and the difference that reduces the variance in Algorithm 2."""

from functools import partial

from ratecert.papers.federated_bilevel.wrong.reached import BSGM, BSGVRM
from ratecert.power.edits import mistake

ONE, TWO = "solvers/methods/local_bsgm.py", "solvers/methods/local_bsgvrm.py"
in_bsgm = partial(mistake, BSGM, ONE)
in_bsgvrm = partial(mistake, BSGVRM, TWO)

MOMENTUM = (
    in_bsgm(
        "momentum weight alpha eta^2 for alpha eta", "eta = self.step_size(t)", "eta = self.step_size(t) ** 2"
    ),
    in_bsgm(
        "old and new momentum swapped: alpha eta u_{t-1} + (1 - alpha eta) h_t",
        "(1 - self.alpha * eta) * s.u + (self.alpha * eta) * h(",
        "(self.alpha * eta) * s.u + (1 - self.alpha * eta) * h(",
        "(1 - self.beta * eta) * s.v + (self.beta * eta) * g(",
        "(self.beta * eta) * s.v + (1 - self.beta * eta) * g(",
    ),
    in_bsgm(
        "heavy ball: samples enter with weight 1 instead of alpha eta",
        "(self.alpha * eta) * h(",
        "h(",
        "(self.beta * eta) * g(",
        "g(",
    ),
    in_bsgm(
        "no momentum: the samples themselves",
        "u = (1 - self.alpha * eta) * s.u + (self.alpha * eta) * h(",
        "u = h(",
        "v = (1 - self.beta * eta) * s.v + (self.beta * eta) * g(",
        "v = g(",
    ),
    in_bsgm(
        "alpha and beta swapped",
        "u = (1 - self.alpha * eta) * s.u + (self.alpha * eta)",
        "u = (1 - self.beta * eta) * s.u + (self.beta * eta)",
        "v = (1 - self.beta * eta) * s.v + (self.beta * eta)",
        "v = (1 - self.alpha * eta) * s.v + (self.alpha * eta)",
    ),
    in_bsgm(
        "momenta start at zero: u_0 = alpha eta h_0",
        "return h(s.x, s.y), g(s.x, s.y)",
        "return (self.alpha * self.step_size(t)) * h(s.x, s.y), (self.beta * self.step_size(t)) * g(s.x, s.y)",
    ),
    in_bsgvrm(
        "momentum weight alpha eta for alpha eta^2",
        "(1 - self.alpha * eta**2)",
        "(1 - self.alpha * eta)",
        "(1 - self.beta * eta**2)",
        "(1 - self.beta * eta)",
    ),
    in_bsgvrm(
        "eta_t for eta_{t-1} in the momentum weight",
        "eta = self.step_size(t - 1)",
        "eta = self.step_size(t)",
        unseen="A constant step is the same at t and t - 1. A decaying one differs by a factor 1 - 1/(3t), which no "
        "rate and no bound resolves.",
    ),
    in_bsgvrm(
        "alpha and beta swapped",
        "(1 - self.alpha * eta**2)",
        "(1 - self.beta * eta ** 2)",
        "(1 - self.beta * eta**2)",
        "(1 - self.alpha * eta**2)",
    ),
    in_bsgvrm(
        "momenta start at half of the first samples",
        "return h(s.x, s.y), g(s.x, s.y)",
        "return 0.5 * h(s.x, s.y), 0.5 * g(s.x, s.y)",
    ),
)

DIFFERENCE = (
    in_bsgvrm(
        "a fresh sample at the previous point in the difference of u",
        "(s.u - h(s.x_previous, s.y_previous))",
        "(s.u - oracle.sample(replace(self.hypergradient, label='old'), t)(s.x_previous, s.y_previous))",
        "from dataclasses import dataclass",
        "from dataclasses import dataclass, replace",
    ),
    in_bsgvrm(
        "a fresh sample at the previous point in the difference of v",
        "(s.v - g(s.x_previous, s.y_previous))",
        "(s.v - oracle.sample(LowerGradient(label='old'), t)(s.x_previous, s.y_previous))",
    ),
    in_bsgvrm(
        "the difference is not weighted: 1 - alpha eta^2 on u alone",
        "(1 - self.alpha * eta**2) * (s.u - h(s.x_previous, s.y_previous))",
        "(1 - self.alpha * eta**2) * s.u - h(s.x_previous, s.y_previous)",
        "(1 - self.beta * eta**2) * (s.v - g(s.x_previous, s.y_previous))",
        "(1 - self.beta * eta**2) * s.v - g(s.x_previous, s.y_previous)",
    ),
    in_bsgvrm(
        "the previous point is the present one: no correction",
        "x_previous=s.x, y_previous=s.y)",
        "x_previous=moved.x, y_previous=moved.y)",
        unseen="What is left is a momentum of weight alpha eta^2, too slow for the steps of the claims: runs no longer "
        "settle. Half of the claims cannot be computed any more and are undecided, so it is noticed all the same.",
    ),
    in_bsgvrm("the first batch ignored: B = 1", "batch = self.B if t == 0 else 1", "batch = 1"),
    in_bsgvrm("the first batch in every iteration", "batch = self.B if t == 0 else 1", "batch = self.B"),
)

WRONG_MOMENTA = (*MOMENTUM, *DIFFERENCE)
