"""The statements in theory/ against their transcription: they are what is printed, and errata change what they name.

The witnesses, transcription/, are plain floats: every constant, condition and summand (bounds.py), every order
of the corollaries, remarks and Table 1 (corollaries.py), and the readings of the errata (repaired.py). For every place
a row has the two numbers whose gap is largest.

The repaired constants, conditions and summands are held against the print and against the readings: they must differ
from the print where an erratum says so and nowhere else, and there they must be the reading. Errata replace algorithms,
corollaries, remarks and the table as wholes; of these only the print is evaluated here.

A place is a constant's side, a condition, a summand or an order, such as theorem-1.term.noise_u or corollary-6.B. Both
sides are evaluated at random positive values of all letters, where no two different formulas agree, and the gap is
|a - b|/max(|a|, |b|). Constants in a theorem take the values of the transcription, so a slip in one place does not show
in another. Where one side lacks a clause, summand or order, or has another relation, or O for O~, the gap is 1.
"""

import math
import random
from collections.abc import Iterator, Mapping
from typing import Any

import sympy

from ratecert.base.errors import UserTypeError
from ratecert.claim import Budget, Chart, Check, Claim, Json, Piece, Row, Rows, Series
from ratecert.claim.checks import equal
from ratecert.claim.lines import figure, level
from ratecert.papers.federated_bilevel.paper import VARIANTS, paper
from ratecert.papers.federated_bilevel.transcription import bounds, corollaries
from ratecert.papers.federated_bilevel.transcription.repaired import readings
from ratecert.theory.language.statements import (
    Condition,
    Corollary,
    Counts,
    Definition,
    Factor,
    Scaling,
    Statement,
    Theorem,
)
from ratecert.theory.numbers.evaluation import number

CONSTANTS = ("L_Phi", "L_hat", "L_tilde", "G", "Delta_Q")
FORMULAS = (*(f"constant.{name}" for name in CONSTANTS), *bounds.TERMS)
STATEMENTS = (*FORMULAS, *corollaries.STATEMENTS)
LETTERS = (
    *("mu", "L_0", "L_1", "L_21", "L_22", "L_12", "sigma", "sigma_H", "theta", "Q", "eta", "alpha", "beta"),
    *("rho_1", "rho_2", "p", "K", "T", "B", "t", "Phi_gap", "y_gap"),
)
ABSENT = (0.0, 1.0)  # in place of two numbers that cannot be compared; their gap is 1
POINTS = 20
TOLERANCE = 1e-12
ROUNDING = 1e-14  # of some forty operations on either side


def point(seed: int) -> dict[str, float]:
    """Positive values of different sizes, with theta mu < 1; K, T and 1/eps above 1, so that no logarithm is near 0."""
    draw = random.Random(seed)
    values = {name: math.exp(draw.uniform(-1.5, 1.5)) for name in LETTERS}
    values["theta"] = draw.uniform(0.1, 0.9) / values["mu"]
    values |= {"K": 1 + values["K"], "T": 1 + values["T"], "eps": draw.uniform(0.05, 0.5)}
    return values


def witness(id: str, values: Mapping[str, float]) -> tuple[dict[str, list[float]], dict[str, float]]:
    """place -> the numbers of the print there; and the values of all letters, constants and w included."""
    known = {**values, **bounds.constants(dict(values))}
    if id in corollaries.STATEMENTS:
        return {place: [value] for place, (_, value) in _orders(id, values).items()}, known
    if id not in bounds.TERMS:
        name = id.removeprefix("constant.")
        value = known[name] ** bounds.POWERS.get(name, 1)
        return {f"{id}.left": [value], f"{id}.right": [value]}, known
    conditions, terms = bounds.CONDITIONS[id](known), bounds.TERMS[id](known)
    known["w"] = max(conditions.get("w", [0.0]))
    printed = {f"{id}.condition.{name}": right for name, right in conditions.items()}
    named = zip(bounds.NAMES[id].split(), terms, strict=True)
    return printed | {f"{id}.term.{name}": [term] for name, term in named}, known


def _orders(id: str, values: Mapping[str, float]) -> dict[str, corollaries.Order]:
    stated = corollaries.orders(values["K"], values["T"], values["eps"])
    return {place: order for place, order in stated.items() if place.startswith(f"{id}.")}


def scalings(statement: Statement) -> dict[str, Scaling]:
    """place -> the order that theory/ has there."""
    match statement:
        case Corollary(id=id, scalings=some, claim=claim):
            return {f"{id}.{name}": scaling for name, scaling in {**some, "rate": claim}.items()}
        case Counts(costs=costs):
            return {f"{statement.place(c)}.{name}": order for c in costs for name, order in c.counts.items()}
        case Factor(id=id, factor=factor):
            return {f"{id}.factor": factor}
    return {}


def formulas(statement: Statement) -> dict[str, tuple[Any, ...]]:
    """place -> the expressions of theory/ there."""
    match statement:
        case Definition(id=id, left=left, right=right):
            return {f"{id}.left": (left,), f"{id}.right": (right,)}
        case Theorem(id=id, conditions=conditions, terms=terms):
            clauses = {f"{id}.condition.{name}": condition.clauses for name, condition in conditions.items()}
            return clauses | {f"{id}.term.{name}": (term,) for name, term in terms.items()}
        case Corollary() | Counts() | Factor():
            return {place: (scaling.order,) for place, scaling in scalings(statement).items()}
    raise UserTypeError(f"{statement.id} has no formulas that are transcribed.")


def gap(ours: float, theirs: float) -> float:
    return abs(ours - theirs) / (max(abs(ours), abs(theirs)) or 1.0)


def compared(statement: Statement, points: int, *, as_read: bool = False) -> dict[str, tuple[float, float]]:
    """place -> the numbers of theory/ and of the print, or of what is read for it, where their gap is largest."""
    found: dict[str, list[tuple[float, float]]] = {}
    for seed in range(points):
        theirs, values = witness(statement.id, point(seed))
        if as_read:
            theirs |= {place: read for place, read in readings(values).items() if place in theirs}
        ours = {place: [number(e, values) for e in some] for place, some in formulas(statement).items()}
        for place in {**theirs, **ours}:
            a, b = ours.get(place, []), theirs.get(place, [])
            comparable = len(a) == len(b) and not _misread(statement, place)
            found.setdefault(place, []).extend(zip(a, b, strict=True) if comparable else [ABSENT])
    return {place: max(pairs, key=lambda pair: gap(*pair)) for place, pairs in found.items()}


def _misread(statement: Statement, place: str) -> bool:
    """The relation of a condition, or the kind of an order, is not the printed one."""
    if statement.id in corollaries.STATEMENTS:
        stated, ours = _orders(statement.id, point(0)).get(place), scalings(statement).get(place)
        return stated is None or ours is None or ours.kind != stated[0]
    if not isinstance(statement, Theorem) or ".condition." not in place:
        return False
    name = place.rpartition(".")[2]
    condition = statement.conditions.get(name)
    return condition is None or _relation(condition) != bounds.RELATIONS[statement.id].get(name)


def _relation(condition: Condition) -> str:
    return f"{condition.relation} max" if condition.of is sympy.Max else condition.relation


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
