"""A measure as a quadratic form in letters: the curvature, and the distance of every field from x*.

The measure's own forms are run on letters, along one axis: that of a gradient comes to curvature^2 x^2, that of a gap
to curvature x^2/2. A measure that tells one axis from another has another value than the engines find, and no proof.
"""

from collections.abc import Sequence
from typing import Any

import sympy

from ratecert.base.arrays import Numbers
from ratecert.base.errors import NotExactError, RatecertError
from ratecert.proofs.formulas import Formulas
from ratecert.proofs.known import Known, expression_of
from ratecert.proofs.method import mean_of
from ratecert.proofs.script import PythonWriter, not_written
from ratecert.proofs.world import Direction
from ratecert.solvers.contract.measures import Measure
from ratecert.solvers.contract.stage import State
from ratecert.theory.notation import letter

ATS = ("average", "last", "smallest", "largest", "mean")
CURVATURE, CENTER = "curvature", sympy.Symbol("center")
SQUARES = 2  # the degree of every summand of a quadratic form


def form_of(
    formulas: Formulas,
    measure: Measure,
    axes: Sequence[Direction],
    names: Sequence[str],
    *,
    many: bool = False,
) -> Any:
    """An expression in the curvature and the fields less x*, of many devices at their mean; or NotExactError."""
    if measure.at not in ATS or measure.likely is not None:
        raise NotExactError("the measure does not count all iterates alike")
    forms = [
        pair for pair in measure.forms if many or pair[1].of != "deviations"
    ]  # of one device there are none
    if any(form.of == "own" or (many and form.of != "mean") for _, form in forms):
        raise NotExactError("the measure reads more of the devices than their mean")
    if not forms:
        raise NotExactError("the measure is zero on one device")
    center = CENTER if any(axis.minimiser for axis in axes) else sympy.Integer(0)
    symbols = [sympy.Symbol(mean_of(name) if measure.at == "mean" else name) for name in names]
    kind = _in_letters(formulas)
    world = _World(kind.of([[sympy.Symbol(CURVATURE)]]), kind.of([center]))
    state = State(**{name: kind.of([[s + center]]) for name, s in zip(names, symbols, strict=True)})
    total = sympy.Integer(0)
    for factor, form in forms:
        try:
            v = kind.of(form.vector(world, state))
            W = kind.identity(len(v)) if form.weight is None else form.weight(world, v)
            entries = ((v.T @ W @ v).item(), factor)
        except (TypeError, AttributeError, ValueError, ArithmeticError, RatecertError) as error:
            raise not_written("the measure", error) from error
        value, scale = map(expression_of, entries)
        total += scale * value
    quadratic = total.is_polynomial(*symbols) and sympy.Poly(total, *symbols).homogeneous_order() == SQUARES
    if not quadratic or total.has(CENTER):
        raise NotExactError("the measure is no quadratic form of distances from x*")
    if taken := [s.name for s in (sympy.Symbol(CURVATURE), *symbols) if total.has(letter(s.name))]:
        raise NotExactError(f"{taken[0]} is a field of the state, or a curvature, and a letter")
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
        text = f"[{PythonWriter(script.names).doprint(weight)} for {CURVATURE} in curvatures]"
        if factors and not any(script.value(text)):
            script.once(f'require(not any({text}), "what {weight} multiplies vanishes")')
        else:
            summands.append(summand)
    return sympy.Add(*summands)


def _in_letters(formulas: Formulas) -> type[Numbers]:
    """Arrays of numbers that are followed in letters of a proof."""

    class InLetters(Numbers):
        @staticmethod
        def number(value: Any) -> Known:
            return Known(formulas, expression_of(value))

    return InLetters


class _World:
    """What a form may ask of a world along an axis: its curvature, its minimiser and its gradient."""

    d_x = 1

    def __init__(self, H: Numbers, x_star: Numbers) -> None:
        self.H, self.x_star = H, x_star

    def gradient(self, x: Any) -> Any:
        """At columns of points; a difference of two of these shows no center."""
        found = self.H @ (x - self.x_star[:, None])
        plain = [e.expression.expand() if e.expression.has(CENTER) else e for e in found.ravel()]
        return found.of([plain])

    full_gradient = gradient
