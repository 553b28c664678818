"""What is measured of a run: quadratic forms of the state, and when they are read.

A form is E v'W v for a vector v that is affine in the fields of a device's state, read of

    the mean       v at the mean over devices
    deviations     the linear part of v at a device's deviation from that mean, averaged over devices
    devices        v at each device's own state, averaged over devices: the sum of the two
    own            the same, where v may ask for the device's own problem; of all devices, or of one

Averages over devices are by their weights. A measure is a sum of forms with factors, averaged over the iterations
t < T, taken at the last iterate, at the mean of the iterates before, or where its expectation is largest or smallest.
Expectations of all of them follow from second moments, whatever the algorithm.
"""

import keyword
import math
import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import wraps
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratecert.base.arrays import Numbers, doubles, identity_like, like, nothing_like, number_like, solve
from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.exact import is_exact, is_formula, rational
from ratecert.base.validation import require_choice, require_whole, shown
from ratecert.solvers.contract.problem import AnyProblem, spaces_of
from ratecert.solvers.contract.stage import State, Vector

Array = NDArray[Any]
Of = Literal["mean", "deviations", "devices", "own"]
At = Literal["average", "last", "mean", "largest", "smallest", "drawn"]
EXTREMES = ("largest", "smallest")  # of the expectations over t < T, which all have to be known
ROUNDING = 1e-12  # of the largest eigenvalue: less below zero is rounding
ASYMMETRY = 1e-9  # of the largest entry of a Hessian: less is rounding
RESERVED = frozenset(  # what results have beside their measures
    {"values", "t", "standard_error", "covariance", "curves", "counts", "measure", "plot", "precision"}
    | {"curve_precision", "relative_error", "absolute_error", "enclosure", "method", "certified", "running"}
)


@dataclass(frozen=True)
class Form:
    """E v'W v; without a weight W is the identity."""

    vector: Callable[[Any, State], Vector]  # of a problem and a state with one column for each point
    reads: tuple[str, ...] | None  # the fields that it reads; None: any
    of: Of = "mean"
    weight: Callable[[Any, Array], Array] | None = None  # W for a problem, in the kind of numbers of an array
    device: int | None = None  # the number of the one device that is read
    kind: str = ""  # the function of this module that made it, if its units and its look follow from that

    def __post_init__(self) -> None:
        for field in self.reads or ():
            if not isinstance(field, str):
                raise UserTypeError(
                    f"the field of a measure must be a text, as in rc.measures.{self.kind or 'gradient'}('x'), got "
                    f"{shown(field)}."
                )


@dataclass(frozen=True)
class Measure:
    """A sum of forms with factors, and when it is read.

    >>> import ratecert as rc
    >>> lyapunov = rc.measures.distance() + 2.0 * rc.measures.drift("x")
    >>> lyapunov.last().at
    'last'
    """

    forms: tuple[tuple[Any, Form], ...]  # factors are numbers >= 0
    at: At = "average"
    likely: Callable[[int], float] | None = None  # how much iterate t counts: in a mean, or as a drawn output

    def __post_init__(self) -> None:
        if not isinstance(self.forms, tuple) or not all(map(_is_term, self.forms)):
            raise UserTypeError(
                f"forms of a measure must be a tuple of pairs (factor, form), as rc.measures.form makes them, got "
                f"{shown(self.forms)}."
            )
        require_choice("at", self.at, get_args(At))

    def last(self) -> "Measure":
        """The same at the last iterate, T."""
        return replace(self, at="last")

    def largest(self) -> "Measure":
        """The largest over t < T of the expectations."""
        return replace(self, at="largest")

    def smallest(self) -> "Measure":
        """The smallest over t < T of the expectations: at least the expectation of the smallest."""
        return replace(self, at="smallest")

    def drawn(self, likely: Callable[[int], float]) -> "Measure":
        """The same at one of the iterates t < T, drawn in proportion to likely(t), such as a schedule."""
        if not callable(likely):
            raise UserError(f"likely must be a function of t, such as a schedule, got {shown(likely)}.")
        return replace(self, at="drawn", likely=likely)

    def at_mean(self, likely: Callable[[int], float] | None = None) -> "Measure":
        """The same at the mean of the iterates t < T, which the engine carries along; by likely(t), if it is given."""
        if likely is not None and not callable(likely):
            raise UserError(f"likely must be a function of t, such as a schedule, got {shown(likely)}.")
        if any(form.of != "mean" for _, form in self.forms):
            raise UserError(
                "the mean of the iterates is read of the mean over devices only, not of deviations or single devices."
            )
        return replace(self, at="mean", likely=likely)

    def __add__(self, other: "Measure") -> "Measure":
        if isinstance(other, int) and other == 0:  # where a sum begins
            return self
        if not isinstance(other, Measure):
            raise UserError(f"a measure is added to measures only, got {shown(other)}.")
        if (other.at, other.likely) != (self.at, self.likely):
            raise UserError(
                f"measures read at {self.at!r} and at {other.at!r} have no sum; read them at one time."
            )
        return replace(self, forms=(*self.forms, *other.forms))

    __radd__ = __add__

    def __mul__(self, factor: float) -> "Measure":
        """By a number; one that is exact, or a formula, stays so."""
        if is_formula(factor):
            return replace(self, forms=tuple((factor * c, form) for c, form in self.forms))
        if not (isinstance(factor, numbers.Real) or is_exact(factor)) or not 0 <= float(factor) < np.inf:
            raise UserError(f"a factor of a measure must be a number >= 0, got {shown(factor)}.")
        return replace(self, forms=tuple((_product(factor, c), form) for c, form in self.forms))

    __rmul__ = __mul__

    def __sub__(self, other: object) -> "Measure":
        raise UserError("measures are added with factors >= 0; a difference of two may have any sign.")


