"""The hypergradient through an auxiliary variable r that approaches [grad_yy g]^{-1} grad_y f as the method runs (E3).

    r <- r - tau (grad_yy g r - grad_y f),        h = grad_x f - grad_xy g r

No series is cut. With (x, y) fixed, n such steps from r = 0 give the n-term Neumann sum with theta = tau,

    r_n = (I - (I - tau A)^n) A^{-1} grad_y f,

the mean of the full sum with Q = n - 1; a method that keeps its r goes on from there, and the bias tends to zero.
A step of r and the use of r are one sample each: neither multiplies a sample by itself, so h has no other bias.
"""

from dataclasses import dataclass
from typing import Any

from ratecert.solvers.contract.problem import SampledProblem
from ratecert.solvers.contract.signs import SignSource
from ratecert.solvers.contract.stage import Vector


@dataclass(frozen=True)
class AuxiliaryGradient:
    """grad_yy g(x, y; zeta) r - grad_y f(x, y; xi), the gradient of a quadratic in r, at (x, y, r)."""

    label: str = "auxiliary"

    def sample(self, problem: SampledProblem, bits: SignSource) -> Any:
        """Draw xi for f and zeta for the Hessian of g."""
        return problem.sample_f(bits), problem.sample_hessian(bits)

    def evaluate(self, problem: SampledProblem, sample: Any, *point: Vector) -> Vector:
        """Compute grad_yy g r - grad_y f at (x, y, r)."""
        (xi, zeta), (x, y, r) = sample, point
        return problem.hessian_g(zeta, x, y, r) - problem.grad_y_f(xi, x, y)


@dataclass(frozen=True)
class HypergradientThrough:
    """grad_x f(x, y; xi) - grad_xy g(x, y; zeta) r at (x, y, r)."""

    label: str = "xi_hat"

    def sample(self, problem: SampledProblem, bits: SignSource) -> Any:
        """Draw xi for f and zeta for the Jacobian of g."""
        return problem.sample_f(bits), problem.sample_jacobian(bits)

    def evaluate(self, problem: SampledProblem, sample: Any, *point: Vector) -> Vector:
        """Compute grad_x f - grad_xy g r at (x, y, r)."""
        (xi, zeta), (x, y, r) = sample, point
        return problem.grad_x_f(xi, x, y) - problem.jacobian_g(zeta, x, y, r)


@dataclass(frozen=True)
class UpperGradient:
    """grad_x f(x, y; xi), or with `of="y"` grad_y f(x, y; xi)."""

    of: str = "x"
    label: str = "xi"

    def sample(self, problem: SampledProblem, bits: SignSource) -> Any:
        """Draw xi."""
        return problem.sample_f(bits)

    def evaluate(self, problem: SampledProblem, sample: Any, *point: Vector) -> Vector:
        """Compute the gradient of f at (x, y)."""
        return (problem.grad_x_f if self.of == "x" else problem.grad_y_f)(sample, *point)


@dataclass(frozen=True)
class NeumannFactor:
    """(I - theta grad_yy g(x, y; zeta)) r at (x, y, r)."""

    theta: float
    label: str = "factor"

    def sample(self, problem: SampledProblem, bits: SignSource) -> Any:
        """Draw zeta for the Hessian of g."""
        return problem.sample_hessian(bits)

    def evaluate(self, problem: SampledProblem, sample: Any, *point: Vector) -> Vector:
        """Compute (I - theta grad_yy g) r at (x, y, r)."""
        x, y, r = point
        return problem.neumann_factor_g(sample, x, y, r, self.theta)
