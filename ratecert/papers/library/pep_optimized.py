"""Methods with optimal coefficients as PEPit 0.5.1 documents them: OGM, OGM-G and ITEM.

The sources are optimized_gradient, optimized_gradient_for_gradient and information_theoretic_exact_method of
unconstrained_convex_minimization. OGM has two sequences: the docstring promises f(x_n), of the one that makes gradient
steps, and the code measures f(y_n). ITEM's docstring gives beta_{t+1} and delta_{t+1} of A_t and A_{t+1}, and uses
beta_t and delta_t in iteration t; the code has no such shift. To the letter delta_0 is missing: it is read as delta_1,
the best that there is for one step.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import ratecert as rc
from ratecert.errors import UserError
from ratecert.papers.pep.page import SMOOTH, letters, paper, run, theorem

s = rc.statements
n, L, mu, R, Delta, theta_n, theta_0, q, A_n = s.letters("n L mu R Delta theta_n theta_0 q A_n")
UNCONSTRAINED = "unconstrained_convex_minimization"

NOTATION = letters(
    "n L mu R Delta",
    s.Symbol("theta_n", r"\theta_n", "the last of OGM's numbers", units="1"),
    s.Symbol("theta_0", r"\tilde{\theta}_0", "the first of OGM-G's numbers", units="1"),
    s.Symbol("q", "q", "mu/L", units="1"),
    s.Symbol("A_n", "A_n", "the n-th of ITEM's numbers", units="1"),
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
Q = s.Definition(id="q", title="Inverse condition", source="Algorithm", left=q, right=mu / L)
ITEM, ITEM_CODE = (
    theorem(
        *(id, title, f"{UNCONSTRAINED}/information_theoretic_exact_method", r"\|z_n-x_\star\|^2", "x^2"),
        1 / (1 + q * A_n) * R**2,
    )
    for id, title in (
        ("item", "ITEM with the docstring's indices"),
        ("item-code", "ITEM, as the code has it"),
    )
)

PRINTED = paper(
    "pep-optimized", "optimized methods", NOTATION, SMOOTH, OGM, OGM_CODE, OGM_G, Q, ITEM, ITEM_CODE
)


def thetas(N: int) -> list[float]:
    """1, then N - 1 times a factor 4 under the root, then a factor 8."""
    found = [1.0]
    for i in range(N):
        found.append((1 + math.sqrt((8 if i == N - 1 else 4) * found[-1] ** 2 + 1)) / 2)
    return found


def A_of(setting: s.Setting) -> float:
    """A_n by its recursion."""
    constants, A = setting.constants, 0.0
    q = constants["mu"] / constants["L"]
    if q >= 1:
        raise UserError("ITEM needs mu < L.")
    for _ in range(setting.T):
        A = ((1 + q) * A + 2 * (1 + math.sqrt((1 + A) * (1 + q * A)))) / (1 - q) ** 2
    return A


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


@dataclass(frozen=True)
class Late:
    """A coefficient of ITEM one iteration late."""

    own: Any

    only_whole, constant_until = True, 0.0

    def __call__(self, t: float) -> float:
        return float(self.own(max(t - 1, 0)))

    @property
    def largest(self) -> float:
        """A bound on all of them."""
        return float(self.own.largest)


@dataclass(frozen=True, kw_only=True)
class LateITEM(rc.methods.ITEM):
    """ITEM with beta_t and delta_t of the iteration before."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("beta", "delta"):
            object.__setattr__(self, name, Late(getattr(self, name)))


ENDS = {"L": "L", "R": "distance"}
LAST = {"theta_n": lambda setting: thetas(setting.T)[-1]}
EXACT: dict[str, Any] = {**ENDS, "mu": "mu", "A_n": A_of}
AT_Z = rc.measures.distance("z").last()
RUNS = {
    "ogm": run(
        *(rc.methods.OGM, {"alpha": 1 / L, "N": n}, rc.measures.gap("y").last(), {**ENDS, **LAST}),
        blind="Huber functions break it, as PEPit's numbers show; quadratics do not.",
    ),
    "ogm-code": run(rc.methods.OGM, {"alpha": 1 / L, "N": n}, rc.measures.gap().last(), {**ENDS, **LAST}),
    "ogm-g": run(
        *(OptimizedForGradient, {"alpha": 1 / L, "N": n}, rc.measures.gradient().last()),
        {"L": "L", "Delta": "gap", "theta_0": lambda setting: thetas(setting.T)[-1]},
    ),
    "item": run(LateITEM, {"alpha": 1 / L, "q": q}, AT_Z, EXACT),
    "item-code": run(rc.methods.ITEM, {"alpha": 1 / L, "q": q}, AT_Z, EXACT),
}
