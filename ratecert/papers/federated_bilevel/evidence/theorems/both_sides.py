"""Both sides of a theorem's inequality in one setting, as JSON, and what they show about each term of the bound.

    measured   the left side, by exact moments, known up to `precision`, a relative error
    terms      the right side, term by term, with the constants of a ball of this radius

If the ball is certified no outcome leaves it. Then f may be continued outside as a Lipschitz function without changing
the run, all assumptions hold, and measured > bound refutes the theorem. If it is only assumed, nothing is refuted.

A term divided by c leaves the bound rest + term/c. That is below what was measured, and would be noticed, for every

    c > term/(measured - rest),

if the rest of the bound is less than measured; a setting in which it is not says nothing about that term.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ratecert.claim.claim import Json
from ratecert.papers.federated_bilevel.evidence.theorems.grid import Setting
from ratecert.papers.federated_bilevel.evidence.theorems.tightness import Row, measure
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.theory.language.statements import Theorem
from ratecert.theory.numbers.admissible import schedule
from ratecert.theory.numbers.evaluation import Check, evaluate

STEPS = ("alpha", "beta", "rho_1", "rho_2", "eta", "theta", "Q")


@dataclass(frozen=True, kw_only=True)
class Sides:
    role: str  # why the setting is run
    setting: Mapping[str, Json]
    steps: Mapping[str, float]
    measured: float
    precision: float
    terms: Mapping[str, float]
    conditions: Sequence[Mapping[str, Json]]
    radius: float
    certified: bool
    erratum: str = ""  # its place
    partly: Mapping[str, float] = field(
        default_factory=dict
    )  # the printed bound with it "alone", with "others"

    @property
    def T(self) -> int:
        return int(self.setting["T"])

    @property
    def name(self) -> str:
        return str(self.setting["name"])

    @property
    def bound(self) -> float:
        return math.fsum(self.terms.values())

    @property
    def ratio(self) -> float:
        return self.measured / self.bound

    @property
    def error(self) -> float:
        """Of the ratio."""
        return abs(self.ratio) * self.precision

    def largest_divisor(self, term: str) -> float | None:
        """By how much the term may be divided without being noticed; None where it may be left out."""
        rest = math.fsum(value for name, value in self.terms.items() if name != term)
        spare = self.measured - abs(self.measured) * self.precision - rest
        return self.terms[term] / spare if spare > 0 else None


def both_sides(theorem: str, variant: str, role: str, setting: Mapping[str, Any], erratum: str = "") -> Json:
    """Computed; with the place of an erratum, the printed bound is evaluated with and without it as well."""
    row = measure(theorem, Setting(**setting), variant)
    values = {**row.bound.values, **schedule(paper(variant).the(Theorem, theorem), row.bound.values)}
    sides = Sides(
        role=role,
        setting=dict(setting),
        steps={n: values[n] for n in (*STEPS, "scale", "offset", "floor") if n in values},
        measured=row.measured,
        precision=row.precision,
        terms=dict(row.bound.terms),
        conditions=[condition_of(check) for check in row.bound.checks],
        radius=row.ball.radius,
        certified=row.ball.certified,
        erratum=erratum,
        partly=_partly_repaired(row, erratum) if erratum else {},
    )
    return asdict(sides)


def condition_of(check: Check) -> dict[str, Json]:
    margin = check.margin if math.isfinite(check.margin) else None  # alpha > 0 has no finite one
    return {
        "part": f"{check.name} {check.relation}",
        "left": check.left,
        "right": check.right,
        "margin": margin,
    }


def _partly_repaired(row: Row, place: str) -> dict[str, float]:
    """The printed bound at the same values with the erratum at this place alone, and with all others."""
    printed, errata = paper("printed"), paper("repaired").errata
    values = {name: value for name, value in row.bound.values.items() if name not in printed.constants}
    chosen = {
        "alone": tuple(e for e in errata if e.place == place),
        "others": tuple(e for e in errata if e.place != place),
    }
    return {
        n: evaluate(printed.repaired(some), row.bound.theorem, values).total for n, some in chosen.items()
    }
