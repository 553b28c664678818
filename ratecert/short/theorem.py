"""A theorem as its user states it: a step, what is measured, the bound, the conditions. All else has a default.

What is built of it are the records that every paper is made of (theory, binding): nothing else reads it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Self

from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.words import did_you_mean
from ratecert.binding.binding import Binding, Measured
from ratecert.short import defaults, measures, methods
from ratecert.short.conditions import conditions, free_name, recorded
from ratecert.short.formulas import (
    Comparison,
    Formula,
    Place,
    formula,
    place,
    require,
    require_formula,
    scope,
)
from ratecert.short.letters import DEVICES, ITERATIONS, Letter, Letters
from ratecert.short.measures import require_units
from ratecert.solvers.contract.measures import Measure
from ratecert.theory.notation import names_of
from ratecert.theory.paper import Erratum
from ratecert.theory.statements import Algorithm, Assumption, Condition, Statement, Theorem
from ratecert.typeset.plain_latex import as_plain

A_MEASURE = "one of rc.measures, or a function of the letters' values beside measure_units and measure_latex"
# By module, until it is read: also those whose variable was assigned again.
MADE: dict[str, list[Any]] = {}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Stated:
    """What a user says of a theorem, and the records that are built of it; its id is for its module to say."""

    step: Any
    measure: Any
    bound: Any
    where: Any = ()
    hyperparameters: Mapping[str, Any] = field(default_factory=dict)
    assuming: Iterable[Assumption] = ()
    worlds: Iterable[Any] = ()
    devices: Formula | None = None
    algorithm: Algorithm | None = None
    steps: str = ""
    id: str = ""
    title: str = ""
    source: str = ""
    sentence: str = ""
    latex: str = ""
    printed: bool = True
    measure_latex: str = ""
    measure_units: str = ""
    repairs: "Stated | None" = None
    because: str = ""
    evidence: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)  # of the binding
    place: Place = field(default_factory=place)
    scope: Mapping[str, Any] = field(default_factory=scope)

    def __post_init__(self) -> None:
        """Build all that can be without the module, so that a mistake is shown with its line."""
        MADE.setdefault(self.place.module, []).append(self)
        if unknown := sorted(set(self.options) - PASSED):
            hint = did_you_mean(unknown[0], [*PASSED, *(f.name for f in fields(self))])
            raise UserTypeError(
                f"{self.place}: {unknown[0]} is no argument of rc.theorem; {hint}".rstrip("; ")
            )
        own = (callable(self.measure) or self.step is None) and self.measure_units
        called = f" (call it: {self.measure.__name__}())" if hasattr(self.measure, "__name__") else ""
        listed = isinstance(self.where, Comparison | list | tuple | Mapping)
        assuming = isinstance(self.assuming, list | tuple) and all(
            isinstance(each, Assumption) for each in self.assuming
        )
        for name, fits, wanted in (
            ("measure", isinstance(self.measure, Measure) or own, f"{A_MEASURE}{called}"),
            ("where", listed, "a list of conditions such as [gamma <= 1 / L]"),
            ("worlds", not isinstance(self.worlds, str), f"a list such as [{self.worlds!r}]"),
            ("assuming", assuming, "a list of assumptions such as [rc.smooth]"),
            ("repairs", isinstance(self.repairs, Stated | None), "a theorem of rc.theorem"),
        ):
            require(name, getattr(self, name), fits, wanted)
        reads = {name for _, form in getattr(self.measure, "forms", ()) for name in form.reads or ()}
        if unknown := sorted(reads - {*getattr(self.method, "starts", reads)}):
            raise UserError(
                f"{self.place}: the measure reads the field {unknown[0]!r}, and {self.method.__name__} has "
                f"{', '.join(self.method.starts)}."
            )
        fixed = {c.name for c in self.conditions.values() if c.relation == "="}
        if self.binding:
            self.letters.require_bound(self.method.__name__, {*self.chosen, *fixed}, self.own)
        if not self.source:
            require_units(self.theorem, self.letters.known, self.place)

    def restated(self, **changes: Any) -> Self:
        """The same with other parts, as a correction has it, or the code beside a docstring.

        >>> import ratecert as rc
        >>> T, gamma, L, mu, R = rc.letters("T gamma L mu R")
        >>> once = rc.theorem(rc.methods.SGD, hyperparameters={"alpha": gamma}, bound=(1 - gamma * mu) ** T * R**2,
        ...     measure=rc.measures.distance().last(), where=[gamma <= 1 / L])
        >>> once.restated(bound=(1 - gamma * mu) ** (2 * T) * R**2)
        <SGD: E[||x_T - x_*||^2] <= R**2*(-gamma*mu + 1)**(2*T) where gamma <= 1/L>
        """
        own = {f.name for f in fields(self)} - {"options", "place", "scope"}
        options = {**self.options, **{name: each for name, each in changes.items() if name not in own}}
        fresh: dict[str, Any] = {"id": "", "repairs": None, "because": "", "evidence": ""}
        said = fresh | {name: each for name, each in changes.items() if name in own}
        return replace(self, **said, options=options, place=place(), scope=scope())

    def __repr__(self) -> str:
        where = ", ".join(f"{c.left} {c.relation} {c.right}" for c in self.conditions.values())
        inside = f" where {where}" if where else ""
        measure = as_plain(self.theorem.measure, unicode=False)
        return f"<{self.theorem.title}: {measure} <= {self.theorem.bound}{inside}>"

    # What was said.

    @cached_property
    def method(self) -> Any:
        return methods.method_of(self.step)

    @cached_property
    def comparisons(self) -> dict[Any, Comparison]:
        """The conditions by the names that the user gave them, or by number."""
        given = [self.where] if isinstance(self.where, Comparison) else self.where
        pairs = given.items() if isinstance(given, Mapping) else enumerate(given)
        return {name: recorded(each, name) for name, each in pairs}

    @cached_property
    def terms(self) -> dict[Any, Formula]:
        """The summands of the bound by the names that the user gave them, or by number."""
        if isinstance(self.bound, Mapping) and self.bound:
            return {str(name): require_formula(f"bound[{name!r}]", each) for name, each in self.bound.items()}
        found = require_formula("bound", self.bound)
        return {i: Formula(term, found.letters) for i, term in enumerate(found.terms)}

    @cached_property
    def letters(self) -> "Letters":
        """All letters, those of hyperparameters that have the name of a letter included."""
        own = (formula(each) for each in self.hyperparameters.values() if not callable(each))
        sides = (side for each in self.comparisons.values() for side in (each.left, each.right))
        measured = measures.factors(self.measure)
        used = [*self.terms.values(), *sides, *measured, *filter(None, [*own, self.devices])]
        found = Letters(self.place, self.scope, used)
        for name in (name for each in self.assuming for name in each.constants):
            found.add(name)
        found.iterations = found.counting()
        return found

    @cached_property
    def own(self) -> dict[str, Any]:
        """Hyperparameter -> a formula, or what the user gave for it."""
        free = methods.hyperparameters(self.method)
        given = {name: formula(each) or each for name, each in self.hyperparameters.items()}
        if unknown := [name for name in given if name not in free]:
            raise UserError(
                f"{self.place}: {self.method.__name__} has no hyperparameter {unknown[0]!r}; it has "
                f"{', '.join(free) or 'none'}."
            )
        period = getattr(self.step, "every", None)
        for name, required in free.items():
            if isinstance(period, Formula) and str(period) == name:
                self.letters.take(period)
            if name not in given and (required or name in self.letters.known):
                given[name] = self.letters.add(name)
        return {name: given[name] for name in free if name in given}

    @cached_property
    def chosen(self) -> list[str]:
        """The letters that are left to choose, those that define others included, steps before counts."""
        values = [each.value for each in self.own.values() if isinstance(each, Formula)]
        names, known = dict[str, None](), self.letters.known
        for value in values:
            new = [name for name in sorted(names_of(value)) if name not in names]
            names |= dict.fromkeys(new)
            values += [known[name].value for name in new if known[name].value is not None]
        free = [name for name in names if known[name].source is None and known[name].value is None]
        return sorted(free, key=lambda name: known[name].symbol.least is not None)

    # The records.

    @cached_property
    def conditions(self) -> dict[str, Condition]:
        return conditions(self.comparisons, self.chosen)

    @cached_property
    def constants(self) -> dict[str, Any]:
        return numbers_of_worlds(self.letters.known)

    @cached_property
    def binding(self) -> Binding | None:
        """None where nothing is run."""
        if self.step is None:
            return None
        known, devices = self.letters.known, self.letters.by_source(DEVICES)
        taken = [each.reading for each in known.values() if each.standard and each.reading]
        taken += defaults.said(self.constants, self.worlds, devices, isinstance(self.step, methods.Local))
        two = getattr(self.method, "levels", 1) == 2
        return Binding(
            method=self.method,
            hyperparameters={n: e.value if isinstance(e, Formula) else e for n, e in self.own.items()},
            measure=measures.with_letters(self.measure),
            constants=self.constants,
            measured={n: e.source for n, e in known.items() if isinstance(e.source, Measured)},
            worlds=tuple(self.worlds) or ("two_level",) * two,
            devices=devices,
            iterations=self.letters.iterations,
            because="" if self.repairs else self.because,
            taken=tuple(taken),
            **self.options,
        )

    @cached_property
    def assumptions(self) -> list[Assumption]:
        return [*self.assuming] or defaults.assumptions(self.letters.known)

    @cached_property
    def performed(self) -> Algorithm:
        """The method as a statement."""
        name, period = self.method.__name__, getattr(self.step, "every", None)
        letters = sorted(names_of(period.value)) if isinstance(period, Formula) else []
        return self.algorithm or Algorithm(
            id="-".join([hyphened(name), "step", *letters]),
            title=words(name),
            source="",
            hyperparameters=tuple(letters),
            requires=methods.shown(self.method),
            **methods.in_letters(self.method),
            printed=False,
        )

    @cached_property
    def theorem(self) -> Theorem:
        """With the id that it has outside of a module."""
        name, known, own = self.method.__name__, self.letters.known, self.measure_units
        return Theorem(
            id=hyphened(name),
            title=self.title or methods.heading(self.method) or words(name),
            source=self.source or self.place.where,
            printed=self.printed,
            algorithm=self.performed.id,
            assumptions=tuple(each.id for each in self.assumptions),
            measure=self.measure_latex or measures.latex(self.measure, self.letters.iterations, known),
            measure_units=own or measures.units(self.measure, known, self.place),
            conditions=self.conditions,
            terms=self._named_terms(),
            steps=self.steps,
            sentence=self.sentence,
            latex=self.latex,
        )

    def _named_terms(self) -> dict[str, Any]:
        """By their user's names, or by what they speak of."""
        found = dict[str, Any]()
        for given, term in self.terms.items():
            sources = (self.letters.known[name].source for name in names_of(term.value))
            usual = given if isinstance(given, str) else defaults.about(sources)
            found[free_name(usual, found)] = term.value
        return found

    @property
    def statements(self) -> list[Statement]:
        """What the theorem speaks of."""
        return [*self.assumptions, self.performed, *self.letters.definitions()]

    def called(self, id: str) -> Theorem:
        """The record by its id."""
        return replace(self.theorem, id=id)

    def errata(self, id: str) -> tuple[Erratum, ...]:
        """What this theorem corrects in the one that it repairs: terms and clauses, or the whole."""
        assert self.repairs is not None
        printed, read = self.repairs.called(id), self.called(id)
        why = {"reason": self.because, "evidence": self.evidence or "the repaired statement"}
        pairs = [(f"term.{name}", old, read.terms.get(name)) for name, old in printed.terms.items()]
        alike = [*printed.terms] == [*read.terms] and [*printed.conditions] == [*read.conditions]
        for (name, old), new in zip(printed.conditions.items(), read.conditions.values(), strict=False):
            pairs += [(f"condition.{name}", *pair) for pair in zip(old.clauses, new.clauses, strict=False)]
            alike &= replace(old, clauses=new.clauses) == new and len(old.clauses) == len(new.clauses)
        if not alike:
            return (Erratum(place=id, printed=printed, read=read, **why),)
        changed = [(place, old, new) for place, old, new in pairs if old != new]
        return tuple(
            Erratum(place=f"{id}.{place}", printed=old, read=new, **why) for place, old, new in changed
        )


def numbers_of_worlds(known: Mapping[str, Letter]) -> dict[str, Any]:
    """Letter -> the number of the world that it stands for."""
    found = {name: each.source for name, each in known.items() if not isinstance(each.source, Measured)}
    return {name: source for name, source in found.items() if source not in (None, ITERATIONS, DEVICES)}


PASSED = {f.name for f in fields(Binding)}.difference(  # on to the binding, as they are
    (f.name for f in fields(Stated)), ("method", "constants", "iterations", "taken")
)


def hyphened(name: str) -> str:
    """A Python name as an id."""
    return name.strip("_").replace("_", "-").lower()


def words(name: str) -> str:
    """A Python name as a title."""
    said = name.strip("_").replace("_", " ")
    return said[:1].upper() + said[1:]
