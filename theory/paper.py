"""A paper: its notation, its statements by id, and the errata that turn the printed text into the repaired one.

An erratum says: at this place, for `printed` read `read`. The repaired paper is the printed one with its errata
applied; there is no second copy of anything. An erratum that no longer applies is an error, so the list cannot rot.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from ratecert.base.errors import StaleErratumError, UserError
from ratecert.base.validation import require_type
from ratecert.base.words import CERTAINTY, did_you_mean
from ratecert.theory.notation import Symbol
from ratecert.theory.statements import (
    Condition,
    Corollary,
    Counts,
    Definition,
    Factor,
    Statement,
    Theorem,
    in_sympy,
    require_no_text,
)

S = TypeVar("S", bound=Statement)


@dataclass(frozen=True, kw_only=True)
class Erratum:
    """A correction: at this place, instead of what is printed, read this."""

    place: str  # a part such as theorem-1.term.noise_u, or a whole statement
    printed: Any  # a subexpression of that part, or the whole statement
    read: Any
    reason: str
    evidence: str

    def __post_init__(self) -> None:
        require_type("the place of an erratum", self.place, str, "a text such as 'theorem-1.term.noise'")
        require_no_text(
            f"the erratum at {self.place}: what is printed, and what to read,", (self.printed, self.read)
        )
        for side in ("printed", "read"):
            object.__setattr__(self, side, in_sympy(getattr(self, side)))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Paper:
    """A paper as data: notation, statements by id, and the errata that were applied."""

    key: str
    title: str
    notation: Mapping[str, Symbol]
    statements: Mapping[str, Statement]
    bindings: Mapping[str, str]  # a printed symbol without a definition -> the symbol used in its place
    fractions: Mapping[Any, str] = field(
        default_factory=dict
    )  # expressions in (0, 1) -> what keeps them there
    variant: str = "printed"
    errata: tuple[Erratum, ...] = ()  # those applied
    certainty: str = ""  # how the print was had, one of CERTAINTY
    edition: str = ""  # of the text, where it is not the published one

    def __post_init__(self) -> None:
        require_type("the key of a paper", self.key, str, "a text such as 'my-paper'")
        if self.certainty not in CERTAINTY:
            raise UserError(f"certainty must be one of {', '.join(CERTAINTY)}, got {self.certainty!r}.")
        for place, kind, name in _references(self.statements.values()):
            known = [each.id for each in self.of_kind(kind)]
            if name not in known:
                raise UserError(
                    f"{self.key}: {place} speaks of {name!r}, which is no {kind.__name__.lower()} of the paper; it has "
                    f"{', '.join(known) or 'none'}."
                )

    def __repr__(self) -> str:
        return f"<{self.key}, {self.variant}: {len(self.statements)} statements, {len(self.errata)} errata>"

    def __getitem__(self, id: str) -> Statement:
        if id not in self.statements:
            hint = did_you_mean(id, self.statements, f"known: {', '.join(self.statements)}.")
            raise UserError(f"no statement has the id {id!r}; {hint}")
        return self.statements[id]

    def entered(self, statement: Statement | None = None) -> str:
        """How the print of a statement was had, or that of all, for readers."""
        how = CERTAINTY[self.certainty if statement is None else self.certainty_of(statement)]
        return f"{how}, {self.edition}" if self.edition and how != CERTAINTY["ours"] else how

    def certainty_of(self, statement: Statement) -> str:
        """How the print of a statement was had, one of CERTAINTY; what is not printed is ours."""
        return self.certainty if statement.printed else "ours"

    def owner(self, place: str) -> str:
        """The id of the statement a place belongs to; the place itself if there is none."""
        owners = [id for id in self.statements if place == id or place.startswith(id + ".")]
        return max(owners, key=len, default=place)

    def of_kind(self, kind: type[S]) -> Iterator[S]:
        """Go through the statements of one kind, such as Theorem."""
        return (statement for statement in self.statements.values() if isinstance(statement, kind))

    def the(self, kind: type[S], id: str) -> S:
        """Look up a statement of which the kind is known; refused where it is of another."""
        statement = self[id]
        if not isinstance(statement, kind):
            raise UserError(f"{id} is a {type(statement).__name__.lower()}, not a {kind.__name__.lower()}.")
        return statement

    @cached_property
    def constants(self) -> Mapping[str, Any]:
        """name -> value, for every defined constant."""
        return {definition.symbol.name: definition.value for definition in self.of_kind(Definition)}

    def repaired(self, errata: tuple[Erratum, ...]) -> "Paper":
        """Apply errata: a paper whose statements read as the errata say."""
        statements = dict(self.statements)
        for erratum in errata:
            id = self.owner(erratum.place)
            if id not in statements:
                raise UserError(f"an erratum speaks of {erratum.place}, which is no place in the paper.")
            statements[id] = _corrected(statements[id], erratum)
        return replace(self, statements=statements, variant="repaired", errata=errata)


def _references(statements: Iterable[Statement]) -> Iterator[tuple[str, type[Statement], str]]:
    """(the statement that speaks, of which kind, the id) for everything that is spoken of."""
    for each in statements:
        match each:
            case Corollary():
                yield each.id, Theorem, each.theorem
                if each.same_as is not None:
                    yield each.id, Corollary, each.same_as
            case Counts():
                yield from ((each.id, Corollary, cost.corollary) for cost in each.costs if cost.corollary)
            case Factor():
                yield from ((each.id, Corollary, name) for name in (each.first, each.second))


def by_id(*statements: Statement) -> dict[str, Statement]:
    """List statements by their ids, as a Paper takes them."""
    for each in statements:
        require_type("every argument of by_id", each, Statement, "a statement")
    return {statement.id: statement for statement in statements}


def _corrected(statement: Statement, erratum: Erratum) -> Statement:
    part = erratum.place.removeprefix(statement.id).removeprefix(".")

    def read(expression: Any) -> Any:
        changed = expression.xreplace({erratum.printed: erratum.read})
        return _changed(expression, changed, erratum)

    match statement, part.partition("."):
        case _, ("", _, _):
            whole: Statement = _changed(statement, erratum.read, erratum)
            return whole
        case Theorem(terms=terms), ("term", _, name):
            return replace(statement, terms={**terms, name: read(terms[name])})
        case Theorem(conditions=conditions), ("condition", _, name):
            return replace(statement, conditions={**conditions, name: _clauses(conditions[name], read)})
        case Corollary(scalings=scalings), (name, _, _) if name in scalings:
            scaling = replace(scalings[name], order=read(scalings[name].order))
            return replace(statement, scalings={**scalings, name: scaling})
        case Corollary(claim=claim), ("rate", _, _):
            return replace(statement, claim=replace(claim, order=read(claim.order)))
    if isinstance(statement, Definition) and part in ("left", "right"):
        return replace(statement, **{part: read(getattr(statement, part))})
    raise UserError(f"an erratum speaks of {erratum.place}, which is no place in the paper.")


def _clauses(condition: Condition, read: Callable[[Any], Any]) -> Condition:
    """Exactly one clause is meant; the others stay."""
    changed = {}
    for i, clause in enumerate(condition.clauses):
        with suppress(StaleErratumError):
            changed[i] = read(clause)
    if not changed:
        read(condition.clauses[0])  # raises
    if len(changed) > 1:
        raise UserError(f"an erratum on {condition.name} changes {len(changed)} clauses; it has to name one.")
    return replace(condition, clauses=tuple(changed.get(i, c) for i, c in enumerate(condition.clauses)))


def _changed(before: Any, after: Any, erratum: Erratum) -> Any:
    if before == after:
        raise StaleErratumError(
            f"the erratum at {erratum.place} replaces {erratum.printed}, which does not occur there."
        )
    return after
