"""Methods with every hyperparameter free, on worlds of one level or two."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ratecert import registry
from ratecert.explore.bounds import BoundSource
from ratecert.explore.calls import Call
from ratecert.explore.controls import Control
from ratecert.explore.hyperparameters import FURTHER, devices, hyperparameter
from ratecert.explore.subjects import NONE, Point, T
from ratecert.explore.worlds import KINDS
from ratecert.federate import examples, one_level_examples
from ratecert.solvers.contract.problem import AnyProblem
from ratecert.solvers.contract.result import ExactResult

ONE_MACHINE = ("BSA", "TTSA", "StocBiO", "SMB", "SUSTAIN", "MRBO", "VRBO", "SOBA")
ELSEWHERE = (
    "STEM",
    "SAGA",
    "FISTA",
    "OGM",
    "ITEM",
    "Halpern",
)  # worlds of their own, or steps that never repeat
ONLY_ALIKE = ("FedNest", "LFedNest", "SCAFFOLD")  # on devices that differ an answer takes seconds


@dataclass(frozen=True)
class MethodSubject:
    """A method of the face by its name, with example numbers to begin with."""

    name: str
    levels: int
    fields: Mapping[str, Any]

    @property
    def title(self) -> str:
        return self.name

    @property
    def worlds(self) -> dict[str, str]:
        alike_only = self.name in ONE_MACHINE or self.name in ONLY_ALIKE
        kinds = {n: k for n, k in KINDS.items() if k.levels == self.levels and not (k.differ and alike_only)}
        return {name: kind.title for name, kind in kinds.items()}

    @property
    def bounds(self) -> dict[str, str]:
        offered = {
            f"{id}.{variant}": f"{id.replace('-', ' ').capitalize()}, {variant}"
            for id in _theorems_of(self.name)
            for variant in registry.VARIANTS
        }
        return {**offered, NONE: "no bound"}

    def controls(self, world: str) -> list[Control]:
        kind = KINDS[world]
        return [
            *([] if self.name in ONE_MACHINE else [devices(kind.differ)]),
            T,
            *self._own(),
            *kind.controls,
        ]

    def _own(self) -> list[Control]:
        return [hyperparameter(n, v) for n, v in self.fields.items() if not isinstance(v, bool)]

    def point(self, world: str, bound: str, numbers: Mapping[str, Any]) -> Point:
        K = numbers.get("K", 1)
        kind, own = KINDS[world], {n: numbers.get(n, v) for n, v in self.fields.items()}
        calls = kind.call({**numbers, "K": K}), Call("methods", self.name, own)
        problem, solver = calls[0].made, calls[1].made
        offsets = {name: numbers[f"{name}_off"] for name in ("x", "y")[: self.levels]}
        start = {"x": problem.x_star + offsets["x"]}
        if self.levels == 2:
            start["y"] = problem.y_star(start["x"]) + offsets["y"]
        run = {"K": K, "T": numbers["T"], "x0": start["x"], "y0": start.get("y")}
        return Point(
            problem=problem,
            solver=solver,
            K=K,
            T=numbers["T"],
            start=start,
            calls=calls,
            offsets=offsets,
            bound=None if bound == NONE else _bound(bound, problem, solver, run),
        )


def _bound(name: str, problem: AnyProblem, solver: Any, run: Mapping[str, Any]) -> BoundSource:
    id, _, variant = name.rpartition(".")
    paper, part = registry.holding(id, variant), registry.part(registry.split(id)[0], "explored")

    def letters(result: ExactResult, sure: bool) -> tuple[dict[str, float], str]:
        found: tuple[dict[str, float], str] = part.letters(
            registry.split(id)[1], paper, problem, solver, run, result, sure=sure
        )
        return found

    return BoundSource(paper=paper, id=registry.split(id)[1], letters=letters, left=part.left)


@cache
def _theorems_of(method: str) -> Sequence[str]:
    parts = {key: registry.part(key, "explored") for key in registry.KEYS}
    return [
        registry.full_id(key, inside)
        for key, part in parts.items()
        if part
        for inside in part.THEOREMS.get(method, ())
    ]


METHODS: dict[str, MethodSubject] = {
    name: MethodSubject(name, levels, {**fields, **FURTHER.get(name, {})})
    for levels, found in ((2, examples.HYPERPARAMETERS), (1, one_level_examples.HYPERPARAMETERS))
    for name, fields in found.items()
    if name not in ELSEWHERE
}
