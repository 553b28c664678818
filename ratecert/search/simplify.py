"""A witness made simple: as many numbers as possible are 0 or 1, the others are short, counts and runs are small.

How complex an instance is, is the total length of its numbers. The length of a number is what it takes to write it:
nothing for 0 and 1, otherwise its significant digits, and one more for an exponent or leading zeros; a limit is longer
than any number. What comes first has most room to be simple, hence the order:

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
from decimal import Decimal
from itertools import permutations

from ratecert.search.witness import Instance

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


# How long a number is, and which shorter ones may stand for it.

ENDLESS = 20  # the length of a limit
ANYWHERE = (2.0, 0.5, 0.1, 10.0, 0.25, 4.0, 0.75)  # however far they are
MOST_DIGITS = 3
LARGEST = 2**62  # count


def length(number: float) -> int:
    """
    >>> [length(n) for n in (0.0, 1, 2.0, 0.25, 1e-6, 1024, 0.9999990463256835)]
    [0, 0, 1, 2, 2, 4, 16]
    """
    if number in (0, 1):
        return 0
    if math.isinf(number):
        return ENDLESS
    _, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    return len(digits) + (int(exponent) > 0 or int(exponent) < -len(digits))


def shorter(number: float) -> Iterator[float]:
    """Shorter ones, the shortest first: 0 and 1, a few from anywhere, the number rounded, and 0.9, 0.99, ... below 1.

    >>> list(shorter(0.93))
    [0.0, 1.0, 2.0, 0.5, 0.1, 0.9]
    """
    near = [float(f"{number:.{digits}e}") for digits in range(MOST_DIGITS)]
    near += [_down(number, digits) for digits in range(MOST_DIGITS)]  # a limit may be just above
    near += [float(f"{10.0 ** math.floor(math.log10(number)):.0e}")] if number > 0 else []
    if 0.9 <= number < 1:
        near += [1 - 10.0**-n for n in range(1, 13) if 1 - 10.0**-n <= number]
    candidates = dict.fromkeys(float(f"{c:.12g}") for c in (0.0, 1.0, *ANYWHERE, *near))
    yield from sorted((c for c in candidates if length(c) < length(number)), key=length)


def _down(number: float, digits: int) -> float:
    """Rounded towards zero, to one digit and these."""
    if not number:
        return 0.0
    scale = 10.0 ** (digits - math.floor(math.log10(abs(number))))
    return math.trunc(number * scale) / scale


def counts(below: float) -> list[int]:
    """All whole numbers from 1 on with one or two digits and zeros, below a number.

    >>> counts(130)[-5:]
    [97, 98, 99, 100, 110, 120]
    """
    most = min(below - 1, LARGEST)
    small = range(1, 100)
    larger = (n * 10**zeros for zeros in range(1, 18) for n in range(10, 100))
    return [n for n in (*small, *larger) if n <= most]
