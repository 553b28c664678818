"""The charts of the remarks on costs: iterations and rounds against 1/eps, and samples per iteration."""

import math
from collections.abc import Sequence
from fractions import Fraction

from ratecert.claim.chart import Chart, Panel, Series, Triangle
from ratecert.claim.claim import Json


def _line(runs: Sequence[Json], K: int) -> list[Json]:
    return [row for row in runs if row["K"] == K]


def cost_chart(derived: Json, runs: Sequence[Json]) -> Chart:
    panels = [_cost_panel(derived, runs, name) for name in ("iterations", "rounds")]
    return Chart(
        caption="Iterations of each device fall as 1/K; rounds do not depend on K, so that their lines coincide.",
        panels=panels,
    )


def _cost_panel(derived: Json, runs: Sequence[Json], name: str) -> Panel:
    devices = sorted({row["K"] for row in runs})
    series = [
        Series(label=f"K = {K}", x=[1 / row["eps"] for row in _line(runs, K)],
               y=[row[name] for row in _line(runs, K)], colour=i)
        for i, K in enumerate(devices)
    ]  # fmt: skip
    slope = derived[name]["N"]
    factor = (series[0].x[-1] / series[0].x[0]) ** 0.25
    corner = Triangle(
        x=series[0].x[0] * factor,
        y=min(series[-1].y) * factor ** (slope / 4),
        slope=slope,
        label=str(Fraction(slope)),
        factor=factor,
    )
    return Panel(title=name, x_label=r"$1/\epsilon$", y_label=name, series=series, triangles=[corner])


def samples_chart(runs: Sequence[Json]) -> Chart:
    line = _line(runs, runs[0]["K"])
    s = [-math.log(row["eps"]) for row in line]
    drawn = [row["per iteration"] for row in line]
    return Chart(
        caption="Samples of an iteration: Q + 3, which grows as log(1/eps); the remark counts one.",
        panels=[
            Panel(
                x_label=r"$\log(1/\epsilon)$",
                y_label="samples per iteration",
                series=[
                    Series(label="counted, $Q + 3$", x=s, y=drawn),
                    Series(label="as the remark counts", x=s, y=[1.0] * len(s), kind="predicted", colour=1),
                ],
                triangles=[
                    Triangle(
                        x=s[0] * 1.2, y=drawn[0] * 0.6, slope=1.0, label="1", factor=(s[-1] / s[0]) ** 0.5
                    )
                ],
            )
        ],
    )
