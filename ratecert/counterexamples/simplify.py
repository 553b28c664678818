"""A witness made simple: as many numbers as possible are 0 or 1, the others are short, counts and runs are small.

How complex an instance is, is the total length of its numbers (short_numbers.py). Moves, as long as any of them helps:

    one number    becomes a shorter one; a count, or a limit, the smallest count of two digits and zeros that will do
    two numbers   become 1 and their product, or 1 and their quotient, where that is shorter
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from itertools import permutations

from ratecert.counterexamples.falsifiable import Instance
from ratecert.counterexamples.short_numbers import counts, length, shorter

Path = tuple[str, str]
Test = Callable[[Instance], bool]


def complexity(instance: Instance) -> int:
    """The total length of all single numbers."""
    return sum(length(value) for _, value in _numbers(instance))


def simplified(instance: Instance, test: Test) -> Instance:
    """The simplest that these moves lead to, one after the other, with which the test still passes."""
    while True:
        before = instance
        for path, _ in list(_numbers(instance)):
            instance = _one(instance, path, test)
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


def _one(instance: Instance, path: Path, test: Test) -> Instance:
    value = instance[path[0]][path[1]]
    if isinstance(value, int) or math.isinf(value):
        return _smallest(instance, path, test)
    changed = (_with(instance, {path: candidate}) for candidate in shorter(value))
    return next(filter(test, changed), instance)


def _smallest(instance: Instance, path: Path, test: Test) -> Instance:
    """By bisection: the smallest count, if what one shows all larger ones do; a smaller one that was tested, if not."""
    value = instance[path[0]][path[1]]
    zero = _with(instance, {path: 0})
    if value and test(zero):
        return zero
    smaller = counts(value)
    if not smaller or not (math.isinf(value) or test(_with(instance, {path: smaller[-1]}))):
        return instance
    found = bisect_left(smaller, True, key=lambda count: test(_with(instance, {path: count})))
    return _with(instance, {path: smaller[found]}) if found < len(smaller) else instance


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
