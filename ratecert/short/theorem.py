"""A theorem as its user states it: a step, what is measured, the bound, the conditions. All else has a default.

What is built of it are the records that every paper is made of (theory/language, binding): nothing else reads it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any

import sympy

from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.words import did_you_mean
from ratecert.binding.binding import Binding, Measured
from ratecert.short import formulas, measures, methods, worlds
from ratecert.short.formulas import Formula, Place, formula, place, require_formula
from ratecert.short.letters import DEVICES, ITERATIONS, LETTERS, MEANINGS, Letter, letter
from ratecert.solvers.contract.measures import Measure
from ratecert.theory.language.letters import names_of
from ratecert.theory.language.paper import Erratum
from ratecert.theory.language.plain_latex import as_plain
from ratecert.theory.language.statements import (
    Algorithm,
    Assumption,
    Condition,
    Definition,
    Statement,
    Theorem,
)
from ratecert.theory.language.symbols import Symbol

PASSED = frozenset(f.name for f in fields(Binding)) - {  # on to the binding, as they are
    *(
        "method",
        "hyperparameters",
        "measure",
        "constants",
        "worlds",
        "devices",
        "iterations",
        "because",
        "taken",
    ),
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Stated:
    """A theorem as it was stated, and all that follows from it but its id."""

    theorem: Theorem  # with the id that it has outside of a module
    statements: tuple[Statement, ...]  # that it speaks of
    notation: Mapping[str, Symbol]
    binding: Binding
    id: str = ""  # where the module's variable is not to say it
    repairs: "Stated | None" = None
    because: str = ""
    evidence: str = ""
    place: Place = field(default_factory=place)

    def __repr__(self) -> str:
        theorem = self.theorem
        where = ", ".join(f"{c.left} {c.relation} {c.right}" for c in theorem.conditions.values())
        inside = f" where {where}" if where else ""
        return f"<{theorem.title}: {as_plain(theorem.measure, unicode=False)} <= {theorem.bound}{inside}>"

    def called(self, id: str) -> Theorem:
        """The same record by another id."""
        return replace(self.theorem, id=id)

    def errata(self, id: str) -> tuple[Erratum, ...]:
        """What this theorem corrects in the one that it repairs: a term, a clause, or the whole."""
        assert self.repairs is not None
        printed, read = self.repairs.called(id), self.called(id)
        why = {"reason": self.because, "evidence": self.evidence or "the repaired statement"}
        if [*printed.terms] != [*read.terms] or [*printed.conditions] != [*read.conditions]:
            return (Erratum(place=id, printed=printed, read=replace(read, measure=printed.measure), **why),)
        parts = [(f"term.{name}", old, read.terms[name]) for name, old in printed.terms.items()]
        for name, old in printed.conditions.items():
            new = read.conditions[name]
            if (old.left, old.relation, len(old.clauses)) != (new.left, new.relation, len(new.clauses)):
                return (Erratum(place=id, printed=printed, read=read, **why),)
            parts += [(f"condition.{name}", *pair) for pair in zip(old.clauses, new.clauses, strict=True)]
        return tuple(
            Erratum(place=f"{id}.{part}", printed=old, read=new, **why)
            for part, old, new in parts
            if old != new
        )


def stated(
    method: Any,
    *,
    measure: Measure,
    bound: Any,
    where: Any = (),
    assuming: Iterable[Assumption] = (),
    hyperparameters: Mapping[str, Any] | None = None,
    families: Iterable[Any] = (),
    id: str = "",
    title: str = "",
    source: str = "",
    sentence: str = "",
    latex: str = "",
    measure_latex: str = "",
    measure_units: str = "",
    repairs: Stated | None = None,
    because: str = "",
    evidence: str = "",
    **binding: Any,
) -> dict[str, Any]:
    """The fields of a Stated, everything checked that can be without its id and its module."""
    here = place()
    if unknown := sorted(set(binding) - PASSED):
        hint = did_you_mean(unknown[0], [*PASSED, "measure", "bound", "where", "assuming", "families"])
        raise UserTypeError(f"{here}: {unknown[0]} is no argument of rc.theorem; {hint}".rstrip("; "))
    if not isinstance(measure, Measure):
        raise UserTypeError(f"{here}: measure must be one of rc.measures, got {measure!r:.60}.")
    made = methods.method_of(method)
    terms = _terms(bound)
    given = [where] if isinstance(where, formulas.Comparison) else where
    if not isinstance(given, list | tuple):
        raise UserTypeError(
            f"{here}: where must be a list of conditions, such as [gamma <= 1 / L], got {where!r:.60}."
        )
    compared = [formulas.recorded(each, i) for i, each in enumerate(given)]
    own = {name: _setting(value) for name, value in (hyperparameters or {}).items()}
    if unknown := [name for name in own if isinstance(made, type) and name not in _free(made)]:
        raise UserError(
            f"{here}: {made.__name__} has no hyperparameter {unknown[0]!r}; it has {', '.join(_free(made)) or 'none'}."
        )
    used = [
        *terms,
        *(side for each in compared for side in (each.left, each.right)),
        *measures.factors(measure),
    ]
    found = _Letters(here, [*used, *(each for each in own.values() if isinstance(each, Formula))])
    for name, required in _free(made).items():
        if name not in own and (required or name in found.known):
            own[name] = found.add(name)
    if isinstance(method, methods.Local) and isinstance(method.every, Formula):
        own[str(method.every.value)] = method.every
        found.take(method.every)
    for assumption in assuming:
        for name in assumption.constants:
            found.add(name)
    iterations = found.by_source(ITERATIONS) or found.add("T").value.name
    devices = found.by_source(DEVICES)
    settings = {name: each.value if isinstance(each, Formula) else each for name, each in own.items()}
    chosen = [
        name for each in own.values() if isinstance(each, Formula) for name in sorted(names_of(each.value))
    ]
    chosen = [name for name in dict.fromkeys(chosen) if found.known[name].source is None]
    conditions = _conditions(
        compared, sorted(chosen, key=lambda name: found.known[name].symbol.least is not None)
    )
    found.require_bound(
        made.__name__, {*chosen, *(c.name for c in conditions.values() if c.relation == "=")}, own
    )
    constants = {
        name: each.source
        for name, each in found.known.items()
        if each.source not in (None, ITERATIONS, DEVICES) and not isinstance(each.source, Measured)
    }
    told = [each.reading for each in found.known.values() if each.standard and each.reading]
    run = Binding(
        method=made,
        hyperparameters=settings,
        measure=measures.with_letters(measure),
        constants=constants,
        measured={name: e.source for name, e in found.known.items() if isinstance(e.source, Measured)},
        worlds=tuple(families) or ("two_level",) * (made.levels == 2),
        devices=devices,
        iterations=iterations,
        because="" if repairs else because,
        taken=(*told, *worlds.said(constants, bool(devices))),
        **binding,
    )
    words = made.__name__.replace("_", " ").strip()
    words = words[:1].upper() + words[1:]
    algorithm = Algorithm(
        id=f"{made.__name__.replace('_', '-').lower()}-step",
        title=words,
        source=source,
        hyperparameters=tuple(name for name, value in settings.items() if not callable(value)),
        starts_from=(),
        lines=(),
        updates={},
        requires=methods.shown(getattr(made, "function", None)),
        printed=False,
    )
    assumed = [
        *assuming,
        *worlds.assumptions(found.known, [name for each in assuming for name in each.constants]),
    ]
    index = found.known[iterations].symbol.latex
    theorem = Theorem(
        id=made.__name__.replace("_", "-").lower(),
        title=title or words,
        source=source or here.where,
        algorithm=algorithm.id,
        assumptions=tuple(each.id for each in assumed),
        measure=measure_latex or measures.latex(measure, index, found.known),
        measure_units=measure_units or measures.units(measure, found.known, here),
        conditions=conditions,
        terms=_named(bound, terms, found.known),
        sentence=sentence,
        latex=latex,
    )
    return {
        "theorem": theorem,
        "statements": (*assumed, algorithm, *found.definitions()),
        "notation": {name: each.symbol for name, each in found.known.items()},
        "binding": run,
        "id": id,
        "repairs": repairs,
        "because": because,
        "evidence": evidence,
        "place": here,
    }


def _terms(bound: Any) -> list[Formula]:
    """The summands of a bound, in the order in which they were written."""
    if isinstance(bound, Mapping):
        return [require_formula(f"bound[{name!r}]", each) for name, each in bound.items()]
    found = require_formula("bound", bound)
    parts = [formula(each) for each in found.terms]
    return [Formula(each.value, found.letters) for each in parts if each is not None]


def _named(bound: Any, terms: list[Formula], known: Mapping[str, Letter]) -> dict[str, Any]:
    """Terms by name: their user's, or what they speak of."""
    if isinstance(bound, Mapping):
        return dict(zip(map(str, bound), (term.value for term in terms), strict=True))
    found = dict[str, Any]()
    for term in terms:
        usual = worlds.about(known[name].source for name in names_of(term.value))
        name, number = usual, 2
        while name in found:
            name, number = f"{usual}_{number}", number + 1
        found[name] = term.value
    return found


