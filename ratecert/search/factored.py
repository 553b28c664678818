"""A theorem with factors at its terms and at the clauses of its conditions: "r c_i in the place of c_i".

Places are those of the paper without the theorem's id: term.noise, condition.eta, and condition.eta.1 for the second of
several clauses. A factor of 0 leaves a term out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import sympy

from ratecert.base.errors import UserError
from ratecert.binding.families import Level
from ratecert.catalogue.find import paper
from ratecert.search.falsifiable import Again, Falsifiable, Instance, Trial
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Condition, Theorem
from ratecert.theory.numbers.evaluation import complete
from ratecert.theory.numbers.fifty_digits import upper_end

Factors = Mapping[str, float]


def places_of(theorem: Theorem) -> list[str]:
    """Where a factor can be."""
    clauses = [
        f"condition.{name}.{i}" if len(condition.clauses) > 1 else f"condition.{name}"
        for name, condition in theorem.conditions.items()
        for i in range(len(condition.clauses))
    ]
    return [*(f"term.{name}" for name in theorem.terms), *clauses]


def with_factors(source: Paper, statement: str, factors: Factors) -> Paper:
    """The paper in which the theorem has these factors."""
    return _scaled(source, statement, tuple(sorted(factors.items()))) if factors else source


@lru_cache(maxsize=64)
def _scaled(source: Paper, statement: str, factors: tuple[tuple[str, float], ...]) -> Paper:
    theorem = source.the(Theorem, statement)
    terms, conditions = dict(theorem.terms), dict(theorem.conditions)
    for place, factor in factors:
        if place not in (known := places_of(theorem)):
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


@dataclass(frozen=True)
class Factored:
    """The case of a statement with factors: the same worlds and runs, another right side."""

    inner: Falsifiable
    factors: Factors

    @property
    def key(self) -> str:
        return self.inner.key

    @property
    def statement(self) -> str:
        return self.inner.statement

    @property
    def variant(self) -> str:
        return self.inner.variant

    @property
    def levels(self) -> Sequence[Level]:
        return self.inner.levels

    @property
    def subspaces(self) -> Sequence[Mapping[str, float]]:
        return self.inner.subspaces

    @property
    def simple(self) -> Sequence[Mapping[str, float]]:
        return self.inner.simple

    def draw(self, numbers: Mapping[str, float], source: Paper) -> Trial:
        return self.inner.draw(numbers, self._of(source))

    def instance(self, numbers: Mapping[str, float], source: Paper) -> Instance:
        return self.inner.instance(numbers, self._of(source))

    def require(self, instance: Instance) -> None:
        self.inner.require(instance)

    def attempt(self, instance: Instance, source: Paper) -> Trial:
        return self.inner.attempt(instance, self._of(source))

    def right_side(self, values: Mapping[str, float], source: Paper) -> float:
        return self.inner.right_side(values, self._of(source))

    def right_terms(self, values: Mapping[str, float], source: Paper) -> Sequence[float]:
        return self.inner.right_terms(values, self._of(source))

    def again(self, instance: Instance, tried: Trial) -> Again:
        """The left side by the second way of the statement itself, the right one in intervals."""
        source = self._of(paper(self.variant, self.key))
        theorem = source.the(Theorem, self.statement)
        bound = upper_end(theorem.bound, complete(source, theorem, tried.values))
        again = self.inner.again(instance, tried)
        return replace(again, bound=bound, bound_how="in intervals, upper end")

    def standings(self, instance: Instance, tried: Trial) -> list[str]:
        return self.inner.standings(instance, tried)

    def _of(self, source: Paper) -> Paper:
        return with_factors(source, self.statement, self.factors)


def factored(case: Falsifiable, factors: Factors) -> Falsifiable:
    """The case with these factors; the case itself where there are none."""
    if not factors:
        return case
    made = Factored(case, factors)
    with_factors(paper(case.variant, case.key), case.statement, factors)  # refuses places that are none
    return made
