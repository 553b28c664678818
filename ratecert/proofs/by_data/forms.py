"""A measure that mixes fields of the state, as a quadratic form in letters along one axis of curvature h.

Its own forms are run on letters: h, and the distance of every field from x*. A Lyapunov function is one example.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy

from ratecert.base.errors import NotExactError, RatecertError
from ratecert.proofs.by_data.directions import Direction
from ratecert.proofs.by_data.formulas import Formulas
from ratecert.proofs.by_data.known import Known, expression_of
from ratecert.proofs.writing import PythonWriter
from ratecert.solvers.contract.measures import Measure
from ratecert.solvers.contract.stage import State

CURVATURE, CENTER = "h", sympy.Symbol("center")
SQUARES = 2  # the degree of every summand


def form_of(formulas: Formulas, measure: Measure, axes: Sequence[Direction], names: Sequence[str]) -> Any:
    """An expression in h and the fields, each less x*; NotExactError where it is no quadratic form of these."""
    if taken := [name for name in (CURVATURE, *names) if name in formulas.script.names]:
        raise NotExactError(f"{taken[0]} is a field of the state, or a curvature, and a letter")
    center = CENTER if any(axis.minimiser for axis in axes) else sympy.Integer(0)
    symbols = [sympy.Symbol(name) for name in names]
    world = _Axis(Known(formulas, sympy.Symbol(CURVATURE)), Known(formulas, center))
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
            raise NotExactError(f"the measure cannot be written in letters: {error}") from error
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
    kept = []
    for summand in sympy.Add.make_args(total):
        factors = [f for f in sympy.Mul.make_args(summand) if f.has(h) and not f.has(*symbols)]
        weight = sympy.Mul(*factors)
        text = f"[{PythonWriter(script.names).doprint(weight)} for h in curvatures]"
        if factors and not any(script.value(text)):
            script.once(f'require(not any({text}), "what {weight} multiplies vanishes")')
        else:
            kept.append(summand)
    return sympy.Add(*kept)


class _Axis:
    """What a form may ask of the world."""

    d_x = 1

    def __init__(self, curvature: Known, center: Known) -> None:
        self.H = np.array([[curvature]], dtype=object)
        self.x_star = np.array([center], dtype=object)

    def gradient(self, x: Any) -> Any:
        """At columns of points."""
        return self.H @ (x - self.x_star[:, None])

    full_gradient = gradient
