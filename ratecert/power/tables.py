"""What was caught, as tables of text: for the terminal and for docs/power.md.

A margin is how far outside the allowed a number is, in units of what is allowed: 1 is the edge.
"""

from collections.abc import Sequence
from itertools import groupby

from ratecert.base.lists import Grid
from ratecert.claims.claim import Json

# Wrong algorithms.


def of_algorithms(rows: Sequence[Json]) -> Grid:
    return Grid(
        "Wrong algorithms",
        ("mistake", "algorithm", "margin of the letter", "measured by", "check", "margin"),
        [
            (
                row["what"],
                ", ".join(map(str, row["algorithms"])),
                ", ".join(_margin(catch) for catch in row["letter"]) or "-",
                *_measured(row),
            )
            for row in rows
        ],
    )


def _measured(row: Json) -> tuple[str, str, str]:
    catch = row["measured"]
    if catch is None:
        tried = len(row["verdicts"]) - len(row["algorithms"])
        return f"none of {tried}", _refusals(row), "-"
    return f"{catch['claim']} {catch['verdict']}", _numbers(catch), _margin(catch)


def _refusals(row: Json) -> str:
    refused = len(row["undecided"])
    return f"{refused} undecided" if refused else ""


def _numbers(catch: Json) -> str:
    if catch["check"] is None:
        return str(catch["reason"])
    return f"{catch['check']}: {catch['measured']:.3g} {catch['relation']} {catch['predicted']:.3g}"


def _margin(catch: Json) -> str:
    return "no number" if catch["strain"] is None else f"{catch['strain']:.2g}"


def unseen(rows: Sequence[Json]) -> Grid:
    """Mistakes that no measurement sees, and why."""
    return Grid(
        "Seen by the letter alone",
        ("mistake", "algorithm", "why no measurement sees it"),
        [
            (row["what"], ", ".join(map(str, row["algorithms"])), row["unseen"])
            for row in rows
            if row["unseen"]
        ],
    )


# Wrong statements.


def of_statements(rows: Sequence[Json]) -> Grid:
    """How many slips of each kind there are, and how many of them each way sees."""

    def group(row: Json) -> tuple[str, str, str]:
        return row["variant"], row["theorem"], row["kind"]

    kinds = [(which, list(some)) for which, some in groupby(sorted(rows, key=group), key=group)]
    total = ("both", "all", "all"), list(rows)
    return Grid(
        "Wrong statements",
        (
            *("paper", "theorem", "slip", "number"),
            *("letter", "derivation", "units", "measured", "weaker", "letter only"),
        ),
        [(*which, *_counts(some)) for which, some in (*kinds, total)],
    )


def _counts(rows: Sequence[Json]) -> tuple[str, ...]:
    seen = [sum(bool(row[way]) for row in rows) for way in ("letter", "derivation", "units", "measured")]
    weaker = sum(row["bound"] == "weaker" for row in rows)
    alone = sum(not (row["derivation"] or row["units"] or row["measured"]) for row in rows)
    return tuple(map(str, (len(rows), *seen, weaker, alone)))


def of_terms(rows: Sequence[Json]) -> Grid:
    """For each term of the repaired theorems, what measurements refute."""
    repaired = [row for row in rows if row["variant"] == "repaired"]
    terms = groupby(repaired, key=lambda row: (row["theorem"], row["term"]))
    return Grid(
        "Terms of the repaired theorems, measured",
        ("theorem", "term", "without it", "smaller somewhere", "of these refuted", "weaker"),
        [(*which, *_refuted(list(some))) for which, some in terms],
    )


def _refuted(rows: Sequence[Json]) -> tuple[str, str, str, str]:
    (dropped,) = [row for row in rows if row["kind"] == "dropped"]
    smaller = [row for row in rows if row["bound"] in ("smaller", "mixed")]
    refuted = sum(bool(_violations(row)) for row in smaller)
    weaker = sum(row["bound"] == "weaker" for row in rows)
    without = [f"measured/bound = {catch['measured']:.3g}" for catch in _violations(dropped)]
    return (without or ["not refuted"])[0], str(len(smaller)), str(refuted), str(weaker)


def _violations(row: Json) -> list[Json]:
    return [catch for catch in row["measured"] if catch["verdict"] == "refuted"]
