"""From the checks of a claim to its verdict (vocabulary.py). The words for a check, one number against another, are in
check.py.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from ratecert.base.words import Verdict
from ratecert.claim.check import Check, CheckResult, overall

RESULTS_OF: dict[Verdict, CheckResult] = {
    "refuted": "fails",
    "undecided": "undecided",
    "not refuted": "passes",
    "proved": "passes",
}
"""The worst result among the checks of a claim with this verdict."""


def in_words(entry: Mapping[str, Any]) -> str:
    """The verdict of a claim's entry in results.json, for readers."""
    certain = "proof in fractions" in entry["evidence"] or any(
        _enclosed(row) for row in entry.get("table", ())
    )
    return "proved false" if entry["verdict"] == "refuted" and certain else str(entry["verdict"])


def _enclosed(row: Mapping[str, Any]) -> bool:
    """Whether a search has ended with a witness whose measure is enclosed, above the upper end of the bound."""
    return bool("largest" in row and row.get("certified"))


def verdict_of(checks: Iterable[Check], *, exact: bool) -> Verdict:
    """What the checks say of the statement; `exact` where they are made in exact arithmetic."""
    worst = overall(checks)
    if worst is None:
        return "not applicable"
    if worst == "passes":
        return "proved" if exact else "not refuted"
    return "refuted" if worst == "fails" else "undecided"
