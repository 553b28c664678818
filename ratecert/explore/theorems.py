"""Theorems with their own method, on their own families of worlds, as papers bind them (ratecert/binding).

Controls are devices, iterations, every letter that a theorem leaves to choose, and the numbers of a family. Letters
begin at the most that the conditions allow on an ordinary world of the family.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from ratecert.base.asked import VARIANTS
from ratecert.base.errors import RatecertError
from ratecert.binding.binding import made
from ratecert.binding.families import Family
from ratecert.catalogue import find
from ratecert.catalogue.cases import bound_case
from ratecert.catalogue.load import library
from ratecert.explore.bounds import LEFT, BoundSource
from ratecert.explore.controls import LONGEST, Control, controls_of, whole_number
from ratecert.explore.point import Point
from ratecert.search.case import Case, fraction
from ratecert.solvers.contract.measures import require_measures
from ratecert.theory.notation import Symbol
from ratecert.theory.numbers.evaluation import complete
from ratecert.theory.statements import Theorem
from ratecert.verdicts.statement import errata_of

MANY = 2**20  # iterations to begin with
RANGE = (1e-18, 1e18)  # of letters


@dataclass(frozen=True)
class TheoremSubject:
    """A statement of a paper by the keys of both."""

    key: str
    id: str

    @cached_property
    def case(self) -> Case:
        return bound_case(self.key, self.id, "printed")

    @cached_property
    def families(self) -> dict[str, Family]:
        return {each.name: each for each in self.case.families}

    @property
    def worlds(self) -> dict[str, str]:
        return {name: name.replace("_", " ") for name in self.families}

    @cached_property
    def bounds(self) -> dict[str, str]:
        """A statement that nothing is wrong with has one."""
        both = bool(errata_of(self.key, self.id))
        return {variant: f"as {variant}" for variant in VARIANTS[: 1 + both]}

    def controls(self, world: str) -> list[Control]:
        notation, binding = self.case.source.notation, self.case.binding
        steps = [_letter(name, notation[name], value) for name, value in self._most[world].items()]
        most = min(LONGEST, binding.most_iterations)
        return controls_of(self.families[world], steps, min(MANY, most), most, devices=bool(binding.devices))

    @cached_property
    def _most(self) -> dict[str, dict[str, float]]:
        """By world: the most that the letters may be on an ordinary one; 1 where nothing is inside the conditions."""
        case, found = self.case, {}
        numbers = {level.name: level.low for each in case.families for level in each.levels}
        numbers |= {"K": 4.0, "T": float(min(MANY, case.binding.most_iterations))}
        numbers |= {fraction(name): 1.0 for name in case.letters}
        for i, own in enumerate(case.families, 1):
            found[own.name] = dict.fromkeys(case.letters, 1.0)
            with suppress(RatecertError):
                found[own.name] |= case.instance({**numbers, **own.ordinary(), "family": i}, case.source)[
                    "letters"
                ]
        return found

    def point(self, world: str, bound: str, numbers: Mapping[str, Any]) -> Point:
        own, binding = self.families[world], self.case.binding
        tables = {level.name: numbers[level.name] for level in own.levels}
        run = {"K": own.count(tables) or numbers.get("K", 1), "T": numbers["T"]}
        letters = {name: numbers[name] for name in self.case.letters}
        setting, values = self.case.setting_and_letters({own.name: tables, "run": run, "letters": letters})
        paper = find.paper(bound, self.key)
        theorem = paper.the(Theorem, self.id)
        full = complete(paper, theorem, values, later=set(binding.measured))
        left = made("measure", binding.measure, full)
        return Point(
            setting=setting,
            solver=binding.solver(paper, full),
            measures={**require_measures(setting.world, None), LEFT: left},
            bound=BoundSource(paper, theorem, binding, values),
        )


@cache
def theorems() -> dict[str, TheoremSubject]:
    """Every theorem that a paper or the library binds to a run, by its id, and those that were brought."""
    return {id: subject for key in (*find.KEYS, *library()) for id, subject in _of_paper(key).items()}


def bring(key: str) -> list[str]:
    """Add the theorems of the user's own paper, which is run now; a link may name these, and can bring no others."""
    found = _of_paper(key)
    theorems().update(found)
    return list(found)


def _of_paper(key: str) -> dict[str, TheoremSubject]:
    return {f"{key}:{id}": TheoremSubject(key, id) for id in find.bindings(key)}


def _letter(name: str, symbol: Symbol, value: float) -> Control:
    low, high = RANGE
    if symbol.least is not None:
        return whole_number(name, int(value), symbol.least, int(high), symbol.meaning, "steps")
    return Control(name=name, at=value, low=low, high=high, says=symbol.meaning)
