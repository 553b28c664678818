"""Gradient descent without convexity as PEPit 0.5.1 documents it.

The sources are, of nonconvex_optimization, gradient_descent and gradient_descent_quadratic_lojasiewicz_naive,
_intermediate and _expensive. The first promises 4/3 L/n for all steps gamma <= 1/L, and its example has gamma = 1/L.
The other three give their guarantee in code alone, for steps in three ranges, with m = -L and m_p = mu; they differ in
what PEPit is told of the class. In the first range a parenthesis closes too late there:

    mu (1 - L gamma) + sqrt(S)^2/(2L + mu)^2        instead of        ((mu (1 - L gamma) + sqrt(S))/(2L + mu))^2.

Quadratics are L-smooth, and those with mu > 0 have the inequality f - f* <= ||grad f||^2/(2 mu).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sympy import Integer, sqrt

import ratecert as rc
from ratecert.papers.pep.page import letters, paper, run, theorem

s = rc.statements
n, gamma, L, mu, Delta, D = s.letters("n gamma L mu Delta D")

NOTATION = letters(
    "n gamma L mu Delta", s.Symbol("D", "(f(x_0)-f(x_n))", "what n iterations have gained", units="f")
)
SMOOTH = s.Assumption(
    id="smooth",
    title="Smooth",
    source="first lines of the docstrings",
    sentence="The gradient of f is L-Lipschitz.",
    constants={"L": 0.0},
)
LOJASIEWICZ = s.Assumption(
    id="lojasiewicz",
    title="Quadratic Lojasiewicz inequality",
    source="first lines of the docstrings",
    sentence="f(x) - f* <= ||grad f(x)||^2/(2 mu) for all x.",
    constants={"mu": 0.0},
)

SMALLEST = theorem(
    *("smallest-gradient", "The smallest gradient", "nonconvex_optimization/gradient_descent"),
    *(r"\min_{t\leqslant n}\|\nabla f(x_t)\|^2", "f^2 x^-2", Integer(4) / 3 * L / n * D),
    conditions={"gamma": s.Condition(gamma, "<=", (1 / L,))},
)
UNDER_ROOT = (2 * L) * (-L - mu) * (2 - L * gamma) * mu * gamma + (2 * L) ** 2
SHORT = mu * (1 - L * gamma) + UNDER_ROOT / (2 * L + mu) ** 2
MIDDLE = 1 + (L * gamma - 2) * (-L * gamma - 2) * mu * gamma / (-mu * gamma - 2)
LONG = (L * gamma - 1) ** 2 / ((L * gamma - 1) ** 2 + mu * gamma * (2 - L * gamma))
RANGES = (
    ("short", SHORT, 0, 1 / L),
    ("middle", MIDDLE, 1 / L, sqrt(3) / L),
    ("long", LONG, sqrt(3) / L, 2 / L),
)
PL = tuple(
    theorem(
        *(f"lojasiewicz-{which}", f"Quadratic Lojasiewicz inequality, {which} steps"),
        "code of nonconvex_optimization/gradient_descent_quadratic_lojasiewicz_naive, _intermediate and _expensive",
        *(r"f(x_n)-f_\star", "f", rate**n * Delta),
        assumptions=(SMOOTH.id, LOJASIEWICZ.id),
        conditions={
            **({"least": s.Condition(gamma, ">", (least,))} if least else {}),
            "gamma": s.Condition(gamma, "<=", (most,)),
        },
    )
    for which, rate, least, most in RANGES
)

PRINTED = paper(
    "pep-nonconvex",
    "gradient descent without convexity",
    NOTATION,
    SMOOTH,
    LOJASIEWICZ,
    SMALLEST,
    *PL,
    steps=dict.fromkeys(
        ("smallest-gradient", *(f"lojasiewicz-{which}" for which in ("short", "middle", "long"))),
        "x_{t+1} = x_t - gamma grad f(x_t)",
    ),
)
REPAIRED = PRINTED.repaired(
    (
        s.Erratum(
            place="smallest-gradient.term.start",
            printed=Integer(4) / 3 * L / n * D,
            read=4 * D / (n * gamma * (4 - L * gamma)),
            reason="n small steps gain no more than n gamma times the largest squared gradient, so that the bound has "
            "to grow as 1/gamma; the same at gamma = 1/L",
            evidence="falsify pep-nonconvex:smallest-gradient refutes the print and not the repair; PEPit's own "
            "numbers are the repaired bound at every step that was tried",
        ),
        s.Erratum(
            place="lojasiewicz-short.term.start",
            printed=SHORT,
            read=((mu * (1 - L * gamma) + sqrt(UNDER_ROOT)) / (2 * L + mu)) ** 2,
            reason="a rate has no units, and the first summand has those of mu: the parenthesis closes after the "
            "square",
            evidence="ratecert lint; falsify pep-nonconvex:lojasiewicz-short refutes the print and not the repair; "
            "PEPit's own numbers for the naive description of the class are the repaired bound",
        ),
    )
)


def gained(values: Mapping[str, float]) -> rc.measures.Measure:
    """n times the mean over t < n of f(x_t) - f(x_{t+1}) = g'(gamma - gamma^2 H/2) g, with a diagonal Hessian H."""
    step = values["gamma"]

    def weight(problem: rc.worlds.SingleLevel) -> Any:
        return np.diag(step * (1 - step * np.diag(problem.H) / 2))

    return values["n"] * rc.measures.form(lambda problem, state: problem.gradient(state.x), weight=weight)


STEP, ENDS = {"alpha": gamma}, {"L": "L", "mu": "mu", "Delta": "gap"}
RUNS = {
    # with gamma <= 1/L the gradient of a quadratic shrinks from step to step, so that the last is the smallest
    "smallest-gradient": run(
        *(rc.methods.SGD, STEP, rc.measures.gradient().last(), {"L": "L"}),
        measured={"D": s.Measured(gained)},
        blind="The worst functions are not convex: quadratics have at most 3/4 of the repaired bound at gamma = 1/L.",
    ),
    **{
        f"lojasiewicz-{which}": run(
            *(rc.methods.SGD, STEP, rc.measures.gap().last(), ENDS),
            blind="The worst functions are not convex.",
            rests="at gamma = 2/L the rate is 1, and a quadratic stays where it is"
            if which == "long"
            else "",
        )
        for which, *_ in RANGES
    },
}
