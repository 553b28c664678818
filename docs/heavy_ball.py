"""Heavy ball with noise, as a paper might print it: one factor was lost on the way from the proof to the theorem.

With x_{-1} = x_0 the point z_t = x_t + beta/(1 - beta) (x_t - x_{t-1}) moves by -a g_t, a = alpha/(1 - beta). So
E||z_t - x*||^2 changes by at most

    -2 a (F(x_t) - F*) - 2 a beta/(1 - beta) (F(x_t) - F(x_{t-1})) + a^2 sigma^2/K,

since a^2 ||grad F||^2 is no more than what convexity and smoothness leave of the first term where a <= 1/L. Summed over
t < T, with F(x_0) - F* <= L R^2/2, this is the theorem with a in the place of alpha in its last term.
"""

from dataclasses import dataclass
from typing import Any

from sympy import Rational

import ratecert as rc

s = rc.statements
K, T, beta, alpha, L, sigma, R = s.letters("K T beta alpha L sigma R")


@dataclass(frozen=True, kw_only=True)
class HeavyBall(rc.contract.Method):
    """m <- beta m + g(x), x <- x - alpha m, averaged over devices after every step."""

    alpha: float
    beta: float

    levels = 1  # F alone, without a lower level

    @property
    def stages(self) -> tuple[Any, ...]:
        return (rc.contract.Stage(self.step, repeats=1, averaged=("x", "m")),)

    def start(self, state: Any, oracle: Any) -> Any:
        """At rest."""
        return rc.contract.State(x=state.x, m=0 * state.x)

    def step(self, t: int, state: Any, oracle: Any) -> Any:
        """One step along the new momentum."""
        m = self.beta * state.m + oracle.sample(rc.contract.Gradient(), t)(state.x)
        return rc.contract.State(x=state.x - self.alpha * m, m=m)

    def step_size(self, t: int) -> float:
        """For messages."""
        return self.alpha


ALGORITHM = s.Algorithm(
    id="heavy-ball",
    title="Heavy ball",
    source="Section 2",
    hyperparameters=("alpha", "beta"),
    starts_from=(),
    lines=(),
    updates={},
)

THEOREM = s.Theorem(
    id="theorem-1",
    title="Heavy ball: F is convex, its gradient L-Lipschitz, a sample has variance sigma^2",
    source="Section 3",
    algorithm="heavy-ball",
    assumptions=(),
    measure=r"\frac{1}{T}\sum_{t<T}\mathbb{E}F(x_t)-F^*",
    measure_units="f",
    conditions={
        "beta": s.Condition(beta, "<=", (Rational(9, 10),)),
        "alpha": s.Condition(alpha, "<=", ((1 - beta) / L,)),
    },
    terms={
        "start": (1 - beta) * R**2 / (2 * alpha * T),
        "momentum": beta * L * R**2 / (2 * (1 - beta) * T),
        "noise": alpha * sigma**2 / (2 * K),  # the factor 1/(1 - beta) is lost
    },
)

PRINTED = s.Paper(
    key="heavy-ball",
    title="Heavy ball with noise",
    notation=s.table(
        s.Symbol("K", "K", "devices", units="1", least=1),
        s.Symbol("T", "T", "iterations", units="1", least=1),
        s.Symbol("beta", r"\beta", "momentum", units="1"),
        s.Symbol("alpha", r"\alpha", "step size", units="x^2 f^-1"),
        s.Symbol("L", "L", "Lipschitz constant of the gradient", units="f x^-2"),
        s.Symbol("sigma", r"\sigma", "standard deviation of a sample", units="f x^-1"),
        s.Symbol("R", "R", "distance of the start from the minimiser", units="x"),
    ),
    statements=s.by_id(ALGORITHM, THEOREM),
    bindings={},
)

RUNS = {
    "theorem-1": s.Binding(
        method=HeavyBall,
        hyperparameters={"alpha": alpha, "beta": beta},
        measure=rc.measures.gap(),
        constants={"L": "L", "sigma": "sigma", "R": "distance"},
    )
}
