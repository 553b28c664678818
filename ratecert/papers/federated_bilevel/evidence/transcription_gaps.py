"""How far a statement of theory/ is from its transcription, place by place.

A place is a constant's side, a condition, a summand or an order, such as theorem-1.term.noise_u or corollary-6.B. Both
sides are evaluated at random positive values of all letters, where no two different formulas agree, and the gap is
|a - b|/max(|a|, |b|). Constants in a theorem take the values of the transcription, so a slip in one place does not show
in another. Where one side lacks a clause, summand or order, or has another relation, or O for O~, the gap is 1.
"""

import math
import random
from collections.abc import Mapping
from typing import Any

import sympy

from ratecert.errors import UserTypeError
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
