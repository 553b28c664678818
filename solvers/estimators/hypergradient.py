"""Hypergradients of Phi(x) = f(x, y*(x)), from the exact one to the one that the algorithms can afford.

    exact       grad_x f - grad_xy g [grad_yy g]^{-1} grad_y f  at (x, y*(x))                  (Lemma 1)
    Neumann     grad_x f - grad_xy g Hhat grad_y f  at (x, y),
                Hhat = theta sum_{q=0}^{Q} (I - theta grad_yy g)^q
    stochastic  the same with a fresh sample zeta_j in each of the Q factors, zeta in grad_xy g and xi in f

The stochastic sum is a running product: r <- (I - theta grad_yy g(zeta_j)) r, added up. A Horner scheme
has the same mean and, where the samples do not commute, another variance.
"""

from dataclasses import dataclass
from typing import Any

from ratecert.base.errors import UserError
from ratecert.base.validation import require_positive, require_whole
from ratecert.solvers.contract.problem import Problem, SampledProblem
from ratecert.solvers.contract.signs import SignSource, repeated
from ratecert.solvers.contract.stage import Vector


@dataclass(frozen=True)
class NeumannSample:
    """xi_hat = {xi, zeta, zeta_1, ..., zeta_Q}."""

    xi: Any
    zeta: Any
    factors: Any  # zeta_1, ..., zeta_Q: what a loop goes through


@dataclass(frozen=True, kw_only=True)
class StochasticNeumann:
    """A sampled hypergradient: a Neumann sum of Q + 1 terms, with Q fresh Hessian samples."""

    theta: float
    Q: int
    label: str = "xi_hat"

    def __post_init__(self) -> None:
        require_positive("theta", self.theta)
        require_whole("Q", self.Q, least=0)

    def check(self, problem: Problem) -> None:
        """Refuse a problem on which a factor of the series is no contraction."""
        require_contraction(self.theta, problem)

    def sample(self, problem: SampledProblem, bits: SignSource) -> NeumannSample:
        """Draw xi, zeta and zeta_1, ..., zeta_Q."""
        xi, zeta = problem.sample_f(bits), problem.sample_jacobian(bits)
        return NeumannSample(xi, zeta, repeated(bits, self.Q, problem.sample_hessian))

    def evaluate(self, problem: SampledProblem, sample: NeumannSample, *point: Vector) -> Vector:
        """Compute the sampled hypergradient at (x, y)."""
        x, y = point

        def longer(zeta_j: Any, r: Vector, total: Vector) -> tuple[Vector, Vector]:
            r = problem.neumann_factor_g(zeta_j, x, y, r, self.theta)
            total += r
            return r, total

        r = self.theta * problem.grad_y_f(sample.xi, x, y)
        _, total = sample.factors.through(longer, r, 1.0 * r)
        gradient = problem.grad_x_f(sample.xi, x, y)
        gradient -= problem.jacobian_g(sample.zeta, x, y, total)
        return gradient


def require_contraction(theta: float, problem: Problem) -> None:
    """I - theta grad_yy g(zeta) has to be a contraction for every sample."""
    largest = problem.curvature[1]
    if not theta * largest < 2:
        raise UserError(
            f"theta must lie in (0, {2 / largest:.6g}) so that I - theta grad_yy g is a contraction "
            f"for every sample, got {float(theta):.6g}."
        )


@dataclass(frozen=True)
class LowerGradient:
    """grad_y g(x, y; zeta)."""

    label: str = "zeta"

    def sample(self, problem: SampledProblem, bits: SignSource) -> Any:
        """Draw zeta."""
        return problem.sample_g(bits)

    def evaluate(self, problem: SampledProblem, sample: Any, *point: Vector) -> Vector:
        """Compute grad_y g at (x, y)."""
        return problem.grad_y_g(sample, *point)
