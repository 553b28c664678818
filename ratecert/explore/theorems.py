"""Theorems with their own method, on their own families of worlds, as papers bind them (ratecert/executable).

The controls are the numbers of a family, devices, iterations, and every letter that the theorem leaves to choose.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from ratecert import registry
from ratecert.counterexamples.theorem_case import MOST_DEVICES, TheoremCase
from ratecert.errors import RatecertError
from ratecert.executable.families import Family
from ratecert.executable.sides import made
from ratecert.explore.bounds import BoundSource
from ratecert.explore.calls import call_of
from ratecert.explore.controls import Control
from ratecert.explore.subjects import LONGEST, Point
from ratecert.outside import library
from ratecert.solvers.contract.measures import require_measures
from ratecert.solvers.contract.result import ExactResult
from ratecert.theory.language.statements import Theorem
from ratecert.theory.numbers.evaluation import complete

LEFT = "left"
MANY = 2**20  # iterations to begin with
RANGE = (1e-12, 1e12)  # of letters
SAYS = {
    "L": "largest curvature",
    "spread": "L over the smallest curvature",
    "depth": "L over the curvature that the run feels",
    "x_off": "start: distance from the minimiser",
    "s": "noise of the gradient",
    "noise_H": "noise of the Hessian",
    "apart": "heterogeneity: distance of the minimisers",
    "uneven": "heterogeneity of the curvatures",
}


@dataclass(frozen=True)
class TheoremSubject:
    """A statement of a paper by the keys of both."""

    key: str
    id: str

    @property
    def title(self) -> str:
        return f"{self.key}: {self.id}"

    @cached_property
    def case(self) -> TheoremCase:
        return TheoremCase(self.key, self.id, "printed")

    @cached_property
    def worlds(self) -> dict[str, str]:
        return {each.name: each.name.replace("_", " ") for each in self.case.families}

    @cached_property
    def bounds(self) -> dict[str, str]:
        printed, repaired = (
            registry.paper(variant, self.key).the(Theorem, self.id) for variant in registry.VARIANTS
        )
        both = (printed.terms, printed.conditions) != (repaired.terms, repaired.conditions)
        return {variant: f"as {variant}" for variant in registry.VARIANTS[: 1 + both]}

    def family(self, world: str) -> Family:
        return next(each for each in self.case.families if each.name == world)

    def controls(self, world: str) -> list[Control]:
        own, source = self.family(world), registry.paper("printed", self.key)
        most, usual = min(LONGEST, self.case.executable.most_iterations), self._usual(world)
        run = [_whole("T", min(MANY, most), 1, most, "iterations")]
        if self.case.executable.devices and own.devices is None:
            run.insert(0, _whole("K", 4, 1, MOST_DEVICES, "devices"))
        letters = []
        for name in self.case.letters:
            symbol, value = source.notation[name], usual["letters"][name]
            if symbol.least is not None:
                letters.append(_whole(name, int(value), symbol.least, 10**9, symbol.meaning, "steps"))
            else:
                low, high = RANGE
                letters.append(Control(name=name, value=value, low=low, high=high, says=symbol.meaning))
        numbers = [
            _whole(each.name, int(value), int(each.low), int(each.high), SAYS.get(each.name, ""), "world")
            if each.whole
            else Control(
                name=each.name,
                value=value,
                low=min(each.low, 1e-9),
                high=each.high,
                zero=True,
                says=SAYS.get(each.name, ""),
                group="world",
            )
            for each, value in zip(own.levels, own.ordinary().values(), strict=True)
        ]
        return [*run, *letters, *numbers]

    @cache  # noqa: B019  one for each theorem, and there are some dozens
    def _usual(self, world: str) -> dict[str, Any]:
        """The letters at the most that they may be on an ordinary world; 1 where that is nowhere."""
        own = self.family(world)
        others = {level.name: level.low for each in self.case.families for level in each.levels}
        T = float(min(MANY, self.case.executable.most_iterations))
        run = {"K": 4.0, "T": T, "family": float(list(self.worlds).index(world) + 1)}
        most = {f"of {name}": 1.0 for name in self.case.letters}
        try:
            numbers = {**others, **own.ordinary(), **run, **most}
            return dict(self.case.instance(numbers, registry.paper("printed", self.key)))
        except RatecertError:
            return {"letters": dict.fromkeys(self.case.letters, 1.0)}

    def point(self, world: str, bound: str, numbers: Mapping[str, Any]) -> Point:
        own, executable = self.family(world), self.case.executable
        tables = {level.name: numbers[level.name] for level in own.levels}
        run = {"K": own.count(tables) or numbers.get("K", 1), "T": numbers["T"]}
        letters = {name: numbers[name] for name in self.case.letters}
        setting, values = self.case.setting_and_letters({own.name: tables, "run": run, "letters": letters})
        paper = registry.paper(bound, self.key)
        theorem = paper.the(Theorem, self.id)
        full = complete(paper, theorem, values, later=set(executable.measured))
        solver = executable.solver(paper, full)

        def inputs(_: ExactResult, sure: bool) -> tuple[dict[str, float], str]:
            if not executable.measured:
                return dict(values), ""
            sides = executable.run(paper, theorem, setting, values, certified=sure)
            return {**values, **sides.letters()}, "with letters that the run itself gives"

        return Point(
            problem=setting.world,
            solver=solver,
            K=setting.K,
            T=setting.T,
            start=setting.start,
            calls=(call_of("worlds", setting.world), call_of("methods", solver)),
            offsets=None,
            measures={
                **require_measures(setting.world, None),
                LEFT: made("measure", executable.measure, full),
            },
            hidden=(LEFT,),
            bound=BoundSource(
                paper=paper,
                id=self.id,
                letters=inputs,
                left=lambda measures, _: measures[LEFT],
                counts_from=executable.counts_from,
                T=executable.iterations,
            ),
        )


def _whole(name: str, value: int, low: int, high: int, says: str, group: str = "run") -> Control:
    return Control(name=name, value=value, low=low, high=high, whole=True, says=says, group=group)


@cache
def theorems() -> dict[str, TheoremSubject]:
    """Every theorem that a paper or the library binds to a run, by its id."""
    return {
        f"{key}:{id}": TheoremSubject(key, id)
        for key in (*registry.KEYS, *library())
        for id in registry.executables(key)
    }
