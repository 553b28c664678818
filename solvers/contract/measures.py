"""What is measured of a run: quadratic forms of the state, and when they are read.

A form is E v'W v for a vector v that is affine in the fields of a device's state, read of

    the mean       v at the mean over devices
    deviations     the linear part of v at a device's deviation from that mean, averaged over devices
    devices        v at each device's own state, averaged over devices: the sum of the two

A measure is a sum of forms with factors, averaged over the iterations t < T, taken at the last iterate, or at the mean
of the iterates before. Expectations of all of them follow from second moments, whatever the algorithm.
"""

import keyword
import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratecert.arithmetic.arrays import doubles, identity_like, like, solve
from ratecert.errors import UserError
from ratecert.solvers.contract.problem import AnyProblem, spaces_of
from ratecert.solvers.contract.stage import State, Vector
from ratecert.solvers.contract.validation import require_choice, shown

Array = NDArray[Any]
Of = Literal["mean", "deviations", "devices"]
At = Literal["average", "last", "mean"]
ROUNDING = 1e-12  # of the largest eigenvalue: less below zero is rounding
ASYMMETRY = 1e-9  # of the largest entry of a Hessian: less is rounding
RESERVED = frozenset(  # what results have beside their measures
    {"values", "t", "standard_error", "covariance", "curves", "counts", "measure", "plot", "precision"}
    | {"curve_precision", "relative_error", "absolute_error", "enclosure", "method", "certified"}
)


@dataclass(frozen=True)
class Form:
    """E v'W v; without a weight W is the identity."""

    vector: Callable[[Any, State], Vector]  # of a problem and a state with one column for each point
    reads: tuple[str, ...] | None  # the fields that it reads; None: any
    of: Of = "mean"
    weight: Callable[[Any, Array], Array] | None = None  # W for a problem, in the kind of numbers of an array


@dataclass(frozen=True)
class Measure:
    """A sum of forms with factors, and when it is read.

    >>> import ratecert as rc
    >>> lyapunov = rc.measures.distance() + 2.0 * rc.measures.drift("x")
    >>> lyapunov.last().at
    'last'
    """

    forms: tuple[tuple[float, Form], ...]
    at: At = "average"

    def last(self) -> "Measure":
        """The same at the last iterate, T."""
        return replace(self, at="last")

    def at_mean(self) -> "Measure":
        """The same at the mean of the iterates t < T, which the engine carries along."""
        if any(form.of != "mean" for _, form in self.forms):
            raise UserError(
                "the mean of the iterates is read of the mean over devices only, not of deviations or single devices."
            )
        return replace(self, at="mean")

    def __add__(self, other: "Measure") -> "Measure":
        if isinstance(other, int) and other == 0:  # where a sum begins
            return self
        if not isinstance(other, Measure):
            raise UserError(f"a measure is added to measures only, got {shown(other)}.")
        if other.at != self.at:
            raise UserError(
                f"measures read at {self.at!r} and at {other.at!r} have no sum; read them at one time."
            )
        return Measure((*self.forms, *other.forms), self.at)

    __radd__ = __add__

    def __mul__(self, factor: float) -> "Measure":
        if not isinstance(factor, numbers.Real) or not 0 <= float(factor) < np.inf:
            raise UserError(f"a factor of a measure must be a number >= 0, got {shown(factor)}.")
        return replace(self, forms=tuple((float(factor) * c, form) for c, form in self.forms))

    __rmul__ = __mul__

    def __sub__(self, other: object) -> "Measure":
        raise UserError("measures are added with factors >= 0; a difference of two may have any sign.")


def gradient(field: str = "x") -> Measure:
    """Measure ||grad F||^2 at the mean over devices: of Phi where there are two levels."""
    return _of(Form(lambda problem, s: gradient_of(problem)(getattr(s, field)), (field,)))


def gap(field: str = "x") -> Measure:
    """Measure F - F* at the mean over devices, as 1/2 (x - x*)'H(x - x*)."""
    return _of(
        Form(lambda problem, s: _from_minimiser(problem, getattr(s, field)), (field,), weight=_half_hessian)
    )


def distance(field: str = "x") -> Measure:
    """Measure ||x - x*||^2 at the mean over devices."""
    return _of(Form(lambda problem, s: _from_minimiser(problem, getattr(s, field)), (field,)))


def tracking() -> Measure:
    """Measure ||y - y*(x)||^2 at the mean over devices."""
    return _of(Form(lambda problem, s: s.y - problem.y_star(s.x), ("x", "y")))


def drift(field: str) -> Measure:
    """Measure the mean squared distance of a field from its mean over devices."""
    return _of(Form(lambda _problem, s: getattr(s, field), (field,), of="deviations"))


