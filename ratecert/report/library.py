"""The verdicts on the library: a record for each statement that was tried, stored with the package.

schema        1
statements    a list, what is wrong first, each with

    id, source, certainty     `paper:statement`, and after a dot what a claim checks of it; where it stands, and
                              how the print was had
    variant                   printed or repaired
    verdict                   a word of ratecert/claims/check.py
    ratio                     of a theorem: measured/bound at the witness; the largest that was found, where it is not
                              refuted; 1e300 stands for infinity, where the bound is zero
    evidence                  its kinds, words of ratecert/base/words.py
    tight                     whether the bound is attained by a world that was tried, of a theorem
    witness                   that world, its run and its letters; it refutes where the ratio is above 1
    findings                  of the linter, notes aside: rule, place, printed, fits
    blind                     what quadratics, or this tool, cannot show of it; empty where nothing is known
    notes                     what a reader should know beside the numbers
    elsewhere                 what another tool has for it, as rows, each of which says in a sentence what it shows, and
                              whether the print is exceeded there
    chart                     its figure as data (ratecert/base/chart.py), numbers in six digits
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ratecert.base.asked import full_id
from ratecert.base.errors import ResultsError, UserError
from ratecert.base.lists import BEYOND, Block, as_blocks, as_list, as_ratio, as_text
from ratecert.base.terminal import coloured, columns
from ratecert.base.words import (
    BY_THE_LINTER,
    CERTAINTY,
    FAINTLY,
    ON_QUADRATICS,
    blind_of,
    did_you_mean,
    not_seen,
)
from ratecert.catalogue import cases, find
from ratecert.catalogue.load import library
from ratecert.claims.check import in_words
from ratecert.search.witness import Instance
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Assumption, Statement, Text
from ratecert.theory.lint import lint
from ratecert.theory.numbers.standing_in import with_constants_of
from ratecert.verdicts.statement import LINTER

SCHEMA = 1
KEPT = Path(__file__).parent / "verdicts.json"
FIELDS = (
    *("id", "source", "certainty", "variant", "verdict", "evidence", "ratio", "tight", "witness", "findings"),
    *("blind", "notes", "elsewhere"),
)
WITH_CHART = (*FIELDS, "chart")
WORST_FIRST = ("proved false", "refuted", "undecided", "not applicable", "not refuted", "proved")
Record = dict[str, Any]
TITLE = "The library: published statements on trial"
CAPTION = (
    "measured/bound: at the witness of what is refuted, else the largest that was found\n"
    "on quadratics: something of it they cannot show; `ratecert library ID` says what"
)
TIGHT = {True: "yes", False: "no", None: ""}
OUT_OF_REACH = "nothing of the method is measured, which is not affine, or not known"


def from_results(results: Mapping[str, Any]) -> dict[str, Any]:
    """What a run of `ratecert verify` says of the library; refused where that is nothing."""
    claims = [claim for claim in results["claims"] if claim["id"].rpartition(":")[0] in library()]
    records = [*map(_record, claims), *_silent(claims)]
    if not records:
        raise ResultsError(
            "these results have no claim on the library; `ratecert verify library` makes some."
        )
    return {"schema": SCHEMA, "statements": sorted(records, key=_rank)}


def ratio_of(record: Record, digits: int = 5) -> str:
    """Its ratio for readers."""
    return as_ratio(record["ratio"], digits, attained=record["tight"] is not False)


def verdict_in_words(record: Record) -> str:
    """The verdict for readers: what only the linter says, and what quadratics alone do not refute, is called so."""
    verdict: str = record["verdict"]
    if record["evidence"] == ["linter"]:
        return f"{verdict}, {BY_THE_LINTER}"
    return f"{verdict} {ON_QUADRATICS}" if verdict == "not refuted" and record["blind"] else verdict


def read(path: Path = KEPT) -> list[Record]:
    """The records of a file; refused where it is none."""
    try:
        whole_file = json.loads(path.read_text(encoding="utf-8"))
        statements: list[Record] = whole_file["statements"]
        whole = whole_file["schema"] == SCHEMA and all(set(WITH_CHART) == set(each) for each in statements)
    except (KeyError, TypeError, ValueError) as error:
        raise ResultsError(f"{path} has no verdicts on statements ({error}).") from error
    if not whole:
        raise ResultsError(
            f"{path} is not of schema {SCHEMA}, or not whole; write it again with make library."
        )
    return statements


def _rank(record: Record) -> tuple[int, bool, int, str]:
    """What is broken elsewhere comes before what nobody breaks."""
    safe = not any(row["exceeded"] for row in record["elsewhere"])
    return WORST_FIRST.index(record["verdict"]), safe, -len(record["findings"]), record["id"]


def _record(claim: Mapping[str, Any]) -> Record:
    key, inside = find.split(claim["of"][0])
    variant = "repaired" if claim["id"].endswith(".repaired") else "printed"
    paper = find.paper(variant, key)
    search: Mapping[str, Any] = next((row for row in claim["table"] if "largest" in row), {})
    instance = _kept(claim["of"][0], variant) if claim["verdict"] == "refuted" else None
    instance = instance or _instance(search)
    return {
        **_head(paper, paper[inside], claim["id"].removesuffix(f".{variant}")),
        "verdict": in_words(claim),
        "evidence": ["linter"] if _by_linter(claim, search) else list(claim["evidence"]),
        "ratio": _ratio(key, inside, variant, search.get("largest"), instance),
        "tight": None if claim["verdict"] == "refuted" else search.get("attained"),
        "witness": instance,
        "findings": [
            {"rule": found.kind, "place": found.place, "printed": str(found.printed), "fits": str(found.fits)}
            for found in lint(paper)
            if paper.owner(found.place) in with_constants_of(paper, inside) and found.severity != "note"
        ],
        "blind": blind_of(claim["notes"]),
        "notes": list(claim["notes"]),
        "elsewhere": _elsewhere(key, inside) if variant == "printed" else [],
        "chart": _in_six_digits(claim["chart"]),
    }


def _by_linter(claim: Mapping[str, Any], search: Mapping[str, Any]) -> bool:
    """Whether a search has found nothing that speaks against a statement which is refuted."""
    return claim["verdict"] == "refuted" and "largest" in search and not search["largest"] > 1


def _head(paper: Paper, statement: Statement, id: str) -> Record:
    return {
        "id": id,
        "source": ", ".join(filter(None, (paper.title, statement.source))),
        "certainty": paper.certainty_of(statement),
        "variant": paper.variant,
    }


def _silent(claims: Sequence[Mapping[str, Any]]) -> Iterator[Record]:
    """Statements in words of which nothing is claimed, since nothing could be shown."""
    tried = {id for claim in claims for id in claim["of"]}
    for key in dict.fromkeys(find.split(claim["id"])[0] for claim in claims):
        paper = find.paper(key=key)
        for statement in paper.of_kind(Text):
            id = full_id(key, statement.id)
            if not isinstance(statement, Assumption) and id not in tried:
                yield {
                    **_head(paper, statement, id),
                    "verdict": "not applicable",
                    "evidence": [],
                    "ratio": None,
                    "tight": None,
                    "witness": {},
                    "findings": [],
                    "blind": OUT_OF_REACH,
                    "notes": [not_seen(OUT_OF_REACH)],
                    "elsewhere": [],
                    "chart": None,
                }


def _elsewhere(key: str, inside: str) -> list[dict[str, Any]]:
    run = find.bindings(key).get(inside)
    return run.elsewhere(full_id(key, inside)) if run and run.elsewhere else []


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


def _kept(id: str, variant: str) -> Instance | None:
    """The small witness in witnesses/, so that every page shows the same one."""
    for path in cases.stored(find.split(id)[0]):
        found = cases.read(path)
        if path.stem.endswith(".simple") and (found.statement, found.variant) == (id, variant):
            return found.instance
    return None


def _ratio(key: str, inside: str, variant: str, largest: float | None, instance: Instance) -> float | None:
    """The largest; where a bound is broken, that of the witness, which is another world."""
    if largest is None or largest <= 1:
        return largest
    source = find.paper(variant, key)
    tried = cases.bound_case(key, inside, variant).attempt({"letters": {}, **instance}, source)
    return min(tried.ratio, BEYOND)


def _instance(row: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The columns world.L, run.T as tables."""
    tables: dict[str, dict[str, Any]] = {}
    for column, value in row.items():
        table, dot, name = column.partition(".")
        if dot:
            tables.setdefault(table, {})[name] = value
    return tables


