"""From exact runs to checks: exponents, leading constants, times to reach eps, and where the speedup ends.

`closed` is what computations.constants returns: the parts of the leading constant and, as `alone`, T times the measure
of infinitely many devices at the largest step.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ratecert.claim.check import Check
from ratecert.claim.claim import Json
from ratecert.papers.federated_bilevel.evidence.speedup.runs import claimed
from ratecert.papers.federated_bilevel.evidence.speedup.settings import label, two_to
from ratecert.papers.federated_bilevel.evidence.speedup.slopes import Known, Rows, exponent, joint_exponents
from ratecert.papers.federated_bilevel.evidence.speedup.small_steps import leading_constant

Row = Mapping[str, Any]

TOLERANCE = 1e-3  # of exponents, and of ratios that a closed form predicts
FLAT = 1e-2  # of K T(K)/T(1)
LOST = 0.2  # the exponent in K that shared noise has at least
MANY = 256  # devices, from which on it dominates


def scaled(corollary: str, row: Row) -> float:
    """measure (KT)^r."""
    return float(row["measure"] * (row["K"] * float(row["T"])) ** -claimed(corollary, "T"))


def exponents(corollary: str, value: Json) -> list[Check]:
    """In T at the second K, in K at the last T but one, and in both over the whole grid."""
    rows, where = value["rows"], label(value["setting"]["world"])
    K, T = _levels(rows, "K")[1], _levels(rows, "T")[-2]
    joint = joint_exponents(rows, ("K", "T"))
    found = [
        ("T", f"K = {K}", exponent([row for row in rows if row["K"] == K], "T")),
        ("K", f"T = {two_to(T)}", exponent([row for row in rows if row["T"] == T], "K")),
        ("T", "joint fit", joint["T"]),
        ("K", "joint fit", joint["K"]),
    ]
    return [
        _equal(f"exponent of {letter}, {place}, {where}", each, claimed(corollary, letter))
        for letter, place, each in found
    ]


def constant(corollary: str, rows: Rows, closed: Json) -> Check:
    """measure (KT)^r at the largest T over its closed form, at the worst K; what still moves there is uncertain."""
    before, last = _levels(rows, "T")[-2:]
    at = {(row["K"], row["T"]): scaled(corollary, row) for row in rows}
    ratios = {}
    for K in _levels(rows, "K"):
        limit = leading_constant(closed["parts"], K)
        ratios[K] = Known(at[K, last] / limit, abs(at[K, last] - at[K, before]) / limit)
    worst = max(ratios, key=lambda K: abs(ratios[K].value - 1))
    return _equal(f"leading constant over its closed form, worst K = {worst}", ratios[worst], 1.0)


def below_bound(values: Sequence[Json]) -> Check:
    rows = [row for value in values for row in value["rows"]]
    worst = max(rows, key=lambda row: row["measure"] / row["bound"])
    ratio = worst["measure"] / worst["bound"]
    return Check(
        name=f"measure over bound, the largest, K = {two_to(worst['K'])}, T = {two_to(worst['T'])}",
        measured=ratio,
        predicted=1.0,
        relation="<=",
        uncertainty=ratio * worst["precision"],
    )


def flatness(corollary: str, values: Sequence[Json], closed: Json) -> list[Check]:
    """K T(K)/T(1) at the smallest eps is 1, and nearer to its closed form than at the largest eps."""
    ordered = sorted(values, key=lambda value: value["eps"])
    smallest, largest = ordered[0], ordered[-1]
    place = f"eps = {two_to(smallest['eps'])}"
    worst, flat = farthest(smallest["rows"], dict.fromkeys(_levels(smallest["rows"], "K"), 1.0))
    checks = [_equal(f"K T(K)/T(1), worst K = {worst}, {place}", flat, 1.0, FLAT)]
    form = {row["K"]: predicted_time(corollary, row["K"], closed) for row in smallest["rows"]}
    worst, near = farthest(smallest["rows"], form)
    if set(form.values()) != {1.0}:
        checks.append(_equal(f"K T(K)/T(1) over its closed form, worst K = {worst}, {place}", near, 1.0))
    if largest is not smallest:
        _, far = farthest(largest["rows"], form)
        distance = abs(far.value - 1)
        checks.append(
            Check(
                name=f"distance from the closed form, relative to that at eps = {two_to(largest['eps'])}",
                measured=abs(near.value - 1) / distance,
                predicted=0.5,
                relation="<=",
                uncertainty=(near.uncertainty + far.uncertainty) / distance,
            )
        )
    return checks


def farthest(rows: Rows, form: Mapping[int, float]) -> tuple[int, Known]:
    """The K at which K T(K)/T(1) is farthest from its form, and the ratio of the two there."""
    first = rows[0]
    ratios = {
        row["K"]: Known(
            row["K"] * row["T"] / first["T"] / form[row["K"]], row["residual"] + first["residual"]
        )
        for row in rows
    }
    worst = max(ratios, key=lambda K: abs(ratios[K].value - 1))
    return worst, ratios[worst]


def predicted_time(corollary: str, K: float, closed: Json) -> float:
    """K T(K)/T(1) as eps tends to 0."""
    power = -1 / claimed(corollary, "T")
    return float((leading_constant(closed["parts"], K) / leading_constant(closed["parts"], 1)) ** power)


def outside(
    corollary: str, rows: Rows, closed: Json, still: Sequence[int], flat: Sequence[int], inside: int
) -> list[Check]:
    """The exponent in K where it is still the claimed one and where nothing is left of it, and the bend between."""
    at = {row["K"]: row for row in rows}
    checks = []
    for K, predicted in ((still, claimed(corollary, "K")), (flat, 0.0)):
        if K:
            name = f"exponent of K outside the window, K from {two_to(K[0])} to {two_to(K[-1])}"
            checks.append(_equal(name, exponent([at[each] for each in K], "K"), predicted))
    deep, far = at[inside], at[flat[-1]]
    seen = bend(corollary, scaled(corollary, deep), far["measure"] * far["T"], far["T"])
    form = bend(corollary, leading_constant(closed["parts"], inside), closed["alone"], far["T"])
    error = (deep["precision"] + far["precision"]) / abs(claimed(corollary, "T"))
    bent = Known(seen / form, error * seen / form)
    return [*checks, _equal(f"K at which the curve bends over its closed form, {form:.1e}", bent, 1.0)]


def bend(corollary: str, constant: float, alone: float, T: float) -> float:
    """The K at which constant/(KT)^r = alone/T."""
    power = -1 / claimed(corollary, "T")
    return float((constant / alone) ** power * float(T) ** (power - 1))


def contrast(rows: Rows) -> Check:
    """Shared noise, where there are enough devices for it to dominate."""
    found = exponent([row for row in rows if row["K"] >= MANY], "K")
    return Check(
        name=f"exponent of K, noise shared, K from {MANY} on",
        measured=found.value,
        predicted=LOST,
        relation=">=",
        uncertainty=found.uncertainty,
    )


def _levels(rows: Rows, name: str) -> list[int]:
    return sorted({row[name] for row in rows})


def _equal(name: str, found: Known, predicted: float, tolerance: float = TOLERANCE) -> Check:
    return Check(
        name=name,
        measured=found.value,
        predicted=predicted,
        tolerance=tolerance,
        uncertainty=found.uncertainty,
    )
