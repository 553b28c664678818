"""The figures of the measured corollaries: over T or eps, over K, and over t where the step decays all the time."""

import math
from collections.abc import Sequence

from ratecert.claim.chart import Chart, Panel, Series, Triangle
from ratecert.claim.claim import Json
from ratecert.papers.federated_bilevel.evidence.speedup.crosses import Cross
from ratecert.papers.federated_bilevel.evidence.speedup.runs import claimed
from ratecert.papers.federated_bilevel.evidence.speedup.settings import label, two_to

ABOVE = 1.6  # where a slope triangle stands over its curve


def cross_chart(corollary: str, cross: Cross, grids: Sequence[Json], curves: Sequence[Json]) -> Chart:
    in_T = cross.name == "T"
    seen = "the claimed power of T and of K" if in_T else "proportional to eps, below it, and flat in K"
    more = (
        " With a step that decays from the start it is a plain power of t, without a logarithm."
        if curves
        else ""
    )
    panels = [(_over_T if in_T else _over_eps)(corollary, cross, grids), _over_K(corollary, cross, grids)]
    return Chart(
        caption=f"Exact measure along Corollary {corollary[-1]}: {seen}.{more}",
        panels=[*panels, *(_over_t(corollary, value) for value in curves)],
    )


def _over_T(corollary: str, cross: Cross, grids: Sequence[Json]) -> Panel:
    slope, corner = claimed(corollary, "T"), cross.along(grids[0]["rows"])[_not_last(cross)]
    return Panel(
        title=f"$K = {cross.K}$",
        x_label="iterations $T$",
        y_label="measure",
        series=_along(cross, grids),
        triangles=[_triangle(corner["T"], corner["measure"], slope)],
    )


def _over_eps(corollary: str, cross: Cross, grids: Sequence[Json]) -> Panel:
    claim = r"claimed: at most $\epsilon$"
    return Panel(
        title=f"$K = {cross.K}$",
        x_label=r"accuracy $\epsilon$",
        y_label="measure",
        series=[
            *_along(cross, grids),
            Series(label=claim, x=cross.values, y=cross.values, kind="bound", colour=1),
        ],
        triangles=[
            Triangle(
                x=cross.values[_not_last(cross)],
                y=cross.values[0] / 4,
                slope=claimed(corollary, "eps"),
                label="1",
            )
        ],
    )


def _not_last(cross: Cross) -> int:
    """The second value, where a slope triangle does not stick out: the first if there are but two."""
    return min(1, len(cross.values) - 2)


def _along(cross: Cross, grids: Sequence[Json]) -> list[Series]:
    return [
        Series(
            label=label(value["setting"]["world"]),
            x=[row[cross.name] for row in cross.along(value["rows"])],
            y=[row["measure"] for row in cross.along(value["rows"])],
            colour=2 * i,
        )
        for i, value in enumerate(grids)
    ]


def _over_K(corollary: str, cross: Cross, grids: Sequence[Json]) -> Panel:
    """The measure against K or, for corollaries in eps, the measure over eps."""
    in_T, letter = cross.name == "T", {"T": "T", "eps": r"\epsilon"}[cross.name]
    scale, K = 1.0 if in_T else 1 / cross.at, list(cross.devices)
    series = [
        Series(
            label=label(value["setting"]["world"]),
            x=K,
            y=[row["measure"] * scale for row in cross.across(value["rows"])],
            colour=2 * i,
        )
        for i, value in enumerate(grids)
    ]
    triangle = _triangle(K[0], series[0].y[0], claimed(corollary, "K"))
    if not in_T:
        series.append(Series(label="claimed: at most 1", x=K, y=[1.0] * len(K), kind="bound", colour=1))
    return Panel(
        title=f"${letter} = {_mathtext(cross.at)}$",
        x_label="devices $K$",
        y_label="measure" if in_T else r"measure $/\,\epsilon$",
        series=series,
        triangles=[triangle] if in_T else [],
        y_scale="log" if in_T else "linear",
    )


def _over_t(corollary: str, value: Json) -> Panel:
    """What is left of the measure without its power of t, and what a logarithm would look like."""
    t, rate = [float(row["t"]) for row in value["rows"]], claimed(corollary, "T")
    rest = [row["measure"] * (value["K"] * row["t"]) ** -rate for row in value["rows"]]
    logarithm = [rest[0] * math.log(each) / math.log(t[0]) for each in t]
    return Panel(
        title=f"$p = 1$, $K = {value['K']}$: the step decays from the start",
        x_label="iteration $t$",
        y_label=r"measure at $t$ $\times\,(Kt)^{2/3}$",
        series=[
            Series(label="measured", x=t, y=rest),
            Series(label="closed form of the limit", x=t, y=[value["limit"]] * len(t), kind="predicted", colour=6),
            Series(label=r"with a factor $\log\,t$", x=t, y=logarithm, kind="contrast", colour=1),
        ],
        y_scale="linear",
    )  # fmt: skip


def _triangle(x: float, y: float, slope: float) -> Triangle:
    label = {1 / 2: "-1/2", 2 / 3: "-2/3"}.get(-slope, f"{slope:.3g}")
    return Triangle(x=x, y=ABOVE * y, slope=slope, label=label, factor=8.0)


def _mathtext(value: float) -> str:
    base, exponent = two_to(value).split("^")
    return f"{base}^{{{exponent}}}"
