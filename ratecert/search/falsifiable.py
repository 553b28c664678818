"""What every statement offers to the search, whether it is a theorem, a constant or a lemma.

An instance is a mapping of tables of numbers, as a witness file holds it: {"world": {"A": 1.0, ...}, ...}. Trying it
gives both sides of the statement's inequality. The right side can be had again under another version of the paper,
which is how a mistake is told from its neighbours.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Protocol

from ratecert.base.errors import OutsideConditionsError
from ratecert.binding.families import Level
from ratecert.catalogue.find import FIRST, paper
from ratecert.theory.language.paper import Paper

Instance = Mapping[str, Mapping[str, Any]]  # tables of numbers, or of lists of numbers


@dataclass(frozen=True, kw_only=True)
class Trial:
    measured: float  # the lower end of what was measured
    bound: float
    precision: float  # of the measured side, relative
    values: Mapping[str, float]  # what the right side was evaluated at
    conditions: Sequence[Mapping[str, Any]] = ()  # part, left, right, margin
    terms: Mapping[str, float] = field(default_factory=dict)
    radius: float = 0.0  # of the ball on which the constants hold
    certified: bool = True  # no outcome leaves it

    @property
    def ratio(self) -> float:
        """0 where nothing can be said; a bound of zero is broken by anything."""
        if not self.certified or not self.measured > 0:
            return 0.0
        return self.measured / self.bound if self.bound else math.inf


@dataclass(frozen=True, kw_only=True)
class Again:
    """None where there is no second way."""

    measured: float | None
    bound: float | None
    how: str  # it was measured
    bound_how: str = "transcribed from the print"


class Falsifiable(Protocol):
    """A statement of a paper as something to be tried. `source` is the version of the paper that is tried."""

    @property
    def key(self) -> str:
        """The key of the paper."""

    @property
    def statement(self) -> str:
        """The id inside the paper."""

    @property
    def variant(self) -> str: ...

    @property
    def levels(self) -> Sequence[Level]: ...

    @property
    def subspaces(self) -> Sequence[Mapping[str, float]]:
        """Numbers that are held while the others are searched, one mapping after the other."""

    @property
    def simple(self) -> Sequence[Mapping[str, float]]:
        """Numbers to begin with, each of one subspace; none, where no numbers are simpler than others."""

    def draw(self, numbers: Mapping[str, float], source: Paper) -> Trial:
        """Both sides at these numbers; ValueError or ArithmeticError where there is no such instance."""

    def instance(self, numbers: Mapping[str, float], source: Paper) -> Instance:
        """The instance that `draw` tries."""

    def require(self, instance: Instance) -> None:
        """Refuse, with the key, what is no instance."""

    def attempt(self, instance: Instance, source: Paper) -> Trial:
        """Both sides; OutsideConditionsError where the statement says nothing."""

    def right_side(self, values: Mapping[str, float], source: Paper) -> float:
        """The bound of another version of the paper at the same values."""

    def right_terms(self, values: Mapping[str, float], source: Paper) -> Sequence[float]:
        """The terms of which that bound is the sum, or about so; the bound itself, where it has none."""

    def again(self, instance: Instance, tried: Trial) -> Again:
        """Both sides by a second way that shares no code with the first."""

    def standings(self, instance: Instance, tried: Trial) -> list[str]:
        """Why the statement's assumptions hold at this instance, in sentences; WitnessError where one does not."""


def ratio_in(case: Falsifiable, tried: Trial, source: Paper) -> float:
    """Measured over the bound of that version; 0 where it says nothing, so that it is not violated."""
    try:
        return tried.ratio and replace(tried, bound=case.right_side(tried.values, source)).ratio
    except OutsideConditionsError:
        return 0.0


@cache
def partly(places: tuple[str, ...], key: str = FIRST) -> Paper:
    """The print with the errata at these places, and no others."""
    return paper("printed", key).repaired(
        tuple(e for e in paper("repaired", key).errata if e.place in places)
    )
