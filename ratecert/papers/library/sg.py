"""Stochastic gradients (Bottou, Curtis and Nocedal, "Optimization Methods for Large-Scale Machine Learning").

w <- w - alpha g, where grad F'E g >= mu ||grad F||^2, ||E g|| <= mu_G ||grad F||, Var g <= M + M_V ||grad F||^2; F is
L-smooth and c-strongly convex. The start is w_1, so that w_k is k - 1 steps later; after an early version of the text.
This is Section 4; for Section 5 see sg_noise_reduction.py.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from sympy import Max

import ratecert as rc

s = rc.statements
T, abar, alpha_1, beta, gamma, nu = s.letters("T abar alpha_1 beta gamma nu")
L, c, mu, mu_G, M, M_V, M_G, Delta = s.letters("L c mu mu_G M M_V M_G Delta")

NOTATION = s.table(
    s.Symbol("T", "k", "number of the iterate, or of all that are averaged", units="1", least=1),
    s.Symbol("abar", r"\bar{\alpha}", "constant step", units="x^2 f^-1"),
    s.Symbol("alpha_1", r"\alpha_1", "first step", units="x^2 f^-1"),
    s.Symbol("beta", r"\beta", "scale of the steps beta/(gamma + k)", units="x^2 f^-1"),
    s.Symbol("gamma", r"\gamma", "offset of the steps", units="1"),
    s.Symbol("L", "L", "Lipschitz constant of the gradient", units="f x^-2"),
    s.Symbol("c", "c", "strong convexity", units="f x^-2"),
    s.Symbol("mu", r"\mu", "how far a direction follows the gradient", units="1"),
    s.Symbol("mu_G", r"\mu_G", "how long a direction may be, over the gradient", units="1"),
    s.Symbol("M", "M", "variance where the gradient vanishes", units="f^2 x^-2"),
    s.Symbol("M_V", "M_V", "growth of the variance with the squared gradient", units="1"),
    s.Symbol("M_G", "M_G", "M_V + mu_G^2", units="1"),
    s.Symbol("nu", r"\nu", "constant of Theorem 4.7"),
    s.Symbol("Delta", r"(F(w_1)-F^*)", "gap at the start", units="f"),
)

ASSUMED = s.Assumption(
    id="assumptions",
    title="Smoothness, strong convexity, first and second moments",
    source="Section 4",
    sentence="F is L-smooth and c-strongly convex; directions follow the gradient by mu, have a mean of at most mu_G "
    "and a variance of at most M + M_V times its square.",
    constants={"L": 0.0, "M": 0.0, "M_V": 0.0},
)
SG = s.Algorithm(
    id="sg",
    title="Stochastic gradients",
    source="Section 4",
    hyperparameters=("abar",),
    starts_from=(),
    lines=(),
    updates={},
    requires="w_{k+1} = w_k - alpha_k g(w_k, xi_k)",
)


def theorem(number: str, title: str, measure: str, units: str, conditions: Any, terms: Any) -> s.Theorem:
    """Of SG, by its number."""
    return s.Theorem(
        id=f"theorem-{number}".replace(".", "-"),
        title=title,
        source=f"Theorem {number}",
        algorithm="sg",
        assumptions=("assumptions",),
        measure=measure,
        measure_units=units,
        conditions=conditions,
        terms=terms,
    )


GAP = r"\mathbb{E}F(w_k)-F^*"
SHORT = {"abar": s.Condition(abar, "<=", (mu / (L * M_G),))}

STATEMENTS = (
    ASSUMED,
    SG,
    s.Definition(id="constant.M_G", title="M_G", source="Section 4", left=M_G, right=M_V + mu_G**2),
    theorem(
        "4.6",
        "SG, strongly convex, constant step",
        GAP,
        "f",
        SHORT,
        {
            "noise": abar * L * M / (2 * c * mu),
            "start": (1 - abar * c * mu) ** (T - 1) * (Delta - abar * L * M / (2 * c * mu)),
        },
    ),
    s.Definition(  # alpha_1 = beta/(gamma + 1)
        id="constant.gamma", title="gamma", source="Theorem 4.7", left=gamma, right=beta / alpha_1 - 1
    ),
    s.Definition(
        id="constant.nu",
        title="nu",
        source="Theorem 4.7",
        left=nu,
        right=Max(beta**2 * L * M / (2 * (beta * c * mu - 1)), (gamma + 1) * Delta),
    ),
    theorem(
        "4.7",
        "SG, strongly convex, diminishing steps beta/(gamma + k)",
        GAP,
        "f",
        {
            "beta": s.Condition(beta, ">", (1 / (c * mu),)),
            "alpha_1": s.Condition(alpha_1, "<=", (mu / (L * M_G),)),
            "gamma": s.Condition(gamma, ">", (0,)),
        },
        {"rate": nu / (gamma + T)},
    ),
    theorem(
        "4.8",
        "SG, nonconvex, constant step",
        r"\frac{1}{k}\sum_{i=1}^k\mathbb{E}\|\nabla F(w_i)\|^2",
        "f^2 x^-2",
        SHORT,
        {"noise": abar * L * M / mu, "start": 2 * Delta / (T * mu * abar)},
    ),
)

PRINTED = s.Paper(
    key="sg",
    title="Optimization Methods for Large-Scale Machine Learning",
    certainty="text",
    edition="an early version",
    notation=NOTATION,
    statements=s.by_id(*STATEMENTS),
    bindings={},
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


CURVATURES = (s.Level(name="L", low=1e-3, high=1e3), s.Level(name="spread", low=1.0, high=1e3))
START = s.Level(name="x_off", low=1e-3, high=1e3)
LEANING = s.Family(
    name="leaning",
    levels=(
        *CURVATURES,
        START,
        s.Level(name="s", low=1e-3, high=1e3),
        s.Level(name="first", low=1e-2, high=1e2),
        s.Level(name="second", low=1e-2, high=1e2),
    ),
    world=_leaning,
    held=({"x_off": 0.0}, {"s": 0.0}, {}),
)


def sg(alpha: Any, measure: rc.measures.Measure, c: dict[str, str], **other: Any) -> s.Binding:
    """Stochastic gradients with a bounded variance, with one that grows, and with directions that lean."""
    return s.Binding(
        method=rc.methods.SGD,
        hyperparameters={"alpha": alpha},
        measure=measure,
        constants={
            "L": "L",
            "M": "M",
            "M_V": "M_V",
            "Delta": "gap",
            **c,
            "mu": lambda setting: setting.constants.get("follows", 1.0),
            "mu_G": lambda setting: setting.constants.get("mu_G", 1.0),
        },
        worlds=("single_level", "noisy_hessians", LEANING),
        devices="",
        **other,
    )


def diminishing(values: Any) -> Any:
    """alpha_k = beta/(gamma + k); iteration t = 0 is k = 1."""
    return rc.contract.Power(scale=values["beta"], offset=values["gamma"] + 1, exponent=1.0)


RUNS = {
    "theorem-4-6": sg(abar, rc.measures.gap().last(), {"c": "mu"}, counts_from=1),
    "theorem-4-7": sg(diminishing, rc.measures.gap().last(), {"c": "mu"}, counts_from=1, most_iterations=200),
    "theorem-4-8": sg(
        abar,
        rc.measures.gradient(),
        {},
        blind="Quadratics that are bounded below are convex: no saddle is met.",
    ),
}