def gradient(field: str = "x") -> Measure:
    """Measure ||grad F||^2 at the mean over devices: of Phi where there are two levels."""
    return _of(Form(lambda problem, s: gradient_of(problem)(getattr(s, field)), (field,), kind="gradient"))


def gap(field: str = "x") -> Measure:
    """Measure F - F* at the mean over devices, as 1/2 (x - x*)'H(x - x*)."""
    return _of(
        Form(
            lambda problem, s: _from_minimiser(problem, getattr(s, field)),
            (field,),
            weight=_half_hessian,
            kind="gap",
        )
    )


def distance(field: str = "x") -> Measure:
    """Measure ||x - x*||^2 at the mean over devices."""
    return _of(
        Form(lambda problem, s: _from_minimiser(problem, getattr(s, field)), (field,), kind="distance")
    )


def tracking() -> Measure:
    """Measure ||y - y*(x)||^2 at the mean over devices."""
    return _of(Form(lambda problem, s: s.y - problem.y_star(s.x), ("x", "y"), kind="tracking"))


def drift(field: str) -> Measure:
    """Measure the mean squared distance of a field from its mean over devices."""
    return _of(Form(lambda _problem, s: getattr(s, field), (field,), of="deviations", kind="drift"))


def sampled_gradient(field: str = "x", *, device: int | None = None) -> Measure:
    """Measure E||grad F_k(x_k; xi)||^2 with fresh samples, at each device's own iterate, or at that of one device."""
    return _of(
        Form(
            lambda problem, s: _samples_of(problem.device)(getattr(s, field)),
            (field,),
            of="own",
            weight=_share_of_samples,
            device=_require_device(device),
            kind="sampled_gradient",
        )
    )


def control(field: str) -> Measure:
    """Measure ||h_k - grad f_k(x*)||^2, the mean over devices: what control variates have still to learn.

    f_k is F_k, without its regulariser where it has one.
    """
    return _of(
        Form(
            lambda problem, s: _from_gradient_at_rest(problem, getattr(s, field)),
            (field,),
            of="own",
            kind="control",
        )
    )


def form(
    vector: Callable[[Any, State], Vector],
    *,
    weight: ArrayLike | Callable[[Any], ArrayLike] | None = None,
    of: Of = "mean",
    reads: Sequence[str] | None = None,
    device: int | None = None,
) -> Measure:
    """Measure v'W v of any vector v that is affine in the fields of the state.

    vector  vector(problem, s) for a state s whose fields have one column for each point
    weight  W, or a function of the problem that makes it; without it the identity
    of      the mean over devices, deviations from it, or devices: each one's own state; "own" is the same, where
            problem.device is that device's own problem
    reads   the fields that it reads (default: all), which a form at the mean of the iterates has to say
    device  with of="own": the number of the one device that is read

    >>> import ratecert as rc
    >>> speed = rc.measures.form(lambda problem, s: s.x - s.last)
    """
    if not callable(vector):
        raise UserError(f"vector must be a function of the problem and a state, got {shown(vector)}.")
    require_choice("of", of, ("mean", "deviations", "devices", "own"))
    if device is not None and of != "own":
        raise UserError(f'device is for forms with of="own", got of={of!r}.')
    _require_device(device)
    named = None if reads is None else (reads,) if isinstance(reads, str) else tuple(reads)
    vector = _with_exact_truth(vector)
    if weight is None:
        return _of(Form(vector, named, of, device=device))
    if callable(weight):
        return _of(
            Form(
                vector,
                named,
                of,
                lambda problem, pattern: _weight_like(weight(problem), pattern),
                device,
            )
        )
    W = _require_weight(weight)
    return _of(Form(vector, named, of, lambda _problem, pattern: like(W, pattern), device))


def _is_term(term: object) -> bool:
    return isinstance(term, tuple) and len(term) == 2 and isinstance(term[1], Form)


def _product(factor: Any, other: Any) -> Any:
    exact = is_exact(factor) or is_exact(other)
    return rational(factor) * rational(other) if exact else float(factor) * other


def _weight_like(weight: ArrayLike, pattern: Array) -> Array:
    """A weight that was made of exact numbers stays exact."""
    W = np.asarray(weight)
    if any(map(is_formula, W.flat)):
        return W
    checked = _require_weight(W.astype(np.float64) if W.dtype == object else weight)
    found: Array = like(W if W.dtype == object else checked, pattern)
    return found


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


