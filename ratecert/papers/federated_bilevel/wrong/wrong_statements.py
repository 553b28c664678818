"""Wrong theorems, made systematically: every slip of one kind in every term of a bound.

    dropped     the term is left out
    1/K         a negative power of K in the term is left out
    exponent    a letter's power in the term is one too high, or one too low

A slip is at one place: a letter that stands twice in a term has two exponents. Conditions are left as they are.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import sympy

from ratecert.papers.federated_bilevel.paper import paper
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Theorem

THEOREMS = ("theorem-1", "theorem-2", "theorem-3")
KINDS = ("dropped", "1/K", "exponent")
Place = tuple[int, ...]


@dataclass(frozen=True)
class Slip:
    theorem: str
    variant: str  # of the paper that has it
    term: str
    kind: str
    what: str  # unique within the term
    instead: Any  # the wrong term; None where it is dropped

    @property
    def name(self) -> str:
        return f"{self.term}: {self.what}"


@cache
def slips(theorem: str, variant: str) -> tuple[Slip, ...]:
    """All of them, term by term; two that give the same formula are one."""
    statement = paper(variant).the(Theorem, theorem)
    found: list[Slip] = []
    for term, expression in statement.terms.items():
        seen = {expression}
        for kind, what, instead in _slips_of(expression):
            if instead not in seen:
                seen.add(instead)
                found.append(Slip(theorem, variant, term, kind, what, instead))
    return tuple(found)


def _slips_of(expression: Any) -> Iterator[tuple[str, str, Any]]:
    yield "dropped", "dropped", None
    places = list(powers(expression))
    repeated = [base for _, base, _ in places]
    for i, (path, base, exponent) in enumerate(places):
        number = f", place {repeated[: i + 1].count(base)}" if repeated.count(base) > 1 else ""
        if base.name == "K" and exponent < 0:
            yield "1/K", f"{base**exponent} dropped{number}", _with(expression, path, sympy.Integer(1))
    for i, (path, base, exponent) in enumerate(places):
        number = f", place {repeated[: i + 1].count(base)}" if repeated.count(base) > 1 else ""
        for shift in (1, -1):
            what = f"{base}^{exponent + shift} for {base}^{exponent}{number}"
            yield "exponent", what, _with(expression, path, base ** (exponent + shift))


def powers(expression: Any, path: Place = ()) -> Iterator[tuple[Place, Any, Any]]:
    """Where a letter stands, which one, and its exponent."""
    base, exponent = expression.as_base_exp()
    if base.is_Symbol and exponent.is_Rational:
        yield path, base, exponent
        return
    for i, part in enumerate(expression.args):
        yield from powers(part, (*path, i))


def _with(expression: Any, path: Place, new: Any) -> Any:
    if not path:
        return new
    first, *rest = path
    parts = list(expression.args)
    parts[first] = _with(parts[first], tuple(rest), new)
    return expression.func(*parts)


def with_slip(source: Paper, slip: Slip) -> Paper:
    """The paper with the wrong term, or without the term."""
    terms = dict(source.the(Theorem, slip.theorem).terms)
    if slip.instead is None:
        del terms[slip.term]
    else:
        terms[slip.term] = slip.instead
    return with_terms(source, slip.theorem, terms)


def with_terms(source: Paper, theorem: str, terms: dict[str, Any]) -> Paper:
    statement = replace(source.the(Theorem, theorem), terms=terms)
    return replace(source, statements={**source.statements, theorem: statement})
