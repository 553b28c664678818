"""Single terms of finite sums, by their number: nothing is drawn, as the method has drawn the number.

A term counts as one sample, with its gradient (of f the one in x); whatever else is taken of it is no further sample.
"""

from dataclasses import dataclass
from typing import Any

from ratecert.solvers.contract.problem import SampledProblem, SampledSums
from ratecert.solvers.contract.signs import SignSource
from ratecert.solvers.contract.stage import Vector


@dataclass(frozen=True)
class LowerTerm:
    """grad_y g_i at (x, y)."""

    i: int

    @property
    def label(self) -> str:
        return f"grad_y g_{self.i}"

    def sample(self, problem: SampledSums, bits: SignSource) -> Any:
        """Take term i."""
        return problem.term_g(self.i)

    def evaluate(self, problem: SampledSums, sample: Any, *point: Vector) -> Vector:
        """Compute grad_y g_i at (x, y)."""
        return problem.grad_y_g(self.i, *point)


@dataclass(frozen=True)
class HessianTerm:
    """grad_yy g_i r at (x, y, r)."""

    i: int

    @property
    def label(self) -> str:
        return f"grad_yy g_{self.i}"

    def sample(self, problem: SampledProblem, bits: SignSource) -> None:
        """Draw nothing."""

    def evaluate(self, problem: SampledProblem, sample: Any, *point: Vector) -> Vector:
        """Compute grad_yy g_i r at (x, y, r)."""
        return problem.hessian_g(self.i, *point)


@dataclass(frozen=True)
class JacobianTerm:
    """grad_xy g_i r at (x, y, r)."""

    i: int

    @property
    def label(self) -> str:
        return f"grad_xy g_{self.i}"

    def sample(self, problem: SampledProblem, bits: SignSource) -> None:
        """Draw nothing."""

    def evaluate(self, problem: SampledProblem, sample: Any, *point: Vector) -> Vector:
        """Compute grad_xy g_i r at (x, y, r)."""
        return problem.jacobian_g(self.i, *point)


@dataclass(frozen=True)
class UpperTerm:
    """grad_x f_j at (x, y), or with `of="y"` grad_y f_j."""

    j: int
    of: str = "x"

    @property
    def label(self) -> str:
        return f"grad_{self.of} f_{self.j}"

    def sample(self, problem: SampledSums, bits: SignSource) -> Any:
        """Take term j."""
        return problem.term_f(self.j) if self.of == "x" else self.j

    def evaluate(self, problem: SampledSums, sample: Any, *point: Vector) -> Vector:
        """Compute the gradient of f_j at (x, y)."""
        return (problem.grad_x_f if self.of == "x" else problem.grad_y_f)(self.j, *point)