@dataclass(frozen=True, kw_only=True)
class Filter:
    """What a record must be; None and no name ask for nothing."""

    names: tuple[str, ...] = ()  # keys of papers, or ids
    verdict: str | None = None
    evidence: str | None = (
        None  # "search": it was compared with worlds; "linter": the linter has found something
    )
    paper: str | None = None
    after: str | None = None  # how the print was had

    def of(self, records: Sequence[Record]) -> list[Record]:
        """Those that fit; a name that no record has is refused."""
        for name in (*self.names, *filter(None, [self.paper])):
            _require(name, records)
        return [record for record in records if self._fits(record)]

    def _fits(self, record: Record) -> bool:
        return (
            (not self.names or any(name in _names(record) for name in self.names))
            and (self.verdict is None or self.verdict in _verdicts(record))
            and (self.evidence != "search" or record["ratio"] is not None)
            and (self.evidence != "linter" or bool(record["findings"]))
            and self.paper in (None, _paper(record))
            and self.after in (None, record["certainty"])
        )


def _names(record: Record) -> tuple[str, str, str]:
    """Its paper, its statement, and after a dot what a claim of its file checks of it."""
    key, _, inside = record["id"].partition(":")
    return key, f"{key}:{inside.partition('.')[0]}", record["id"]


def _verdicts(record: Record) -> tuple[str, ...]:
    """What is proved false is refuted, too; and the words that are shown are as good."""
    own = ("proved false", "refuted") if record["verdict"] == "proved false" else (record["verdict"],)
    return (*own, verdict_in_words(record))


