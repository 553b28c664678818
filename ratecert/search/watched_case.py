"""A theorem on trial that remembers what was tried: which worlds came near, and where their runs began."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ratecert.base.errors import OutsideConditionsError
from ratecert.catalogue.find import paper
from ratecert.search.falsifiable import Trial
from ratecert.search.theorem_case import ROUNDING, TheoremCase, fraction
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Theorem


@dataclass(frozen=True)
class WatchedCase(TheoremCase):
    """Remembers what was tried in this process."""

    tried: list[tuple[Mapping[str, float], Trial]] = field(default_factory=list, compare=False)

    def draw(self, numbers: Mapping[str, float], source: Paper) -> Trial:
        trial = super().draw(numbers, source)
        self.tried.append((numbers, trial))
        return trial

    @property
    def trials(self) -> list[Trial]:
        return [trial for _, trial in self.tried]

    def nearest(self) -> tuple[float, Mapping[str, float]]:
        """The largest ratio after a step, and its numbers."""
        fit = [(trial.ratio, numbers) for numbers, trial in self.tried if self.moves(numbers)]
        return max(fit, key=lambda pair: pair[0], default=(0.0, {}))

    def at_start(self, numbers: Mapping[str, float]) -> float:
        """The measure before any step; nan where it is an average over steps."""
        source = paper(self.variant, self.key)
        setting, instance = self.drawn(numbers, source)
        try:
            return self.run(replace(setting, T=0), source, self.letters_of(setting, instance)).left_low * (
                1 - ROUNDING
            )
        except OutsideConditionsError:
            return math.nan

    def moves(self, numbers: Mapping[str, float], least: float = 0.0) -> bool:
        """Whether there is a step, and all letters are at least this part of the most they may be."""
        return numbers["T"] >= 1 and all(numbers[fraction(name)] >= least for name in self.letters)

    def bound_terms(self) -> Mapping[str, Any]:
        """The terms of the bound, by name."""
        return paper(self.variant, self.key).the(Theorem, self.statement).terms
