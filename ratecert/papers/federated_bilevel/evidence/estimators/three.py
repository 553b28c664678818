"""The three estimators, each by its number of terms n, with theta as the step of the series.

    E1  the series cut at random (RandomTruncation)              N = n
    E2  the full sum (StochasticNeumann)                         Q = n - 1
    E3  an auxiliary variable r (AuxiliaryGradient, n times with fresh samples and tau = theta; HypergradientThrough)

E1 and E2 are evaluated at (x, y), E3 at (x, y, r) with the r from which its steps start: 0 unless it is warm.

With them is what the claims on the estimators share: worlds, numbers of terms, what counts as rounding, and names in
figures.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.claims import Budget, Check, Rows
from ratecert.claims.checks import difference
from ratecert.solvers import AuxiliaryGradient, HypergradientThrough, RandomTruncation, StochasticNeumann
from ratecert.solvers.contract.problem import CentredProblem, SampledProblem
from ratecert.solvers.contract.stage import Estimator, Vector

Array = NDArray[np.float64]

NAMES = ("E1", "E2", "E3")
THETA = 0.2
PRODUCTS: dict[str, tuple[str, Callable[[int], float]]] = {
    "E1": ("(N - 1)/2", lambda n: (n - 1) / 2),
    "E2": ("Q", lambda n: n - 1.0),
    "E3": ("n", float),
}
"""Products with a Hessian on average, in the estimator's own letter and as a function of n."""
NOISE: dict[str, Any] = {"sigma_H": 0.6, "sigma_J": 0.3}
ALL: dict[str, Any] = {**NOISE, "s_f": 0.5}
WORLDS: dict[str, dict[str, Any]] = {
    "scalar": {"world": "scalar", "a": 0.5, "b": -0.2, **ALL},
    "1 x 2": {"world": "random_quadratic", "d_x": 1, "d_y": 2, "seed": 2, **ALL},
    "3 x 3": {"world": "random_quadratic", "d_x": 3, "d_y": 3, "seed": 0, **NOISE},
}
ENUMERATED = {"scalar": 4, "1 x 2": 3, "3 x 3": 8, "scalar, g noisy": 6}  # terms; up to 65536 outcomes
DRAWN = "3 x 3"  # the world of the charts
POINT = "x = a + 1, y = b - 1/2"
SETTINGS = {"worlds": WORLDS, "theta": THETA, "point": POINT, "enumerated terms": ENUMERATED}

EXACT = 1e-12
ROUNDING = 64 * float(np.finfo(float).eps)  # of sums over terms and outcomes, relative to what is summed

LABELS = {"E1": "E1, cut at random", "E2": "E2, full sum", "E3": "E3, auxiliary variable"}
LAW: dict[str, Any] = {"kind": "predicted", "colour": 6}  # how a law is drawn


@dataclass(frozen=True, kw_only=True)
class AuxiliarySteps:
    """n steps of the auxiliary variable with (x, y) fixed, and the hypergradient through what they give."""

    tau: float
    n: int
    label: str = "xi_hat"

    def sample(self, problem: SampledProblem, bits: Any) -> Any:
        steps = [AuxiliaryGradient().sample(problem, bits) for _ in range(self.n)]
        return steps, HypergradientThrough().sample(problem, bits)

    def evaluate(self, problem: SampledProblem, sample: Any, *point: Vector) -> Vector:
        (steps, last), (x, y, r) = sample, point
        for step in steps:
            r = r - self.tau * AuxiliaryGradient().evaluate(problem, step, x, y, r)
        return HypergradientThrough().evaluate(problem, last, x, y, r)


def estimator(name: str, n: int, *, theta: float = THETA) -> Estimator:
    if name == "E1":
        return RandomTruncation(theta=theta, N=n)
    if name == "E2":
        return StochasticNeumann(theta=theta, Q=n - 1)
    return AuxiliarySteps(tau=theta, n=n)


def place(problem: CentredProblem, name: str) -> Sequence[Array]:
    """A point at which grad_y f is not zero, for this estimator."""
    x, y = problem.a + 1.0, problem.b - 0.5
    return (x, y, np.zeros(problem.d_y)) if name == "E3" else (x, y)


def terms_of(budget: Budget) -> list[int]:
    """The numbers of terms n."""
    return list(range(1, 7 if budget.quick else 21))


def to_rounding(name: str, entries: Rows) -> Check:
    """Compare what was measured with what was predicted, entry by entry."""
    return difference(name, entries, "measured", "predicted", EXACT, error=ROUNDING)
