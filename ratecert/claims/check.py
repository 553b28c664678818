"""One number against one prediction, and what that shows; and from the checks of a claim to its verdict.

    relation "="    measured = predicted, up to the tolerance
    relation "<="   measured <= predicted, up to the tolerance; ">=" likewise

The measured number is known up to its uncertainty. A check *passes* if the relation is true of every value within the
uncertainty, it *fails* if it is true of none, and between the two it is *undecided*. So an uncertainty that is too
large never confirms anything, and a number that is not finite confirms nothing either.

    equal, at_most, at_least   one number against another
    gap                        the largest relative distance between two columns of rows
    difference                 the largest absolute one
    above                      the largest ratio of two columns, which may not exceed 1
    exponent (slope.py)        the slope of log y against log x

`error` is the relative error of the numbers that are read: the name of a column, or one number for all. Without it, it
is the column "precision" where there is one, and 0 where there is none. That of a difference is absolute.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from ratecert.base.errors import UserError
from ratecert.base.lists import as_number
from ratecert.base.validation import require_number
from ratecert.base.words import ONE_WAY, VerdictWord
from ratecert.claims.rows import Row, Rows, or_inf

CheckResult = Literal["passes", "fails", "undecided"]
Relation = Literal["=", "<=", ">="]

Error = str | float | None

RESULTS: tuple[CheckResult, ...] = ("fails", "undecided", "passes")  # the worst first
RELATIONS: tuple[Relation, ...] = get_args(Relation)
FOUND = {"=": "≠", "<=": ">", ">=": "<"}  # where a relation fails


@dataclass(frozen=True, kw_only=True)
class Check:
    """A measured number compared with a predicted one: `verdict` is passes, fails or undecided."""

    name: str  # what was measured and where, such as "exponent in T, K = 8"
    measured: float
    predicted: float
    relation: Relation = "="
    tolerance: float = 0.0  # how far the relation may be missed; absolute, in the units of `measured`
    uncertainty: float = 0.0  # half the width of the interval in which the measured number lies

    def __post_init__(self) -> None:
        for name in ("tolerance", "uncertainty"):
            require_number(f"{name} of the check {self.name!r}", getattr(self, name), least=0)
        if self.relation not in RELATIONS:
            raise UserError(
                f"relation of the check {self.name!r} must be '=', '<=' or '>=', got {self.relation!r}."
            )

    @property
    def miss(self) -> float:
        """How far the relation is missed; negative inside an inequality."""
        difference = self.measured - self.predicted
        return {"=": abs(difference), "<=": difference, ">=": -difference}[self.relation]

    @property
    def verdict(self) -> CheckResult:
        """ "passes", "fails", or "undecided" where the uncertainty reaches across the edge of what is allowed."""
        if not all(map(math.isfinite, (self.measured, self.predicted, self.tolerance, self.uncertainty))):
            return "undecided"
        if self.miss + self.uncertainty <= self.tolerance:
            return "passes"
        return "fails" if self.miss - self.uncertainty > self.tolerance else "undecided"

    def __str__(self) -> str:
        """The check and what came of it, as a sentence."""
        predicted, off = as_number(self.predicted), self.measured - self.predicted
        measured = as_number(self.measured)
        if self.verdict == "fails" and measured == predicted:
            measured = f"{predicted} {'+' if off > 0 else '-'} {abs(off):.1g}"
        within = f" within {self.tolerance:.2g}" if self.tolerance else ""
        if self.verdict == "fails" and self.relation != "=":
            side = "more than" if self.relation == "<=" else "less than"
            return f"{self.name}: {measured}, {side} {predicted} allowed{within}: fails"
        return f"{self.name}: {measured} {self.relation} {predicted}{within} {self.verdict}"

    @property
    def used_tolerance(self) -> float:
        """How near the check is to failing: 1 at the edge of what is allowed, larger beyond it; for comparisons."""
        if self.relation == "=" and not self.tolerance:
            return 0.0 if self.verdict == "passes" else math.inf
        scale = self.tolerance or abs(self.predicted) or 1.0
        value = (self.miss + self.uncertainty - self.tolerance) / scale
        return 1.0 + value if math.isfinite(value) else math.inf


def equal(name: str, measured: float, predicted: float, tolerance: float, uncertainty: float = 0.0) -> Check:
    """measured = predicted, up to the tolerance."""
    return Check(
        name=name,
        measured=measured,
        predicted=predicted,
        tolerance=tolerance,
        uncertainty=uncertainty,
    )


def at_most(
    name: str, measured: float, bound: float, uncertainty: float = 0.0, tolerance: float = 0.0
) -> Check:
    """measured <= bound, up to the tolerance."""
    return replace(equal(name, measured, bound, tolerance, uncertainty), relation="<=")


def at_least(
    name: str, measured: float, bound: float, uncertainty: float = 0.0, tolerance: float = 0.0
) -> Check:
    """measured >= bound, up to the tolerance."""
    return replace(equal(name, measured, bound, tolerance, uncertainty), relation=">=")


def gap(
    name: str, rows: Rows, measured: str, predicted: str, tolerance: float, *, error: Error = None
) -> Check:
    """measured/predicted - 1, where it is farthest from 0."""
    gaps = [row[measured] / row[predicted] - 1 for row in rows]
    return equal(
        name, max(gaps, key=lambda gap: or_inf(abs(gap))), 0.0, tolerance, largest_error(rows, error)
    )


def difference(
    name: str, rows: Rows, measured: str, predicted: str, tolerance: float, *, error: Error = None
) -> Check:
    """The largest |measured - predicted|."""
    largest = max((abs(row[measured] - row[predicted]) for row in rows), key=or_inf)
    return equal(name, largest, 0.0, tolerance, largest_error(rows, error))


def above(
    name: str, rows: Rows, measured: str, bound: str, *, tolerance: float = 0.0, error: Error = None
) -> Check:
    """The largest measured/bound is at most 1."""

    def over(row: Row) -> float:
        return row[measured] / row[bound] if error_of(row, error) < math.inf else math.inf

    worst = rows.largest(over)
    ratio = worst[measured] / worst[bound]
    return at_most(name, ratio, 1.0, or_inf(ratio * error_of(worst, error)), tolerance)


def largest_error(rows: Iterable[Row], error: Error = None) -> float:
    return max((error_of(row, error) for row in rows), default=0.0)


def error_of(row: Row, error: Error = None) -> float:
    if isinstance(error, float | int):
        return float(error)
    return or_inf(float(row.get(error or "precision", 0.0)))


# What checks show together.


def overall(checks: Iterable[Check]) -> CheckResult | None:
    """The worst of all; None without checks."""
    found = {check.verdict for check in checks}
    return next((result for result in RESULTS if result in found), None)


def decisive(checks: Iterable[Check]) -> Check:
    """The check that decides: of those with the worst result the one nearest to, or farthest beyond, the edge."""
    return min(checks, key=lambda check: (RESULTS.index(check.verdict), -check.used_tolerance))


def in_words(entry: Mapping[str, Any]) -> str:
    """The verdict of a claim's entry in results.json, for readers."""
    if entry["verdict"] != "refuted":
        return str(entry["verdict"])
    if "proof in fractions" in entry["evidence"]:
        return "proved false"
    fails = [check["name"] for check in entry.get("checks", ()) if check["verdict"] == "fails"]
    ways = [row["ways"] for row in entry.get("table", ()) if row.get("ways")]
    return (
        ONE_WAY if ways and max(ways) == 1 and all("measured/bound" in name for name in fails) else "refuted"
    )


def relation_in(entry: Mapping[str, Any]) -> str:
    """Between measured and predicted of a claim's entry: what is asked for, or, where that fails, what is found."""
    asked = entry["relation"] or ""
    return FOUND.get(asked, "") if entry["verdict"] == "refuted" else asked


def verdict_of(checks: Iterable[Check], *, exact: bool) -> VerdictWord:
    """What the checks say of the statement; `exact` where they are made in exact arithmetic."""
    worst = overall(checks)
    if worst is None:
        return "not applicable"
    if worst == "passes":
        return "proved" if exact else "not refuted"
    return "refuted" if worst == "fails" else "undecided"
