"""The figures of the claims on speedup: measure and bound, what K does to them, and the time to reach eps."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ratecert.claim.chart import Chart, Panel, Series, Triangle
from ratecert.claim.claim import Json
from ratecert.papers.federated_bilevel.evidence.speedup.checks import bend, scaled
from ratecert.papers.federated_bilevel.evidence.speedup.runs import claimed
from ratecert.papers.federated_bilevel.evidence.speedup.slopes import local_exponents
from ratecert.papers.federated_bilevel.evidence.speedup.small_steps import leading_constant

FRACTION = {"corollary-1": "1/2", "corollary-3": "2/3"}

Parts = Mapping[str, Sequence[Json]]  # the values of the pieces, by what they are


def chart(corollary: str, power: int, parts: Parts) -> Chart:
    return Chart(
        caption=f"Measure against T beside the bound; measure times (KT)^({FRACTION[corollary]}) against K, and its "
        "local exponent in K, with the window in which the corollary claims to hold; K times the iterations to reach "
        "eps. Noise that devices share makes more devices worse.",
        panels=[
            _over_T(corollary, parts["bounds"][0]),
            _over_K(corollary, power, parts),
            _exponents(corollary, power, parts),
            _times(parts),
        ],
    )


def _over_T(corollary: str, value: Json) -> Panel:
    series = []
    for colour, K in enumerate(sorted({row["K"] for row in value["rows"]})):
        rows = [row for row in value["rows"] if row["K"] == K]
        T = [float(row["T"]) for row in rows]
        series += [
            Series(label=f"K = {K}", x=T, y=[row["measure"] for row in rows], colour=colour),
            Series(
                label=f"bound, K = {K}", x=T, y=[row["bound"] for row in rows], kind="bound", colour=colour
            ),
        ]
    last = max(value["rows"], key=lambda row: (row["K"], row["T"]))
    slope = claimed(corollary, "T")
    corner = Triangle(
        x=last["T"] / 2**10,
        y=last["measure"] * 2 ** (-10 * slope) / 30,
        slope=slope,
        label=f"-{FRACTION[corollary]}",
        factor=64,
    )
    return Panel(
        title="steps inside the theorem's conditions",
        x_label="iterations $T$",
        y_label="measure and bound",
        series=series,
        triangles=[corner],
    )


def _over_K(corollary: str, power: int, parts: Parts) -> Panel:
    value, shared, closed = parts["devices"][0], parts["shared"][0], parts["constants"][0]
    T = float(value["T"])
    K = [float(row["K"]) for row in value["rows"]]
    K_shared = [float(row["K"]) for row in shared["rows"]]
    form = [leading_constant(closed["parts"], each) for each in K]
    turn = bend(corollary, form[-1], closed["alone"], T)
    rate = -claimed(corollary, "T")
    beyond = [turn, K[-1]]
    return Panel(
        title=f"$T = 2^{{{math.log2(T):.0f}}}$",
        x_label="devices $K$",
        y_label=rf"measure $\times\,(KT)^{{{FRACTION[corollary]}}}$",
        series=[
            Series(label="independent noise", x=K, y=[scaled(corollary, row) for row in value["rows"]]),
            Series(label="closed form", x=K, y=form, kind="predicted", colour=6),
            Series(label="closed form, infinitely many devices", x=beyond, kind="predicted", colour=4,
                   y=[closed["alone"] / T * (each * T) ** rate for each in beyond]),
            Series(label="noise shared by all devices", x=K_shared, kind="contrast", colour=1,
                   y=[scaled(corollary, row) for row in shared["rows"]]),
        ],
        window=(1.0, T ** (1 / power)),
        window_label=f"claimed: $T \\geq K^{power}$",
    )  # fmt: skip


def _exponents(corollary: str, power: int, parts: Parts) -> Panel:
    value, shared = parts["devices"][0], parts["shared"][0]
    rate = claimed(corollary, "K")
    ends = [1.0, float(value["rows"][-1]["K"])]
    return Panel(
        title=f"$T = 2^{{{math.log2(value['T']):.0f}}}$",
        x_label="devices $K$",
        y_label="local exponent of $K$",
        series=[
            _local("independent noise", value["rows"], "measure"),
            *(_local("bound", each["rows"], "bound", kind="bound", colour=2) for each in parts["bounds"][1:]),
            _local("noise shared by all devices", shared["rows"], "measure", kind="contrast", colour=1),
            Series(
                label=f"claimed: -{FRACTION[corollary]}", x=ends, y=[rate, rate], kind="predicted", colour=6
            ),
        ],
        window=(1.0, float(value["T"]) ** (1 / power)),
        window_label=f"claimed: $T \\geq K^{power}$",
        y_scale="linear",
    )


def _local(name: str, rows: Sequence[Json], quantity: str, **look: Any) -> Series:
    points = local_exponents([float(row["K"]) for row in rows], [row[quantity] for row in rows])
    return Series(label=name, x=[x for x, _ in points], y=[y for _, y in points], **look)


def _times(parts: Parts) -> Panel:
    series = [
        _time(rf"$\epsilon = 2^{{{math.log2(value['eps']):.0f}}}$", value["rows"], colour=2 * i)
        for i, value in enumerate(parts["times"])
    ]
    series += [
        _time(
            rf"noise shared, $\epsilon = 2^{{{math.log2(value['eps']):.0f}}}$",
            value["rows"],
            kind="contrast",
            colour=1,
        )
        for value in parts.get("shared times", ())
    ]
    return Panel(
        title=r"$T(K)$: iterations to reach $\epsilon$",
        x_label="devices $K$",
        y_label=r"$K\,T(K)$",
        series=series,
    )


def _time(name: str, rows: Sequence[Json], **look: Any) -> Series:
    return Series(label=name, x=[row["K"] for row in rows], y=[row["K"] * row["T"] for row in rows], **look)
