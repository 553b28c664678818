"""The figures of the claims on speedup: measure and bound, what K does to them, and the time to reach eps."""

import math
from typing import Any

from ratecert.claim import Chart, Panel, Rows, Series, Triangle
from ratecert.claim.checks import slope
from ratecert.claim.lines import level, line
from ratecert.papers.federated_bilevel.evidence.experiment import claimed
from ratecert.papers.federated_bilevel.evidence.speedup.computations import scaled
from ratecert.papers.federated_bilevel.evidence.speedup.settings import experiment, mathtext
from ratecert.papers.federated_bilevel.evidence.speedup.small_steps import (
    last_useful_K,
    leading_constant,
    leading_parts,
    many_devices,
)

FRACTION = {"corollary-1": "1/2", "corollary-3": "2/3"}


def chart(corollary: str, window: int, rows: Rows) -> Chart:
    T = rows.where(part="devices")[0]["T"]
    over_K: dict[str, Any] = {
        "title": f"$T = {mathtext(T)}$",
        "x_label": "devices $K$",
        "window": (1.0, float(T) ** (1 / window)),
        "window_label": f"claimed: $T \\geq K^{window}$",
    }
    return Chart(
        caption=f"Measure against T beside the bound; measure times (KT)^({FRACTION[corollary]}) against K, and its "
        "local exponent in K, with the window in which the corollary claims to hold; K times the iterations to reach "
        "eps. Noise that devices share makes more devices worse.",
        panels=[
            _over_T(corollary, rows.where(part="bounds").but(T=T)),
            Panel(
                y_label=rf"measure $\times\,(KT)^{{{FRACTION[corollary]}}}$",
                series=_over_K(corollary, rows),
                **over_K,
            ),
            Panel(
                y_label="local exponent of $K$",
                series=_exponents(corollary, rows),
                y_scale="linear",
                **over_K,
            ),
            Panel(
                title=r"$T(K)$: iterations to reach $\epsilon$",
                x_label="devices $K$",
                y_label=r"$K\,T(K)$",
                series=_times(rows),
            ),
        ],
    )


def _over_T(corollary: str, rows: Rows) -> Panel:
    series = []
    for colour, (K, here) in enumerate(rows.by("K")):
        series += [
            line(f"K = {K}", here, "T", "measure", colour=colour),
            line(f"bound, K = {K}", here, "T", "bound", kind="bound", colour=colour),
        ]
    power, left = claimed(corollary, "T"), 2**10
    x, y = rows[-1]["T"] / left, rows[-1]["measure"] * left**-power / 30
    return Panel(
        title="steps inside the theorem's conditions",
        x_label="iterations $T$",
        y_label="measure and bound",
        series=series,
        triangles=[Triangle(x=x, y=y, slope=power, label=f"-{FRACTION[corollary]}", factor=64)],
    )


def _over_K(corollary: str, rows: Rows) -> list[Series]:
    here, over_K = experiment(corollary), rows.where(part="devices")
    T, most, step = float(over_K[0]["T"]), float(over_K[-1]["K"]), over_K[0]["largest"]
    parts, many, rate = leading_parts(here), many_devices(here, step), -claimed(corollary, "T")
    beyond = [last_useful_K(corollary, leading_constant(parts, most), many, T), most]
    return [
        line("independent noise", over_K, "K", scaled),
        line("closed form", over_K, "K", lambda row: leading_constant(parts, row["K"]), kind="predicted", colour=6),
        Series(label="closed form, infinitely many devices", x=beyond, kind="predicted", colour=4,
               y=[many / T * (K * T) ** rate for K in beyond]),
        line("noise shared by all devices", rows.where(part="shared"), "K", scaled, kind="contrast", colour=1),
    ]  # fmt: skip


def _exponents(corollary: str, rows: Rows) -> list[Series]:
    over_K, bounds = (
        rows.where(part="devices"),
        rows.where(part="bounds", T=rows.where(part="devices")[0]["T"]),
    )
    claim = level(
        f"claimed: -{FRACTION[corollary]}",
        over_K.column("K"),
        claimed(corollary, "K"),
        kind="predicted",
        colour=6,
    )
    return [
        _local("independent noise", over_K, "measure"),
        *([_local("bound", bounds, "bound", kind="bound", colour=2)] if bounds else []),
        _local(
            "noise shared by all devices", rows.where(part="shared"), "measure", kind="contrast", colour=1
        ),
        claim,
    ]


def _local(name: str, rows: Rows, quantity: str, **look: Any) -> Series:
    """The exponents of K between neighbours, each at the geometric mean of the two."""
    pairs = [rows[i : i + 2] for i in range(len(rows) - 1)]
    x = [math.sqrt(math.prod(pair.column("K"))) for pair in pairs]
    return Series(label=name, x=x, y=[slope(pair, quantity, "K")[0] for pair in pairs], **look)


def _times(rows: Rows) -> list[Series]:
    series = []
    for i, ((part, eps), here) in enumerate(rows.having("K T(K)/T(1)").by("part", "eps")):
        name = rf"$\epsilon = {mathtext(eps)}$"
        look = {"colour": 2 * i} if part == "times" else {"kind": "contrast", "colour": 1}
        label = name if part == "times" else f"noise shared, {name}"
        series.append(line(label, here, "K", lambda row: row["K"] * row["T"], **look))
    return series
