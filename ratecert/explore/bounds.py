"""The right side of a theorem at a point: its terms, the largest of them, and its value for all shorter runs.

Where a theorem says nothing, the sentence of the refusal is what is shown. For shorter runs only T changes, and with it
only terms and conditions that have T in them.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ratecert.base.errors import RatecertError
from ratecert.binding.binding import Binding
from ratecert.binding.setting import Setting
from ratecert.solvers.contract.result import ExactResult
from ratecert.theory.notation import names_of
from ratecert.theory.numbers.enclosed import in_full, upper_end
from ratecert.theory.numbers.evaluation import Bound, check, evaluate, is_schedule, number
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Theorem

DRAWN = 1e-9  # relative: so near, doubles do for a curve
LEFT = "left"  # the measure of a run that a theorem bounds


@dataclass(frozen=True)
class BoundSource:
    """A theorem of a paper with its binding, and the letters that are known before a run."""

    paper: Paper
    theorem: Theorem
    binding: Binding
    values: Mapping[str, float]

    def letters(self, setting: Setting, *, sure: bool) -> tuple[Mapping[str, float], str]:
        """With those that the run itself gives, and a word on them."""
        if not (self.binding.measured or self.binding.on_balls):
            return self.values, ""
        sides = self.binding.run(self.paper, self.theorem, setting, self.values, certified=sure)
        return {**self.values, **sides.letters()}, "with letters that the run itself gives"


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A bound that can be drawn: in numbers at T, and at the times of the curves (nan where it says nothing)."""

    bound: Bound
    left: float
    error: float  # of the left side, absolute: estimated, or proved where the run is certified
    top: float  # of the bound: its upper end, in intervals, where the run is certified
    left_curve: Any
    curve: Sequence[float]
    inputs: Mapping[str, float]
    said: str

    @property
    def broken(self) -> bool:
        """Whether the lower end of the left side is above the bound."""
        return self.left - self.error > self.top


def drawn(source: BoundSource, setting: Setting, result: ExactResult, *, sure: bool = False) -> Drawn | str:
    """The bound, or why there is none."""
    try:
        inputs, said = source.letters(setting, sure=sure)
        bound = evaluate(source.paper, source.theorem.id, inputs)
        return Drawn(
            bound=bound,
            left=float(result.values[LEFT]),
            error=float(result.absolute_error.values[LEFT]),
            top=upper_end(source.theorem.bound, bound.values) if sure else bound.total,
            left_curve=result.running.values[LEFT],
            curve=_curve(source, bound, [int(t) for t in result.curves.t]),
            inputs=inputs,
            said=said,
        )
    except RatecertError as error:
        return str(error)


def _curve(source: BoundSource, bound: Bound, times: Sequence[int]) -> list[float]:
    theorem, T = source.theorem, source.binding.iterations
    moving = [name for name, term in theorem.terms.items() if T in names_of(term)]
    still = math.fsum(value for name, value in bound.terms.items() if name not in moving)
    limits = (each for each in theorem.conditions.values() if not is_schedule(each))
    limited = any(T in names_of(each.left, each.right) for each in limits)
    value = number if _doubles_do(theorem, bound) else in_full

    def at(t: int) -> float:
        values = {**bound.values, T: float(max(t, 1) + source.binding.counts_from)}
        try:
            if limited and not all(each.holds for each in check(theorem, values)):
                return math.nan
            return still + math.fsum(value(theorem.terms[name], values) for name in moving)
        except RatecertError:
            return math.nan

    return list(map(at, times))


def _doubles_do(theorem: Theorem, bound: Bound) -> bool:
    """Whether terms are the same in doubles at T: all digits at all times would take longer than a run."""
    try:
        plain = math.fsum(number(term, bound.values) for term in theorem.terms.values())
    except RatecertError:  # what overflows on the way only
        return False
    return math.isclose(plain, bound.total, rel_tol=DRAWN)
