"""The letter of the statements: what theory/ evaluates is what the paper prints, and errata are all that is changed.

The witness, ratecert/transcription/bounds.py, has every constant, condition and summand in plain floats. At random
positive values of all letters, where no two different formulas agree, both are evaluated, and the largest relative gap
|a - b|/max(|a|, |b|) is kept for every place, such as theorem-1.term.noise_u. Constants in a theorem take the values of
the witness, so a slip in one place does not show in another. A clause or summand that one side lacks, or a relation
that is another one, is a gap of 1.

The repaired formulas are held against the same print: they must differ where an erratum says so, and nowhere else.
Statements that are not formulas (algorithms, corollaries, remarks) are compared as data.
"""

import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

import sympy

from ratecert.transcription import bounds
from ratecert.verify.chart import Chart, Panel, Series
from ratecert.verify.check import Check
from ratecert.verify.claim import Budget, Claim, Json, Judgement, Piece
from theory.evaluation import number
from theory.papers import VARIANTS, paper
from theory.statements import Condition, Definition, Statement, Theorem

CONSTANTS = ("L_Phi", "L_hat", "L_tilde", "G", "Delta_Q")
STATEMENTS = (*(f"constant.{name}" for name in CONSTANTS), *bounds.TERMS)
LETTERS = (
    *("mu", "L_0", "L_1", "L_21", "L_22", "L_12", "sigma", "sigma_H", "theta", "Q", "eta", "alpha", "beta"),
    *("rho_1", "rho_2", "p", "K", "T", "B", "t", "Phi_gap", "y_gap"),
)
POINTS = 20
TOLERANCE = 1e-12
ROUNDING = 1e-14  # of some forty operations on either side
ABSENT = 1.0  # the gap where one side has nothing


def point(seed: int) -> dict[str, float]:
    """Positive values of different sizes, with theta mu < 1."""
    draw = random.Random(seed)
    values = {name: math.exp(draw.uniform(-1.5, 1.5)) for name in LETTERS}
    values["theta"] = draw.uniform(0.1, 0.9) / values["mu"]
    return values


def witness(id: str, values: Mapping[str, float]) -> tuple[dict[str, list[float]], dict[str, float]]:
    """place -> the numbers of the print there; and the values of all letters, constants and w included."""
    known = {**values, **bounds.constants(dict(values))}
    if id not in bounds.TERMS:
        name = id.removeprefix("constant.")
        value = known[name] ** bounds.POWERS.get(name, 1)
        return {f"{id}.left": [value], f"{id}.right": [value]}, known
    conditions, terms = bounds.CONDITIONS[id](known), bounds.TERMS[id](known)
    known["w"] = max(conditions.get("w", [0.0]))
    printed = {f"{id}.condition.{name}": right for name, right in conditions.items()}
    named = zip(bounds.NAMES[id].split(), terms, strict=True)
    return printed | {f"{id}.term.{name}": [term] for name, term in named}, known


def formulas(statement: Statement) -> dict[str, tuple[Any, ...]]:
    """place -> the expressions of theory/ there."""
    match statement:
        case Definition(id=id, left=left, right=right):
            return {f"{id}.left": (left,), f"{id}.right": (right,)}
        case Theorem(id=id, conditions=conditions, terms=terms):
            clauses = {f"{id}.condition.{name}": condition.clauses for name, condition in conditions.items()}
            return clauses | {f"{id}.term.{name}": (term,) for name, term in terms.items()}
    raise TypeError(f"{statement.id} has no formulas that are transcribed.")


def gap(theirs: Sequence[float], ours: Sequence[float]) -> float:
    if len(theirs) != len(ours):
        return ABSENT
    return max(abs(a - b) / (max(abs(a), abs(b)) or 1.0) for a, b in zip(theirs, ours, strict=True))


def gaps(statement: Statement, seed: int) -> dict[str, float]:
    """place -> relative gap, for every place that either side has."""
    printed, values = witness(statement.id, point(seed))
    ours = {place: [number(e, values) for e in some] for place, some in formulas(statement).items()}
    found = {place: gap(printed.get(place, []), ours.get(place, [])) for place in {**printed, **ours}}
    return {place: ABSENT if _misread(statement, place) else value for place, value in found.items()}


def _misread(statement: Statement, place: str) -> bool:
    """The relation of a condition is not the printed one."""
    if not isinstance(statement, Theorem) or ".condition." not in place:
        return False
    name = place.rpartition(".")[2]
    condition = statement.conditions.get(name)
    return condition is None or _relation(condition) != bounds.RELATIONS[statement.id].get(name)


def _relation(condition: Condition) -> str:
    return f"{condition.relation} max" if condition.of is sympy.Max else condition.relation


def compare(*, statement: str, points: int) -> Json:
    """variant -> place -> the largest gap to the print over so many points."""
    found: dict[str, dict[str, float]] = {}
    for variant in VARIANTS:
        rows = [gaps(paper(variant)[statement], seed) for seed in range(points)]
        found[variant] = {place: max(row[place] for row in rows) for place in rows[0]}
    return {"statement": statement, "points": points, "gaps": found}


def errata() -> Json:
    """The places that errata name, and the statements without transcribed formulas that differ."""
    printed, repaired = (paper(variant) for variant in VARIANTS)
    others = [id for id in printed.statements if id not in STATEMENTS]
    return {
        "named": [erratum.place for erratum in repaired.errata],
        "changed": [id for id in others if printed[id] != repaired[id]],
    }


def pieces(_: Budget) -> list[Piece]:
    return [Piece(errata), *(Piece(compare, {"statement": id, "points": POINTS}) for id in STATEMENTS)]


def judge(values: Sequence[Json]) -> Judgement:
    whole, compared = values[0], values[1:]
    printed, repaired = (
        {place: g for value in compared for place, g in value["gaps"][variant].items()}
        for variant in VARIANTS
    )
    changed = {*whole["changed"], *(place for place, g in repaired.items() if g > TOLERANCE)}
    named = set(whole["named"])
    return Judgement(
        checks=[
            *(_letter(place, value) for place, value in printed.items()),
            _none("changed without an erratum", changed - named),
            _none("named by an erratum and not changed", named - changed),
        ],
        regime="random positive values of all letters, of different sizes; inside the conditions or not, as formulas "
        "are compared and no bound is used",
        settings={"points": compared[0]["points"], "seeds": f"0 ... {compared[0]['points'] - 1}"},
        method="SymPy's formulas in floating point against an independent transcription",
        chart=_chart(printed, repaired),
        notes=[
            f"{len(printed)} places agree or are named above; errata change {len(changed)} places, of which "
            f"{len(whole['changed'])} are whole statements without transcribed formulas."
        ],
        table=[
            {
                "place": place,
                "printed": value,
                "repaired": repaired.get(place, ABSENT),
                "erratum": place in named,
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
        "condition and summand: rounding for the printed formulas (1e-17 stands for none); the repaired ones differ "
        "at the places that errata name, and at no other.",
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
        sentence="What theory/ evaluates is the print to the letter, and the repaired statements differ from it "
        "exactly where errata say so.",
        pieces=pieces,
        judge=judge,
    ),
)
