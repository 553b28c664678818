"""The statements in theory/ against their transcription: they are what is printed, and errata change what they name.

The witnesses, transcription/, are plain floats: every constant, condition and summand (bounds.py), every order
of the corollaries, remarks and Table 1 (corollaries.py), and the readings of the errata (repaired.py). For every place
a row has the two numbers whose gap is largest, see evidence/transcription_gaps.py.

The repaired constants, conditions and summands are held against the print and against the readings: they must differ
from the print where an erratum says so and nowhere else, and there they must be the reading. Errata replace algorithms,
corollaries, remarks and the table as wholes; of these only the print is evaluated here.
"""

from collections.abc import Iterator

from ratecert.claim import Budget, Chart, Check, Claim, Json, Piece, Row, Rows, Series
from ratecert.claim.checks import equal
from ratecert.claim.lines import figure, level
from ratecert.papers.federated_bilevel.evidence.transcription_gaps import (
    FORMULAS,
    STATEMENTS,
    compared,
    gap,
    point,
    witness,
)
from ratecert.papers.federated_bilevel.paper import VARIANTS, paper
from ratecert.papers.federated_bilevel.transcription.repaired import readings
from ratecert.theory.language.statements import Statement

POINTS = 20
TOLERANCE = 1e-12
ROUNDING = 1e-14  # of some forty operations on either side


def compare(*, statement: str, points: int) -> list[Json]:
    """The printed and the repaired formulas beside the print, and beside their readings where an erratum reads."""
    printed, repaired = (paper(variant)[statement] for variant in VARIANTS)
    rows = side_by_side("printed", printed, points)
    if statement in FORMULAS:
        read = {*readings(witness(statement, point(0))[1]), *(e.place for e in paper("repaired").errata)}
        rows += side_by_side("repaired", repaired, points)
        rows += [row for row in side_by_side("as read", repaired, points) if row["place"] in read]
    return rows


def side_by_side(form: str, statement: Statement, points: int) -> list[Json]:
    pairs = compared(statement, points, as_read=form == "as read")
    return [
        {"form": form, "place": at, "theory": a, "transcription": b} for at, (a, b) in sorted(pairs.items())
    ]


def errata() -> list[Json]:
    """The places that errata name, and the statements, other than constants and theorems, that differ."""
    printed, repaired = (paper(variant) for variant in VARIANTS)
    differ = [id for id in printed.statements if id not in FORMULAS and printed[id] != repaired[id]]
    return [*({"named": e.place} for e in repaired.errata), *({"changed": id} for id in differ)]


def pieces(_: Budget) -> list[Piece]:
    compared = (Piece(compare, {"statement": id, "points": POINTS}, 0.1) for id in STATEMENTS)
    return [Piece(errata, {}, 0.1), *compared]


def gaps(rows: Rows, form: str) -> dict[str, float]:
    """place -> the largest relative gap."""
    return {row["place"]: gap(row["theory"], row["transcription"]) for row in rows.where(form=form)}


def changed(rows: Rows) -> set[str]:
    differ = (place for place, value in gaps(rows, "repaired").items() if value > TOLERANCE)
    return {*rows.cells("changed"), *differ}


def checks(rows: Rows) -> Iterator[Check]:
    for place, value in gaps(rows, "printed").items():
        yield equal(place, value, 0.0, TOLERANCE, ROUNDING)
    for place, value in gaps(rows, "as read").items():
        yield equal(f"{place}, as read", value, 0.0, TOLERANCE, ROUNDING)
    named = set(rows.cells("named"))
    yield none("changed without an erratum", changed(rows) - named)
    yield none("named by an erratum and not changed", named - changed(rows))


def none(what: str, places: set[str]) -> Check:
    which = f" ({', '.join(sorted(places))})" if places else ""
    fewer_than_one = 0.5
    return equal(f"places {what}{which}", len(places), 0.0, fewer_than_one)


def chart(rows: Rows) -> Chart:
    printed, repaired = (gaps(rows, form) for form in VARIANTS)
    numbers = {place: float(i) for i, place in enumerate(printed, start=1)}
    differ = [place for place, value in repaired.items() if value > TOLERANCE and place in numbers]
    drawn = {
        "printed formulas": {numbers[place]: max(value, 1e-17) for place, value in printed.items()},
        "repaired formulas, where they differ": {numbers[place]: repaired[place] for place in differ},
    }
    series = [
        Series(label=label, x=list(points), y=list(points.values()), kind="sampled", colour=colour)
        for colour, (label, points) in enumerate(drawn.items())
        if points
    ]
    return figure(
        "The relative gap between theory/ and an independent transcription of the print, at every constant, "
        "condition, summand and order: rounding for the printed formulas (1e-17 stands for none); the repaired "
        "constants, conditions and summands differ at the places that errata name, and at no other.",
        "place, in the order of the table",
        "largest relative gap to the print",
        [*series, level("what is allowed", [*numbers.values()], TOLERANCE, kind="bound", colour=3)],
        x_scale="linear",
    )


def notes(rows: Rows) -> list[str]:
    printed, read, whole = rows.where(form="printed"), rows.where(form="as read"), rows.having("changed")
    return [
        f"{len(printed)} printed places and {len(read)} readings are compared. Errata change {len(changed(rows))} "
        f"places; {len(whole)} are whole statements, of which the repaired form is not evaluated here."
    ]


def table(rows: Rows) -> Iterator[Row]:
    repaired, read, named = gaps(rows, "repaired"), gaps(rows, "as read"), rows.cells("named")
    for place, value in gaps(rows, "printed").items():
        yield {
            "place": place,
            "printed": value,
            "repaired": repaired.get(place, "-"),
            "as read": read.get(place, "-"),
            "erratum": place in named or place.partition(".")[0] in named,
        }


CLAIMS = (
    Claim(
        id="statements",
        of=STATEMENTS,
        sentence="The constants, conditions and summands of the theorems, and the orders in corollaries, remarks and "
        "Table 1, are in theory/ what an independent transcription of the print has; the repaired constants, "
        "conditions and summands differ from it exactly where errata say so, and are there the transcribed readings.",
        pieces=pieces,
        checks=checks,
        regime="random positive values of all letters, of different sizes; inside the conditions or not, as formulas "
        "are compared and no bound is used",
        method="SymPy's formulas in floating point against an independent transcription",
        evidence=("second transcription",),
        settings={"points": POINTS, "seeds": f"0 ... {POINTS - 1}"},
        chart=chart,
        notes=notes,
        table=table,
    ),
)
