"""A witness made simple: as many numbers as possible are 0 or 1, the others have few digits."""

import math
from collections.abc import Callable, Iterator
from typing import Any

from ratecert.counterexamples.falsifiable import Instance

Path = tuple[str, ...]
LENGTHS = tuple(2**n for n in (2, 5, 10, 15, 20, 30, 40, 50, 62))  # of runs
TINY = 1e-6  # what is rounded already stays as it is


def simplified(instance: Instance, test: Callable[[Instance], bool]) -> Instance:
    """Number by number the simplest value with which the test still passes, until nothing changes."""
    while True:
        before = instance
        for path, value in list(_numbers(instance)):
            for candidate in _simpler(path[-1], value):
                changed = _with(instance, path, candidate)
                if test(changed):
                    instance = changed
                    break
        if instance == before:
            return instance


def _numbers(instance: Instance) -> Iterator[tuple[Path, Any]]:
    """Single numbers; entries of matrices stay as they are."""
    for table, entries in instance.items():
        for name, value in entries.items():
            if isinstance(value, (int, float)):
                yield (table, name), value


def _simpler(name: str, value: float) -> Iterator[float]:
    """Simpler values than this one, the simplest first. A limit becomes a long run, a count stays whole."""
    whole = isinstance(value, int) or math.isinf(value)
    if math.isinf(value):
        yield from LENGTHS
        return
    if value in (0, 1):
        return
    yield from (0, 1) if whole else (0.0, 1.0)
    if name == "T":
        yield from (T for T in LENGTHS if value > T)
    elif whole:
        yield from (n for n in (2, 4, 8, 16, 32) if n < value)
        yield from (10**n for n in range(2, 16) if 10**n < value)
    else:
        power = 10.0 ** round(math.log10(value))
        rounded = [float(f"{value:.{digits}e}") for digits in (0, 1)]
        # a limit may be just above
        below = [math.floor(value / power * n + TINY) / n * power for n in (10, 100)]
        candidates = (power, rounded[0], below[0], rounded[1], below[1])
        yield from (float(f"{c:.6g}") for c in candidates if 0 < c != value)


def _with(instance: Instance, path: Path, value: float) -> Instance:
    table, name = path
    return {**instance, table: {**instance[table], name: value}}
