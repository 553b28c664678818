"""The words for what was found of a statement. Those for a check, one number against another, are in check.py.

    refuted          a check fails, inside the statement's conditions
    undecided        no check fails, and one could not be decided
    not refuted      it was searched or measured, with exact numbers or sampled ones, and every check passes
    proved           every check passes, and all of them are equalities or inequalities in exact arithmetic
    not applicable   there is nothing to check

Where a statement is refuted and a proof of that is kept (evidence "proof in fractions"), or the measure at its witness
is enclosed above the bound, readers are told so: it is *proved false*. In results.json the verdict is still `refuted`.

"Not refuted" is never "proved": it says that nothing was found in the regime that is stated.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from ratecert.claim.check import Check, CheckResult, overall

Verdict = Literal["refuted", "undecided", "not refuted", "proved", "not applicable"]
VERDICTS: tuple[Verdict, ...] = ("refuted", "undecided", "not refuted", "proved", "not applicable")
WORDS = ("proved false", *VERDICTS)  # as readers are told

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
