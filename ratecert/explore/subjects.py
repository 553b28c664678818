"""What can be shown: a method on one of its worlds, or a theorem on one of its families of worlds.

A subject has worlds and bounds by name, controls for each world, and makes a point of numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ratecert.explore.bounds import BoundSource
from ratecert.explore.calls import Call
from ratecert.explore.controls import Control
from ratecert.solvers.contract.measures import Measure
from ratecert.solvers.contract.problem import AnyProblem

NONE = "none"
LONGEST = 2**62
T = Control(name="T", value=2**40, low=1, high=LONGEST, whole=True, says="iterations", group="run")


@dataclass(frozen=True, kw_only=True)
class Point:
    """Everything that a run takes, as objects and as calls of the face (None where those are not public)."""

    problem: AnyProblem
    solver: Any
    K: int
    T: int
    start: Mapping[str, Any]
    calls: tuple[Call | None, Call | None]
    offsets: (
        Mapping[str, float] | None
    )  # how the start is written: from the minimiser and y*(x); None: in numbers
    measures: Mapping[str, Measure] | None = None  # None: the usual ones
    bound: BoundSource | None = None
    hidden: Sequence[str] = ()  # measures that are only there for the bound


class Subject(Protocol):
    """One entry of the list on the page."""

    @property
    def title(self) -> str: ...

    @property
    def worlds(self) -> Mapping[str, str]:
        """Name -> title."""

    @property
    def bounds(self) -> Mapping[str, str]:
        """Name -> title; `none` for no bound."""

    def controls(self, world: str) -> Sequence[Control]: ...

    def point(self, world: str, bound: str, numbers: Mapping[str, Any]) -> Point: ...
