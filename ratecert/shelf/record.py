"""A record for each statement that was tried: its verdict, how near worlds came to the bound, and what the linter says.

schema        1
statements    a list, what is wrong first, each with

    id, source, certainty     `paper:statement`, and after a dot what a claim by hand checks of it; where it stands, and
                              how the print was had
    variant                   printed or repaired
    verdict                   a word of ratecert/claim/verdict.py
    ratio                     of a theorem: measured/bound at the witness; the largest that was found, where it is not
                              refuted
    tight                     whether the bound is attained by a world that was tried, of a theorem
    witness                   that world, its run and its letters; it refutes where the verdict is "refuted"
    findings                  of the linter, notes aside: rule, place, printed, fits
    notes                     what a reader should know beside the numbers
    chart                     its figure as data (ratecert/claim/chart.py), numbers in six digits
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ratecert import registry
from ratecert.claim.verdict import in_words
from ratecert.counterexamples.theorem_case import TheoremCase
from ratecert.errors import ResultsError
from ratecert.from_data.theorem import with_constants_of
from ratecert.outside import library
from ratecert.theory.lint import lint

SCHEMA = 1
KEPT = Path(__file__).parent / "verdicts.json"
FIELDS = ("id", "source", "certainty", "variant", "verdict", "ratio", "tight", "witness", "findings", "notes")
WITH_CHART = (*FIELDS, "chart")
WORST_FIRST = ("proved false", "refuted", "undecided", "not applicable", "not refuted", "proved")
BEYOND = 1e300  # a ratio that stands for a bound of zero
Record = dict[str, Any]


def from_results(results: Mapping[str, Any]) -> dict[str, Any]:
    """What a run of `ratecert verify` says of the library; refused where that is nothing."""
    records = [_record(claim) for claim in results["claims"] if registry.split(claim["id"])[0] in library()]
    if not records:
        raise ResultsError(
            "these results have no claim on the library; `ratecert verify library` makes some."
        )
    return {"schema": SCHEMA, "statements": sorted(records, key=_rank)}


def as_ratio(value: float | None, digits: int = 5) -> str:
    """A ratio for readers."""
    if value is None:
        return ""
    return "∞" if value >= BEYOND else f"{value:.{digits}g}"


def verdict_in_words(record: Record) -> str:
    """The verdict for readers: a refutation that no world shows says so."""
    alone = record["verdict"] == "refuted" and record["findings"] and not (record["ratio"] or 0) > 1
    return "refuted, by the linter alone" if alone else str(record["verdict"])


def read(path: Path = KEPT) -> list[Record]:
    """The records of a file; refused where it is none."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        statements: list[Record] = kept["statements"]
        whole = kept["schema"] == SCHEMA and all(set(WITH_CHART) == set(each) for each in statements)
    except (KeyError, TypeError, ValueError) as error:
        raise ResultsError(f"{path} has no verdicts on statements ({error}).") from error
    if not whole:
        raise ResultsError(
            f"{path} is not of schema {SCHEMA}, or not whole; write it again with make library."
        )
    return statements


def _rank(record: Record) -> tuple[int, int, str]:
    return WORST_FIRST.index(record["verdict"]), -len(record["findings"]), record["id"]


def _record(claim: Mapping[str, Any]) -> Record:
    key, inside = registry.split(claim["of"][0])
    variant = "repaired" if claim["id"].endswith(".repaired") else "printed"
    paper = registry.paper(variant, key)
    search: Mapping[str, Any] = next((row for row in claim["table"] if "largest" in row), {})
    return {
        "id": claim["id"].removesuffix(f".{variant}"),
        "source": f"{paper.title}, {paper[inside].source}",
        "certainty": paper.certainty_of(paper[inside]),
        "variant": variant,
        "verdict": in_words(claim),
        "ratio": _ratio(key, inside, variant, search),
        "tight": None if claim["verdict"] == "refuted" else search.get("attained"),
        "witness": _instance(search),
        "findings": [
            {"rule": found.kind, "place": found.place, "printed": str(found.printed), "fits": str(found.fits)}
            for found in lint(paper)
            if paper.owner(found.place) in with_constants_of(paper, inside) and found.severity != "note"
        ],
        "notes": list(claim["notes"]),
        "chart": _in_six_digits(claim["chart"]),
    }


def _in_six_digits(value: Any) -> Any:
    """Enough for a figure."""
    match value:
        case float():
            return float(f"{value:.6g}")
        case Mapping():
            return {name: _in_six_digits(part) for name, part in value.items()}
        case list() | tuple():
            return [_in_six_digits(part) for part in value]
    return value


def _ratio(key: str, inside: str, variant: str, search: Mapping[str, Any]) -> float | None:
    """The largest; where a bound is broken, that of the simplified witness, which is another world."""
    largest: float | None = search.get("largest")
    if largest is None or largest <= 1:
        return largest
    source = registry.paper(variant, key)
    tried = TheoremCase(key, inside, variant).attempt({"letters": {}, **_instance(search)}, source)
    return min(tried.ratio, BEYOND)


def _instance(row: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The columns world.L, run.T as tables."""
    tables: dict[str, dict[str, Any]] = {}
    for column, value in row.items():
        table, dot, name = column.partition(".")
        if dot:
            tables.setdefault(table, {})[name] = value
    return tables
