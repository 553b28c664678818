"""A statement as an outline: headed blocks of sentences and formulas, to be typeset for a terminal or in LaTeX."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import sympy
from sympy.codegen.ast import Assignment

from ratecert.base.errors import UserTypeError
from ratecert.theory.notation import letter, names_of
from ratecert.theory.paper import Paper
from ratecert.theory.statements import (
    RELATIONS,
    Algorithm,
    Assumption,
    Condition,
    Corollary,
    Counts,
    Definition,
    Factor,
    Formula,
    Scaling,
    Statement,
    Text,
    Theorem,
)
from ratecert.typeset.plain_latex import as_plain

ORDERS = {"O": "O", "Theta": "Theta", "O~": "Otilde"}

AT_MOST = "The measure is at most the sum of"  # heads the terms of a theorem


@dataclass(frozen=True)
class Shown:
    """A label and a formula; of several clauses the smallest or largest is meant, which the formula leaves open."""

    label: str
    formula: Any
    clauses: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Sentence:
    text: str
    latex: str = ""  # where it is not the text
    prose: str = ""  # after that formula


Item = Sentence | Shown
Run = Mapping[str, sympy.Expr] | None  # how the method is set: its fields in the letters of the paper


@dataclass(frozen=True)
class OutlineBlock:
    heading: str
    items: tuple[Item, ...]


def sentences(*texts: str) -> tuple[Item, ...]:
    return tuple(Sentence(text) for text in texts if text)


def outline(paper: Paper, statement: Statement, run: Run = None) -> list[OutlineBlock]:
    """What it says, how the method is set where it is run, where its constants come from, and its errata."""
    fields = run or {}
    shown = (Shown(name, value) for name, value in fields.items() if str(value) != name)
    settings = OutlineBlock("As it is run", tuple(shown))
    names = names_of(*(e for _, e in statement.parts()), *fields.values())
    constants = _constants(paper, statement, names)
    method = OutlineBlock("Method", sentences(method_of(paper, statement)))
    blocks = [method, *_blocks(statement), settings, *constants, *_errata(paper, statement)]
    return [block for block in blocks if block.items]


def method_of(paper: Paper, statement: Statement) -> str:
    """Of a theorem, where no lines of pseudocode show it."""
    if not isinstance(statement, Theorem):
        return ""
    algorithm = paper.statements.get(statement.algorithm)
    if statement.steps or not isinstance(algorithm, Algorithm):
        return statement.steps
    return "" if algorithm.lines else algorithm.requires


@singledispatch
def _blocks(statement: Statement) -> Iterator[OutlineBlock]:
    raise UserTypeError(f"no outline is known for a {type(statement).__name__}.")


@_blocks.register
def _(statement: Text) -> Iterator[OutlineBlock]:
    yield OutlineBlock("Statement", sentences(statement.sentence))


@_blocks.register
def _(statement: Assumption) -> Iterator[OutlineBlock]:
    yield OutlineBlock("Statement", sentences(statement.sentence))
    sign = ">" if statement.strict else ">="
    needs = ", ".join(f"{name} {sign} {least:g}" for name, least in statement.constants.items())
    yield OutlineBlock("Asks of a world", sentences(f"finite {needs}"))


@_blocks.register
def _(statement: Definition) -> Iterator[OutlineBlock]:
    yield OutlineBlock("Definition", (Shown("", equation(statement.left, statement.right)),))


@_blocks.register
def _(statement: Formula) -> Iterator[OutlineBlock]:
    yield OutlineBlock("Formula", tuple(Shown("", equation) for _, equation in statement.parts()))
    yield OutlineBlock(
        "Where", sentences(f"a function of ({', '.join(statement.arguments)}); {statement.note}")
    )


@_blocks.register
def _(statement: Algorithm) -> Iterator[OutlineBlock]:
    yield OutlineBlock("Requires", sentences(statement.requires))
    when = {"always": "", "first": "t = 0: ", "later": "t > 0: ", "round": "if p divides t + 1: "}
    yield OutlineBlock(
        "For t = 0, ..., T - 1", sentences(*(when[line.when] + line.text for line in statement.lines))
    )
    yield OutlineBlock(
        "Updates", tuple(Shown("", Assignment(*update)) for update in statement.updates.values())
    )
    samples = (Shown("t = 0", statement.samples_first), Shown("t > 0", statement.samples_later))
    yield OutlineBlock("Samples per device", samples)


@_blocks.register
def _(statement: Theorem) -> Iterator[OutlineBlock]:
    yield OutlineBlock(
        "Setting", sentences(f"{statement.algorithm} under {', '.join(statement.assumptions)}")
    )
    conditions = statement.conditions.items()
    yield OutlineBlock("Conditions", tuple(_condition(name, condition) for name, condition in conditions))
    measure = Sentence(statement.measure_text or as_plain(statement.measure), f"${statement.measure}$")
    printed = Sentence(as_plain(statement.latex), f"${statement.latex}$")
    yield OutlineBlock(
        "As printed", (*sentences(statement.sentence), *([printed] if statement.latex else []))
    )
    yield OutlineBlock("Measure", (measure,))
    yield OutlineBlock(
        AT_MOST,
        tuple(Shown(name, term) for name, term in statement.terms.items()),
    )


def _condition(name: str, condition: Condition) -> Shown:
    if len(condition.clauses) == 1:
        return Shown(name, condition.as_relation())
    chosen = sympy.Symbol("largest of" if condition.of is sympy.Max else "smallest of")
    return Shown(
        name, RELATIONS[condition.relation](condition.left, chosen, evaluate=False), condition.clauses
    )


def equation(left: Any, right: Any) -> Any:
    return sympy.Eq(left, right, evaluate=False)


@_blocks.register
def _(statement: Corollary) -> Iterator[OutlineBlock]:
    yield OutlineBlock("Setting", sentences(f"{statement.theorem}, scaled"))
    yield OutlineBlock("Scalings", tuple(_scaling(name, s) for name, s in statement.scalings.items()))
    yield OutlineBlock(
        "Window", tuple(Shown("", relation) for relation in statement.window) or sentences("none is stated")
    )
    yield OutlineBlock("Rate", (Shown("", order(statement.claim)),))
    yield OutlineBlock("Note", sentences(statement.note) if statement.note else ())


def _scaling(name: str, scaling: Scaling) -> Shown:
    return Shown(name, equation(letter(name), order(scaling)))


def order(scaling: Scaling) -> Any:
    return sympy.Function(ORDERS[scaling.kind])(scaling.order)


@_blocks.register
def _(statement: Counts) -> Iterator[OutlineBlock]:
    if statement.sentence:
        yield OutlineBlock("Statement", sentences(statement.sentence))
    for cost in statement.costs:
        source = f" ({cost.corollary})" if cost.corollary else " (quoted)"
        speedup = {True: "claimed", False: "not claimed", None: "nothing said"}[cost.linear_speedup]
        counts = tuple(Shown(name, order(scaling)) for name, scaling in cost.counts.items())
        yield OutlineBlock(f"{cost.method}{source}", (*counts, *sentences(f"linear speedup in K: {speedup}")))


@_blocks.register
def _(statement: Factor) -> Iterator[OutlineBlock]:
    yield OutlineBlock("Statement", sentences(statement.sentence))
    ratio = Shown("", order(statement.factor))
    yield OutlineBlock(f"Rate of {statement.first} over that of {statement.second}", (ratio,))


def _constants(paper: Paper, statement: Statement, names: set[str]) -> Iterator[OutlineBlock]:
    """The defined constants that occur, in one another too, and the meaning of every other letter."""
    defined = {d.symbol.name: d for d in paper.of_kind(Definition) if d.id != statement.id}
    constants: list[Definition] = []
    while missing := [d for name, d in defined.items() if name in names and d not in constants]:
        constants += missing
        names = names | names_of(*(d.right for d in missing))
    yield OutlineBlock(
        "Constants", tuple(Shown(f"{d.id}: {d.title}", equation(d.left, d.right)) for d in constants)
    )
    letters = [s for name, s in paper.notation.items() if name in names and name not in defined]
    yield OutlineBlock(
        "Letters",
        tuple(Sentence(f"{s.name}: {s.meaning}", f"${s.latex}$", f": {s.meaning}") for s in letters),
    )
    bound = [f"{n} is defined nowhere; {by} is used for it" for n, by in paper.bindings.items()]
    yield OutlineBlock("Undefined", sentences(*(b for b in bound if b.split()[0] in names)))


def _errata(paper: Paper, statement: Statement) -> Iterator[OutlineBlock]:
    errata = [e for e in paper.errata if e.place == statement.id or e.place.startswith(statement.id + ".")]
    yield OutlineBlock(
        "Repaired", sentences(*(_change(e.place, e.printed, e.read) + e.reason for e in errata))
    )


def _change(place: str, printed: Any, read: Any) -> str:
    return f"{place}: for {printed} read {read}. " if isinstance(printed, sympy.Basic) else ""
