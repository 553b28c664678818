"""The right side of a theorem at a point: its terms, the largest of them, and its value for all shorter runs.

Where a theorem says nothing, the sentence of the refusal is what is shown. For shorter runs only T changes, and with it
only terms and conditions that have T in them.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ratecert.base.errors import RatecertError
from ratecert.solvers.contract.result import ExactResult
from ratecert.theory.language.letters import names_of
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Theorem
from ratecert.theory.numbers.enclosed import in_full, upper_end
from ratecert.theory.numbers.evaluation import Bound, check, evaluate, is_schedule, number

ROUNDING = 1e-9  # of constants in doubles: a bound that is attained is not broken
LEFT = "left"  # the measure of a run that a theorem bounds
Letters = Callable[[ExactResult, bool], tuple[dict[str, float], str]]


@dataclass(frozen=True, kw_only=True)
class BoundSource:
    """A theorem of a paper, and how its letters are read off a run."""

    paper: Paper
    id: str
    letters: Letters
    counts_from: int = 0  # the index of the first iterate
    T: str = "T"


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


def drawn(source: BoundSource, result: ExactResult, *, sure: bool = False) -> Drawn | str:
    """The bound, or why there is none."""
    try:
        inputs, said = source.letters(result, sure)
        bound = evaluate(source.paper, source.id, inputs)
        theorem = source.paper.the(Theorem, source.id)
        return Drawn(
            bound=bound,
            left=float(result.values[LEFT]),
            error=float(result.absolute_error.values[LEFT]),
            top=upper_end(theorem.bound, bound.values) if sure else bound.total,
            left_curve=result.running.values[LEFT],
            curve=_curve(source, bound, [int(t) for t in result.curves.t]),
            inputs=inputs,
            said=said,
        )
    except RatecertError as error:
        return str(error)


def _curve(source: BoundSource, bound: Bound, times: Sequence[int]) -> list[float]:
    theorem = source.paper.the(Theorem, source.id)
    moving = {name: term for name, term in theorem.terms.items() if source.T in names_of(term)}
    still = math.fsum(value for name, value in bound.terms.items() if name not in moving)
    bounded = any(
        source.T in names_of(c.left, c.right) for c in theorem.conditions.values() if not is_schedule(c)
    )
    value = number if _doubles_do(theorem, bound) else in_full
    found = []
    for t in times:
        values = {**bound.values, source.T: float(max(t, 1) + source.counts_from)}
        try:
            outside = bounded and not all(each.holds for each in check(theorem, values))
            total = still + math.fsum(value(term, values) for term in moving.values())
        except RatecertError:
            outside, total = True, math.nan
        found.append(math.nan if outside else total)
    return found


def _doubles_do(theorem: Theorem, bound: Bound) -> bool:
    """Whether terms are the same in doubles at T: fifty digits at all times would take longer than a run."""
    try:
        plain = math.fsum(number(term, bound.values) for term in theorem.terms.values())
    except RatecertError:  # what overflows on the way only
        return False
    return math.isclose(plain, bound.total, rel_tol=ROUNDING)