def form(
    vector: Callable[[Any, State], Vector],
    *,
    weight: ArrayLike | None = None,
    of: Of = "mean",
    reads: Sequence[str] | None = None,
) -> Measure:
    """Measure v'W v of any vector v that is affine in the fields of the state.

    vector  vector(problem, s) for a state s whose fields have one column for each point
    weight  W; without it the identity
    of      the mean over devices, deviations from it, or devices: each one's own state
    reads   the fields that it reads (default: all), which a form at the mean of the iterates has to say

    >>> import ratecert as rc
    >>> speed = rc.measures.form(lambda problem, s: s.x - s.last)
    """
    if not callable(vector):
        raise UserError(f"vector must be a function of the problem and a state, got {shown(vector)}.")
    require_choice("of", of, ("mean", "deviations", "devices"))
    named = None if reads is None else (reads,) if isinstance(reads, str) else tuple(reads)
    if weight is None:
        return _of(Form(vector, named, of))
    W = _require_weight(weight)
    return _of(Form(vector, named, of, lambda _problem, pattern: like(W, pattern)))


def _require_weight(weight: ArrayLike) -> Array:
    refused = UserError(
        f"weight must be a symmetric matrix of finite numbers without negative eigenvalues, got {shown(weight)}."
    )
    try:
        W = np.atleast_2d(np.asarray(weight, dtype=np.float64))
    except (TypeError, ValueError):
        raise refused from None
    if W.ndim != 2 or W.shape[0] != W.shape[1] or not np.isfinite(W).all() or not np.array_equal(W, W.T):
        raise refused
    spectrum = np.linalg.eigvalsh(W)
    if spectrum[0] < -ROUNDING * abs(spectrum[-1]):
        raise refused
    return W


def defaults(problem: AnyProblem) -> dict[str, Measure]:
    """The measures of a run that asks for none: those of the theorems on one level, or on two."""
    if "y" in spaces_of(problem):
        return {"gradient": gradient(), "tracking": tracking(), "drift_x": drift("x"), "drift_y": drift("y")}
    usual = {"gradient": gradient(), "gap": gap(), "distance": distance(), "drift_x": drift("x")}
    H, _ = slope_and_constant(gradient_of(problem), np.eye(problem.d_x), problem.d_x)
    return usual if _is_symmetric(H) else {name: each for name, each in usual.items() if name != "gap"}


def fields_of_means(measures: Mapping[str, Measure]) -> tuple[str, ...]:
    """The fields of which some measure reads the mean of the iterates."""
    forms = [form for measure in measures.values() if measure.at == "mean" for _, form in measure.forms]
    if any(form.reads is None for form in forms):
        raise UserError("a form at the mean of the iterates needs to say what it reads: give reads=('x',).")
    return tuple(dict.fromkeys(field for form in forms for field in form.reads or ()))


def read_at_mean(measures: Mapping[str, Measure]) -> NDArray[np.bool_]:
    """Which measures read the mean over devices."""
    return np.array([any(form.of != "deviations" for _, form in m.forms) for m in measures.values()])


def require_measures(problem: AnyProblem, measures: Mapping[str, Measure] | None) -> dict[str, Measure]:
    """The measures by name, or a refusal."""
    if measures is None:
        return defaults(problem)
    if not isinstance(measures, Mapping) or not measures:
        raise UserError(
            f"measures must be a dictionary such as {{'gap': rc.measures.gap().last()}}, got {shown(measures)}."
        )
    for name, measure in measures.items():
        if not isinstance(measure, Measure):
            raise UserError(f"measures[{name!r}] must be a measure of rc.measures, got {shown(measure)}.")
        usable = isinstance(name, str) and name.isidentifier() and not keyword.iskeyword(name)
        if not usable or name.startswith("_"):
            raise UserError(f"the name of a measure must be a Python name, got {shown(name)}.")
        if name in RESERVED:
            raise UserError(f"a result has its own {name!r}; give the measure another name.")
    return dict(measures)


def gradient_of(problem: Any) -> Callable[[Vector], Vector]:
    """grad F on one level, grad Phi on two."""
    found: Callable[[Vector], Vector] = (
        problem.hypergradient if hasattr(problem, "hypergradient") else problem.gradient
    )
    return found


def slope_and_constant(function: Callable[[Vector], Vector], pattern: Array, d: int) -> tuple[Array, Array]:
    """S and c of an affine function S x + c, in the kind of numbers of the pattern."""
    units = identity_like(pattern, d)
    constant = function(0 * units[:, :1])
    return function(units) - constant, constant


def _of(form: Form) -> Measure:
    return Measure(((1.0, form),))


def _from_minimiser(problem: Any, x: Vector) -> Vector:
    """x - x*, where the gradient H x + h vanishes at one point x* = -H^{-1} h alone."""
    H, h = slope_and_constant(gradient_of(problem), x, problem.d_x)
    try:
        return x + solve(H, h)
    except np.linalg.LinAlgError:
        raise UserError(
            "the gap and the distance need a single minimiser, and the Hessian of this problem is singular; measure "
            "the gradient."
        ) from None


def _half_hessian(problem: Any, pattern: Array) -> Array:
    H, _ = slope_and_constant(gradient_of(problem), pattern, problem.d_x)
    if not _is_symmetric(H):
        raise UserError(
            "the gap needs a function F, and the gradient of this problem is not that of one: its Hessian is not "
            "symmetric; measure the gradient or the distance."
        )
    half: Array = H / 2
    return half


def _is_symmetric(H: Array) -> bool:
    """Up to rounding, in any kind of numbers."""
    rounded = doubles(H)
    return bool((np.abs(rounded - rounded.T) <= ASYMMETRY * np.abs(rounded).max(initial=0.0)).all())
