"""Counterexamples that a search has found: each is computed again, by two ways where there are two.

A witness refutes a printed statement inside its own conditions, with all assumptions true on the whole space. It shows
one mistake: with the erratum at that place alone the statement is not violated there, with all the others it still is.
The files are in witnesses/; `ratecert falsify` has written them and `ratecert check` explains one of them at length.
"""

import math
from collections.abc import Iterator
from functools import partial

from ratecert.catalogue.cases import replayed, stored
from ratecert.claims import Budget, Chart, Check, Claim, Json, Piece, Rows
from ratecert.claims.checks import at_least, at_most, equal
from ratecert.claims.lines import figure, level, line
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.search.finding import agreement
from ratecert.search.witness import parsed

KINDS = ("as printed", "all errata but one", "this erratum alone")
LEAST = 1e-20  # ratio that is drawn, as a witness may be cured altogether


def replay(witness: str, text: str, twice: bool) -> list[Json]:
    """Compute the ratios of a witness file's text, and both sides by both ways or by one."""
    check, _ = replayed(parsed(witness, text), twice=twice)
    ratios = (check.ratios.itself, check.ratios.others, check.ratios.alone)
    return [
        {
            "place": check.witness.place,
            **dict(zip(KINDS, ratios, strict=True)),
            "precision": check.tried.precision,
            "measured": check.tried.measured,
            "bound": check.tried.bound,
            "measured again": check.again.measured,
            "bound again": check.again.bound,
        }
    ]


def pieces(statement: str, budget: Budget) -> list[Piece]:
    """A quick look takes one way only."""
    start = f"{paper().key}."
    texts = {
        path.stem.removeprefix(start): path.read_text(encoding="utf-8")
        for path in stored()
        if path.stem.startswith(start)
    }
    chosen = {name: text for name, text in texts.items() if parsed(name, text).statement == statement}
    twice = not budget.quick
    return [
        Piece(replay, {"witness": name, "text": text, "twice": twice}, seconds=10.0 if twice else 0.1)
        for name, text in chosen.items()
    ]


def checks(rows: Rows) -> Iterator[Check]:
    for row in rows:
        name, error = row["witness"], row["precision"] * row["as printed"]
        yield at_least(f"measured/bound, {name}", row["as printed"], 1.0, error)
        if row["place"]:
            yield at_least(f"all errata but one, {name}", row["all errata but one"], 1.0, error)
            yield at_most(f"this erratum alone, {name}", row["this erratum alone"], 1.0)
        for side in ("measured", "bound"):
            if row.get(f"{side} again") is not None:
                ways = row[f"{side} again"] / row[side]
                yield equal(f"{side}, second way/first, {name}", ways, 1.0, agreement(row["precision"]))


def chart(rows: Rows) -> Chart:
    drawn = Rows(
        {"number": i + 1, **{kind: max(row[kind], LEAST) for kind in KINDS}} for i, row in enumerate(rows)
    )
    series = [line(kind, drawn, "number", kind, kind="sampled", colour=i) for i, kind in enumerate(KINDS)]
    return figure(
        "Measured over bound at each witness, in the order of the table: above the line the statement is violated. One "
        "erratum alone cures it; all the others together do not. 1e-20 stands for anything less.",
        "witness",
        "measured/bound",
        [*series, level("measured = bound", drawn.column("number"), 1.0, kind="bound", colour=3)],
        x_scale="linear",
    )


def settings(rows: Rows) -> dict[str, Json]:
    """The instances in the files; JSON has no inf: the limit is written as a word."""
    witnesses = {row["witness"]: parsed(row["witness"], row["text"]) for row in rows}
    return {
        name: {
            table: {n: "inf" if value == math.inf else value for n, value in entries.items()}
            for table, entries in witness.instance.items()
        }
        for name, witness in witnesses.items()
    }


FAR = "every witness is farther than a factor of 2 from what would change the verdict"
PRECISE = "both sides are known to many more digits than it takes to tell the ratios from 1"
SEEN = {
    "theorem-1": KINDS[:2],
    "theorem-2": KINDS[:2],
    "theorem-3": KINDS[:2],
}  # a factor of 2 in these ratios


def _claim(statement: str, title: str) -> Claim:
    return Claim(
        id=f"{statement}.counterexamples",
        of=(statement,),
        sentence=f"Each counterexample to {title} as printed that a search has found refutes it, and shows the one "
        "mistake that it is kept for.",
        pieces=partial(pieces, statement),
        checks=checks,
        regime="inside the printed conditions; the assumptions hold on the whole space, f being continued outside a "
        "ball that no outcome leaves",
        method="exact moments; 80 digits and the transcription of the print as a second way where d = 1",
        evidence=("exact moments", "second transcription"),
        settings=settings,
        chart=chart,
        notes=lambda rows: [
            f"{row['witness']}: what is wrong is at {row['place']}." for row in rows if row["place"]
        ],
        table=("witness", *KINDS),
        blind_to={**{k: FAR for k in KINDS if k not in SEEN.get(statement, ())}, "precision": PRECISE},
    )


CLAIMS = (
    _claim("theorem-1", "Theorem 1"),
    _claim("theorem-2", "Theorem 2"),
    _claim("theorem-3", "Theorem 3"),
)
