"""Stochastic gradients (Bottou, Curtis and Nocedal, "Optimization Methods for Large-Scale Machine Learning").

w <- w - alpha g, where grad F'E g >= mu ||grad F||^2, ||E g|| <= mu_G ||grad F||, Var g <= M + M_V ||grad F||^2; F is
L-smooth and c-strongly convex. The start is w_1, so that w_k is k - 1 steps later; after an early version of the text.
This is Section 4; for Section 5 see sg_noise_reduction.py.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np

import ratecert as rc

PAPER = rc.about(
    "Optimization Methods for Large-Scale Machine Learning", certainty="text", edition="an early version"
)
COUNTED = "number of the iterate, or of all that are averaged"
T = rc.letter("T", means=COUNTED, units="1", least=1, of="iterations", latex="k")
abar = rc.letter("abar", means="constant step", units="x^2 f^-1", latex=r"\bar{\alpha}")
alpha_1 = rc.letter("alpha_1", means="first step", units="x^2 f^-1", latex=r"\alpha_1")
beta = rc.letter("beta", means="scale of the steps beta/(gamma + k)", units="x^2 f^-1")
L = rc.letter("L")
c = rc.letter("c", means="strong convexity")
mu = rc.letter(
    "mu",
    means="how far a direction follows the gradient",
    units="1",
    of=lambda setting: setting.constants.get("follows", 1.0),
)
mu_G = rc.letter(
    "mu_G",
    means="how long a direction may be, over the gradient",
    units="1",
    of=lambda setting: setting.constants.get("mu_G", 1.0),
)
M = rc.letter("M", means="variance where the gradient vanishes", units="f^2 x^-2", of="M")
M_V = rc.letter("M_V", means="growth of the variance with the squared gradient", units="1", of="M_V")
Delta = rc.letter("Delta", latex="(F(w_1)-F^*)")
M_G = rc.define("M_G", M_V + mu_G**2, means="M_V + mu_G^2", units="1", source="Section 4")
gamma = rc.define(  # alpha_1 = beta/(gamma + 1)
    "gamma", beta / alpha_1 - 1, means="offset of the steps", units="1", source="Theorem 4.7"
)
nu = rc.define(
    "nu",
    rc.Max(beta**2 * L * M / (2 * (beta * c * mu - 1)), (gamma + 1) * Delta),
    means="constant of Theorem 4.7",
    source="Theorem 4.7",
)

ASSUMED = rc.statements.Assumption(
    id="assumptions",
    title="Smoothness, strong convexity, first and second moments",
    source="Section 4",
    sentence="F is L-smooth and c-strongly convex; directions follow the gradient by mu, have a mean of at most mu_G "
    "and a variance of at most M + M_V times its square.",
    constants={"L": 0.0, "M": 0.0, "M_V": 0.0},
)


class Leaning(rc.worlds.SingleLevel):
    """Directions that are gradients with coordinates of different lengths: their mean leans away from grad F."""

    lengths: Any

    def __init__(self, lengths: list[float], **world: Any) -> None:
        super().__init__(**world)
        object.__setattr__(self, "lengths", np.array(lengths))

    def grad_f(self, xi: Any, x: Any) -> Any:
        """What is sampled."""
        return np.diag(self.lengths) @ super().grad_f(xi, x)

    def constants(self) -> dict[str, float]:
        """Those of F, and those of the directions."""
        exact = sum((Fraction(self.s) * Fraction(float(length))) ** 2 for length in self.lengths)
        noise = {"M": math.nextafter(float(exact), math.inf) if exact else 0.0, "M_V": 0.0}  # it has to hold
        return {**super().constants(), **noise, "follows": min(self.lengths), "mu_G": max(self.lengths)}


def _leaning(numbers: Any) -> Leaning:
    H = np.diag([numbers["L"], numbers["L"] / numbers["spread"]])
    return Leaning([numbers["first"], numbers["second"]], H=H, s=numbers["s"])


RANGES = {"L": (1e-3, 1e3), "spread": (1.0, 1e3), "x_off": (1e-3, 1e3), "s": (1e-3, 1e3)}
RANGES |= {"first": (1e-2, 1e2), "second": (1e-2, 1e2)}
LEANING = rc.statements.Family(
    name="leaning",
    levels=tuple(rc.statements.Level(name=name, low=low, high=high) for name, (low, high) in RANGES.items()),
    world=_leaning,
    held=({"x_off": 0.0}, {"s": 0.0}, {}),
)


def sg(x, grad, *, alpha):
    return x - alpha * grad(x)


def theorem(number: str, title: str, alpha: Any, **more: Any) -> Any:
    """By its number, with these steps."""
    return rc.theorem(
        sg,
        hyperparameters={"alpha": alpha},
        steps="w_{k+1} = w_k - alpha_k g(w_k, xi_k)",
        assuming=[ASSUMED],
        worlds=("single_level", "noisy_hessians", LEANING),
        title=title,
        source=f"Theorem {number}",
        **more,
    )


def diminishing(values: Any) -> Any:
    """alpha_k = beta/(gamma + k); iteration t = 0 is k = 1."""
    return rc.contract.Power(scale=values["beta"], offset=values["gamma"] + 1, exponent=1.0)


theorem_4_6 = theorem(
    "4.6",
    "SG, strongly convex, constant step",
    abar,
    measure=rc.measures.gap().last(),
    bound={
        "noise": abar * L * M / (2 * c * mu),
        "start": (1 - abar * c * mu) ** (T - 1) * (Delta - abar * L * M / (2 * c * mu)),
    },
    where=[abar <= mu / (L * M_G)],
    counts_from=1,
)
theorem_4_7 = theorem(
    "4.7",
    "SG, strongly convex, diminishing steps beta/(gamma + k)",
    diminishing,
    measure=rc.measures.gap().last(),
    bound={"rate": nu / (gamma + T)},
    where=[beta > 1 / (c * mu), alpha_1 <= mu / (L * M_G), gamma > 0],
    counts_from=1,
    most_iterations=200,
)
theorem_4_8 = theorem(
    "4.8",
    "SG, nonconvex, constant step",
    abar,
    measure=rc.measures.gradient(),
    bound={"noise": abar * L * M / mu, "start": 2 * Delta / (T * mu * abar)},
    where=[abar <= mu / (L * M_G)],
    blind="Quadratics that are bounded below are convex: no saddle is met.",
)
