"""A witness made simple: as many numbers as possible are 0 or 1, the others are short, counts and runs are small.

How complex an instance is, is the total length of its numbers (short_numbers.py). What comes first has most room to be
simple, hence the order:

    a limit       becomes a long run
    one number    becomes 0 or 1; then, where that fails, one of a single digit; then any shorter one
    a count       becomes the smallest of two digits and zeros that will do, the length of the run before the others
    a long run    becomes ten times shorter, with another number ten times larger or smaller and no longer
    two numbers   become 1 and their product, or 1 and their quotient, where that is shorter

and again from the third on, until nothing changes.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from itertools import permutations

from ratecert.search.falsifiable import Instance
from ratecert.search.short_numbers import ENDLESS, LARGEST, counts, length, shorter

Path = tuple[str, str]
Test = Callable[[Instance], bool]
TENTH = 10  # a run becomes so many times shorter


def complexity(instance: Instance) -> int:
    """The total length of all single numbers."""
    return sum(length(value) for _, value in _numbers(instance))


def simplified(instance: Instance, test: Test) -> Instance:
    """The simplest that these moves lead to, one after the other, with which the test still passes."""
    for path in [path for path, value in _numbers(instance) if math.isinf(value)]:
        long = _with(instance, {path: LARGEST})
        instance = long if test(long) else instance
    for longest in (0, 1):
        for path, _ in list(_numbers(instance)):
            instance = _one(instance, path, longest, test)
    while True:
        before = instance
        for path, _ in list(_numbers(instance)):
            instance = _one(instance, path, ENDLESS, test)
        for path, _ in sorted(_numbers(instance), key=lambda number: number[0][1] != "T"):
            instance = _smallest(instance, path, test)
        if instance == before:
            instance = _sooner(instance, test)
        if instance == before:
            instance = _two(instance, test)
        if instance == before:
            return instance


def _numbers(instance: Instance) -> Iterator[tuple[Path, float]]:
    """Single numbers; entries of matrices stay as they are."""
    for table, entries in instance.items():
        for name, value in entries.items():
            if isinstance(value, (int, float)):
                yield (table, name), value


def _one(instance: Instance, path: Path, longest: int, test: Test) -> Instance:
    """The shortest value that passes, and no longer than this; counts stay as they are."""
    value = instance[path[0]][path[1]]
    if isinstance(value, int) or math.isinf(value):
        return instance
    changed = (_with(instance, {path: n}) for n in shorter(value) if length(n) <= longest)
    return next(filter(test, changed), instance)


def _smallest(instance: Instance, path: Path, test: Test) -> Instance:
    """By bisection: the smallest count, if what one shows all larger ones do; a smaller one that was tested, if not."""
    value = instance[path[0]][path[1]]
    if not (isinstance(value, int) or math.isinf(value)):
        return instance
    zero = _with(instance, {path: 0})
    if value and test(zero):
        return zero
    smaller = counts(value)
    if not smaller or not (math.isinf(value) or test(_with(instance, {path: smaller[-1]}))):
        return instance
    found = bisect_left(smaller, True, key=lambda count: test(_with(instance, {path: count})))
    return _with(instance, {path: smaller[found]}) if found < len(smaller) else instance


def _sooner(instance: Instance, test: Test) -> Instance:
    """A run of a tenth of the steps, where one other number makes up for it: a larger step, less noise."""
    runs = {path: value for path, value in _numbers(instance) if path[1] == "T" and TENTH <= value < math.inf}
    others = {path: value for path, value in _numbers(instance) if isinstance(value, float)}
    for path, value in others.items():
        for T, steps in runs.items():
            for c in (float(f"{value * TENTH:.12g}"), float(f"{value / TENTH:.12g}")):
                changed = _with(instance, {path: c, T: int(steps) // TENTH})
                if c != value and complexity(changed) <= complexity(instance) and test(changed):
                    return changed
    return instance


def _two(instance: Instance, test: Test) -> Instance:
    """The first pair that becomes 1 and something shorter than the two were."""
    long = {path: value for path, value in _numbers(instance) if isinstance(value, float) and length(value)}
    for (one, a), (other, b) in permutations(long.items(), 2):
        for c in (a * b, b / a):
            c = float(f"{c:.12g}")
            if length(c) < length(a) + length(b) and math.isfinite(a):
                changed = _with(instance, {one: 1.0, other: c})
                if test(changed):
                    return changed
    return instance


def _with(instance: Instance, values: Mapping[Path, float]) -> Instance:
    tables = {table: dict(entries) for table, entries in instance.items()}
    for (table, name), value in values.items():
        tables[table][name] = value
    return tables
