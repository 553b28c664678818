"""Units of expressions: every sum, min and max must be homogeneous, every logarithm and exponent without units.

Units are monomials in the base units (`f`, `x`) and, while they are unknown, in symbols themselves. `readings` gives
each way to read an expression, with what it costs: the number of summands that do not fit. In L_1 + L_21 L_0^2/mu
either summand may be the wrong one; the context decides, and so the cheapest reading is taken last, at the top.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import sympy

from ratecert.theory.notation import read_units
from ratecert.theory.orders.monomials import ONE, Monomial

Units = Monomial


@dataclass(frozen=True)
class Misfit:
    """A summand, clause or argument that has the wrong units."""

    piece: Any
    has: Units
    needs: Units
    among: Any  # the sum, or the whole clause, in which it stands


@dataclass(frozen=True)
class UnitsReading:
    units: Units
    misfits: tuple[Misfit, ...] = ()

    @property
    def cost(self) -> int:
        return len(self.misfits)


def units_of(text: str) -> Units:
    return Monomial.of(**read_units(text))


def forced(expression: Any, needed: Units, known: Mapping[str, Units], among: Any = None) -> UnitsReading:
    """The cheapest way to read the expression with the needed units."""
    options = readings(expression, known)
    if not options:  # zero fits everywhere
        return UnitsReading(needed)
    best = min(options.values(), key=lambda reading: reading.cost)
    fitting = options.get(needed)
    if fitting is not None and fitting.cost <= best.cost + 1:
        return fitting
    misfit = Misfit(expression, best.units, needed, expression if among is None else among)
    return UnitsReading(needed, (*best.misfits, misfit))


def readings(expression: Any, known: Mapping[str, Units]) -> dict[Units, UnitsReading]:
    """units -> the cheapest reading with these units; zero has every unit and gives none."""
    expression = sympy.sympify(expression)
    match expression:
        case sympy.Number() | sympy.NumberSymbol():
            return {} if expression == 0 else {ONE: UnitsReading(ONE)}
        case sympy.Symbol():
            return {
                u: UnitsReading(u) for u in [known.get(expression.name, Monomial.of(**{expression.name: 1}))]
            }
        case sympy.Add() | sympy.Min() | sympy.Max():
            return _sum(expression, known)
        case sympy.Mul():
            return _product(expression, known)
        case sympy.Pow(args=(base, exponent)) if exponent.is_Rational:
            return {r.units**exponent: UnitsReading(r.units**exponent, r.misfits) for r in _all(base, known)}
        case sympy.Sum():
            return readings(expression.function, _with_index(expression, known))
        case _ if expression.func.__name__ in known:  # a sample, numbered: hessian_g(j)
            units = known[expression.func.__name__]
            return {units: UnitsReading(units)}
    if isinstance(expression, sympy.Product):
        arguments, known = (expression.function,), _with_index(expression, known)
    else:
        arguments = expression.args
    inner = (forced(a, ONE, known, among=expression) for a in arguments)
    return {ONE: UnitsReading(ONE, tuple(m for reading in inner for m in reading.misfits))}


def _with_index(expression: Any, known: Mapping[str, Units]) -> dict[str, Units]:
    """The index of a sum or product counts."""
    return {**known, **{symbol.name: ONE for symbol in expression.bound_symbols}}


def _all(expression: Any, known: Mapping[str, Units]) -> Iterable[UnitsReading]:
    return readings(expression, known).values()


def _sum(expression: Any, known: Mapping[str, Units]) -> dict[Units, UnitsReading]:
    options = [readings(a, known) for a in expression.args]
    result = {}
    for units in dict.fromkeys(u for option in options for u in option):
        pieces = [forced(a, units, known, among=expression) for a in expression.args]
        result[units] = UnitsReading(units, tuple(m for piece in pieces for m in piece.misfits))
    return result


def _product(expression: Any, known: Mapping[str, Units]) -> dict[Units, UnitsReading]:
    result: dict[Units, UnitsReading] = {}
    for factors in product(*(_all(a, known) for a in expression.args)):
        units = ONE
        for factor in factors:
            units = units * factor.units
        reading = UnitsReading(units, tuple(m for factor in factors for m in factor.misfits))
        if units not in result or reading.cost < result[units].cost:
            result[units] = reading
    return result


def ratios(expression: Any, known: Mapping[str, Units]) -> tuple[Units, list[Units]]:
    """The units of the first of all summands, and every ratio of units that has to be 1 for the rest to fit."""
    expression = sympy.sympify(expression)
    if isinstance(expression, sympy.Number):
        return ONE, []
    if isinstance(expression, sympy.Symbol):
        return known.get(expression.name, Monomial.of(**{expression.name: 1})), []
    if expression.func.__name__ in known:
        return known[expression.func.__name__], []
    if isinstance(expression, sympy.Sum | sympy.Product):
        units, found = ratios(expression.function, _with_index(expression, known))
        return (units, found) if isinstance(expression, sympy.Sum) else (ONE, [*found, units])
    inner = [ratios(a, known) for a in expression.args if a != 0]
    found = [ratio for _, more in inner for ratio in more]
    parts = [units for units, _ in inner]
    if isinstance(expression, sympy.Add | sympy.Min | sympy.Max | sympy.core.relational.Relational):
        return parts[0], [*found, *(units / parts[0] for units in parts[1:])]
    if isinstance(expression, sympy.Mul):
        units = ONE
        for part in parts:
            units = units * part
        return units, found
    if isinstance(expression, sympy.Pow) and expression.exp.is_Rational:
        return parts[0] ** expression.exp, found
    return ONE, [*found, *parts]


def solve(equations: Iterable[Units], unknown: Iterable[str]) -> tuple[dict[str, Units], list[Units]]:
    """Unknown units from ratios that must be 1; those listed first stay free. Also the ratios that cannot be 1."""
    order = list(unknown)
    solved: dict[str, Units] = {}
    wrong = []
    for equation in equations:
        ratio = equation.at(**solved)
        names = [name for name in order if ratio.exponent(name)]
        if not names:
            wrong += [ratio] if ratio != ONE else []
            continue
        pivot = names[-1]
        value = solved_for(pivot, ratio)
        solved = {name: units.at(**{pivot: value}) for name, units in solved.items()} | {pivot: value}
    return solved, wrong


def solved_for(name: str, ratio: Units) -> Units:
    """The units of the name with which the ratio is 1; none if it does not occur."""
    power = ratio.exponent(name)
    return (ratio / Monomial.of(**{name: power})) ** (-1 / power) if power else ONE
