"""A measure as weights of squares, the sum over axes and fields of weight (field - x*)^2; or as a quadratic form.

The weights are asked of the measure's own forms, on the world in rationals and on others: a weight is the square of
the curvature h for a gradient, h/2 for a gap, 1 for a distance. A measure that mixes fields, a Lyapunov function for
one, is run on letters: h, and the distance of every field from x*.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from ratecert.base.arrays import Rationals, summed
from ratecert.base.errors import NotExactError, RatecertError
from ratecert.proofs.formulas import Formulas
from ratecert.proofs.known import Known, expression_of
from ratecert.proofs.script import PythonWriter, not_written, number
from ratecert.proofs.world import Direction
from ratecert.solvers.contract.measures import Measure
from ratecert.solvers.contract.stage import State

CURVATURES = range(1, 8)  # at which a measure is asked for its weights
MOST_POWERS = 5  # of the curvature: 2 for a gradient, 1 for a gap, 0 for a distance
ATS = ("average", "last", "smallest", "largest", "mean")
CURVATURE, CENTER = "h", sympy.Symbol("center")
SQUARES = 2  # the degree of every summand of a quadratic form


def squares(
    measure: Measure, axes: Sequence[Direction], names: Sequence[str], *, many: bool = False
) -> dict[str, tuple[Fraction, ...]]:
    """For every field that is read, at the mean over devices if there are many, its weight as a polynomial in h."""
    if many and any(form.of != "mean" for _, form in measure.forms):
        raise NotExactError("the measure reads more of the devices than their mean")
    if measure.at not in ATS or measure.likely is not None:
        raise NotExactError("the measure does not count all iterates alike")
    weights = _weights(measure, axes, names)
    lines = [
        [Direction(Fraction(1), ((Fraction(h), Fraction(0)),))] for h in CURVATURES
    ]  # worlds of one axis
    curves = np.array([_weights(measure, line, names)[:, 0] for line in lines]).T
    rows = zip(names, weights, curves, strict=True)
    return {name: _polynomial(list(row), list(curve), axes) for name, row, curve in rows if any(row)}


def _polynomial(
    row: list[Fraction], curve: list[Fraction], axes: Sequence[Direction]
) -> tuple[Fraction, ...]:
    """The coefficients, that of 1 first, of the polynomial through the weights that other curvatures have."""
    h = sympy.Symbol(CURVATURE)
    through = sympy.interpolate(list(zip(CURVATURES, map(sympy.Rational, curve), strict=True)), h)
    found = [Fraction(int(c.p), int(c.q)) for c in reversed(sympy.Poly(through, h).all_coeffs())]
    at_axes = [sum(c * axis.curvature**i for i, c in enumerate(found)) for axis in axes]
    if len(found) > MOST_POWERS or at_axes != row:
        raise NotExactError("the weights of the measure are no polynomial of few powers in the curvature")
    return tuple(found)


def _weights(measure: Measure, axes: Sequence[Direction], names: Sequence[str]) -> Any:
    """The weight of every field (rows) along every axis (columns)."""
    d, n = len(axes), len(names)
    stars = Rationals.of(np.array([[axis.minimiser] for axis in axes], dtype=object))
    H = Rationals.of(np.diag(np.array([axis.curvature for axis in axes], dtype=object)))
    world, points = _World(H, stars[:, 0]), {}
    for i, name in enumerate(
        names
    ):  # x*, a step from it in one field along one axis, and all these steps at once
        steps = Rationals.zeros(d, n * d + 2)
        steps[:, 1 + i * d : 1 + (i + 1) * d] = Rationals.identity(d)
        steps[:, -1] = Rationals.identity(d).sum(axis=1)
        points[name] = steps + stars
    found = []
    for factor, form in measure.forms:
        if form.of == "deviations":
            continue  # of one device there are none
        if form.of == "own":
            raise NotExactError("the measure reads what devices have of their own")
        try:
            v = form.vector(world, State(**points))
            W = Rationals.identity(len(v)) if form.weight is None else Rationals.of(form.weight(world, v))
            v = Rationals.of(v)
            table = v[:, 1:-1].T @ W @ v[:, 1:-1]
        except (TypeError, AttributeError, ValueError, ArithmeticError, RatecertError) as error:
            raise not_written("the measure", error) from error
        if any(v[:, 0]) or any(table[i, j] for i in range(n * d) for j in range(n * d) if i != j):
            raise NotExactError("the measure is no sum of squares along the axes")
        if any(v[:, -1] - v[:, 1:-1].sum(axis=1)):
            raise NotExactError("the measure is no quadratic form")
        scale = number("a factor of the measure", factor)
        squared = [scale * number("a weight", table[i, i]) for i in range(n * d)]
        found.append(np.array(squared, dtype=object).reshape(n, d))
    if not found:
        raise NotExactError("the measure is zero on one device")
    return summed(found)


def form_of(formulas: Formulas, measure: Measure, axes: Sequence[Direction], names: Sequence[str]) -> Any:
    """An expression in h and the fields, each less x*; NotExactError where it is no quadratic form of these."""
    if taken := [name for name in (CURVATURE, *names) if name in formulas.script.names]:
        raise NotExactError(f"{taken[0]} is a field of the state, or a curvature, and a letter")
    center = CENTER if any(axis.minimiser for axis in axes) else sympy.Integer(0)
    symbols = [sympy.Symbol(name) for name in names]
    h = np.array([[Known(formulas, sympy.Symbol(CURVATURE))]], dtype=object)
    world = _World(h, np.array([Known(formulas, center)], dtype=object))
    state = State(**{s.name: np.array([[Known(formulas, s + center)]], dtype=object) for s in symbols})
    total = sympy.Integer(0)
    for factor, form in measure.forms:
        if form.of != "mean":
            raise NotExactError("the measure reads what devices have of their own")
        try:
            v = np.asarray(form.vector(world, state))
            W = np.eye(len(v), dtype=int) if form.weight is None else form.weight(world, v)
            entries = ((v.T @ W @ v).item(), factor)
        except (TypeError, AttributeError, ValueError, ArithmeticError, RatecertError) as error:
            raise not_written("the measure", error) from error
        value, scale = map(expression_of, entries)
        total += scale * value
    quadratic = total.is_polynomial(*symbols) and sympy.Poly(total, *symbols).homogeneous_order() == SQUARES
    if not quadratic or total.has(CENTER):
        raise NotExactError("the measure is no quadratic form of distances from x*")
    if center == 0:
        formulas.script.once('require(not any(centers), "x* is the origin")')
    return _without_nothing(formulas, total, symbols)


def _without_nothing(formulas: Formulas, total: Any, symbols: Sequence[Any]) -> Any:
    """A summand whose weight is zero at every curvature of the world vanishes, and the file says so."""
    script, h = formulas.script, sympy.Symbol(CURVATURE)
    summands = []
    for summand in sympy.Add.make_args(total):
        factors = [f for f in sympy.Mul.make_args(summand) if f.has(h) and not f.has(*symbols)]
        weight = sympy.Mul(*factors)
        text = f"[{PythonWriter(script.names).doprint(weight)} for h in curvatures]"
        if factors and not any(script.value(text)):
            script.once(f'require(not any({text}), "what {weight} multiplies vanishes")')
        else:
            summands.append(summand)
    return sympy.Add(*summands)


class _World:
    """What a form may ask of a world along its axes: its curvatures, its minimiser and its gradient."""

    def __init__(self, H: Any, x_star: Any) -> None:
        self.d_x, self.H, self.x_star = len(x_star), H, x_star

    def gradient(self, x: Any) -> Any:
        """At columns of points."""
        return self.H @ (x - self.x_star[:, None])

    full_gradient = gradient
