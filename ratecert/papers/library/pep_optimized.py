"""Optimized gradient methods as PEPit 0.5.1 documents them: OGM and OGM-G.

The sources are optimized_gradient and optimized_gradient_for_gradient of unconstrained_convex_minimization. OGM has two
sequences: the docstring promises f(x_n), of the one that makes gradient steps, and the code measures f(y_n).
"""

import math
from dataclasses import dataclass, field
from typing import Any

import ratecert as rc
from ratecert.papers.pep.page import SMOOTH, letters, paper, run, theorem

s = rc.statements
n, L, R, Delta, theta_n, theta_0 = s.letters("n L R Delta theta_n theta_0")
UNCONSTRAINED = "unconstrained_convex_minimization"

NOTATION = letters(
    "n L R Delta",
    s.Symbol("theta_n", r"\theta_n", "the last of OGM's numbers", units="1"),
    s.Symbol("theta_0", r"\tilde{\theta}_0", "the first of OGM-G's numbers", units="1"),
)

OGM, OGM_CODE = (
    theorem(
        *(id, title, f"{UNCONSTRAINED}/optimized_gradient", rf"f({point}_n)-f_\star", "f"),
        L * R**2 / (2 * theta_n**2),
    )
    for id, title, point in (
        ("ogm", "OGM at x_n, as the docstring has it", "x"),
        ("ogm-code", "OGM at y_n, as the code has it", "y"),
    )
)
OGM_G = theorem(
    "ogm-g",
    "OGM for the gradient",
    f"{UNCONSTRAINED}/optimized_gradient_for_gradient",
    r"\|\nabla f(x_n)\|^2",
    "f^2 x^-2",
    2 * L * Delta / theta_0**2,
)
PRINTED = paper(
    "pep-optimized",
    "optimized methods",
    NOTATION,
    SMOOTH,
    OGM,
    OGM_CODE,
    OGM_G,
    steps={
        **dict.fromkeys(
            ("ogm", "ogm-code"),
            "x_{t+1} = y_t - grad f(y_t)/L, y_{t+1} = x_{t+1} + (theta_t - 1)/theta_{t+1} (x_{t+1} - x_t) + "
            "theta_t/theta_{t+1} "
            "(x_{t+1} - y_t); theta_0 = 1, theta_t = (1 + sqrt(4 theta_{t-1}^2 + 1))/2, and theta_n with 8 for 4",
        ),
        "ogm-g": "y_{t+1} = x_t - grad f(x_t)/L, x_{t+1} = y_{t+1} + (theta_t - 1)(2 theta_{t+1} - 1)/(theta_t (2 "
        "theta_t - "
        "1)) (y_{t+1} - y_t) + (2 theta_{t+1} - 1)/(2 theta_t - 1) (y_{t+1} - x_t); theta_n = 1, theta_t = (1 + sqrt(4 "
        "theta_{t+1}^2 + 1))/2, and theta_0 with 8 for 4",
    },
)


def thetas(N: int) -> list[float]:
    """1, then N - 1 times a factor 4 under the root, then a factor 8."""
    found = [1.0]
    for i in range(N):
        found.append((1 + math.sqrt((8 if i == N - 1 else 4) * found[-1] ** 2 + 1)) / 2)
    return found


@dataclass(frozen=True)
class Coefficient:
    """One of OGM-G's two coefficients, at whole t."""

    N: int
    of: str

    only_whole, constant_until, largest = True, 0.0, 2.0

    def __call__(self, t: float) -> float:
        theta = thetas(self.N)[::-1]
        now, then = theta[int(t) % self.N], theta[int(t) % self.N + 1]
        return (2 * then - 1) / (2 * now - 1) * ((now - 1) / now if self.of == "y - y_-" else 1.0)


@dataclass(frozen=True, kw_only=True)
class OptimizedForGradient(rc.contract.Method):
    """OGM-G for N iterations."""

    alpha: float
    N: int
    beta: Any = field(init=False, repr=False)  # of y+ - y
    gamma: Any = field(init=False, repr=False)  # of y+ - x

    levels = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "beta", Coefficient(self.N, "y - y_-"))
        object.__setattr__(self, "gamma", Coefficient(self.N, "y - x"))

    @property
    def stages(self) -> tuple[Any, ...]:
        return (rc.contract.Stage(self.step, repeats=1, averaged=("x", "y")),)

    def start(self, state: Any, oracle: Any) -> Any:
        """Both points are the first one."""
        return rc.contract.State(x=state.x, y=state.x)

    def step(self, t: int, state: Any, oracle: Any) -> Any:
        """A gradient step to y, then x beyond it in two directions."""
        y = state.x - self.alpha * oracle.sample(rc.contract.Gradient(), t)(state.x)
        return rc.contract.State(x=y + self.beta(t) * (y - state.y) + self.gamma(t) * (y - state.x), y=y)

    def step_size(self, t: int) -> float:
        """For messages."""
        return self.alpha


ENDS = {"L": "L", "R": "distance"}
LAST = {"theta_n": lambda setting: thetas(setting.T)[-1]}
RUNS = {
    "ogm": run(
        *(rc.methods.OGM, {"alpha": 1 / L, "N": n}, rc.measures.gap("y").last(), {**ENDS, **LAST}),
        blind="Huber functions break it, as PEPit's numbers show; quadratics do not. PEPit's code has the guarantee "
        "for the last y in the place of the last x, which attains it.",
    ),
    "ogm-code": run(rc.methods.OGM, {"alpha": 1 / L, "N": n}, rc.measures.gap().last(), {**ENDS, **LAST}),
    "ogm-g": run(
        *(OptimizedForGradient, {"alpha": 1 / L, "N": n}, rc.measures.gradient().last()),
        {"L": "L", "Delta": "gap", "theta_0": lambda setting: thetas(setting.T)[-1]},
    ),
}
