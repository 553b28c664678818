"""Exponents at the end of a long range, between its last two values, beside those that are claimed.

A rate is a bound: an exponent may be too large (that of eps: too small). So it is uncertain by what is left of its way
to that side. Where its steps shrink, that is the rest of a geometric series; else as much as the last step. Logarithms
of the claim are divided out before: T^-1/2 log(T)^4 has no exponent of -1/2 at any T that can be run.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import sympy

from ratecert.base.errors import UndecidedError
from ratecert.claims.check import Check, at_least, at_most
from ratecert.claims.rows import Row, Rows
from ratecert.theory.notation import letter, names_of
from ratecert.theory.numbers.evaluation import number
from ratecert.theory.orders.derivation import as_monomial

FEWEST = 3  # values from which an exponent is read
TOLERANCE = 1e-3
SETTLED = 0.1  # of what is missing: an exponent that moves by less stays what it is
SHRINKS = 0.5  # the ratio of two steps from which on they are not taken to become small


def by_letter(
    runs: Rows, letters: tuple[str, ...], order: sympy.Expr
) -> Iterator[tuple[str, str, list[Row], float]]:
    """(letter, where the other one is, the runs there, the claimed exponent) of each letter that is varied."""
    first, second = letters
    for name, other in ((second, first), (first, second)):
        if len(set(runs.cells(name))) > 1:
            extreme, here = longest(runs, other)
            yield name, f"{other} = {extreme:.6g}", here, float(as_monomial(order).exponent(name))


def longest(runs: Rows, other: str) -> tuple[float, list[Row]]:
    """The runs with the most extreme value of a letter among those with the most runs; a window may cut some off."""
    by_value = {value: list(rows) for value, rows in runs.by(other)}
    most = max(map(len, by_value.values()))
    extreme = (min if other == "eps" else max)(value for value, rows in by_value.items() if len(rows) == most)
    return extreme, by_value[extreme]


def over_logs(rows: Sequence[Row], order: sympy.Expr, *columns: str) -> list[Row]:
    """The rows with these columns over the logarithms in an order of growth."""
    logs = order / sympy.Mul(*(letter(name) ** sympy.Rational(p) for name, p in as_monomial(order).powers))
    names = names_of(logs)
    if not names:
        return list(rows)
    sizes = [number(logs, {name: row[name] for name in names}) for row in rows]
    return [
        {**row, **{name: row[name] / size for name in columns}} for row, size in zip(rows, sizes, strict=True)
    ]


def over_shown_logs(rows: Sequence[Row], x: str, y: str) -> list[Row]:
    """The rows with y over the power of log x that the last three show, for orders that are meant up to logarithms.

    For counts, which are products of powers and logarithms: what still moves otherwise would be taken for one.
    """
    last = sorted(rows, key=lambda row: abs(math.log(row[x])))[-3:]
    powers = np.array([[math.log(row[x]), math.log(abs(math.log(row[x]))), 1.0] for row in last])
    _, power, _ = np.linalg.solve(powers, [math.log(row[y]) for row in last])
    return [{**row, y: row[y] / abs(math.log(row[x])) ** power} for row in rows]


def bounded(label: str, rows: Sequence[Row], x: str, y: str, claimed: float, bound: str = "") -> Check:
    """The exponent of x in y is at most what is claimed; that of eps, which becomes small, at least.

    If y still moves towards the claim and lies below a `bound` that has reached it, the bound is what falls as claimed.
    Where neither has, or y moves away from it, these rows are too short to fail by, unless y has settled.
    """
    compared = at_least if x == "eps" else at_most
    value, moved = at_the_end(rows, x, y)
    rest = -moved if x == "eps" else moved
    check = compared(label, value, claimed, max(0.0, rest), TOLERANCE)
    if not bound or check.verdict == "passes":
        return check
    own = at_the_end(rows, x, bound)[0]
    of_bound = compared(f"{label}: that of the bound, which it is below", own, claimed, 0.0, TOLERANCE)
    if of_bound.verdict != "passes":
        too_early = f"{label}, where the bound itself has not come to it"
        return compared(too_early, value, claimed, math.inf, TOLERANCE)
    if any(row[y] > row[bound] for row in rows):
        return check
    there = compared(label, value, claimed, 0.0, TOLERANCE).verdict == "passes"
    if not there and abs(rest) < SETTLED * abs(value - claimed):
        return check
    away = compared(f"{label}, which moves away from it", value, claimed, math.inf, TOLERANCE)
    return of_bound if there or rest < 0 else away


def at_the_end(rows: Sequence[Row], x: str, y: str) -> tuple[float, float]:
    """The exponent of x in y, and how far it may still move, with its sign."""
    points = sorted(((float(row[x]), float(row[y])) for row in rows), reverse=x == "eps")
    if any(y <= 0 for _, y in points):
        raise UndecidedError(f"a {y} of zero has no exponent.")
    if len(points) < FEWEST:
        raise UndecidedError(f"{len(points)} values of {x} do not say by how much an exponent still moves.")
    slopes = [math.log(y_2 / y_1) / math.log(x_2 / x_1) for (x_1, y_1), (x_2, y_2) in pairwise(points)]
    *before, last = [b - a for a, b in pairwise(slopes)]
    ratio = abs(last / before[-1]) if before and before[-1] else 1.0
    return slopes[-1], _rest(last, ratio)


def _rest(last: float, ratio: float) -> float:
    return last * ratio / (1 - ratio) if ratio < SHRINKS else last


def same_powers(printed: sympy.Expr, repaired: sympy.Expr) -> bool:
    """Whether two orders differ by logarithms at most."""
    return as_monomial(printed).without_log() == as_monomial(repaired).without_log()
