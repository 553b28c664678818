"""What the two claims on Corollary 1's Q share: runs with Q = unit log sqrt(KT), their exponent and their picture."""

import math
from collections.abc import Sequence

from ratecert.claim.chart import Panel, Series, Triangle
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Json, Piece
from ratecert.papers.federated_bilevel.evidence.bias.needed_terms import rate, units_of, with_unit, world_of

EXPONENT = 1e-3
DEVICES = 8
LOGS = tuple(range(14, 22))  # log sqrt(KT)


def along_unit(theta: float, *, unit: float, budget: Budget) -> Piece:
    """KT from about exp(28) to exp(42), where unit log sqrt(KT) is a whole number."""
    terms = sorted({math.floor(value * unit) for value in (LOGS[-3:] if budget.quick else LOGS)})
    return Piece(with_unit, {"theta": theta, "K": DEVICES, "unit": unit, "terms": terms}, 0.08 * len(terms))


def exponent_check(v: Json, *, predicted: float) -> Check:
    """Over the last two steps."""
    span = math.log(v["KT"][-1] / v["KT"][-3])
    return Check(
        name=f"exponent in KT, Q = {v['unit']:.3g} log sqrt(KT), theta mu = {v['theta']}",
        measured=math.log(v["measured"][-1] / v["measured"][-3]) / span,
        predicted=predicted,
        tolerance=EXPONENT,
        uncertainty=2 * v["precision"] / span,
    )


def settings_of(values: Sequence[Json]) -> dict[str, Json]:
    thetas = list(dict.fromkeys(v["theta"] for v in values))
    return {
        "corollary": "corollary-1",
        "worlds": {f"theta = {theta}": world_of(theta) for theta in thetas},
        "units": {f"theta = {theta}": units_of(theta) for theta in thetas},
    }


def measures_panel(runs: Sequence[Json], *, title: str) -> Panel:
    """Measure against KT; runs that keep the rate are solid, and the rate is drawn through the first of them."""
    series, triangles = [], []
    for i, v in enumerate(runs):
        kept = keeps_the_rate(v)
        unit = "" if v["unit"] == 1 else rf"{v['unit']:.3g}\,"
        label = rf"$\theta\mu = {v['theta']}$, $Q = {unit}\log\sqrt{{KT}}$"
        x, y = v["KT"], v["measured"]
        series.append(Series(label=label, x=x, y=y, kind="measured" if kept else "contrast", colour=i))
        slope = max(-0.5, -v["unit"] * rate(v["theta"]))
        at = {"x": x[0] * 3, "y": 3 * y[0] * 3**slope, "factor": 10.0}
        triangles.append(Triangle(slope=slope, label="-1/2" if kept else f"{slope:.3f}", colour=i, **at))
    first = next((v for v in runs if keeps_the_rate(v)), runs[0])
    through = [first["measured"][0] * (KT / first["KT"][0]) ** -0.5 for KT in first["KT"]]
    dashed = Series(label=r"$\propto (KT)^{-1/2}$", x=first["KT"], y=through, kind="predicted", colour=6)
    return Panel(
        title=title, x_label="$KT$", y_label="measure", series=[*series, dashed], triangles=triangles
    )


def keeps_the_rate(v: Json) -> bool:
    """Whether the floor is at most of order (KT)^{-1/2}."""
    return bool(v["unit"] * rate(v["theta"]) >= 0.5)
