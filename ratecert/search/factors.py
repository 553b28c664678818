"""A theorem with factors at its terms and at the clauses of its conditions: "r c_i in the place of c_i".

Places are those of the paper without the theorem's id: term.noise, condition.eta, and condition.eta.1 for the second of
several clauses. A factor of 0 leaves a term out.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import sympy

from ratecert.base.errors import UserError
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Condition, Theorem

Factors = Mapping[str, float]


def factor_places(theorem: Theorem) -> list[str]:
    """Where a factor can be."""
    clauses = [
        f"condition.{name}.{i}" if len(condition.clauses) > 1 else f"condition.{name}"
        for name, condition in theorem.conditions.items()
        for i in range(len(condition.clauses))
    ]
    return [*(f"term.{name}" for name in theorem.terms), *clauses]


def with_factors(source: Paper, statement: str, factors: Factors) -> Paper:
    """The paper in which the theorem has these factors."""
    return _scaled(source, statement, tuple(sorted(factors.items())))


@lru_cache(maxsize=64)
def _scaled(source: Paper, statement: str, factors: tuple[tuple[str, float], ...]) -> Paper:
    theorem = source.the(Theorem, statement)
    terms, conditions = dict(theorem.terms), dict(theorem.conditions)
    for place, factor in factors:
        if place not in (known := factor_places(theorem)):
            raise UserError(f"a factor must be at one of {', '.join(known)}, got {place!r}.")
        if not 0 <= factor < float("inf"):
            raise UserError(f"the factor at {place} must be a finite number >= 0, got {factor!r}.")
        kind, name, *clause = place.split(".")
        exact = sympy.Rational(repr(float(factor)))
        if kind == "term":
            terms[name] = exact * terms[name]
        else:
            conditions[name] = _relaxed(conditions[name], int(clause[0]) if clause else 0, exact)
    changed = replace(theorem, terms=terms, conditions=conditions)
    return replace(source, statements={**source.statements, statement: changed})


def _relaxed(condition: Condition, clause: int, factor: Any) -> Condition:
    clauses = list(condition.clauses)
    clauses[clause] = factor * clauses[clause]
    return replace(condition, clauses=tuple(clauses))