def _setting(value: Any) -> Any:
    """A hyperparameter as a formula; a number, a schedule or a function of the letters' values stays."""
    return value if callable(value) else formula(value) or value


def _free(made: Any) -> dict[str, bool]:
    """The hyperparameters of a method, and whether they have to be given."""
    return {f.name: f.default is MISSING for f in fields(made) if f.init}


def _conditions(compared: list[formulas.Comparison], chosen: list[str]) -> dict[str, Condition]:
    """By the letter that they bound; two upper bounds of one letter are the smallest of both."""
    found = dict[str, Condition]()
    for each in compared:
        left, relation, clauses, of = formulas.solved(each, chosen)
        extreme: Any = sympy.Max if relation in (">", ">=") else sympy.Min
        alone = len(clauses) == 1
        name, number = str(left), 2
        while name in found:
            old = found[name]
            one_way = relation == old.relation != "=" and old.of is extreme and (alone or of is extreme)
            if one_way:
                clauses, of = (*old.clauses, *clauses), extreme
                break
            name, number = f"{left} {number}", number + 1
        found[name] = Condition(left, relation, clauses, of=extreme if alone else of)
    return found


class _Letters:
    """The letters of a theorem by name: those of its formulas, of the user's scope, or in their usual meaning."""

    def __init__(self, here: Place, used: Iterable[Formula]) -> None:
        self.here, self.known, self._scope = here, dict[str, Letter](), formulas.scope()
        for each in used:
            self.take(each)

    def take(self, used: Formula) -> None:
        """All letters of a formula, with those that define them."""
        for name, each in used.letters.items():
            self._put(name, each)
        for name in sorted(names_of(used.value) - {*self.known}):
            self.add(name)

    def add(self, name: str) -> Formula:
        """A letter by its name."""
        if name not in self.known:
            own = self._scope.get(name)
            mine = own.letters.get(name) if isinstance(own, Formula) else None
            try:
                self._put(name, mine or letter(name).letters[name])
            except UserError as error:
                raise UserError(f"{self.here}: {name} has to be a letter: {error}") from None
        return Formula(sympy.Symbol(name, positive=True), {name: self.known[name]})

    def _put(self, name: str, each: Letter) -> None:
        self.known |= formulas.merged(self.known, {name: each})
        for inner, defines in (each.inner or {}).items():
            self._put(inner, defines)

    def by_source(self, source: str) -> str:
        """The letter that stands for this; empty where none does."""
        return next((name for name, each in self.known.items() if each.source == source), "")

    def definitions(self) -> list[Definition]:
        return [
            Definition(
                id=f"constant.{name}",
                title=each.symbol.meaning,
                source=str(each.place),
                left=sympy.Symbol(name, positive=True),
                right=each.value,
            )
            for name, each in self.known.items()
            if each.value is not None
        ]

    def require_bound(self, method: str, chosen: set[str], own: Mapping[str, Any]) -> None:
        """Refuse a letter that nothing gives; what functions of the user's read the binding knows."""
        if any(callable(each) for each in own.values()):
            return
        for name, each in self.known.items():
            if each.source is None and each.value is None and name not in chosen:
                near = did_you_mean(name, [*own, *LETTERS])
                raise UserError(
                    f"{each.place}: nothing gives the letter {name} ({each.symbol.meaning}): {method} has the "
                    f"hyperparameters {', '.join(own) or '(none)'}, and it stands for no number of the world; "
                    + (f"{near} " if near else "")
                    + f"Write hyperparameters={{'a field': {name}}}, or rc.letter({name!r}, means=...) with one of: "
                    f"{', '.join(m for m, (_, _, of) in MEANINGS.items() if of)}; or of=a function of the setting."
                )
