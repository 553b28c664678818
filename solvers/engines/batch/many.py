"""Many records of one kind: a class with arrays in the place of numbers, or a list of records as arrays.

    many(SGD, alpha=array, p=4)        one method for every entry of the arrays
    many(SingleLevel, H=array, s=0.1)  one world for every entry

An array has an entry for each setting along its first axis; what is common to all is a number or a list.
"""

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import array_api_compat
import numpy as np

from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.validation import shown
from ratecert.solvers.contract.problem import weights_of
from ratecert.solvers.contract.schedule import Constant, is_schedule
from ratecert.solvers.engines.batch.arrays import Array, Many, constants, namespace, on_host
from ratecert.solvers.engines.batch.reading import OneByOne
from ratecert.solvers.engines.batch.signs import OwnFactor
from ratecert.solvers.engines.batch.truth import Devices

ROUNDING = 1e-9  # of the largest number of a world: an eigenvalue below it is computed exactly


@dataclass(frozen=True)
class ManyOf:
    """Records of one kind that differ in numbers: what differs is an array with an entry for each."""

    kind: Any
    arrays: Mapping[str, Array]
    common: Mapping[str, Any]

    def __len__(self) -> int:
        return next((int(array.shape[0]) for array in self.arrays.values()), 1)

    def __getitem__(self, i: int) -> Any:
        """Entry i as a record of its kind, which refuses numbers that make no sense."""
        own = {name: _entry(array, operator.index(i)) for name, array in self.arrays.items()}
        return self.kind(**self.common, **own)


def many(kind: Any, **given: Any) -> ManyOf:
    """Make many records of one kind at once, worlds or methods, for `expect_many`.

    kind    a class such as rc.methods.SGD or rc.worlds.SingleLevel
    given   its arguments: an array has one entry for each setting, a number or a list is common to all

    >>> import numpy as np
    >>> import ratecert as rc
    >>> steps = rc.many(rc.methods.SGD, alpha=np.array([0.1, 0.2]), p=4)
    >>> len(steps), steps[1].alpha
    (2, Constant(eta=0.2))
    """
    if not isinstance(kind, type) or not is_dataclass(kind):
        raise UserTypeError(f"kind must be the class of a world or a method, got {shown(kind)}.")
    if not given:
        raise UserError(f"many {kind.__name__} need their numbers, such as many({kind.__name__}, ...).")
    arrays = {
        name: value
        for name, value in given.items()
        if array_api_compat.is_array_api_obj(value) and value.ndim
    }
    common = {name: value for name, value in given.items() if name not in arrays}
    lengths = {name: int(array.shape[0]) for name, array in arrays.items()}
    if not arrays or len(set(lengths.values())) != 1 or 0 in lengths.values():
        raise UserError(
            f"arrays of many {kind.__name__} must have the same number of entries, one for each setting and at least "
            f"one, got {lengths or 'no array'}; what is common to all is a number or a list."
        )
    for name, array in arrays.items():
        require_doubles(name, array)
    made = ManyOf(kind, arrays, common)
    _require_each(made)
    return made


def require_doubles(name: str, array: Array) -> None:
    """Refuse what is not finite or has too few digits, with the entry that is wrong."""
    xp = namespace(array)
    if not any(array.dtype == kind for kind in (xp.float64, xp.int64, xp.int32)):
        raise UserError(
            f"{name} must be an array of float64 or of whole numbers, got {array.dtype}; convert it."
        )
    finite = xp.isfinite(xp.astype(array, xp.float64))
    bad = np.flatnonzero(~on_host(xp.all(xp.reshape(finite, (array.shape[0], -1)), axis=-1)))
    if len(bad):
        raise UserError(f"{name}[{bad[0]}] must be finite, got {shown(on_host(array[int(bad[0]), ...]))}.")


