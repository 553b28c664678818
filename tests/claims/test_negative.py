"""A negative test for every claim: what its checks read is made wrong, and a verdict has to change.

Every column of numbers that a check reads is, in all rows at once,

    shifted   by 1 %
    tilted    v -> v |v|^0.01 or v |v|^-0.01, which moves an exponent by 1 % to either side
    halved, doubled

and at least one of the five must change the verdict of a check. A claim that cannot see any of them says so, in
`insensitive_to`, with the reason; and then none of the five may. What a claim that follows from
a paper's data cannot see in some numbers, and sees in others, is in MAY_MISS.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

import pytest

from oracles.stored_tasks import rows_from
from oracles.toy_claims import toy
from ratecert.claims.check import Check
from ratecert.claims.claim import Budget, Claim
from ratecert.claims.rows import Rows
from ratecert.errors import UndecidedError
from ratecert.theory.statements import COUNTED
from ratecert.verdicts.collect import claims
from ratecert.verdicts.mistakes import KINDS

pytestmark = pytest.mark.nightly

CHANGES: Mapping[str, Callable[[float], float]] = {
    "shifted": lambda v: 1.01 * v,
    "tilted": lambda v: v * abs(v) ** 0.01,
    "tilted back": lambda v: v * abs(v) ** -0.01 if v else v,
    "halved": lambda v: v / 2,
    "doubled": lambda v: v * 2,
}
MAY_MISS = {  # by a function that it calls
    "searched": {"largest"},  # no world that was tried may come near the bound
    "replay": {"enclosed", "proved", "precision", *KINDS},  # the ratio may be far from 1
    "measured": {
        "K",
        "T",
        "eps",
        "measure",
        "bound",
        "log",
        "claimed log",
    },  # the bound may decide, or a log be 0
    "counted": {"K", "eps", *COUNTED},  # of a print that is refuted: they are too large already
    "findings": {"claimed power", "claimed log"},  # of a remark: where both rates have the same
}
CLAIMS = claims()
by_claim = pytest.mark.parametrize("id", CLAIMS)


class Read(dict[str, Any]):
    """A row whose cells are what `seen` makes of them for those who read them; selections see them as they are."""

    def __init__(self, row: Mapping[str, Any], seen: Callable[[str, Any], Any]) -> None:
        super().__init__(row)
        self.seen = seen

    def __getitem__(self, name: str) -> Any:
        return self.seen(name, super().__getitem__(name))


@cache
def rows(id: str) -> Rows:
    """Of the quick budget."""
    return rows_from(CLAIMS[id], Budget(quick=True))


def verdicts(claim: Claim, some: Rows) -> list[str]:
    try:
        return [check.verdict for check in claim.checks(some)]
    except UndecidedError:
        return ["undecided"]


def columns(claim: Claim, some: Rows) -> list[str]:
    """Those of which a check reads a number."""
    read: set[str] = set()

    def seen(name: str, value: Any) -> Any:
        if isinstance(value, int | float) and not isinstance(value, bool):
            read.add(name)
        return value

    list(claim.checks(Rows(Read(row, seen) for row in some)))
    return sorted(read)


def unseen(claim: Claim, some: Rows) -> Iterator[str]:
    """The columns that can be wrong in all five ways without a verdict noticing."""

    def changed(column: str, change: Callable[[float], float], name: str, value: Any) -> Any:
        return change(value) if name == column and value is not None else value

    right = verdicts(claim, some)
    for column in columns(claim, some):
        ways = (partial(changed, column, change) for change in CHANGES.values())
        if all(verdicts(claim, Rows(Read(row, way) for row in some)) == right for way in ways):
            yield column


def may_be_missed(claim: Claim) -> set[str]:
    functions = [task.function.__name__ for task in claim.tasks(Budget(quick=True))]
    kind = next((kind for kind in MAY_MISS if kind in functions), "")
    decided = (kind == "counted" and not claim.because) or (kind == "findings" and "derived" not in functions)
    return set() if decided or not kind else MAY_MISS[kind]


@by_claim
def test_a_wrong_column_changes_a_verdict_or_the_claim_says_why_not(id: str) -> None:
    claim, found = CLAIMS[id], rows(id)
    assert columns(claim, found), f"{id}: no check reads a number of a row"
    missed = set(unseen(claim, found))
    may_miss = may_be_missed(claim)
    assert set(claim.insensitive_to) <= missed <= {*claim.insensitive_to, *may_miss}
    far = columns(claim, found) == ["largest"]  # of worlds far inside a bound: tests/verdicts/test_theorem.py
    assert not may_miss or far or missed != set(columns(claim, found))


def rounded_otherwise(some: Rows, size: float, seed: int) -> Rows:
    """As another machine might have rounded them."""
    rng = random.Random(seed)

    def row_of(row: Mapping[str, Any]) -> Read:
        factors = {name: 1 + size * rng.uniform(-1, 1) for name in row}
        return Read(row, lambda name, value: value * factors[name] if isinstance(value, float) else value)

    return Rows(map(row_of, some))


def names(claim: Claim, some: Rows) -> list[str]:
    return [check.name for check in claim.checks(some)]


@by_claim
def test_no_name_of_a_check_is_decided_by_rounding(id: str) -> None:
    claim, found = CLAIMS[id], rows(id)
    for seed in range(4):
        for size in (1e-15, 1e-13):
            assert names(claim, rounded_otherwise(found, size, seed)) == names(claim, found)


def test_a_name_that_rounding_decides_is_seen() -> None:
    """A check that names the place of the largest number, where two are as large."""

    def checks(some: Rows) -> list[Check]:
        worst = some.largest(lambda row: row["found"])
        return [Check(name=f"largest, K = {worst['K']}", measured=worst["found"], predicted=1 / 3)]

    claim = toy("tied", [1], checks=checks)
    tied = Rows({"K": K, "found": 1 / 3} for K in (1, 2))
    assert len({tuple(names(claim, rounded_otherwise(tied, 1e-13, seed))) for seed in range(8)}) == 2
