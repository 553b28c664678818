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
    REFUTED,
    UNLIKE_CODE,
    blind_of,
    did_you_mean,
    not_seen,
)
from ratecert.catalogue import cases, find
from ratecert.catalogue.load import library
from ratecert.claims.check import in_words
from ratecert.search import witness
from ratecert.search.witness import Instance
from ratecert.theory.lint import lint
from ratecert.theory.numbers.evaluation import with_constants_of
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Assumption, Text
from ratecert.verdicts.statement import LINTER

SCHEMA = 1
STORED = Path(__file__).parent / "verdicts.json"
FIELDS = (
    *("id", "source", "certainty", "variant", "verdict", "evidence", "ratio", "tight", "witness", "findings"),
    *("blind", "notes", "elsewhere"),
)
WORST_FIRST = (*REFUTED, "undecided", "not applicable", "not refuted", "proved")
Record = dict[str, Any]
TITLE = "The library: published statements on trial"
CAPTION = (
    "measured/bound: at the witness of what is refuted, else the largest that was found\n"
    "on quadratics: something of it they cannot show; `ratecert library ID` says what"
)
OUT_OF_REACH = "nothing of the method is measured, which is not affine, or not known"


def read() -> list[Record]:
    """The records that come with the package."""
    statements: list[Record] = json.loads(STORED.read_text(encoding="utf-8"))["statements"]
    return statements


# From results to records.


def from_results(results: Mapping[str, Any]) -> dict[str, Any]:
    """What a run of `ratecert verify` says of the library; refused where that is nothing."""
    claims = [claim for claim in results["claims"] if claim["id"].rpartition(":")[0] in library()]
    records = [*map(_record, claims), *_silent(claims)]
    if not records:
        raise ResultsError(
            "these results have no claim on the library; `ratecert verify library` makes some."
        )
    return {"schema": SCHEMA, "statements": sorted(records, key=_rank)}


def _rank(record: Record) -> tuple[int, bool, int, str]:
    """What is broken elsewhere comes before what nobody breaks."""
    safe = not any(row["exceeded"] for row in record["elsewhere"])
    return WORST_FIRST.index(record["verdict"]), safe, -len(record["findings"]), record["id"]


