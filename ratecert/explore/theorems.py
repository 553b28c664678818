"""Theorems with their own method, on their own families of worlds, as papers bind them (ratecert/binding).

Controls are devices, iterations, every letter that a theorem leaves to choose, and the numbers of a family. Letters
begin at the most that the conditions allow on an ordinary world of the family.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from ratecert.base.asked import VARIANTS
from ratecert.base.errors import RatecertError
from ratecert.binding.binding import MOST_DEVICES, made
from ratecert.binding.families import Family
from ratecert.catalogue import find
from ratecert.catalogue.cases import bound_case
from ratecert.catalogue.load import library
from ratecert.explore.bounds import LEFT, BoundSource
from ratecert.explore.controls import Control, control_of, whole_number
from ratecert.explore.point import LONGEST, Point
from ratecert.search.case import Case
from ratecert.solvers.contract.measures import require_measures
from ratecert.solvers.contract.result import ExactResult
from ratecert.theory.language.statements import Theorem
from ratecert.theory.language.symbols import Symbol
from ratecert.theory.numbers.evaluation import complete
from ratecert.verdicts.statement import errata_of

MANY = 2**20  # iterations to begin with
RANGE = (1e-18, 1e18)  # of letters


@dataclass(frozen=True)
class TheoremSubject:
    """A statement of a paper by the keys of both."""

    key: str
    id: str

    @property
    def title(self) -> str:
        return f"{self.key}: {self.id}"

    @cached_property
    def case(self) -> Case:
        return bound_case(self.key, self.id, "printed")

    @cached_property
    def worlds(self) -> dict[str, str]:
        return {each.name: each.name.replace("_", " ") for each in self.case.families}

    @cached_property
    def bounds(self) -> dict[str, str]:
        """A statement that nothing is wrong with has one."""
        both = bool(errata_of(self.key, self.id))
        return {variant: f"as {variant}" for variant in VARIANTS[: 1 + both]}

    def family(self, world: str) -> Family:
        return next(each for each in self.case.families if each.name == world)

    def controls(self, world: str) -> list[Control]:
        return controls_of(self.case, self.family(world))

    def point(self, world: str, bound: str, numbers: Mapping[str, Any]) -> Point:
        own, binding = self.family(world), self.case.binding
        tables = {level.name: numbers[level.name] for level in own.levels}
        run = {"K": own.count(tables) or numbers.get("K", 1), "T": numbers["T"]}
        letters = {name: numbers[name] for name in self.case.letters}
        setting, values = self.case.setting_and_letters({own.name: tables, "run": run, "letters": letters})
        paper = find.paper(bound, self.key)
        theorem = paper.the(Theorem, self.id)
        full = complete(paper, theorem, values, later=set(binding.measured))
        solver = binding.solver(paper, full)

        def inputs(_: ExactResult, sure: bool) -> tuple[dict[str, float], str]:
            if not (binding.measured or binding.on_balls):
                return dict(values), ""
            sides = binding.run(paper, theorem, setting, values, certified=sure)
            return {**values, **sides.letters()}, "with letters that the run itself gives"

        return Point(
            problem=setting.world,
            solver=solver,
            K=setting.K,
            T=setting.T,
            start=setting.start,
            measures={
                **require_measures(setting.world, None),
                LEFT: made("measure", binding.measure, full),
            },
            hidden=(LEFT,),
            bound=BoundSource(
                paper=paper,
                id=self.id,
                letters=inputs,
                counts_from=binding.counts_from,
                T=binding.iterations,
            ),
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


def controls_of(case: Case, own: Family) -> list[Control]:
    """In the order of the page."""
    notation = case.source.notation
    most, usual = min(LONGEST, case.binding.most_iterations), _letters(case, own.name)
    run = [whole_number("T", min(MANY, most), 1, most, "iterations", "run")]
    if case.binding.devices and own.devices is None:
        run.insert(0, whole_number("K", 4, 1, MOST_DEVICES, "devices", "run"))
    letters = [_letter(name, notation[name], usual[name]) for name in case.letters]
    world = [
        control_of(level, value) for level, value in zip(own.levels, own.ordinary().values(), strict=True)
    ]
    return [*run, *letters, *world]


@cache
def _letters(case: Case, world: str) -> Mapping[str, float]:
    """1 where nothing is inside the conditions."""
    others = {level.name: level.low for each in case.families for level in each.levels}
    names = [each.name for each in case.families]
    T = float(min(MANY, case.binding.most_iterations))
    run = {"K": 4.0, "T": T, "family": names.index(world) + 1.0}
    ordinary = case.families[names.index(world)].ordinary()
    most = {f"of {name}": 1.0 for name in case.letters}
    try:
        instance = case.instance({**others, **ordinary, **run, **most}, case.source)
        return instance["letters"]
    except RatecertError:
        return dict.fromkeys(case.letters, 1.0)


def _letter(name: str, symbol: Symbol, value: float) -> Control:
    low, high = RANGE
    if symbol.least is not None:
        return whole_number(name, int(value), symbol.least, int(high), symbol.meaning, "steps")
    return Control(name=name, value=value, low=low, high=high, says=symbol.meaning)
