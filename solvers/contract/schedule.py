"""Step sizes eta_t as data.

`Constant(eta)` is eta at every t. `CubeRoot` is the schedule of the variance-reduced methods,

    eta_t = scale / max(offset + t, floor)^{1/3},

constant until offset + t reaches the floor. Theorem 3's eta_t = (K^{2/3}/L_hat)/(w_t + t)^{1/3} with
w_t = max{2, c - t} is the instance scale = K^{2/3}/L_hat, offset = 2, floor = c. A plain number is a Constant.
`Power` is eta_t = scale / (offset + t)^exponent, `Product` the product of two.

A `Recursive` schedule has states theta_0, theta_1, ..., each made of the one before, such as the momenta of accelerated
methods, and its value at t is made of theta_t and theta_{t+1}. States are doubles, computed once and kept; proofs run
the same recursion in letters. Between whole t it has no values, so that exact moments go through it iteration by
iteration and interpolate nothing.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Protocol

from ratecert.base.errors import UserError
from ratecert.base.exact import cube_root, power, root
from ratecert.base.validation import require_positive, shown


class Schedule(Protocol):
    """A step size as a function of t, with what engines need to know of all t."""

    def __call__(self, t: float) -> float: ...

    @property
    def largest(self) -> float:
        """The largest step over all t >= 0."""

    @property
    def constant_until(self) -> float:
        """The last t (possibly inf) up to which eta_t equals eta_0."""


class Varying(ABC):
    """A base for step sizes that are largest at first, and differ from then on."""

    @abstractmethod
    def __call__(self, t: float) -> float: ...

    @property
    def largest(self) -> float:
        """The largest step over all t >= 0."""
        return self(0)

    @property
    def constant_until(self) -> float:
        """The last t (possibly inf) up to which eta_t equals eta_0."""
        return 0.0


@dataclass(frozen=True)
class Constant:
    """The step size eta at every t.

    >>> Constant(0.1)(5)
    0.1
    """

    eta: float

    def __post_init__(self) -> None:
        require_positive("eta", self.eta)

    def __call__(self, t: float) -> float:
        return self.eta

    @property
    def largest(self) -> float:
        """The largest step over all t >= 0."""
        return self.eta

    @property
    def constant_until(self) -> float:
        """The last t (possibly inf) up to which eta_t equals eta_0."""
        return float("inf")


@dataclass(frozen=True, kw_only=True)
class CubeRoot(Varying):
    """The step size scale / max(offset + t, floor)^{1/3}, constant until offset + t reaches the floor.

    >>> CubeRoot(scale=0.1)(6)
    0.05
    >>> CubeRoot(scale=0.1, floor=8.0).constant_until
    6.0
    """

    scale: float
    offset: float = 2.0
    floor: float = 0.0

    def __post_init__(self) -> None:
        require_positive("scale", self.scale)
        require_positive("offset", self.offset)
        if self.floor != 0:
            require_positive("floor (if it is not 0)", self.floor)

    def __call__(self, t: float) -> float:
        eta: float = self.scale / cube_root(max(self.offset + t, self.floor))
        return eta

    @property
    def constant_until(self) -> float:
        """The last t (possibly inf) up to which eta_t equals eta_0."""
        return max(0 * self.floor, self.floor - self.offset)


@dataclass(frozen=True, kw_only=True)
class Power(Varying):
    """The step size scale / (offset + t)^exponent.

    >>> Power(scale=1.0, exponent=0.5)(3)
    0.5
    """

    scale: float
    offset: float = 1.0
    exponent: float

    def __post_init__(self) -> None:
        for name in ("scale", "offset", "exponent"):
            require_positive(name, getattr(self, name))

    def __call__(self, t: float) -> float:
        eta: float = self.scale / power(self.offset + t, self.exponent)
        return eta


@dataclass(frozen=True)
class Product:
    """The product of two schedules.

    >>> Product(Constant(0.5), Power(scale=1.0, exponent=0.5))(3)
    0.25
    """

    first: Schedule
    second: Schedule

    def __post_init__(self) -> None:
        for name in ("first", "second"):
            if not is_schedule(getattr(self, name)):
                raise UserError(f"{name} must be a schedule, got {shown(getattr(self, name))}.")

    def __call__(self, t: float) -> float:
        return self.first(t) * self.second(t)

    @property
    def largest(self) -> float:
        """A step that none over all t >= 0 exceeds."""
        return self.first.largest * self.second.largest

    @property
    def constant_until(self) -> float:
        """The last t (possibly inf) up to which eta_t equals eta_0."""
        return min(self.first.constant_until, self.second.constant_until)


@dataclass(frozen=True)
class Recursive(Varying):
    """A base for schedules that are defined at whole t only."""

    _states: list[float] = field(default_factory=list, init=False, repr=False, compare=False)

    only_whole: ClassVar[bool] = True
    first: ClassVar[float] = 1.0  # theta_0

    @abstractmethod
    def after(self, theta: float) -> float:
        """theta_{t+1} from theta_t."""

    @abstractmethod
    def value(self, theta: float, following: float) -> float:
        """The coefficient of iteration t from theta_t and theta_{t+1}."""

    def __call__(self, t: float) -> float:
        return self.value(self.state(t), self.state(t + 1))

    def state(self, t: float) -> float:
        """theta_t."""
        if t < 0 or t != int(t):
            raise UserError(f"{type(self).__name__} is defined at whole t >= 0 only, got t = {shown(t)}.")
        if not self._states:
            self._states.append(self.first)
        while len(self._states) <= t:
            self._states.append(self.after(self._states[-1]))
        return self._states[int(t)]

    @property
    def largest(self) -> float:
        """A bound on the coefficients of all t >= 0."""
        return 1.0


def accelerated(theta: float) -> float:
    """The theta_{t+1} > theta_t with theta_{t+1}^2 - theta_{t+1} = theta_t^2."""
    following: float = (1 + root(1 + 4 * theta**2)) / 2
    return following


def is_schedule(value: object) -> bool:
    """Tell whether a value is a step size as a function of t."""
    return callable(value) and hasattr(value, "largest") and hasattr(value, "constant_until")


def only_whole(solver: object) -> bool:
    """Tell whether some schedule of an algorithm is defined at whole t only."""
    return any(getattr(value, "only_whole", False) for value in vars(solver).values() if is_schedule(value))


def with_schedules(solver: Any, schedules: Mapping[str, Any]) -> Any:
    """The same algorithm with other schedules, also in the place of those that it makes itself."""
    given = {f.name for f in fields(solver) if f.init}
    changed = replace(solver, **{name: each for name, each in schedules.items() if name in given})
    for name in schedules.keys() - given:
        object.__setattr__(changed, name, schedules[name])
    return changed


def as_schedule(eta: "Schedule | float", name: str = "eta") -> Schedule:
    """Make a schedule of a number, which means constant; a schedule stays as it is."""
    if is_schedule(eta):
        return eta  # type: ignore[return-value]
    if callable(eta):
        raise UserError(
            f"{name} must be a number or a schedule with `largest` and `constant_until`, such as Constant or CubeRoot, "
            f"got {shown(eta)}."
        )
    require_positive(name, eta)
    return Constant(eta)