def _untried(paper: Paper, inside: str, id: str) -> Record:
    """The record of a statement of which nothing is claimed, since nothing could be shown."""
    statement = paper[inside]
    return {
        "id": id,
        "source": ", ".join(filter(None, (paper.title, statement.source))),
        "certainty": paper.certainty_of(statement),
        "variant": paper.variant,
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


def _silent(claims: Sequence[Mapping[str, Any]]) -> Iterator[Record]:
    """Statements in words that no claim is on, of the papers that claims are on."""
    tried = {id for claim in claims for id in claim["of"]}
    for key in dict.fromkeys(find.split(claim["id"])[0] for claim in claims):
        paper = find.paper(key=key)
        for statement in paper.of_kind(Text):
            id = full_id(key, statement.id)
            if not isinstance(statement, Assumption) and id not in tried:
                yield _untried(paper, statement.id, id)


def _record(claim: Mapping[str, Any]) -> Record:
    id, refuted = claim["of"][0], claim["verdict"] == "refuted"
    key, inside = find.split(id)
    variant = "repaired" if claim["id"].endswith(".repaired") else "printed"
    paper, run = find.paper(variant, key), find.bindings(key).get(inside)
    search: Mapping[str, Any] = next((row for row in claim["table"] if "largest" in row), {})
    largest = search.get("largest")
    path = smallest_witness(witness.named(id, variant)) if refuted else None
    instance = cases.read(path).instance if path else _tables(search)
    if largest is not None and largest > 1:  # the witness is another world than the search ended at
        tried = cases.bound_case(key, inside, variant).attempt({"letters": {}, **instance}, paper)
        largest = min(tried.ratio, BEYOND)
    elsewhere = run.elsewhere if run and variant == "printed" else None
    by_linter = refuted and search and not search["largest"] > 1  # no world speaks against it
    return _untried(paper, inside, claim["id"].removesuffix(f".{variant}")) | {
        "verdict": in_words(claim),
        "evidence": ["linter"] if by_linter else list(claim["evidence"]),
        "ratio": largest,
        "tight": None if refuted else search.get("attained"),
        "witness": instance,
        "findings": [
            {"rule": found.kind, "place": found.place, "printed": str(found.printed), "fits": str(found.fits)}
            for found in lint(paper)
            if paper.owner(found.place) in with_constants_of(paper, inside) and found.severity != "note"
        ],
        "blind": blind_of(claim["notes"]),
        "notes": list(claim["notes"]),
        "elsewhere": elsewhere(full_id(key, inside)) if elsewhere else [],
        "chart": json.loads(json.dumps(claim["chart"]), parse_float=lambda text: float(f"{float(text):.6g}")),
    }


def smallest_witness(name: str) -> Path | None:
    """The simplified one among the stored witnesses whose name begins so, which every page shows."""
    found = (path for path in cases.stored() if path.name.startswith(name))
    return next((path for path in found if path.name.endswith(".simple.toml")), None)


def _tables(row: Mapping[str, Any]) -> Instance:
    """The columns world.L, run.T as tables."""
    tables: dict[str, dict[str, Any]] = {}
    for column, value in row.items():
        table, dot, name = column.partition(".")
        if dot:
            tables.setdefault(table, {})[name] = value
    return tables


# Lists of records.


def chosen(
    records: Sequence[Record],
    names: Sequence[str] = (),
    *,
    verdict: str | None = None,
    evidence: str | None = None,
    paper: str | None = None,
    after: str | None = None,
) -> list[Record]:
    """Those that fit; no name and None ask for nothing, and a name that no record has is refused.

    names     keys of papers, or ids
    verdict   as it is stored or shown; what is proved false is refuted, too
    evidence  "search": compared with worlds; "linter": the linter has found something
    after     how the print was had
    """
    known = [name for record in records for name in _names(record)]
    for name in (*names, *filter(None, [paper])):
        if name not in known:
            hint = did_you_mean(name, known, "`ratecert library` lists it.", alike=FAINTLY)
            raise UserError(f"the library has nothing that is called {name!r}; {hint}")

    def fits(record: Record) -> bool:
        found = record["verdict"]
        return (
            (not names or not set(names).isdisjoint(_names(record)))
            and verdict in (None, found, verdict_in_words(record), "refuted" if found in REFUTED else None)
            and (evidence != "search" or record["ratio"] is not None)
            and (evidence != "linter" or bool(record["findings"]))
            and paper in (None, _names(record)[0])
            and after in (None, record["certainty"])
        )

    return list(filter(fits, records))


def _names(record: Record) -> tuple[str, str, str]:
    """Its paper, its statement, and after a dot what a claim of its file checks of it."""
    key, _, inside = record["id"].partition(":")
    return key, f"{key}:{inside.partition('.')[0]}", record["id"]


def ratio_of(record: Record, digits: int = 5) -> str:
    """Its ratio for readers."""
    return as_ratio(record["ratio"], digits, attained=record["tight"] is not False)


def verdict_in_words(record: Record) -> str:
    """The verdict for readers: what only the linter says, and what quadratics alone do not refute, is called so.

    Of a text that is refuted beside code that is right, it says that the two differ: nobody has proved that false.
    """
    verdict: str = record["verdict"]
    if verdict in REFUTED and code_of(record["id"]):
        return UNLIKE_CODE
    if record["evidence"] == ["linter"]:
        return f"{verdict}, {BY_THE_LINTER}"
    return f"{verdict} {ON_QUADRATICS}" if verdict == "not refuted" and record["blind"] else verdict


def code_of(id: str) -> str:
    """The statement of the same source that is entered after the code beneath this one; empty where there is none."""
    key, inside = find.split(id)
    codes = (other for other in find.paper(key=key).statements if other.endswith("-code") and other != inside)
    return next((f"{key}:{other}" for other in codes if inside.startswith(other.removesuffix("-code"))), "")


def name_of(record: Record) -> str:
    """Its id, and that it is a repair."""
    variant = "" if record["variant"] == "printed" else f" ({record['variant']})"
    return f"{record['id']}{variant}"


def listed(records: Sequence[Record]) -> str:
    """One line for each statement and variant."""
    names = ("statement", "after", "verdict", "measured/bound", "tight", "findings")
    right = ("measured/bound", "findings")
    return as_list(TITLE, names, list(map(row_of, records)), right=right, folds=("verdict",), caption=CAPTION)


def row_of(record: Record) -> tuple[Block, Sequence[str]]:
    """As a block, and as cells."""
    name, verdict = name_of(record), verdict_in_words(record)
    ratio, n = ratio_of(record), len(record["findings"])
    where = "measured/bound at the nearest world" if record["verdict"] == "not refuted" else "measured/bound"
    parts = (
        f"{where} {ratio}" if ratio else "",
        "tight" if record["tight"] else "",
        f"{n} finding{'' if n == 1 else 's'} of the linter" if n else "",
    )
    block = Block(name, verdict, (CERTAINTY[record["certainty"]], ", ".join(filter(None, parts))))
    tight = {True: "yes", False: "no", None: ""}[record["tight"]]
    return block, (name, record["certainty"], verdict, ratio, tight, str(n or ""))


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
    return ", ".join(f"{n} = {f'{v:.6g}' if isinstance(v, float) else v}" for n, v in found.items())
