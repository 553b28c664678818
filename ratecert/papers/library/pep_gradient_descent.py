"""Gradient descent as PEPit 0.5.1 documents it: three exact rates, and one where the gradient has an error.

The sources are the files tutorials/gradient_descent_contraction and, of unconstrained_convex_minimization,
gradient_descent, gradient_descent_quadratics and inexact_gradient_descent; their docstrings say what their code
computes. Of the two runs of a contraction one stands at the minimiser here: on a quadratic their difference does not
depend on it. The error of a gradient is an adversary's; here it lengthens the gradient by its most in the steepest
direction and shortens it in all others.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sympy import Max, Min

import ratecert as rc
from ratecert.binding.families import QUADRATICS
from ratecert.papers.pep import SMOOTH, Delta, L, R, gamma, mu, n
from ratecert.papers.pep.table import pepit

PAPER = rc.about("PEPit 0.5.1: gradient descent", certainty="note", edition="here that of PEPit 0.5.1")
FOLDER = "unconstrained_convex_minimization"
GAP = rc.measures.gap().last()
STEPS = "x_{t+1} = x_t - gamma grad f(x_t)"
CONVEX = {"L": (3.0, 1.0, 2.0), "gamma": (1 / 3, 0.5, 0.05), "n": (4, 2, 6)}
WITH_MU = {"L": (1.0, 3.0, 1.0), "mu": (0.1, 0.3, 0.5), "gamma": (1.0, 0.5, 0.3), "n": (1, 3, 5)}
WITH_ERROR = {"L": (1.0, 2.0, 1.0), "mu": (0.1, 0.5, 0.01), "epsilon": (0.1, 0.3, 0.2), "n": (2, 1, 3)}


def gradient_descent(x, grad, *, gamma):
    return x - gamma * grad(x)


contraction = rc.theorem(
    gradient_descent,
    measure=rc.measures.distance().last(),
    bound=Max((1 - L * gamma) ** 2, (1 - mu * gamma) ** 2) ** n * R**2,
    assuming=[SMOOTH],
    title="Contraction of two runs",
    steps=STEPS,
    measure_latex=r"\|x_n-y_n\|^2",
    **pepit("tutorials/gradient_descent_contraction", unit=R**2, **WITH_MU),
)
convex = rc.theorem(
    gradient_descent,
    measure=GAP,
    bound=L / (4 * n * L * gamma + 2) * R**2,
    where=[gamma <= 1 / L],
    assuming=[SMOOTH],
    title="Convex functions",
    steps=STEPS,
    blind="Huber functions attain it; quadratics do so in the limit of small steps alone.",
    **pepit(f"{FOLDER}/gradient_descent", unit=R**2, **CONVEX),
)
WORST = {"means": "the worst curvature, as a part of L", "title": "The worst curvature"}
alpha = rc.define(
    *("alpha", Min(Max(1 / (L * gamma * (2 * n + 1)), mu / L), 1)),
    **{"units": "1", "id": "alpha", "source": f"{FOLDER}/gradient_descent_quadratics", **WORST},
)
quadratics = rc.theorem(
    gradient_descent,
    measure=GAP,
    bound=L / 2 * Max(alpha * (1 - alpha * L * gamma) ** (2 * n), (1 - L * gamma) ** (2 * n)) * R**2,
    where=[gamma <= 2 / L],
    assuming=[SMOOTH],
    title="Quadratics",
    steps=STEPS,
    **pepit(f"{FOLDER}/gradient_descent_quadratics", unit=R**2, **WITH_MU),
)

epsilon = rc.letter("epsilon", means="largest error of a gradient, as a part of it", units="1")
ERROR = {"units": "f x^-2", "source": "Algorithm"}
L_eps = rc.define(
    "L_eps", (1 + epsilon) * L, means="L with the error", latex=r"L_\varepsilon", id="L-eps", **ERROR
)
mu_eps = rc.define(
    "mu_eps", (1 - epsilon) * mu, means="mu with the error", latex=r"\mu_\varepsilon", id="mu-eps", **ERROR
)


@dataclass(frozen=True)
class WithError:
    """A gradient with the error of an adversary: the first coordinate is the steepest."""

    epsilon: float
    label: str = "with error"

    def sample(self, problem: rc.worlds.SingleLevel, bits: Any) -> None:
        """Draw nothing."""

    def evaluate(self, problem: rc.worlds.SingleLevel, sample: Any, *point: Any) -> Any:
        """One factor for each coordinate."""
        longer = np.diag([1 + self.epsilon, *[1 - self.epsilon] * (problem.d_x - 1)])
        return longer @ problem.full_gradient(*point)


def inexact_gradient(x, grad, *, gamma, epsilon):
    return x - gamma * grad.by(WithError(epsilon), x)


inexact = rc.theorem(
    inexact_gradient,
    measure=GAP,
    bound=((L_eps - mu_eps) / (L_eps + mu_eps)) ** (2 * n) * Delta,
    where=[epsilon < 1, rc.equal(gamma, 2 / (L_eps + mu_eps))],
    assuming=[SMOOTH],
    worlds=[replace(QUADRATICS, name="all_directions", start=rc.statements.Family.start)],
    title="Gradients with a relative error",
    steps="x_{t+1} = x_t - gamma d_t, where ||d_t - grad f(x_t)|| <= epsilon ||grad f(x_t)||",
    **pepit(f"{FOLDER}/inexact_gradient_descent", unit=Delta, **WITH_ERROR),
)