def _require_each(made: ManyOf) -> None:
    """Refuse the first entry that its kind refuses.

    Every entry is made where it may be refused. Of a kind of this package most need not be: a method refuses numbers as
    too small or too large, so that the records of all the smallest and of all the largest speak for the others; a world
    knows of many at once whether what has to be positive definite is so, by more than rounding.
    """
    for i in _suspects(made):
        try:
            made[i]
        except UserError as error:
            raise UserError(f"entry {i}: {error}") from error


def _suspects(made: ManyOf) -> list[int]:
    """The entries that have to be made to know whether they are refused."""
    everything = list(range(len(made)))
    if not made.kind.__module__.startswith("ratecert."):
        return everything
    if hasattr(made.kind, "lowest"):
        made[0]  # refuses what is common to all, and sizes that do not fit
        data = {name: on_host(values) for name, values in _fields_of(made, slice(None)).items()}
        size = np.max(
            [np.abs(each).reshape(len(each), -1).max(axis=1, initial=0.0).max() for each in data.values()]
        )
        lowest = np.broadcast_to(made.kind.lowest(data), len(made))
        wrong = ~(lowest > ROUNDING * size)
        for name in made.arrays:
            wrong |= _lopsided(data[name]) if data[name].ndim > 2 else data[name].ndim == 1 and data[name] < 0
        return np.flatnonzero(wrong).tolist()
    single = all(array.ndim == 1 for array in made.arrays.values())
    return [] if single and _passes(made, min) and _passes(made, max) else everything


def _lopsided(matrices: Any) -> Any:
    """Which entries have a square matrix that is not symmetric, as a coupling of two levels may be."""
    if matrices.shape[-1] != matrices.shape[-2]:
        return np.zeros(len(matrices), dtype=bool)
    apart = np.abs(matrices - np.swapaxes(matrices, -1, -2)).reshape(len(matrices), -1)
    return apart.max(axis=1, initial=0.0) > 0


def _passes(made: ManyOf, extreme: Any) -> bool:
    own = {name: extreme(on_host(array).tolist()) for name, array in made.arrays.items()}
    try:
        made.kind(**made.common, **own)
    except UserError:
        return False
    return True


def _entry(array: Array, i: int) -> Any:
    return on_host(array[i, ...]).tolist()


def joined(records: Any, role: str) -> "ManyOf | Any":
    """One record, many of a kind, or a list of records of one kind."""
    if not isinstance(records, Sequence):
        return records
    if not records:
        raise UserError(f"{role} must be a record, many of a kind or a list of them, got an empty list.")
    if len({type(record) for record in records}) != 1:
        names = sorted({type(record).__name__ for record in records})
        raise UserError(
            f"{role} of one call must be of one kind, got {', '.join(names)}; make a call for each."
        )
    return Listed(type(records[0]), {}, {}, tuple(records))


@dataclass(frozen=True)
class Listed(ManyOf):
    """A list of records of one kind."""

    records: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, i: int) -> Any:
        return self.records[i]


def devices_of(worlds: Any, pattern: Array, rows: slice) -> Devices:
    """Each device's data as arrays of all settings, and its share; one device where all are alike."""
    listed = list(worlds.records[rows]) if isinstance(worlds, Listed) else [worlds]
    if not hasattr(listed[0], "devices"):
        return Devices((OwnFactor(shell_of(worlds, pattern, rows)),), (constants(pattern, [1.0]),))
    counts = {len(world.devices) for world in listed}
    if len(counts) != 1:
        raise OneByOne("the worlds have different numbers of devices")
    (C,) = counts
    each = [
        Listed(type(listed[0].devices[c]), {}, {}, tuple(world.devices[c] for world in listed))
        for c in range(C)
    ]
    if any(len({type(device) for device in own.records}) != 1 for own in each):
        raise OneByOne("a device is of several kinds")
    problems = tuple(OwnFactor(shell_of(own, pattern, slice(None))) for own in each)
    weights = [weights_of(world, C) for world in listed]
    return Devices(problems, tuple(constants(pattern, [float(own[c]) for own in weights]) for c in range(C)))


