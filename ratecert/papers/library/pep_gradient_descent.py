"""Gradient descent as PEPit 0.5.1 documents it: three exact rates, and one where the gradient has an error.

The sources are the files tutorials/gradient_descent_contraction and, of unconstrained_convex_minimization,
gradient_descent, gradient_descent_quadratics and inexact_gradient_descent; their docstrings say what their code
computes. Of the two runs of a contraction one stands at the minimiser here: on a quadratic their difference does not
depend on it. The error of a gradient is an adversary's; here it lengthens the gradient by its most in the steepest
direction and shortens it in all others.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Max, Min

import ratecert as rc
from ratecert.binding.families import AT_L, AT_MU, QUADRATICS
from ratecert.papers.pep.page import SMOOTH, letters, paper, run, theorem

s = rc.statements
n, gamma, L, mu, R, Delta, epsilon, alpha = s.letters("n gamma L mu R Delta epsilon alpha")
L_eps, mu_eps = s.letters("L_eps mu_eps")
UNCONSTRAINED = "unconstrained_convex_minimization"

NOTATION = letters(
    "n gamma L mu R Delta",
    s.Symbol("alpha", r"\alpha", "the worst curvature, as a part of L", units="1"),
    s.Symbol("epsilon", r"\varepsilon", "largest error of a gradient, as a part of it", units="1"),
    s.Symbol("L_eps", r"L_\varepsilon", "L lengthened by the error", units="f x^-2"),
    s.Symbol("mu_eps", r"\mu_\varepsilon", "mu shortened by the error", units="f x^-2"),
)

CONTRACTION = theorem(
    "contraction",
    "Contraction of two runs",
    "tutorials/gradient_descent_contraction",
    r"\|x_n-y_n\|^2",
    "x^2",
    Max((1 - L * gamma) ** 2, (1 - mu * gamma) ** 2) ** n * R**2,
)
CONVEX = theorem(
    "convex",
    "Convex functions",
    f"{UNCONSTRAINED}/gradient_descent",
    r"f(x_n)-f_\star",
    "f",
    L / (4 * n * L * gamma + 2) * R**2,
    conditions={"gamma": s.Condition(gamma, "<=", (1 / L,))},
)
ALPHA = s.Definition(
    id="alpha",
    title="The worst curvature",
    source=f"{UNCONSTRAINED}/gradient_descent_quadratics",
    left=alpha,
    right=Min(Max(1 / (L * gamma * (2 * n + 1)), mu / L), 1),
)
QUADRATIC = theorem(
    "quadratics",
    "Quadratics",
    f"{UNCONSTRAINED}/gradient_descent_quadratics",
    r"f(x_n)-f_\star",
    "f",
    L / 2 * Max(alpha * (1 - alpha * L * gamma) ** (2 * n), (1 - L * gamma) ** (2 * n)) * R**2,
    conditions={"gamma": s.Condition(gamma, "<=", (2 / L,))},
)
LONGER = s.Definition(
    id="L-eps", title="L with the error", source="Algorithm", left=L_eps, right=(1 + epsilon) * L
)
SHORTER = s.Definition(
    id="mu-eps", title="mu with the error", source="Algorithm", left=mu_eps, right=(1 - epsilon) * mu
)
INEXACT = theorem(
    "inexact",
    "Gradients with a relative error",
    f"{UNCONSTRAINED}/inexact_gradient_descent",
    r"f(x_n)-f_\star",
    "f",
    ((L_eps - mu_eps) / (L_eps + mu_eps)) ** (2 * n) * Delta,
    conditions={
        "epsilon": s.Condition(epsilon, "<", (1,)),
        "gamma": s.Condition(gamma, "=", (2 / (L_eps + mu_eps),)),
    },
)

PRINTED = paper(
    "pep-gradient-descent",
    "gradient descent",
    NOTATION,
    *(SMOOTH, CONTRACTION, CONVEX, ALPHA, QUADRATIC, LONGER, SHORTER, INEXACT),
    steps={
        **dict.fromkeys(("contraction", "convex", "quadratics"), "x_{t+1} = x_t - gamma grad f(x_t)"),
        "inexact": "x_{t+1} = x_t - gamma d_t, where ||d_t - grad f(x_t)|| <= epsilon ||grad f(x_t)||",
    },
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


@dataclass(frozen=True, kw_only=True)
class InexactGradient(rc.contract.Method):
    """x <- x - gamma d, where d is the gradient with an error of epsilon times its length."""

    gamma: float
    epsilon: float

    levels = 1

    @property
    def stages(self) -> tuple[Any, ...]:
        return (rc.contract.Stage(self.step, repeats=1, averaged=("x",)),)

    def step(self, t: int, state: Any, oracle: Any) -> Any:
        """One step along the gradient with its error."""
        d = oracle.sample(WithError(self.epsilon), t)
        return rc.contract.State(x=state.x - self.gamma * d(state.x))

    def step_size(self, t: int) -> float:
        """For messages."""
        return self.gamma


IN_ALL = s.Family(
    name="all_directions",
    levels=QUADRATICS.levels,
    world=QUADRATICS.world,
    held=(AT_L, AT_MU, {}),
    usual=QUADRATICS.usual,
)
GAP, STEP = rc.measures.gap().last(), {"alpha": gamma}
ENDS = {"L": "L", "mu": "mu", "R": "distance"}
RUNS = {
    "contraction": run(rc.methods.SGD, STEP, rc.measures.distance().last(), ENDS),
    "convex": run(
        *(rc.methods.SGD, STEP, GAP, {"L": "L", "R": "distance"}),
        blind="Huber functions attain it; quadratics do so in the limit of small steps alone.",
    ),
    "quadratics": run(rc.methods.SGD, STEP, GAP, ENDS),
    "inexact": run(
        *(InexactGradient, {"gamma": gamma, "epsilon": epsilon}, GAP),
        {"L": "L", "mu": "mu", "Delta": "gap"},
        worlds=(IN_ALL,),
    ),
}
