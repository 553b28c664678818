"""Counterexamples that a search has found: each is computed again, by two ways where there are two.

A witness refutes a printed statement inside its own conditions, with all assumptions true on the whole space. It shows
one mistake: with the erratum at that place alone the statement is not violated there, with all the others it still is.
The files are in witnesses/; `ratecert falsify` has written them and `ratecert check` explains one of them at length.
"""

import math
from collections.abc import Mapping, Sequence
from functools import partial

from ratecert.claim.chart import Chart, Panel, Series
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.counterexamples.finding import agreement
from ratecert.counterexamples.replay import replayed
from ratecert.counterexamples.witness import Witness, parsed
from ratecert.counterexamples.witness_files import kept

KINDS = {"itself": "as printed", "others": "all errata but one", "alone": "this erratum alone"}


def replay(name: str, text: str, twice: bool) -> Json:
    """The ratios of a witness file's text, and both sides by both ways or by one."""
    check, assumptions = replayed(parsed(name, text), twice=twice)
    return {
        "name": name,
        "place": check.witness.place,
        "instance": {table: dict(numbers) for table, numbers in _finite(check.witness).items()},
        "ratios": {kind: getattr(check.ratios, kind) for kind in KINDS},
        "precision": check.tried.precision,
        "measured": check.tried.measured,
        "bound": check.tried.bound,
        "measured_again": check.again.measured,
        "bound_again": check.again.bound,
        "assumptions": assumptions,
    }


def _finite(witness: Witness) -> Mapping[str, Mapping[str, Json]]:
    """JSON has no inf: the limit is written as a word."""
    return {
        table: {name: "inf" if value == math.inf else value for name, value in entries.items()}
        for table, entries in witness.instance.items()
    }


def pieces(statement: str, budget: Budget) -> list[Piece]:
    """A quick look takes one way only."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in kept()}
    chosen = {name: text for name, text in texts.items() if parsed(name, text).statement == statement}
    twice = not budget.quick
    return [
        Piece(replay, {"name": name, "text": text, "twice": twice}, seconds=10.0 if twice else 0.1)
        for name, text in chosen.items()
    ]


def judge(values: Sequence[Json]) -> Judgement:
    return Judgement(
        checks=[check for value in values for check in _checks(value)],
        regime="inside the printed conditions; the assumptions hold on the whole space, f being continued outside a "
        "ball that no outcome leaves",
        settings={value["name"]: value["instance"] for value in values},
        method="exact moments; 80 digits and the transcription of the print as a second way where d = 1",
        chart=_chart(values),
        notes=[
            f"{value['name']}: what is wrong is at {value['place']}." for value in values if value["place"]
        ],
        table=[
            {"witness": value["name"], **{kind: value["ratios"][key] for key, kind in KINDS.items()}}
            for value in values
        ],
    )


def _checks(value: Json) -> list[Check]:
    ratio, name = value["ratios"], value["name"]
    error = value["precision"] * ratio["itself"]
    checks = [_above(f"measured/bound, {name}", ratio["itself"], error)]
    if value["place"]:
        alone = Check(
            name=f"this erratum alone, {name}", measured=ratio["alone"], predicted=1.0, relation="<="
        )
        checks += [_above(f"all errata but one, {name}", ratio["others"], error), alone]
    for side in ("measured", "bound"):
        if value[f"{side}_again"] is not None:
            quotient = value[f"{side}_again"] / value[side]
            name_of = f"{side}, second way/first, {name}"
            near = agreement(value["precision"])
            checks.append(Check(name=name_of, measured=quotient, predicted=1.0, tolerance=near))
    return checks


def _above(name: str, ratio: float, error: float) -> Check:
    return Check(name=name, measured=ratio, predicted=1.0, relation=">=", uncertainty=error)


def _chart(values: Sequence[Json]) -> Chart:
    places = [float(i + 1) for i in range(len(values))]
    series = [
        Series(
            label=label,
            x=places,
            y=[max(value["ratios"][kind], 1e-20) for value in values],
            kind="sampled",
            colour=i,
        )
        for i, (kind, label) in enumerate(KINDS.items())
    ]
    edge = Series(label="measured = bound", x=[places[0], places[-1]], y=[1.0, 1.0], kind="bound", colour=3)
    return Chart(
        caption="Measured over bound at each witness, in the order of the table: above the line the statement is "
        "violated. One erratum alone cures it; all the others together do not. 1e-20 stands for anything less.",
        panels=[
            Panel(x_label="witness", y_label="measured/bound", series=[*series, edge], x_scale="linear"),
        ],
    )


def _claim(statement: str, title: str) -> Claim:
    return Claim(
        id=f"{statement.removeprefix('constant.')}.counterexamples",
        of=(statement,),
        sentence=f"Each counterexample to {title} as printed that a search has found refutes it, and shows the one "
        "mistake that it is kept for.",
        pieces=partial(pieces, statement),
        judge=judge,
    )


CLAIMS = (
    _claim("theorem-1", "Theorem 1"),
    _claim("theorem-2", "Theorem 2"),
    _claim("theorem-3", "Theorem 3"),
    _claim("constant.G", "the constant G"),
)
