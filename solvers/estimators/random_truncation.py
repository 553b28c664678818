"""The Neumann series cut at random (E1): one product of k factors instead of a sum of them.

    h = grad_x f - grad_xy g r,    r = N theta (I - theta A_k) ... (I - theta A_1) grad_y f,    k uniform on {0..N-1}

with a fresh sample A_i = grad_yy g(zeta_i) in each factor. Every k has probability 1/N, so the mean of r is the sum of
N terms, theta sum_{q<N} (I - theta A)^q grad_y f: the mean, and so the bias, of the full sum with Q = N - 1. It costs
(N - 1)/2 Hessian-vector products on average, half as many; the factor N pays for that in variance.

The k belongs to the device's sample. Where one k is meant for all devices, see `random_rounds` in draws.py.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ratecert.base.validation import require_positive, require_whole
from ratecert.solvers.contract.problem import Problem, SampledProblem
from ratecert.solvers.contract.signs import Bits, repeated
from ratecert.solvers.contract.stage import Vector
from ratecert.solvers.estimators.hypergradient import require_contraction


@dataclass(frozen=True)
class TruncatedSample:
    """xi, zeta, k and zeta_1, zeta_2, ..., as many as the largest k of all lanes."""

    xi: Any
    zeta: Any
    k: Any
    factors: Any  # what a loop goes through


@dataclass(frozen=True, kw_only=True)
class RandomTruncation:
    """A sampled hypergradient whose Neumann series of N terms is cut at a place drawn at random."""

    theta: float
    N: int
    label: str = "xi_hat"

    def __post_init__(self) -> None:
        require_positive("theta", self.theta)
        require_whole("N", self.N, least=1)

    def check(self, problem: Problem) -> None:
        """Refuse a problem on which a factor of the series is no contraction."""
        require_contraction(self.theta, problem)

    def sample(self, problem: SampledProblem, bits: Bits) -> TruncatedSample:
        """Draw xi, zeta, the number k of factors, and zeta_1, ..., zeta_k."""
        xi, zeta, k = problem.sample_f(bits), problem.sample_jacobian(bits), bits.whole(self.N)
        return TruncatedSample(xi, zeta, k, repeated(bits, int(np.max(k)), problem.sample_hessian))

    def evaluate(self, problem: SampledProblem, sample: TruncatedSample, *point: Vector) -> Vector:
        """Compute the sampled hypergradient at (x, y)."""
        x, y = point
        lanes = not isinstance(sample.k, int)  # each of which goes as far as its own k

        def longer(zeta_i: Any, r: Vector, i: int = 0) -> tuple[Any, ...]:
            led = problem.neumann_factor_g(zeta_i, x, y, r, self.theta)
            return (np.where(i < sample.k, led, r), i + 1) if lanes else (led,)

        r = (self.N * self.theta) * problem.grad_y_f(sample.xi, x, y)
        r, *_ = sample.factors.through(longer, *((r, 0) if lanes else (r,)))
        return problem.grad_x_f(sample.xi, x, y) - problem.jacobian_g(sample.zeta, x, y, r)
