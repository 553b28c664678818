"""Recorded comparisons as the conditions of a theorem, solved for the letter that is chosen."""

from collections.abc import Collection, Mapping
from typing import Any

import sympy

from ratecert.base.errors import UserTypeError
from ratecert.short.formulas import Comparison, Formula, place, require_formula
from ratecert.theory.statements import RELATIONS, Condition

FLIPPED = {"<=": ">=", "<": ">", "=": "=", ">": "<", ">=": "<="}


def recorded(given: Any, name: Any) -> Comparison:
    """An entry of `where` as a comparison; what SymPy or Python has decided is none."""
    if isinstance(given, Comparison):
        return given
    signs = {kind: sign for sign, kind in RELATIONS.items()}
    if type(given) in signs:
        left, right = require_formula("left", given.lhs), require_formula("right", given.rhs)
        return Comparison(left, signs[type(given)], right, place())
    decided = isinstance(given, bool | sympy.logic.boolalg.BooleanAtom)
    raise UserTypeError(
        f"{place()}: where[{name!r}] must be a condition, got {given!r:.60}"
        + (", which Python or SymPy has decided without the letters" if decided else "")
        + "; write a comparison of letters, such as gamma <= 1 / L, or rc.equal(gamma, 1 / L)."
    )


def conditions(given: Mapping[Any, Comparison], chosen: list[str]) -> dict[str, Condition]:
    """By the letter that they bound, or by the user's name; two upper bounds of one letter are the smallest of both."""
    found = dict[str, Condition]()
    for own, each in given.items():
        left, relation, right = solved(each, chosen)
        usual: Any = sympy.Max if relation in (">", ">=") else sympy.Min
        new = Condition(left, relation, right.clauses, of=right.of or usual)
        name = own if isinstance(own, str) else str(left)
        old = found.get(name)
        if old and old.relation == relation != "=" and old.of is new.of is usual:
            found[name] = Condition(left, relation, (*old.clauses, *new.clauses), of=usual)
        else:
            found[free_name(name, found)] = new
    return found


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, with a number where it is taken."""
    number, found = 2, name
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    return found


def solved(given: Comparison, chosen: list[str]) -> tuple[Any, str, Formula]:
    """(left, relation, right) with the letter that is chosen on the left: 1 >= gamma L is gamma <= 1/L.

    What no power of one letter says, such as eta L + eta^2 L^2 <= 1, stays as it was written.
    """
    left, relation, right = given.left, given.relation, given.right
    if _stands_alone(left, right, chosen) or not right.value:
        return left.value, relation, right
    if _stands_alone(right, left, chosen):
        return right.value, FLIPPED[relation], left
    for name in chosen:
        letter = sympy.Symbol(name, positive=True)
        other, power = (left.value / right.value).as_independent(letter)
        base, exponent = power.as_base_exp()
        if base == letter and exponent.is_Rational and other.is_positive:
            sign = relation if exponent > 0 else FLIPPED[relation]
            return letter, sign, Formula((1 / other) ** (1 / exponent), {})
    return left.value, relation, right


def _stands_alone(one: Formula, other: Formula, chosen: list[str]) -> bool:
    return one.value.is_Symbol and str(one.value) in chosen and one.value not in other.value.free_symbols
