"""A claim: the statement it checks, the computations it needs, and how their numbers are judged.

The computations are *pieces*: calls of functions at the top of a module, with JSON values as arguments and a JSON value
as result. So a piece can run in another process, be kept in a store, and be named by what it computes. Judging and
drawing are quick and depend on the pieces' values alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ratecert.claim.chart import Chart
from ratecert.claim.check import Check, Verdict, decisive, overall
from ratecert.errors import UserError

Json = Any  # None, bool, int, finite float, str, list of Json, dict from str to Json

LARGEST_FALSE_ALARM = 1e-5


@dataclass(frozen=True)
class Budget:
    """How much work: `quick` takes fewer settings, never other tolerances. `seed` is that of sampled claims."""

    quick: bool = False
    seed: int = 0


@dataclass(frozen=True)
class Piece:
    function: Callable[..., Json]
    arguments: Mapping[str, Json] = field(default_factory=dict)
    seconds: float = 1.0  # about how long it takes; longer ones start first

    def __str__(self) -> str:
        return f"{self.function.__module__}.{self.function.__qualname__}"


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What the numbers show. The verdict is that of the checks, unless there is a reason why none applies."""

    checks: Sequence[Check]
    regime: str  # where the numbers were measured, and whether that is inside the statement's conditions
    settings: Mapping[str, Json]  # worlds, steps, seeds: what one needs to compute the numbers again
    method: str  # such as "exact moments", "enumeration of all outcomes" or "sampled, 4096 runs"
    chart: Chart | None = None  # without one, the checks themselves are drawn
    notes: Sequence[str] = ()  # what a reader should know beside the numbers
    table: Sequence[Mapping[str, Json]] = ()  # further numbers, one mapping per row, the same keys in all

    @property
    def verdict(self) -> Verdict:
        return overall(self.checks)

    @property
    def decisive(self) -> Check | None:
        return decisive(self.checks) if self.checks else None


@dataclass(frozen=True, kw_only=True)
class Claim:
    id: str  # the statement's id, and after a dot what is checked of it: "theorem-1.printed-G"
    of: tuple[str, ...]  # ids of the paper's statements
    sentence: str  # what would be true if the claim holds, in one sentence
    pieces: Callable[[Budget], Sequence[Piece]]
    judge: Callable[[Sequence[Json]], Judgement]  # the pieces' values, in order
    expected: Verdict = "holds"
    because: str = ""  # why it is expected not to hold
    false_alarm: float = (
        0.0  # the probability that chance alone changes the verdict; 0 where nothing is sampled
    )

    def __post_init__(self) -> None:
        if (self.expected == "holds") == bool(self.because):
            raise UserError(f"claim {self.id}: `because` belongs to claims that are not expected to hold.")
        if not 0 <= self.false_alarm <= LARGEST_FALSE_ALARM:
            raise UserError(
                f"claim {self.id}: false_alarm must be in [0, {LARGEST_FALSE_ALARM:g}], got {self.false_alarm!r}."
            )
