"""The readings drawn: the measure over T, in which they look alike, and their differences, in which they do not."""

from collections.abc import Sequence

from ratecert.claim.chart import Chart, Panel, Series, Triangle
from ratecert.claim.claim import Json
from ratecert.papers.federated_bilevel.evidence.readings.differences import PAIRS, differences
from ratecert.papers.federated_bilevel.evidence.readings.runs import READINGS, T_VISIBLE, curve

LEAST_DRAWN = 1e-16  # a difference may be zero, which a logarithmic axis cannot show


def chart(values: Sequence[Json]) -> Chart:
    return Chart(
        caption="First: the measure along Corollaries 1 and 3; of the five readings only two curves can be told apart. "
        "Second: relative differences between readings. Momenta that are computed before they are averaged make "
        "a difference that falls with T; whether the previous point is averaged makes a small one that stays.",
        panels=[_measures(values), _differences(values)],
    )


def _measures(values: Sequence[Json]) -> Panel:
    curves = {
        f"{corollary}, {name}": curve(values, corollary, name)
        for corollary, readings in READINGS.items()
        for name in (" ".join(reading.values()) for reading in readings)
    }
    ends = [(rows[-2]["T"], rows[-2]["measure"]) for rows in curves.values()]
    return Panel(
        x_label="$T$",
        y_label=r"average of $\|\nabla\Phi(\bar x_t)\|^2 + \tilde{L}^2 \|\bar y_t - y^*(\bar x_t)\|^2$",
        series=[
            Series(label=label, x=[float(v["T"]) for v in rows], y=[v["measure"] for v in rows], colour=i)
            for i, (label, rows) in enumerate(curves.items())
        ],
        triangles=[
            Triangle(x=ends[0][0], y=2 * ends[0][1], slope=-1 / 2, label="-1/2", factor=16.0, colour=1),
            Triangle(x=ends[-1][0], y=2 * ends[-1][1], slope=-2 / 3, label="-2/3", factor=16.0, colour=4),
        ],
    )


def _differences(values: Sequence[Json]) -> Panel:
    rows = {pair: differences(values, pair) for pair in PAIRS}
    fresh = next(row for row in [*rows.values()][-1] if row["T"] == T_VISIBLE[0])
    series = [
        Series(
            label=pair,
            x=[float(row["T"]) for row in found],
            y=[max(abs(row["difference"]), LEAST_DRAWN) for row in found],
            kind="contrast",
            colour=colour,
        )
        for (pair, found), colour in zip(rows.items(), (1, 2, 4), strict=True)
    ]
    times = [series[0].x[0], series[0].x[-1]]
    rounding = max(row["rounding"] for found in rows.values() for row in found)
    slope = Triangle(
        x=fresh["T"], y=4 * abs(fresh["difference"]), slope=-2 / 3, label="-2/3", factor=64.0, colour=4
    )
    return Panel(
        x_label="$T$",
        y_label="relative difference of the measure",
        series=[*series, Series(label="rounding", x=times, y=[rounding] * 2, kind="bound", colour=6)],
        triangles=[slope],
    )
