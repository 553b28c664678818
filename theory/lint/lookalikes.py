"""Rule: consistency of repeated sums. Two sums in one theorem with the same summands and all but one of the same
coefficients are likely to be one sum, misprinted once. The reading that occurs less often is reported.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import sympy

from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Theorem
from ratecert.theory.lint.finding import Finding

Coefficients = dict[Any, Any]


def lint_lookalikes(paper: Paper) -> list[Finding]:
    return [finding for theorem in paper.of_kind(Theorem) for finding in _theorem(theorem)]


def _theorem(theorem: Theorem) -> Iterator[Finding]:
    places = {place: expression.atoms(sympy.Add) for place, expression in theorem.parts()}
    uses = Counter(total for totals in places.values() for total in totals)
    for first, second in combinations(sorted(uses, key=str), 2):
        if _differ_once(first.as_coefficients_dict(), second.as_coefficients_dict()):
            rare, usual = sorted((first, second), key=lambda total: uses[total])
            yield from (_finding(place, rare, usual) for place, totals in places.items() if rare in totals)


def _differ_once(first: Coefficients, second: Coefficients) -> bool:
    """The same summands, exactly one with another coefficient: 1 - eta mu and 2 - eta mu are two sums."""
    if set(first) != set(second):
        return False
    other = [summand for summand in first if first[summand] != second[summand]]
    return len(other) == 1 and other[0] != 1


def _finding(place: str, rare: Any, usual: Any) -> Finding:
    return Finding(
        place=place,
        kind="consistency",
        printed=str(rare),
        fits=str(usual),
        severity="note",
        because="the theorem's other sum with these summands differs in one coefficient",
    )
