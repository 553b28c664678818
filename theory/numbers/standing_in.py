"""The definitions that stand in a statement, directly or in one another."""

from ratecert.theory.notation import names_of
from ratecert.theory.numbers.evaluation import needed
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Definition, Theorem


def with_constants_of(paper: Paper, statement: str) -> set[str]:
    """A statement and, of a theorem, the definitions on which it depends, by id."""
    found = paper[statement]
    return {statement, *(_constants_of(paper, found) if isinstance(found, Theorem) else ())}


def _constants_of(paper: Paper, theorem: Theorem) -> set[str]:
    by_name = {each.symbol.name: each for each in paper.of_kind(Definition)}
    names, waiting = set[str](), set(needed(theorem))
    while waiting:
        names |= waiting
        waiting = {n for name in waiting if name in by_name for n in names_of(by_name[name].value)} - names
    return {by_name[name].id for name in names if name in by_name}