def _paper(record: Record) -> str:
    return _names(record)[0]


def _require(name: str, records: Sequence[Record]) -> None:
    known = [part for record in records for part in _names(record)]
    if name in known:
        return
    hint = did_you_mean(name, known, "`ratecert library` lists it.", alike=FAINTLY)
    raise UserError(f"the library has nothing that is called {name!r}; {hint}")


def listed(records: Sequence[Record]) -> str:
    """One line for each statement and variant."""
    rows = []
    for record in records:
        findings = str(len(record["findings"]) or "")
        numbers = (ratio_of(record), TIGHT[record["tight"]], findings)
        rows.append(
            (_block(record), (name_of(record), record["certainty"], verdict_in_words(record), *numbers))
        )
    names = ("statement", "after", "verdict", "measured/bound", "tight", "findings")
    right = ("measured/bound", "findings")
    return as_list(TITLE, names, rows, right=right, folds=("verdict",), caption=CAPTION)


def _block(record: Record) -> Block:
    findings = len(record["findings"])
    where = "measured/bound at the nearest world" if record["verdict"] == "not refuted" else "measured/bound"
    parts = (
        f"{where} {ratio_of(record)}" if record["ratio"] is not None else "",
        "tight" if record["tight"] else "",
        f"{findings} finding{'' if findings == 1 else 's'} of the linter" if findings else "",
    )
    lines = (CERTAINTY[record["certainty"]], ", ".join(filter(None, parts)))
    return Block(name_of(record), verdict_in_words(record), lines)


def name_of(record: Record) -> str:
    """Its id, and that it is a repair."""
    variant = "" if record["variant"] == "printed" else f" ({record['variant']})"
    return f"{record['id']}{variant}"


def detailed(records: Sequence[Record]) -> str:
    """A block for each."""
    width = columns()
    blocks = (Block(name_of(record), verdict_in_words(record), list(_lines(record))) for record in records)
    return as_text(as_blocks(blocks, width), width, colour=coloured())


def _lines(record: Record) -> Iterator[str]:
    key, inside = find.split(record["id"])
    source = find.paper(record["variant"], key)
    statement = source[source.owner(inside)]
    yield f"{record['source']}; {source.entered(statement)}"
    yield f"{statement.title}{f': {statement.sentence}' if isinstance(statement, Text) else ''}"
    if record["ratio"] is not None:
        tight = ", which attains the bound" if record["tight"] else ""
        at = in_letters(record["id"], record["witness"])
        yield f"measured/bound {ratio_of(record)}{f' at {at}' if at else ''}{tight}"
    for found in record["findings"]:
        yield f"linter, {found['rule']}, at {found['place']}: printed {found['printed']}, fits {found['fits']}"
    yield from (note for note in record["notes"] if not note.startswith(LINTER))
    yield from (row["says"] for row in record["elsewhere"])


def in_letters(id: str, instance: Mapping[str, Mapping[str, Any]]) -> str:
    """The numbers of a witness on one line, in the letters of its statement: world, run and letters.

    A run counts its iterations, T of them; a statement may call them m, or count iterates from 1. It has K devices,
    which a statement may call N, and use K for something else; or it knows one machine only.
    """
    key, inside = find.split(id)
    run = find.bindings(key).get(inside)
    counts = dict(instance.get("run", {}))
    if run and "T" in counts:
        counts[run.iterations] = counts.pop("T") + run.counts_from
    if run and "K" in counts:
        devices = counts.pop("K")
        counts |= {run.devices: devices} if run.devices else {}
    worlds = [table for name, table in instance.items() if name not in ("run", "letters")]
    tables = [*worlds, counts, instance.get("letters", {})]
    found = {name: value for table in tables for name, value in table.items()}
    return ", ".join(f"{name} = {_short(value)}" for name, value in found.items())


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
