"""A claim: the statement it checks, the computations it needs, and how their numbers are judged.

The computations are *tasks*: calls of functions at the top of a module, with JSON values as arguments and a list of
flat rows as result (ratecert/claims/rows.py). So a task can run in another process, be stored, and be named
by what it computes. Every row also has the arguments of its task, as far as they are single numbers or texts: a
function of K and T returns what it found there, and the rows say where. Checks, figure and table are functions of all
rows together, and quick.

A task names its world as JSON, {"world": "scalar", "mu": 1.0, ...}, by the name of a constructor and its arguments
(`build`), so that settings in results.json can be typed in again. "quadratic" takes the matrices of the world itself.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from ratecert.base.chart import Chart
from ratecert.base.errors import UserError
from ratecert.base.words import EVIDENCE, Evidence, VerdictWord
from ratecert.claims.check import Check, decisive, verdict_of
from ratecert.claims.rows import Row, Rows
from ratecert.synthetic import CONSTRUCTORS, Quadratic

Json = Any  # None, bool, int, finite float, str, list of Json, dict from str to Json
T = TypeVar("T")
FromRows: TypeAlias = T | Callable[[Rows], T]  # known beforehand, or read off the rows

LARGEST_FALSE_ALARM = 1e-5
CONFIDENCE = 1 - 1e-6  # of the interval of every sampled slope: ten of them stay below LARGEST_FALSE_ALARM

EXACT = {"derivation"}  # kinds in exact arithmetic


@dataclass(frozen=True)
class Budget:
    """How much work: `quick` takes fewer settings, never other tolerances. `seed` is that of sampled claims."""

    quick: bool = False
    seed: int = 0


@dataclass(frozen=True)
class Task:
    function: Callable[..., Json]
    arguments: Mapping[str, Json] = field(default_factory=dict)
    seconds: float = 1.0  # about how long it takes; longer ones start first

    def __str__(self) -> str:
        return f"{self.function.__module__}.{self.function.__qualname__}"


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What the numbers show."""

    checks: Sequence[Check]
    exact: bool = False  # the checks are made in exact arithmetic
    regime: str  # where the numbers were measured, and whether that is inside the statement's conditions
    settings: Mapping[str, Json]  # worlds, steps, seeds: what one needs to compute the numbers again
    method: str  # such as "exact moments", "enumeration of all outcomes" or "sampled, 4096 runs"
    chart: Chart | None = None  # without one, the checks themselves are drawn
    notes: Sequence[str] = ()  # what a reader should know beside the numbers
    table: Sequence[Mapping[str, Json]] = ()  # further numbers, one mapping per row, the same keys in all

    @property
    def verdict(self) -> VerdictWord:
        """What the checks say together."""
        return verdict_of(self.checks, exact=self.exact)

    @property
    def decisive(self) -> Check | None:
        """The check that decides; None without checks."""
        return decisive(self.checks) if self.checks else None


@dataclass(frozen=True, kw_only=True)
class Claim:
    """What is claimed, what has to be computed for it, and what the numbers have to show."""

    id: str  # the statement's id, and after a dot what is checked of it: "theorem-1.printed-G"
    of: tuple[str, ...]  # ids of the paper's statements
    sentence: str  # what is claimed, in one sentence
    tasks: Callable[[Budget], Sequence[Task]]
    checks: Callable[[Rows], Iterable[Check]]
    regime: FromRows[str]  # where, and whether that is inside the statement's conditions
    method: FromRows[str]  # such as "exact moments against the closed form"
    evidence: tuple[Evidence, ...]
    settings: FromRows[Mapping[str, Json]]
    chart: Callable[[Rows], Chart | None] | None = None
    notes: FromRows[Sequence[str]] = ()
    table: Sequence[str] | Callable[[Rows], Iterable[Row]] = ()  # columns: all rows that have them
    because: str = ""  # why the statement is expected to be refuted
    false_alarm: float = 0.0  # the probability that chance alone changes the verdict; 0: nothing is sampled
    insensitive_to: Mapping[str, str] = field(default_factory=dict)  # column -> why it may be wrong unseen

    def __post_init__(self) -> None:
        if not 0 <= self.false_alarm <= LARGEST_FALSE_ALARM:
            raise UserError(
                f"claim {self.id}: false_alarm must be in [0, {LARGEST_FALSE_ALARM:g}], got {self.false_alarm!r}."
            )
        unknown = [kind for kind in self.evidence if kind not in EVIDENCE]
        if unknown or not self.evidence:
            raise UserError(
                f"claim {self.id}: evidence must be one or more of {', '.join(EVIDENCE)}, "
                f"got {', '.join(unknown) or 'none'}."
            )
        if ("sampled" in self.evidence) != (self.false_alarm > 0):
            raise UserError(
                f"claim {self.id} has the evidence {', '.join(self.evidence)} and false_alarm = {self.false_alarm!r}: "
                f"those that sample have a probability of error > 0, and only those."
            )

    @property
    def exact(self) -> bool:
        """Whether all of its evidence is exact arithmetic."""
        return set(self.evidence) <= EXACT

    @property
    def expected(self) -> VerdictWord:
        """Refuted where `because` says why."""
        if self.because:
            return "refuted"
        return "proved" if self.exact else "not refuted"

    def seconds(self, budget: Budget) -> float:
        """About how long its tasks take."""
        return sum(task.seconds for task in self.tasks(budget))

    def judged(self, tasks: Sequence[Task], values: Sequence[Json]) -> Judgement:
        """What the values of these tasks show."""
        rows = rows_of(tasks, values)
        table = self.table(rows) if callable(self.table) else rows.table(*self.table)
        return Judgement(
            checks=list(self.checks(rows)),
            exact=self.exact,
            regime=_from(self.regime, rows),
            settings=_from(self.settings, rows),
            method=_from(self.method, rows),
            chart=self.chart(rows) if self.chart else None,
            notes=_from(self.notes, rows),
            table=[dict(row) for row in table],
        )


def rows_of(tasks: Sequence[Task], values: Sequence[Json]) -> Rows:
    """The rows of all tasks, each with the arguments of its own that are cells."""
    return Rows({**_cells(task), **row} for task, value in zip(tasks, values, strict=True) for row in value)


def _cells(task: Task) -> dict[str, Json]:
    return {name: v for name, v in task.arguments.items() if isinstance(v, str | int | float) or v is None}


def _from(value: FromRows[T], rows: Rows) -> T:
    found: T = value(rows) if callable(value) else value
    return found


MAKERS = {**CONSTRUCTORS, "quadratic": Quadratic}


def build(spec: Mapping[str, Any]) -> Any:
    """The world of a specification; `of` is the specification of the world inside a huberised one."""
    arguments = dict(spec)
    name = arguments.pop("world", None)
    if name not in MAKERS:
        raise UserError(f"world must be one of {', '.join(MAKERS)}, got {name!r}.")
    inside = [build(arguments.pop("of"))] if "of" in arguments else []
    return MAKERS[name](*inside, **arguments)
