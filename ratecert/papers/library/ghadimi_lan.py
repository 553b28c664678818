"""Randomised stochastic gradients with the factor kept (Ghadimi and Lan; Lan 2020, Section 6.1).

x_{k+1} = x_k - gamma_k G(x_k, xi_k), k = 1, ..., N, where f is L-smooth and samples have a variance of at most
sigma^2; the output is x_R with R drawn in proportion to 2 gamma_k - L gamma_k^2. The statement is about any steps below
2/L: here gamma_k = gamma h_k with h_k = k^-1/2, of which A = sum h_k and B = sum h_k^2 are, and with h_k = 1.
"""

from collections.abc import Mapping
from typing import Any

import ratecert as rc

PAPER = rc.about(
    "First-order and Stochastic Optimization Methods for Machine Learning",
    certainty="text",
    edition="in part",
)


def scale(setting: rc.statements.Setting) -> float:
    """sqrt(2 (f(x_1) - f*)/L)."""
    return float((2 * setting.constants["gap"] / setting.constants["L"]) ** 0.5)


def harmonic(exponent: float) -> Any:
    """The sum of k^-exponent over the iterations."""
    return lambda setting: sum(k**-exponent for k in range(1, setting.T + 1))


T = rc.letter("T", latex="N")
gamma = rc.letter("gamma", means="first step", units="x^2 f^-1")
L, sigma = rc.letters("L sigma")
D = rc.letter("D_f", means="sqrt(2 (f(x_1) - f*)/L)", units="x", of=scale)
h, square = r"\textstyle\sum h_k", r"\textstyle\sum h_k^2"
A = rc.letter("A", means="sum of the steps over gamma", units="1", of=harmonic(0.5), latex=h)
B = rc.letter("B", means="sum of their squares over gamma^2", units="1", of=harmonic(1.0), latex=square)

SMOOTH = rc.statements.Assumption(
    id="smooth",
    title="Smoothness and noise",
    source="Section 6.1",
    sentence="The gradient of f is L-Lipschitz; samples have no bias and a variance of at most sigma^2.",
    constants={"L": 0.0, "sigma": 0.0},
)


def sgd(x, grad, *, gamma):
    return x - gamma * grad(x)


def theorem(title: str, first: Any, second: Any, **more: Any) -> Any:
    """With these sums of h_k and of h_k^2."""
    steps = 2 * gamma * first - L * gamma**2 * second
    return rc.theorem(
        sgd,
        steps="x_{k+1} = x_k - gamma_k G(x_k, xi_k); the output is x_R, R drawn in proportion to 2 gamma_k - L "
        "gamma_k^2",
        measure_latex=r"\frac{1}{L}\mathbb{E}\|\nabla f(x_R)\|^2",
        measure_units="f",
        bound={"start": D**2 / steps, "noise": sigma**2 * gamma**2 * second / steps},
        where=[gamma < 2 / L],
        assuming=[SMOOTH],
        title=title,
        source="Section 6.1",
        blind="quadratics that are bounded below are convex, and the class is not: no saddle is met",
        **more,
    )


def steps(values: Mapping[str, float]) -> rc.contract.Schedule:
    """gamma/sqrt(k); iteration t = 0 is k = 1."""
    return rc.contract.Power(scale=values["gamma"], offset=1.0, exponent=0.5)


def drawn(values: Mapping[str, float]) -> rc.measures.Measure:
    """||grad f||^2/L at an iterate that is drawn in proportion to 2 gamma_k - L gamma_k^2."""
    each = steps(values)
    return (1 / values["L"] * rc.measures.gradient()).drawn(
        lambda t: 2 * each(t) - values["L"] * each(t) ** 2
    )


constant_steps = theorem(
    "Randomised stochastic gradients, constant steps", T, T, measure=1 / L * rc.measures.gradient()
)
diminishing_steps = theorem(
    "Randomised stochastic gradients, steps gamma/sqrt(k)",
    A,
    B,
    measure=drawn,
    hyperparameters={"gamma": steps},
    most_iterations=200,
)
