"""The gradient of one level, sampled, and the full one; and the proximal step."""

from dataclasses import dataclass
from typing import Any

from ratecert.solvers.contract.signs import SignSource
from ratecert.solvers.contract.stage import Vector


@dataclass(frozen=True)
class Gradient:
    """A sampled grad F(x), of a problem on one level."""

    label: str = "xi"

    def sample(self, problem: Any, bits: SignSource) -> Any:
        """Draw xi."""
        return problem.sample_f(bits)

    def evaluate(self, problem: Any, sample: Any, *point: Vector) -> Vector:
        """Compute grad F(x; xi)."""
        (x,) = point
        return problem.grad_f(sample, x)


@dataclass(frozen=True)
class FullGradient:
    """grad F(x) itself, of a problem on one level: of a finite sum the mean over all its terms."""

    label: str = "full"

    def sample(self, problem: Any, bits: SignSource) -> None:
        """Draw nothing."""

    def evaluate(self, problem: Any, sample: Any, *point: Vector) -> Vector:
        """Compute grad F(x)."""
        (x,) = point
        return problem.full_gradient(x)


@dataclass(frozen=True)
class Prox:
    """argmin_w F(w) + ||w - x||^2 / (2 step), of a problem on one level."""

    step: Any
    label: str = "prox"

    def sample(self, problem: Any, bits: SignSource) -> None:
        """Draw nothing."""

    def evaluate(self, problem: Any, sample: Any, *point: Vector) -> Vector:
        """Compute the proximal step."""
        (x,) = point
        return problem.prox(self.step, x)
