"""The gradient of one level, sampled, and the full one."""

from dataclasses import dataclass
from typing import Any, ClassVar

from ratecert.base.errors import UserError
from ratecert.solvers.contract.problem import (
    FullGradientProblem,
    OneLevelProblem,
    ProximalProblem,
    SumProblem,
)
from ratecert.solvers.contract.signs import SignSource
from ratecert.solvers.contract.stage import Vector


@dataclass(frozen=True)
class Gradient:
    """A sampled grad F(x), of a problem on one level."""

    label: str = "xi"

    def sample(self, problem: OneLevelProblem, bits: SignSource) -> Any:
        """Draw xi."""
        return problem.sample_f(bits)

    def evaluate(self, problem: OneLevelProblem, sample: Any, *point: Vector) -> Vector:
        """Compute grad F(x; xi)."""
        (x,) = point
        return problem.grad_f(sample, x)


@dataclass(frozen=True)
class FullGradient:
    """grad F(x) itself, of a problem on one level: of a finite sum the mean over all its terms."""

    label: str = "full"
    exact: ClassVar[bool] = (
        True  # nothing is drawn, so a step may evaluate it where another estimator of it leads
    )

    def sample(self, problem: FullGradientProblem, bits: SignSource) -> None:
        """Draw nothing."""

    def evaluate(self, problem: FullGradientProblem, sample: Any, *point: Vector) -> Vector:
        """Compute grad F(x)."""
        (x,) = point
        return problem.full_gradient(x)


@dataclass(frozen=True)
class TermGradient:
    """The gradient of term i of a finite sum: nothing is drawn, and it costs one sample."""

    i: int

    @property
    def label(self) -> str:
        """A term is an estimator of its own."""
        return f"term {self.i}"

    def sample(self, problem: OneLevelProblem, bits: SignSource) -> Any:
        """Draw nothing: the sample is term i."""
        if not hasattr(problem, "term"):
            raise UserError(
                f"term {self.i} is asked of a problem that is no sum of terms; use rc.worlds.FiniteSum."
            )
        return problem.term(self.i)

    def evaluate(self, problem: OneLevelProblem, sample: Any, *point: Vector) -> Vector:
        """Compute the gradient of the term at x."""
        (x,) = point
        return problem.grad_f(sample, x)


@dataclass(frozen=True)
class TableGradient:
    """The mean over the terms of a finite sum, each at a point of its own.

    It costs no samples: a method that carries a table of points keeps the gradients there.
    """

    label: str = "table"

    def sample(self, problem: SumProblem, bits: SignSource) -> None:
        """Draw nothing."""

    def evaluate(self, problem: SumProblem, sample: Any, *point: Vector) -> Vector:
        """Compute (1/n) sum_i grad f_i(phi_i) for the points phi_0, ..., phi_{n-1}."""
        return problem.table_gradient(*point)


@dataclass(frozen=True)
class Prox:
    """argmin_w F(w) + ||w - x||^2 / (2 step), of a problem on one level."""

    step: Any
    label: str = "prox"

    def sample(self, problem: ProximalProblem, bits: SignSource) -> None:
        """Draw nothing."""

    def evaluate(self, problem: ProximalProblem, sample: Any, *point: Vector) -> Vector:
        """Compute the proximal step."""
        (x,) = point
        return problem.prox(self.step, x)


@dataclass(frozen=True)
class ProxOfRegulariser:
    """argmin_x r(x) + ||x - v||^2 / (2 step), for the regulariser r of a problem; v itself where there is none."""

    step: Any
    label: str = "prox_r"

    def sample(self, problem: OneLevelProblem, bits: SignSource) -> None:
        """Draw nothing."""

    def evaluate(self, problem: OneLevelProblem, sample: Any, *point: Vector) -> Vector:
        """Compute the proximal step."""
        (v,) = point
        return problem.prox_r(self.step, v) if hasattr(problem, "prox_r") else v
