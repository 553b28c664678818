"""The letter of the statements: what theory/ evaluates is what the paper prints, and errata change only what they say.

The witnesses, transcription/, are plain floats: every constant, condition and summand (bounds.py), every order
of the corollaries, remarks and Table 1 (corollaries.py), and the readings of the errata (repaired.py). For every place
the largest relative gap to the witness is kept, see evidence/letter.py.

The repaired constants, conditions and summands are held against the print and against the readings: they must differ
from the print where an erratum says so and nowhere else, and there they must be the reading. Errata replace algorithms,
corollaries, remarks and the table as wholes; of these only the print is evaluated here.
"""

from collections.abc import Mapping, Sequence

from ratecert.claim.chart import Chart, Panel, Series
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.letter import FORMULAS, STATEMENTS, gaps, point, witness
from ratecert.papers.federated_bilevel.paper import VARIANTS, paper
from ratecert.papers.federated_bilevel.transcription.repaired import readings
from ratecert.theory.language.statements import Statement

POINTS = 20
TOLERANCE = 1e-12
ROUNDING = 1e-14  # of some forty operations on either side


def _largest(statement: Statement, points: int, *, as_read: bool = False) -> dict[str, float]:
    """place -> the largest gap over so many points."""
    rows = [gaps(statement, seed, as_read=as_read) for seed in range(points)]
    return {place: max(row[place] for row in rows) for place in rows[0]}


def compare(*, statement: str, points: int) -> Json:
    """place -> the gap of the printed and of the repaired formulas to the print, and of these to their readings."""
    printed, repaired = (paper(variant) for variant in VARIANTS)
    found = {"printed": _largest(printed[statement], points), "repaired": {}, "read": {}}
    if statement in FORMULAS:
        found["repaired"] = _largest(repaired[statement], points)
        read = _largest(repaired[statement], points, as_read=True)
        changed = {*readings(witness(statement, point(0))[1]), *(e.place for e in repaired.errata)}
        found["read"] = {place: value for place, value in read.items() if place in changed}
    return {"statement": statement, "points": points, "gaps": found}


def errata() -> Json:
    """The places that errata name, and the statements, other than constants and theorems, that differ."""
    printed, repaired = (paper(variant) for variant in VARIANTS)
    others = [id for id in printed.statements if id not in FORMULAS]
    return {
        "named": [erratum.place for erratum in repaired.errata],
        "changed": [id for id in others if printed[id] != repaired[id]],
    }


def pieces(_: Budget) -> list[Piece]:
    return [
        Piece(errata, {}, 0.1),
        *(Piece(compare, {"statement": id, "points": POINTS}, 0.1) for id in STATEMENTS),
    ]


def judge(values: Sequence[Json]) -> Judgement:
    whole, compared = values[0], values[1:]
    printed, repaired, read = (
        {place: g for value in compared for place, g in value["gaps"][which].items()}
        for which in ("printed", "repaired", "read")
    )
    changed = {*whole["changed"], *(place for place, g in repaired.items() if g > TOLERANCE)}
    named = set(whole["named"])
    return Judgement(
        checks=[
            *(_letter(place, value) for place, value in printed.items()),
            *(_letter(f"{place}, as read", value) for place, value in read.items()),
            _none("changed without an erratum", changed - named),
            _none("named by an erratum and not changed", named - changed),
        ],
        regime="random positive values of all letters, of different sizes; inside the conditions or not, as formulas "
        "are compared and no bound is used",
        settings={"points": compared[0]["points"], "seeds": f"0 ... {compared[0]['points'] - 1}"},
        method="SymPy's formulas in floating point against an independent transcription",
        chart=_chart(printed, repaired),
        notes=[
            f"{len(printed)} printed places and {len(read)} readings are compared. Errata change {len(changed)} "
            f"places; {len(whole['changed'])} are whole statements, of which the repaired form is not evaluated here."
        ],
        table=[
            {
                "place": place,
                "printed": value,
                "repaired": repaired.get(place, "-"),
                "as read": read.get(place, "-"),
                "erratum": place in named or place.partition(".")[0] in named,
            }
            for place, value in printed.items()
        ],
    )


def _letter(place: str, value: float) -> Check:
    return Check(name=place, measured=value, predicted=0.0, tolerance=TOLERANCE, uncertainty=ROUNDING)


def _none(what: str, places: set[str]) -> Check:
    which = f" ({', '.join(sorted(places))})" if places else ""
    name, fewer_than_one = f"places {what}{which}", 0.5
    return Check(name=name, measured=len(places), predicted=0.0, tolerance=fewer_than_one)


def _chart(printed: Mapping[str, float], repaired: Mapping[str, float]) -> Chart:
    number_of = {place: float(i) for i, place in enumerate(printed, start=1)}
    differ = [place for place, value in repaired.items() if value > TOLERANCE and place in number_of]
    last = float(len(number_of))
    series = [
        Series(label="printed formulas", x=list(number_of.values()), y=[max(g, 1e-17) for g in printed.values()],
               kind="sampled"),
        Series(label="what is allowed", x=[1.0, last], y=[TOLERANCE] * 2, kind="bound", colour=3),
    ]  # fmt: skip
    if differ:
        x, y = [number_of[place] for place in differ], [repaired[place] for place in differ]
        series.insert(
            1, Series(label="repaired formulas, where they differ", x=x, y=y, kind="sampled", colour=1)
        )
    return Chart(
        caption="The relative gap between theory/ and an independent transcription of the print, at every constant, "
        "condition, summand and order: rounding for the printed formulas (1e-17 stands for none); the repaired "
        "constants, conditions and summands differ at the places that errata name, and at no other.",
        panels=[
            Panel(
                x_label="place, in the order of the table",
                y_label="largest relative gap to the print",
                series=series,
                x_scale="linear",
            )
        ],
    )


CLAIMS = (
    Claim(
        id="statements",
        of=STATEMENTS,
        sentence="The constants, conditions and summands of the theorems, and the orders in corollaries, remarks and "
        "Table 1, are in theory/ what an independent transcription of the print has; the repaired constants, "
        "conditions and summands differ from it exactly where errata say so, and are there the transcribed readings.",
        pieces=pieces,
        judge=judge,
    ),
)
