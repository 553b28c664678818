"""Both sides of a theorem's inequality in one setting, as a row, and what they show about each term of the bound.

    measured   the left side, by exact moments, known up to `precision`, a relative error
    bound      the right side, and its terms.*, with the constants of a ball of this radius
    reach      the radius for the iterates alone, and what is attained of it (attained.py)

If the ball is certified no outcome leaves it. Then f may be continued outside as a Lipschitz function without changing
the run, all assumptions hold, and measured > bound refutes the theorem. If it is only assumed, nothing is refuted.

A term divided by c leaves the bound rest + term/c. That is below what was measured, and would be noticed, for every

    c > term/(measured - rest),

if the rest of the bound is less than measured; a setting in which it is not says nothing about that term.
"""

import math
from collections.abc import Mapping
from typing import Any

from ratecert.claims import Json, Row
from ratecert.claims.rows import flat, group
from ratecert.papers.federated_bilevel.evidence.theorems.attained import attained
from ratecert.papers.federated_bilevel.evidence.theorems.grid import TheoremSetting
from ratecert.papers.federated_bilevel.evidence.theorems.tightness import Sides, measure
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.theory.language.statements import Theorem
from ratecert.theory.numbers.admissible import schedule
from ratecert.theory.numbers.evaluation import ConditionCheck, evaluate

STEPS = ("alpha", "beta", "rho_1", "rho_2", "eta", "theta", "Q", "scale", "offset", "floor")


def both_sides(
    theorem: str, variant: str, role: str, setting: Mapping[str, Any], erratum: str = ""
) -> list[Json]:
    """Compute both sides; with the place of an erratum, the printed bound is evaluated with and without it as well.

    `role` says why the setting is run.
    """
    given = TheoremSetting(**setting)
    world = given.problem()
    sides = measure(theorem, given, variant)
    bound = sides.bound
    values = {**bound.values, **schedule(paper(variant).the(Theorem, theorem), bound.values)}
    conditions = {f"{check.name} {check.relation}": condition_of(check) for check in bound.checks}
    return [
        flat(
            role=role,
            **setting,
            steps={name: values[name] for name in STEPS if name in values},
            measured=sides.measured,
            precision=sides.precision,
            bound=bound.total,
            terms=bound.terms,
            values={name: condition["left"] for name, condition in conditions.items()},
            limits={name: condition["right"] for name, condition in conditions.items()},
            margins={name: condition["margin"] for name, condition in conditions.items()},
            radius=sides.ball.radius,
            certified=sides.ball.certified,
            reach=sides.ball.iterates,
            attained=attained(world, *given.start(world), theta=values["theta"], Q=round(values["Q"])),
            repaired=_partly_repaired(sides, erratum) if erratum else {},
        )
    ]


def condition_of(check: ConditionCheck) -> dict[str, Json]:
    margin = check.margin if math.isfinite(check.margin) else None  # alpha > 0 has no finite one
    part = f"{check.name} {check.relation}"
    return {"part": part, "left": check.left, "right": check.right, "margin": margin}


def _partly_repaired(sides: Sides, place: str) -> dict[str, float]:
    """Evaluate the printed bound at the same values with the erratum at this place alone, and with all others."""
    printed, errata = paper("printed"), paper("repaired").errata
    values = {name: value for name, value in sides.bound.values.items() if name not in printed.constants}
    chosen = {
        "alone": tuple(e for e in errata if e.place == place),
        "others": tuple(e for e in errata if e.place != place),
    }
    theorem = sides.bound.theorem
    return {n: evaluate(printed.repaired(some), theorem, values).total for n, some in chosen.items()}


def with_bound(run: Row, terms: Mapping[str, float]) -> dict[str, Any]:
    """The run beside a bound of other terms."""
    rest = {name: cell for name, cell in run.items() if not name.startswith("terms.")}
    return {**rest, **flat(terms=terms), "bound": math.fsum(terms.values())}


def ratio(run: Row) -> float:
    return float(run["measured"] / run["bound"])


def largest_divisor(run: Row, term: str) -> float | None:
    """By how much the term may be divided without being noticed; None where it may be left out."""
    terms = group(run, "terms")
    rest = math.fsum(value for name, value in terms.items() if name != term)
    spare = run["measured"] - abs(run["measured"]) * run["precision"] - rest
    return float(terms[term] / spare) if spare > 0 else None
