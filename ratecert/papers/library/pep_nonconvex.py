"""Gradient descent without convexity as PEPit 0.5.1 documents it.

The sources are, of nonconvex_optimization, gradient_descent and gradient_descent_quadratic_lojasiewicz_naive,
_intermediate and _expensive. The first promises 4/3 L/n for all steps gamma <= 1/L, and its example has gamma = 1/L.
The other three give their guarantee in code alone, for steps in three ranges, with m = -L and m_p = mu; they differ in
what PEPit is told of the class. In the first range a parenthesis closes too late there:

    mu (1 - L gamma) + sqrt(S)^2/(2L + mu)^2        instead of        ((mu (1 - L gamma) + sqrt(S))/(2L + mu))^2.

Quadratics are L-smooth, and those with mu > 0 have the inequality f - f* <= ||grad f||^2/(2 mu).
"""

import numpy as np
from sympy import Integer, sqrt

import ratecert as rc
from ratecert.papers.pep import Delta, L, gamma, mu, n
from ratecert.papers.pep.table import pepit

s = rc.statements
PAPER = rc.about(
    "PEPit 0.5.1: gradient descent without convexity", certainty="note", edition="here that of PEPit 0.5.1"
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
STEEP = {"L": (1.0, 1.0, 2.0), "gamma": (1.0, 0.5, 0.1), "n": (5, 3, 2)}
STEPS = "x_{t+1} = x_t - gamma grad f(x_t)"


def gradient_descent(x, grad, *, gamma):
    return x - gamma * grad(x)


def gained(values):
    """n times the mean over t < n of f(x_t) - f(x_{t+1}) = g'(gamma - gamma^2 H/2) g, with a diagonal Hessian H."""
    step = values["gamma"]

    def weight(problem):
        return np.diag(step * (1 - step * np.diag(problem.H) / 2))

    return values["n"] * rc.measures.form(lambda problem, state: problem.gradient(state.x), weight=weight)


D = rc.letter(
    "D", means="what n iterations have gained", units="f", of=s.Measured(gained), latex="(f(x_0)-f(x_n))"
)
smallest_gradient = rc.theorem(
    gradient_descent,
    # with gamma <= 1/L the gradient of a quadratic shrinks from step to step, so that the last is the smallest
    measure=rc.measures.gradient().last(),
    bound={"start": Integer(4) / 3 * L / n * D},
    where=[gamma <= 1 / L],
    assuming=[SMOOTH],
    worlds=["quadratics"],  # whose Hessian is diagonal
    title="The smallest gradient",
    steps=STEPS,
    measure_latex=r"\min_{t\leqslant n}\|\nabla f(x_t)\|^2",
    blind="The worst functions are not convex: quadratics have at most 3/4 of the repaired bound at gamma = 1/L.",
    **pepit("nonconvex_optimization/gradient_descent", unit=D, **STEEP),
)
ALL_STEPS = s.Erratum(
    place="smallest-gradient.term.start",
    printed=Integer(4) / 3 * L / n * D,
    read=4 * D / (n * gamma * (4 - L * gamma)),
    reason="n small steps gain no more than n gamma times the largest squared gradient, so that the bound has to grow "
    "as 1/gamma; the same at gamma = 1/L",
    evidence="falsify pep-nonconvex:smallest-gradient refutes the print and not the repair; PEPit's own numbers are "
    "the repaired bound at every step that was tried",
)

FUNCTION = "nonconvex_optimization.wc_gradient_descent_quadratic_lojasiewicz"
FILE = "code of nonconvex_optimization/gradient_descent_quadratic_lojasiewicz_naive, _intermediate and _expensive"
TOLD = [f"{FUNCTION}_{told}" for told in ("naive", "intermediate", "expensive")]
SMALL = {"L": (1.0, 0.5, 4.0), "mu": (0.2, 0.05, 1.0), "gamma": (0.5, 0.4, 0.1), "n": (1, 1, 1)}
LARGE = {"L": (1.0, 1.0), "mu": (0.2, 0.5), "n": (1, 2)}
UNDER_ROOT = (2 * L) * (-L - mu) * (2 - L * gamma) * mu * gamma + (2 * L) ** 2
SHORT = mu * (1 - L * gamma) + UNDER_ROOT / (2 * L + mu) ** 2
MIDDLE = 1 + (L * gamma - 2) * (-L * gamma - 2) * mu * gamma / (-mu * gamma - 2)
LONG = (L * gamma - 1) ** 2 / ((L * gamma - 1) ** 2 + mu * gamma * (2 - L * gamma))
lojasiewicz_short = rc.theorem(
    gradient_descent,
    measure=rc.measures.gap().last(),
    bound=SHORT**n * Delta,
    where=[gamma <= 1 / L],
    assuming=[SMOOTH, LOJASIEWICZ],
    worlds=["quadratics"],
    title="Quadratic Lojasiewicz inequality, short steps",
    steps=STEPS,
    blind="The worst functions are not convex.",
    **pepit(FILE, *TOLD, unit=Delta, **SMALL),
)
lojasiewicz_middle = lojasiewicz_short.restated(
    bound=MIDDLE**n * Delta,
    where={"least": gamma > 1 / L, "gamma": gamma <= sqrt(3) / L},
    title="Quadratic Lojasiewicz inequality, middle steps",
    **pepit(FILE, *TOLD, unit=Delta, gamma=(1.2, 1.5), **LARGE),
)
lojasiewicz_long = lojasiewicz_short.restated(
    bound=LONG**n * Delta,
    where={"least": gamma > sqrt(3) / L, "gamma": gamma <= 2 / L},
    title="Quadratic Lojasiewicz inequality, long steps",
    rests="at gamma = 2/L the rate is 1, and a quadratic stays where it is",
    **pepit(FILE, *TOLD, unit=Delta, gamma=(1.8, 1.9), **LARGE),
)
PARENTHESIS = s.Erratum(
    place="lojasiewicz-short.term.start",
    printed=SHORT,
    read=((mu * (1 - L * gamma) + sqrt(UNDER_ROOT)) / (2 * L + mu)) ** 2,
    reason="a rate has no units, and the first summand has those of mu: the parenthesis closes after the square",
    evidence="ratecert lint; falsify pep-nonconvex:lojasiewicz-short refutes the print and not the repair; PEPit's own "
    "numbers for the naive description of the class are the repaired bound",
)
