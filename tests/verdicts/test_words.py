"""A verdict in words: what is certain is called so, and no rounding hides that 1 is exceeded or not attained."""

from typing import Any

import pytest

from ratecert.base.lists import as_ratio
from ratecert.claims.check import equal, in_words, verdict_of


def entry(verdict: str, *evidence: str, **row: Any) -> dict[str, Any]:
    return {"verdict": verdict, "evidence": [*evidence], "table": [row] if row else []}


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (entry("refuted", "proof in fractions"), "proved false"),
        (entry("refuted", "search", largest=1.5, certified=True), "proved false"),
        (entry("refuted", "search", largest=1.5, certified=False), "refuted"),
        (entry("refuted", "search", largest=1.5), "refuted"),
        (entry("refuted", "derivation", certified=True), "refuted"),  # a row that no search has made
        (entry("refuted", "derivation"), "refuted"),
        (entry("not refuted", "search", largest=0.5, certified=True), "not refuted"),
        (entry("undecided", "proof in fractions"), "undecided"),
        (entry("proved", "derivation"), "proved"),
    ],
)
def test_only_what_is_refuted_for_certain_is_proved_false(found: dict[str, Any], words: str) -> None:
    assert in_words(found) == words


def test_an_entry_without_a_table_is_one_without_rows() -> None:
    assert in_words({"verdict": "refuted", "evidence": ["search"]}) == "refuted"


HOLDS, OPEN, WRONG = equal("", 1.0, 1.0, 0.0), equal("", 1.0, 1.0, 0.5, 1.0), equal("", 2.0, 1.0, 0.5)


@pytest.mark.parametrize(
    ("checks", "exact", "verdict"),
    [
        ([HOLDS], False, "not refuted"),
        ([HOLDS], True, "proved"),
        ([HOLDS, OPEN], True, "undecided"),
        ([HOLDS, OPEN, WRONG], True, "refuted"),
        ([WRONG], False, "refuted"),
        ([], False, "not applicable"),
    ],
)
def test_the_worst_check_makes_the_verdict(checks: list[Any], exact: bool, verdict: str) -> None:
    assert verdict_of(checks, exact=exact) == verdict


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1.0, "1"),
        (1 + 3e-6, "1 + 3e-06"),
        (1 + 4e-15, "1 + 4e-15"),
        (1.5, "1.5"),
        (1.0001, "1.0001"),
        (0.99999, "0.99999"),
        (1e300, "∞"),
        (0.0, "0"),
        (None, ""),
    ],
)
@pytest.mark.parametrize("attained", [True, False])
def test_a_ratio_above_one_is_not_shown_as_one(value: float | None, shown: str, attained: bool) -> None:
    assert as_ratio(value, attained=attained) == shown


@pytest.mark.parametrize(("attained", "shown"), [(True, "1"), (False, "1 - 3e-06")])
def test_a_ratio_just_below_one_is_one_only_where_it_is_attained(attained: bool, shown: str) -> None:
    assert as_ratio(1 - 3e-6, attained=attained) == shown


def test_digits_are_those_asked_for() -> None:
    assert [as_ratio(1.23456, digits) for digits in (2, 4)] == ["1.2", "1.235"]
    assert as_ratio(1.0004, 3) == "1 + 0.0004"
