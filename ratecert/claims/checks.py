"""The checks that claims are made of, each a function of rows and the names of two columns.

    equal, at_most, at_least   one number against another
    exponent                   the slope of log y against log x (ratecert.fit_slope)
    gap                        the largest relative distance between two columns
    difference                 the largest absolute one
    above                      the largest ratio of two columns, which may not exceed 1

`error` is the relative error of the numbers that are read: the name of a column, or one number for all. Without it, it
is the column "precision" where there is one, and 0 where there is none. That of a difference is absolute.
"""

import math
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from ratecert.claims.check import Check
from ratecert.claims.rows import Row, Rows
from ratecert.claims.slope import fit_slope

Error = str | float | None


def equal(name: str, measured: float, predicted: float, tolerance: float, uncertainty: float = 0.0) -> Check:
    """measured = predicted, up to the tolerance."""
    return Check(
        name=name,
        measured=measured,
        predicted=predicted,
        tolerance=tolerance,
        uncertainty=uncertainty,
    )


def at_most(
    name: str, measured: float, bound: float, uncertainty: float = 0.0, tolerance: float = 0.0
) -> Check:
    """measured <= bound, up to the tolerance."""
    return replace(equal(name, measured, bound, tolerance, uncertainty), relation="<=")


def at_least(
    name: str, measured: float, bound: float, uncertainty: float = 0.0, tolerance: float = 0.0
) -> Check:
    """measured >= bound, up to the tolerance."""
    return replace(equal(name, measured, bound, tolerance, uncertainty), relation=">=")


def exponent(
    name: str,
    rows: Rows,
    y: str,
    x: str,
    predicted: float | Fraction,
    tolerance: float,
    *,
    error: Error = None,
    straight: bool = True,
) -> Check:
    """The slope of log y against log x over these rows, which are taken to lie on a power law if `straight`.

    Where a number is not positive there is no slope: nan, which confirms nothing.
    """
    value, uncertainty = slope(rows, y, x, error=error, straight=straight)
    return equal(name, value, float(predicted), tolerance, uncertainty)


def slope(rows: Rows, y: str, x: str, *, error: Error = None, straight: bool = True) -> tuple[float, float]:
    """The slope of log y against log x and its uncertainty; nan where a number is not positive.

    If the rows need not lie on a power law, not `straight`, the range of the slopes between neighbours is uncertain.
    """
    values = [*rows.column(x), *rows.column(y)]
    if not all(0 < value < math.inf for value in values):
        return math.nan, math.inf
    errors = [error_of(row, error) for row in rows]
    fit = fit_slope(rows.column(x), rows.column(y), precision=errors, straight=straight)
    return fit.value, fit.uncertainty


def gap(
    name: str, rows: Rows, measured: str, predicted: str, tolerance: float, *, error: Error = None
) -> Check:
    """measured/predicted - 1, where it is farthest from 0."""
    gaps = [row[measured] / row[predicted] - 1 for row in rows]
    return equal(name, max(gaps, key=abs), 0.0, tolerance, largest_error(rows, error))


def difference(
    name: str, rows: Rows, measured: str, predicted: str, tolerance: float, *, error: Error = None
) -> Check:
    """The largest |measured - predicted|."""
    largest = max(abs(row[measured] - row[predicted]) for row in rows)
    return equal(name, largest, 0.0, tolerance, largest_error(rows, error))


def above(
    name: str, rows: Rows, measured: str, bound: str, *, tolerance: float = 0.0, error: Error = None
) -> Check:
    """The largest measured/bound is at most 1."""
    worst = rows.largest(lambda row: row[measured] / row[bound])
    ratio = worst[measured] / worst[bound]
    return at_most(name, ratio, 1.0, ratio * error_of(worst, error), tolerance)


def largest_error(rows: Iterable[Row], error: Error = None) -> float:
    return max((error_of(row, error) for row in rows), default=0.0)


def error_of(row: Row, error: Error = None) -> float:
    if isinstance(error, float | int):
        return float(error)
    return float(row.get(error or "precision", 0.0))
