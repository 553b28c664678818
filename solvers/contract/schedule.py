"""Step sizes eta_t as data.

`Constant(eta)` is eta at every t. `CubeRoot` is the schedule of the variance-reduced methods,

    eta_t = scale / max(offset + t, floor)^{1/3},

constant until offset + t reaches the floor. Theorem 3's eta_t = (K^{2/3}/L_hat)/(w_t + t)^{1/3} with
w_t = max{2, c - t} is the instance scale = K^{2/3}/L_hat, offset = 2, floor = c. A plain number is a Constant.
`Power` is eta_t = scale / (offset + t)^exponent, `Product` the product of two. Schedules that are defined at whole t
only are in recursion.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol

from ratecert.base.errors import UserError
from ratecert.base.exact import cube_root, power
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
class CubeRoot:
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
    def largest(self) -> float:
        """The largest step over all t >= 0."""
        return self(0)

    @property
    def constant_until(self) -> float:
        """The last t (possibly inf) up to which eta_t equals eta_0."""
        return max(0 * self.floor, self.floor - self.offset)


@dataclass(frozen=True, kw_only=True)
class Power:
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

    @property
    def largest(self) -> float:
        """The largest step over all t >= 0."""
        return self(0)

    @property
    def constant_until(self) -> float:
        """The last t (possibly inf) up to which eta_t equals eta_0."""
        return 0.0


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