def shell_of(worlds: Any, pattern: Array, rows: slice) -> Any:
    """A world whose data are arrays of all settings: its own oracles run on them."""
    data = _fields_of(worlds, rows)
    made = object.__new__(worlds.kind if isinstance(worlds, ManyOf) else type(worlds))
    for name, values in data.items():
        object.__setattr__(
            made, name, Many(constants(pattern, values) if isinstance(values, np.ndarray) else values)
        )
    return made


def _fields_of(worlds: Any, rows: slice) -> dict[str, Any]:
    """The data of each world, stacked; of one world with an axis of one entry."""
    if isinstance(worlds, Listed):
        listed = worlds.records[rows]
        return {f.name: _stack([getattr(world, f.name) for world in listed]) for f in fields(worlds.kind)}
    first = worlds[0] if isinstance(worlds, ManyOf) else worlds
    own = {f.name: np.asarray(getattr(first, f.name)) for f in fields(first)}
    if any(value.dtype == object for value in own.values()):
        raise OneByOne(f"the data of {type(first).__name__} are no arrays of numbers")
    stacked = {name: value.astype(np.float64)[None] for name, value in own.items()}
    if isinstance(worlds, ManyOf):
        for name, array in worlds.arrays.items():
            if name not in own:
                raise OneByOne(f"{worlds.kind.__name__} keeps no {name!r}")
            given = array[rows, ...]
            stacked[name] = namespace(given).reshape(given, (given.shape[0], *own[name].shape))
    return stacked


def _stack(values: Sequence[Any]) -> Any:
    arrays = [np.asarray(value) for value in values]
    if any(array.dtype == object for array in arrays) or len({array.shape for array in arrays}) != 1:
        raise OneByOne("the worlds have data of several shapes")
    return np.stack(arrays).astype(np.float64)


def letters_of(solvers: Any, rows: slice, pattern: Array) -> tuple[Any, dict[str, Any]]:
    """One of the methods, and the numbers of all: of a field that is a letter, an array."""
    first = solvers[0] if isinstance(solvers, ManyOf) else solvers
    listed = solvers.records[rows] if isinstance(solvers, Listed) else None
    found: dict[str, Any] = {}
    for f in fields(first):
        value = getattr(first, f.name)
        if is_schedule(value):
            schedules = [getattr(solver, f.name) for solver in listed or ()] or [value]
            if not all(isinstance(each, Constant) for each in schedules):
                found[f.name] = Changing(tuple(schedules), pattern)
                continue
            own = [each.eta for each in schedules]
        elif isinstance(value, int | float) and not isinstance(value, bool):
            own = [getattr(solver, f.name) for solver in listed] if listed else [value]
        elif listed and any(getattr(solver, f.name) != value for solver in listed):
            raise OneByOne(f"the methods differ in {f.name}, which is no number")
        else:
            continue
        given = solvers.arrays.get(f.name) if isinstance(solvers, ManyOf) else None
        numbers = given[rows] if given is not None else constants(pattern, [float(each) for each in own])
        common = given is None and len(set(own)) == 1
        if isinstance(value, int) and common:
            continue  # a number of steps or samples that is the same for all is no letter
        found[f.name] = namespace(numbers).astype(
            numbers[:1] if common else numbers, namespace(numbers).float64
        )
    return first, found


@dataclass(frozen=True)
class Changing:
    """A step size that changes with t: its numbers at t + offset, one for each setting or one for all."""

    schedules: tuple[Any, ...]
    pattern: Array
    t: int = 0

    def after(self, t: int) -> "Changing":
        return Changing(self.schedules, self.pattern, t)

    def __getitem__(self, rows: slice) -> "Changing":
        return Changing(self.schedules[rows], self.pattern, self.t) if len(self.schedules) > 1 else self

    def __call__(self, offset: int) -> Array:
        return constants(self.pattern, [float(each(self.t + offset)) for each in self.schedules])
