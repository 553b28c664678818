"""A measure as weights of squares: the sum over axes and fields of weight (field - x*)^2, in fractions.

What it is is asked of its own forms, on the world in rationals and on others: a weight is the square of the curvature
for a gradient, half the curvature for a gap, one for a distance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ratecert.base.arrays import Rationals, solve, summed
from ratecert.base.errors import NotExactError, RatecertError
from ratecert.base.exact import is_exact
from ratecert.proofs.by_data.directions import SHORT, Direction
from ratecert.proofs.exact_numbers import exact
from ratecert.solvers.contract.measures import Measure
from ratecert.solvers.contract.stage import State

CURVATURES = range(1, 8)  # at which a measure is asked for its weights
MOST_POWERS = 5  # of the curvature: 2 for a gradient, 1 for a gap, 0 for a distance
ATS = ("average", "last", "smallest", "largest", "mean")


@dataclass(frozen=True)
class Squares:
    """weight (field - x*)^2: the weight as a polynomial in the curvature or, axis by axis, in numbers."""

    field: str
    weight: tuple[Fraction, ...]
    polynomial: bool  # its coefficients, that of 1 first


def squares(
    measure: Measure, axes: Sequence[Direction], names: Sequence[str], *, many: bool = False
) -> list[Squares]:
    """One for every field that is read, at the mean over devices if there are many."""
    if many and any(form.of != "mean" for _, form in measure.forms):
        raise NotExactError("the measure reads more of the devices than their mean")
    if measure.at not in ATS or measure.likely is not None:
        raise NotExactError("the measure does not count all iterates alike")
    weights = _weights(measure, axes, names)
    try:
        curves = np.array([_weights(measure, [_curved(h)], names)[:, 0] for h in CURVATURES]).T
    except NotExactError:  # it may be one on this world alone
        return [
            Squares(name, tuple(row), False) for name, row in zip(names, weights, strict=True) if any(row)
        ]
    rows = zip(names, weights, curves, strict=True)
    return [_recognised(name, list(row), list(curve), axes) for name, row, curve in rows if any(row)]


def number(what: str, value: Any) -> Fraction:
    """A number that functions of a paper have made: exact, or a double that is written with few digits."""
    if is_exact(value):
        return Fraction(int(value.p), int(value.q))
    if isinstance(value, float) and float(f"{value:.{SHORT}g}") != value:
        raise NotExactError(f"{what} = {value} is computed in doubles")
    return exact(what, value)


def _curved(h: int) -> Direction:
    """A world of one axis."""
    return Direction(Fraction(1), ((Fraction(h), Fraction(0)),))


def _weights(measure: Measure, axes: Sequence[Direction], names: Sequence[str]) -> Any:
    """The weight of every field (rows) along every axis (columns)."""
    world, d, n = _Exact(axes), len(axes), len(names)
    stars = Rationals.of(np.array([[axis.minimiser] for axis in axes], dtype=object))
    found = []
    for factor, form in measure.forms:
        if form.of == "deviations":
            continue  # of one device there are none
        if form.of == "own":
            raise NotExactError("the measure reads what devices have of their own")
        points = {name: Rationals.zeros(d, n * d + 2) + stars for name in names}
        for i, name in enumerate(names):
            points[name][:, 1 + i * d : 1 + (i + 1) * d] += Rationals.identity(d)
        for name in names:
            points[name][:, -1] += Rationals.identity(d).sum(axis=1)
        try:
            v = form.vector(world, State(**points))
            W = Rationals.identity(len(v)) if form.weight is None else Rationals.of(form.weight(world, v))
            v = Rationals.of(v)
        except (TypeError, AttributeError, ValueError, ArithmeticError, RatecertError) as error:
            raise NotExactError(f"the measure cannot be read in fractions: {error}") from error
        table = v[:, 1:-1].T @ W @ v[:, 1:-1]
        if any(v[:, 0]) or any(table[i, j] for i in range(n * d) for j in range(n * d) if i != j):
            raise NotExactError("the measure is no sum of squares along the axes")
        if any(v[:, -1] - v[:, 1:-1].sum(axis=1)):
            raise NotExactError("the measure is no quadratic form")
        scale = number("a factor of the measure", factor)
        found.append(
            np.array([scale * number("", table[i, i]) for i in range(n * d)], dtype=object).reshape(n, d)
        )
    if not found:
        raise NotExactError("the measure is zero on one device")
    return summed(found)


def _recognised(name: str, row: list[Fraction], curve: list[Fraction], axes: Sequence[Direction]) -> Squares:
    """By the polynomial through the weights that other curvatures have, if it has no more than a few powers."""
    powers = Rationals.of(np.array([[Fraction(h) ** i for i in range(len(curve))] for h in CURVATURES]))
    solved = solve(powers, Rationals.of(np.array(curve, dtype=object)))
    found = [number("", each) for each in solved.tolist()]
    at_axes = [sum(c * axis.curvature**i for i, c in enumerate(found)) for axis in axes]
    if any(found[MOST_POWERS:]) or at_axes != row:
        return Squares(name, tuple(row), False)
    return Squares(name, tuple(found[:MOST_POWERS]), True)


class _Exact:
    """What a form may ask of the world: its curvature, its minimiser and its gradient, in rationals."""

    def __init__(self, axes: Sequence[Direction]) -> None:
        self.d_x = len(axes)
        self.H = Rationals.zeros(self.d_x, self.d_x)
        for i, axis in enumerate(axes):
            self.H[i, i] = Rationals.number(axis.curvature)
        self.x_star = Rationals.of(np.array([axis.minimiser for axis in axes], dtype=object))

    def gradient(self, x: Any) -> Any:
        """At columns of points."""
        return self.H @ (x - self.x_star[:, None])

    full_gradient = gradient
