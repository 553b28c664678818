"""One twin for every claim: what its checks read is made wrong, and a verdict has to change.

Every column of numbers that a check reads is, in all rows at once,

    shifted   by 1 %
    tilted    v -> v |v|^0.01 or v |v|^-0.01, which moves an exponent by 1 % to either side
    halved, doubled

and at least one of the five must change the verdict of a check. A claim that cannot see any of them says so, in
`blind_to`, with the reason; what it calls blind must be blind. A claim that follows from a paper's data, whatever its
numbers are, says in `may_miss` what it cannot see in some of them.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import pytest

from oracles.kept_pieces import rows_from
from oracles.toy_claims import toy
from ratecert.claims.check import Check
from ratecert.claims.claim import Budget, Claim
from ratecert.claims.rows import Rows
from ratecert.errors import UndecidedError
from ratecert.verdicts.collect import claims

pytestmark = pytest.mark.nightly

CHANGES: Mapping[str, Callable[[float], float]] = {
    "shifted": lambda v: 1.01 * v,
    "tilted": lambda v: v * abs(v) ** 0.01,
    "tilted back": lambda v: v * abs(v) ** -0.01 if v else v,
    "halved": lambda v: v / 2,
    "doubled": lambda v: v * 2,
}
CLAIMS = claims()


class Recorded(dict[str, Any]):
    """A row that remembers which of its numbers were read."""

    def __init__(self, row: Mapping[str, Any], read: set[str]) -> None:
        super().__init__(row)
        self.read = read

    def __getitem__(self, name: str) -> Any:
        value = super().__getitem__(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            self.read.add(name)
        return value


class Changed(dict[str, Any]):
    """A row in which one column is wrong to those who read it; selections see it as it is."""

    def __init__(self, row: Mapping[str, Any], column: str, change: Callable[[float], float]) -> None:
        super().__init__(row)
        self.column, self.change = column, change

    def __getitem__(self, name: str) -> Any:
        value = super().__getitem__(name)
        return self.change(value) if name == self.column and value is not None else value


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
    read: set[str] = set()
    list(claim.checks(Rows(Recorded(row, read) for row in some)))
    return sorted(read)


def unseen(claim: Claim, some: Rows) -> Iterator[str]:
    """The columns that can be wrong in all four ways without a verdict noticing."""
    right = verdicts(claim, some)
    for column in columns(claim, some):
        changed = (
            verdicts(claim, Rows(Changed(row, column, change) for row in some)) for change in CHANGES.values()
        )
        if all(wrong == right for wrong in changed):
            yield column


SLOW = 2.5  # seconds of a claim's quick budget, from which on its twin waits for the night
BY_DAY_AND_NIGHT = [
    pytest.param(id, marks=[pytest.mark.nightly] if claim.seconds(Budget(quick=True)) > SLOW else [])
    for id, claim in CLAIMS.items()
]


@pytest.mark.parametrize("id", BY_DAY_AND_NIGHT)
def test_a_wrong_column_changes_a_verdict_or_the_claim_says_why_not(id: str) -> None:
    claim = CLAIMS[id]
    found = rows(id)
    assert columns(claim, found), f"{id}: no check reads a number of a row"
    missed = set(unseen(claim, found))
    assert set(claim.blind_to) <= missed <= {*claim.blind_to, *claim.may_miss}
    assert not claim.may_miss or missed != set(columns(claim, found))


class Shaken(dict[str, Any]):
    """A row whose numbers another machine might have rounded otherwise; selections see it as it is."""

    def __init__(self, row: Mapping[str, Any], size: float, rng: random.Random) -> None:
        super().__init__(row)
        self.factors = {name: 1 + size * rng.uniform(-1, 1) for name in row}

    def __getitem__(self, name: str) -> Any:
        value = super().__getitem__(name)
        return value * self.factors[name] if isinstance(value, float) else value


def shaken(some: Rows, size: float, seed: int) -> Rows:
    rng = random.Random(seed)
    return Rows(Shaken(row, size, rng) for row in some)


def names(claim: Claim, some: Rows) -> list[str]:
    return [check.name for check in claim.checks(some)]


@pytest.mark.parametrize("id", BY_DAY_AND_NIGHT)
def test_no_name_of_a_check_is_decided_by_rounding(id: str) -> None:
    claim, found = CLAIMS[id], rows(id)
    for seed in range(4):
        for size in (1e-15, 1e-13):
            assert names(claim, shaken(found, size, seed)) == names(claim, found)


def test_a_name_that_rounding_decides_is_seen() -> None:
    """The twin: a check that names the place of the largest number, where two are as large."""

    def checks(some: Rows) -> list[Check]:
        worst = some.largest(lambda row: row["found"])
        return [Check(name=f"largest, K = {worst['K']}", measured=worst["found"], predicted=1 / 3)]

    claim = toy("tied", [1], checks=checks)
    tied = Rows({"K": K, "found": 1 / 3} for K in (1, 2))
    assert len({tuple(names(claim, shaken(tied, 1e-13, seed))) for seed in range(8)}) == 2
