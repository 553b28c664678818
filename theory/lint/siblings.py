"""Rule: consistency of siblings. Theorems of one paper on the same algorithm, steps and assumptions ask for the same.

Where all of them have one condition on a letter, and one theorem whose bound has that letter asks nothing of it, the
condition may have been forgotten there. It may also not be needed, so that this is a note.
"""

from collections.abc import Iterator, Sequence

from ratecert.theory.language.letters import names_of
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Theorem
from ratecert.theory.lint.finding import Finding


def lint_siblings(paper: Paper) -> list[Finding]:
    theorems = list(paper.of_kind(Theorem))
    return [f for theorem in theorems for f in _theorem(theorem, _siblings(theorem, theorems))]


def _siblings(theorem: Theorem, theorems: Sequence[Theorem]) -> list[Theorem]:
    return [each for each in theorems if each is not theorem and _setting(each) == _setting(theorem)]


def _setting(theorem: Theorem) -> tuple[str, str, frozenset[str]]:
    return theorem.algorithm, theorem.steps, frozenset(theorem.assumptions)


def _theorem(theorem: Theorem, siblings: Sequence[Theorem]) -> Iterator[Finding]:
    if not siblings:
        return
    first, *others = siblings
    asked = {name for condition in theorem.conditions.values() for name in names_of(condition.left)}
    for key, condition in first.conditions.items():
        letters, relation = names_of(condition.left), condition.as_relation()
        everywhere = all(relation in [c.as_relation() for c in each.conditions.values()] for each in others)
        if everywhere and letters <= theorem.names_in_terms - asked:
            yield Finding(
                place=f"{theorem.id}.condition.{key}",
                kind="consistency",
                printed=f"no condition on {condition.left}",
                fits=str(relation),
                severity="note",
                because=f"{', '.join(each.id for each in siblings)} of the same algorithm and assumptions ask for it",
            )
