"""What the engines ask of a problem. A problem and a solver meet as arguments; neither imports the other.

The protocols are structural: a class is a Problem by its methods, whatever it inherits from. Vectors are whatever an
engine passes: arrays with one column per lane, or objects that write down what is done to them.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.validation import require_instance
from ratecert.solvers.contract.signs import SignSource

Array = NDArray[np.float64]
Vector = Any  # whatever the engine passes: closed under +, - and scalar *

UNKNOWNS = ("x", "y")
ONE_LEVEL = ("d_x", "gradient", "sample_f", "grad_f")
TRUTH = ("d_x", "d_y", "y_star", "hypergradient", "curvature")
SAMPLES = ("sample_f", "sample_g", "sample_hessian", "sample_jacobian")
TWO_LEVELS = ("grad_x_f", "grad_y_f", "grad_y_g", "hessian_g", "neumann_factor_g", "jacobian_g")
ORACLES = ("grad_f", *TWO_LEVELS)  # with a sample
EXACT = ("full_gradient", "table_gradient", "prox", "prox_r")  # without


class SampledProblem(Protocol):
    """What an estimator asks of a problem: samples, and derivatives at a point with the sample fixed."""

    def sample_f(self, bits: SignSource, /) -> Any:
        """Draw xi, a sample of f."""

    def sample_g(self, bits: SignSource, /) -> Any:
        """Draw zeta, a sample of g, for grad_y_g."""

    def sample_hessian(self, bits: SignSource, /) -> Any:
        """Draw zeta for hessian_g and neumann_factor_g."""

    def sample_jacobian(self, bits: SignSource, /) -> Any:
        """Draw zeta for jacobian_g."""

    def grad_x_f(self, xi: Any, x: Vector, y: Vector, /) -> Vector:
        """Compute the gradient of f(x, y; xi) in x."""

    def grad_y_f(self, xi: Any, x: Vector, y: Vector, /) -> Vector:
        """Compute the gradient of f(x, y; xi) in y."""

    def grad_y_g(self, zeta: Any, x: Vector, y: Vector, /) -> Vector:
        """Compute the gradient of g(x, y; zeta) in y."""

    def hessian_g(self, zeta: Any, x: Vector, y: Vector, r: Vector, /) -> Vector:
        """Multiply r by grad_yy g(x, y; zeta)."""

    def neumann_factor_g(self, zeta: Any, x: Vector, y: Vector, r: Vector, theta: float, /) -> Vector:
        """Multiply r by I - theta grad_yy g(x, y; zeta)."""

    def jacobian_g(self, zeta: Any, x: Vector, y: Vector, r: Vector, /) -> Vector:
        """Multiply r by grad_xy g(x, y; zeta)."""


class Problem(SampledProblem, Protocol):
    """What an engine asks of a problem: samples, and the truth that the measures are held against."""

    @property
    def d_x(self) -> int:
        """How many numbers x has."""

    @property
    def d_y(self) -> int:
        """How many numbers y has."""

    @property
    def curvature(self) -> tuple[float, float]:
        """The smallest and the largest eigenvalue of grad_yy g over all samples."""

    def y_star(self, x: Vector, /) -> Vector:
        """Solve the lower level at x, a point (d_x,) or n columns (d_x, n)."""

    def hypergradient(self, x: Vector, /) -> Vector:
        """Compute grad Phi(x), at a point (d_x,) or at n columns (d_x, n)."""


class OneLevelProblem(Protocol):
    """What an engine asks of a problem on one level: samples of its gradient, and the gradient itself."""

    @property
    def d_x(self) -> int:
        """How many numbers x has."""

    def gradient(self, x: Vector, /) -> Vector:
        """Compute grad F(x), at a point (d_x,) or at n columns (d_x, n)."""

    def sample_f(self, bits: SignSource, /) -> Any:
        """Draw xi, a sample of F."""

    def grad_f(self, xi: Any, x: Vector, /) -> Vector:
        """Compute the gradient of F(x; xi)."""


class FullGradientProblem(OneLevelProblem, Protocol):
    """A problem on one level that says its gradient without a sample."""

    def full_gradient(self, x: Vector, /) -> Vector:
        """Compute grad F(x) itself."""


class SumProblem(OneLevelProblem, Protocol):
    """A mean of terms, F = (1/n) sum_i f_i, that can be had one by one."""

    def table_gradient(self, *points: Vector) -> Vector:
        """Compute (1/n) sum_i grad f_i(phi_i), each term at a point of its own."""


class ProximalProblem(OneLevelProblem, Protocol):
    """A problem on one level whose proximal step has a closed form."""

    def prox(self, step: Any, x: Vector, /) -> Vector:
        """Compute argmin_w F(w) + ||w - x||^2 / (2 step)."""


class SampledSums(SampledProblem, Protocol):
    """f and g are means of terms that can be had one by one, by their numbers."""

    def term_f(self, j: int, /) -> Any:
        """Take term j of f in the place of a sample."""

    def term_g(self, i: int, /) -> Any:
        """Take term i of g in the place of a sample."""


AnySampled = SampledProblem | OneLevelProblem  # an estimator says for which of them it is
AnyProblem = Problem | OneLevelProblem  # what `require_problem` has let through may be taken for a Problem


class Devices(Problem, Protocol):
    """A problem whose devices differ: one problem for each, and itself their mean."""

    @property
    def devices(self) -> Sequence[Problem]:
        """One problem for each device; K is their number."""


def weights_of(problem: AnyProblem, K: int) -> tuple[Fraction, ...]:
    """How much each device counts in an average, exactly, with sum 1: all the same where the problem does not say."""
    given = getattr(problem, "weights", None)
    if given is None:
        return (Fraction(1, K),) * K
    parts = [Fraction(float(weight)) for weight in given]
    total = sum(parts)
    return tuple(part / total for part in parts)


def weights_differ(problem: AnyProblem) -> bool:
    """Whether some devices count more than others."""
    given = getattr(problem, "weights", None)
    return given is not None and len(set(map(float, given))) > 1


class CentredProblem(Problem, Protocol):
    """A problem with a centre (a, b), around which radii are certified, and a solution."""

    @property
    def a(self) -> Array:
        """The x of the centre."""

    @property
    def b(self) -> Array:
        """The y of the centre."""

    @property
    def x_star(self) -> Array:
        """The minimiser of Phi."""


class NearlyQuadratic(CentredProblem, Protocol):
    """A problem that is its quadratic part within a radius of (a, b)."""

    @property
    def quadratic_part(self) -> CentredProblem: ...

    @property
    def radius(self) -> float: ...


def has_devices(problem: SampledProblem) -> TypeGuard[Devices]:
    """Tell whether the devices of a problem may differ."""
    return hasattr(problem, "devices")


def is_nearly_quadratic(problem: SampledProblem) -> TypeGuard[NearlyQuadratic]:
    """Tell whether a problem is quadratic near (a, b) only."""
    return hasattr(problem, "quadratic_part")


def spaces_of(problem: AnyProblem) -> dict[str, int]:
    """The dimension of each unknown: of x, and of y where there is a lower level."""
    return {name: getattr(problem, f"d_{name}") for name in UNKNOWNS if hasattr(problem, f"d_{name}")}


def require_two_levels(what: str, problem: Any) -> None:
    """Refuse a problem without a lower level, where one is needed."""
    require_problem(problem)
    if not hasattr(problem, "d_y"):
        raise UserError(f"{what} is for problems of two levels, and {type(problem).__name__} has one.")


def require_problem(problem: Any) -> None:
    """Refuse what lacks a method of a problem with one level or with two."""
    require_instance("problem", problem)
    needed = TRUTH + SAMPLES + TWO_LEVELS if hasattr(problem, "d_y") else ONE_LEVEL
    missing = [name for name in needed if not hasattr(problem, name)]
    if missing:
        raise UserTypeError(
            f"{type(problem).__name__} cannot be used as a problem: it lacks {', '.join(missing)}; "
            f"a problem has {', '.join(TRUTH + SAMPLES + TWO_LEVELS)}, or on one level {', '.join(ONE_LEVEL)}."
        )
