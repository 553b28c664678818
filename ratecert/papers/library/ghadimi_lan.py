"""Randomised stochastic gradients with the factor kept (Ghadimi and Lan; Lan 2020, Section 6.1).

x_{k+1} = x_k - gamma_k G(x_k, xi_k), k = 1, ..., N, where f is L-smooth and samples have a variance of at most
sigma^2; the output is x_R with R drawn in proportion to 2 gamma_k - L gamma_k^2. The statement is about any steps below
2/L: here gamma_k = gamma h_k with h_k = k^-1/2, of which A = sum h_k and B = sum h_k^2 are, and with h_k = 1.
"""

from collections.abc import Mapping
from typing import Any

import ratecert as rc

s = rc.statements
T, gamma, L, sigma, D, A, B = s.letters("T gamma L sigma D_f A B")

NOTATION = s.table(
    s.Symbol("T", "N", "number of iterations", units="1", least=1),
    s.Symbol("gamma", r"\gamma", "first step", units="x^2 f^-1"),
    s.Symbol("L", "L", "Lipschitz constant of the gradient", units="f x^-2"),
    s.Symbol("sigma", r"\sigma", "standard deviation of a sample", units="f x^-1"),
    s.Symbol("D_f", "D_f", "sqrt(2 (f(x_1) - f*)/L)", units="x"),
    s.Symbol("A", r"\textstyle\sum h_k", "sum of the steps over gamma", units="1"),
    s.Symbol("B", r"\textstyle\sum h_k^2", "sum of their squares over gamma^2", units="1"),
)

SMOOTH = s.Assumption(
    id="smooth",
    title="Smoothness and noise",
    source="Section 6.1",
    sentence="The gradient of f is L-Lipschitz; samples have no bias and a variance of at most sigma^2.",
    constants={"L": 0.0, "sigma": 0.0},
)

RSG = s.Algorithm(
    id="rsg",
    title="Randomised stochastic gradients",
    source="Section 6.1",
    hyperparameters=("gamma",),
    starts_from=(),
    lines=(),
    updates={},
    requires="x_{k+1} = x_k - gamma_k G(x_k, xi_k); the output is x_R, R drawn in proportion to 2 gamma_k - L "
    "gamma_k^2",
)


def theorem(id: str, title: str, first: Any, second: Any) -> s.Theorem:
    """With these sums of h_k and of h_k^2."""
    steps = 2 * gamma * first - L * gamma**2 * second
    return s.Theorem(
        id=id,
        title=title,
        source="Section 6.1",
        algorithm="rsg",
        assumptions=("smooth",),
        measure=r"\frac{1}{L}\mathbb{E}\|\nabla f(x_R)\|^2",
        measure_units="f",
        conditions={"gamma": s.Condition(gamma, "<", (2 / L,))},
        terms={"start": D**2 / steps, "noise": sigma**2 * gamma**2 * second / steps},
    )


CONSTANT = theorem("constant-steps", "Randomised stochastic gradients, constant steps", T, T)
DIMINISHING = theorem("diminishing-steps", "Randomised stochastic gradients, steps gamma/sqrt(k)", A, B)

PRINTED = s.Paper(
    key="ghadimi-lan",
    title="First-order and Stochastic Optimization Methods for Machine Learning",
    certainty="text",
    edition="in part",
    notation=NOTATION,
    statements=s.by_id(SMOOTH, RSG, CONSTANT, DIMINISHING),
    bindings={},
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


def harmonic(exponent: float) -> Any:
    """The sum of k^-exponent over the iterations."""
    return lambda setting: sum(k**-exponent for k in range(1, setting.T + 1))


CONVEX = "quadratics that are bounded below are convex, and the class is not: no saddle is met"
OF_WORLD: dict[str, Any] = {
    "L": "L",
    "sigma": "sigma",
    "D_f": lambda setting: (2 * setting.constants["gap"] / setting.constants["L"]) ** 0.5,
}

RUNS = {
    "constant-steps": s.Binding(
        method=rc.methods.SGD,
        hyperparameters={"alpha": gamma},
        measure=lambda values: 1 / values["L"] * rc.measures.gradient(),
        constants=OF_WORLD,
        devices="",
        blind=CONVEX,
    ),
    "diminishing-steps": s.Binding(
        method=rc.methods.SGD,
        hyperparameters={"alpha": steps},
        measure=drawn,
        constants={**OF_WORLD, "A": harmonic(0.5), "B": harmonic(1.0)},
        devices="",
        blind=CONVEX,
        most_iterations=200,
    ),
}