def shares_of(T: int, likely: Callable[[int], float]) -> tuple[list[float], float]:
    """How likely each t < T is, up to a factor, and the sum of these."""
    try:
        shares = [float(likely(t)) for t in range(T)]
    except (TypeError, ValueError, ArithmeticError) as error:
        raise UserError(f"likely(t) must be a number >= 0 at every t < T = {T}: {error}.") from error
    bad = next((t for t, share in enumerate(shares) if not 0 <= share < np.inf), None)
    if bad is not None:
        raise UserError(f"likely(t) must be a number >= 0, got {shares[bad]} at t = {bad}.")
    if sum(shares) <= 0:
        raise UserError(f"likely(t) must not be zero at every t < T = {T}.")
    return shares, math.fsum(shares)


@dataclass(frozen=True)
class IterateSum:
    """The sum of a field over the iterates so far, each as often as likely(t) says; without it, once."""

    field: str
    likely: Callable[[int], float] | None = None

    def counted(self, t: int) -> Fraction:
        """How often iterate t is counted."""
        return Fraction(1) if self.likely is None else Fraction(float(self.likely(t)))

    def total(self, t: int) -> Fraction:
        """The same of all iterates before t."""
        return Fraction(t) if self.likely is None else sum(map(self.counted, range(t)), Fraction(0))


def sums_of(measures: Mapping[str, Measure]) -> tuple[IterateSum, ...]:
    """The sums over iterates of which some measure reads the mean."""
    read = [(m.likely, form) for m in measures.values() if m.at == "mean" for _, form in m.forms]
    if any(form.reads is None for _, form in read):
        raise UserError("a form at the mean of the iterates needs to say what it reads: give reads=('x',).")
    sums = (IterateSum(field, likely) for likely, form in read for field in form.reads or ())
    return tuple(dict.fromkeys(sums))


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


def gradient_of(problem: AnyProblem) -> Callable[[Vector], Vector]:
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


def _from_minimiser(problem: AnyProblem, x: Vector) -> Vector:
    """x - x*, where the gradient H x + h vanishes at one point x* = -H^{-1} h alone."""
    H, h = slope_and_constant(gradient_of(problem), x, problem.d_x)
    try:
        return x + solve(H, h)
    except np.linalg.LinAlgError:
        raise UserError(
            "the gap and the distance need a single minimiser, and the Hessian of this problem is singular; measure "
            "the gradient."
        ) from None


class AtDevice:
    """A problem as a form sees it that is read of one device: `device` is that device's own problem."""

    def __init__(self, problem: AnyProblem, device: Any) -> None:
        self._problem, self.device = problem, device

    def __getattr__(self, name: str) -> Any:
        return getattr(self._problem, name)


def _with_exact_truth(vector: Callable[[Any, State], Vector]) -> Callable[[Any, State], Vector]:
    """The same of a problem that knows its x* as exactly as the state is known: a rounded one is another point."""

    @wraps(vector)
    def read(problem: Any, s: State) -> Vector:
        pattern = next(iter(vars(s).values()), None)
        return vector(_Exact(problem, pattern) if isinstance(pattern, Numbers) else problem, s)

    return read


class _Exact:
    """A problem with its minimiser in the kind of numbers of the pattern."""

    def __init__(self, problem: AnyProblem, pattern: Array) -> None:
        self._problem, self._pattern = problem, pattern

    def __getattr__(self, name: str) -> Any:
        if name != "x_star":
            return getattr(self._problem, name)
        origin = nothing_like(self._pattern, self._problem.d_x, 1)
        return (origin - _from_minimiser(self._problem, origin))[:, 0]


def at_devices(problem: AnyProblem) -> list[AtDevice]:
    """The problem as seen from each of its devices; from one, where they are alike."""
    return [AtDevice(problem, device) for device in getattr(problem, "devices", (problem,))]


def _require_device(device: int | None) -> int | None:
    return None if device is None else require_whole("device", device, least=0)


def _samples_of(device: Any) -> Callable[[Vector], Vector]:
    if not hasattr(device, "sample_vectors"):
        raise UserError(
            f"{type(device).__name__} does not give the second moment of its samples; SingleLevel and FiniteSum do."
        )
    found: Callable[[Vector], Vector] = device.sample_vectors
    return found


def _share_of_samples(problem: AtDevice, pattern: Array) -> Array:
    points = nothing_like(pattern, problem.d_x, 1)
    rows, share = len(_samples_of(problem.device)(points)), problem.device.sample_share
    weight: Array = number_like(pattern)(share) * identity_like(pattern, rows)
    return weight


def _from_gradient_at_rest(problem: AtDevice, h: Vector) -> Vector:
    """h - grad f_k(x*)."""
    at_rest = h[:, :1] - _from_minimiser(problem, h[:, :1])  # x*, as the point that no distance is left from
    return h - getattr(problem.device, "smooth", problem.device).gradient(at_rest)


def _half_hessian(problem: AnyProblem, pattern: Array) -> Array:
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
    if len(H) == 1:
        return True
    rounded = doubles(H)
    return bool((np.abs(rounded - rounded.T) <= ASYMMETRY * np.abs(rounded).max(initial=0.0)).all())
