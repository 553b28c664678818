"""The figures of the estimators: bias and variance against the number of terms, each beside its law."""

from collections.abc import Sequence

from ratecert.claim.chart import Chart, Panel, Series, Triangle
from ratecert.claim.claim import Json
from ratecert.papers.federated_bilevel.evidence.estimators.settings import DRAWN
from ratecert.papers.federated_bilevel.evidence.estimators.three import NAMES, PRODUCTS

LABELS = {"E1": "E1, cut at random", "E2": "E2, full sum", "E3": "E3, auxiliary variable"}
CAPTIONS = {
    "E1": "The bias of the three estimators lies on one line against the number of terms. Against the number of "
    "products with a Hessian, the series cut at random gets twice as far as the full sum.",
    "E2": "The bias of the three estimators lies on one line against the number of terms, and that of the full sum on "
    "its law in every world.",
    "E3": "The bias of the three estimators lies on one line against the number of terms. Inside a running method the "
    "series leave their floor; the auxiliary variable, which is kept, leaves rounding.",
}


def bias_chart(of: str, laws: Sequence[Json], rests: Sequence[Json]) -> Chart:
    drawn = {v["estimator"]: v for v in laws if v["name"] == DRAWN}
    if of == "E1":
        second = _against_products(drawn)
    elif of == "E2":
        second = _all_worlds([v for v in laws if v["estimator"] == of])
    else:
        second = _at_rest([v for v in rests if v["name"] == DRAWN])
    return Chart(caption=CAPTIONS[of], panels=[_side_by_side(drawn), second])


def _side_by_side(drawn: dict[str, Json]) -> Panel:
    """The three at every third n each, on the one line of the law."""
    line = drawn["E2"]
    points = [
        Series(label=LABELS[of], x=drawn[of]["n"][i::3], y=drawn[of]["bias"][i::3], colour=i)
        for i, of in enumerate(NAMES)
    ]
    law = _predicted("the law of all three", line["n"], line["closed"])
    return _of_bias(f"{DRAWN}, noisy Hessian and Jacobian", r"terms $n = N = Q + 1$", [*points, law])


def _against_products(drawn: dict[str, Json]) -> Panel:
    series = []
    for i, of in enumerate(NAMES):
        v = drawn[of]
        x = [PRODUCTS[of][1](n) for n in v["n"]]
        series += [
            Series(label=LABELS[of], x=v["products"], y=v["bias"], colour=i),
            _predicted(f"law of {of}", x, v["closed"]),
        ]
    return _of_bias("the same against what it costs", "products with a Hessian, on average", series)


def _all_worlds(own: Sequence[Json]) -> Panel:
    series = []
    for i, v in enumerate(own):
        series += [
            Series(label=f"E2, {v['name']}", x=v["n"], y=v["bias"], colour=i),
            _predicted(f"its law, {v['name']}", v["n"], v["closed"]),
        ]
    return _of_bias("all worlds", r"terms $Q + 1$", series)


def _at_rest(rests: Sequence[Json]) -> Panel:
    n, floor = rests[0]["n"], rests[0]["floor"]
    series = []
    for i, (method, gradients) in enumerate((m, g) for v in rests for m, g in v["gradient"].items()):
        y = gradients if len(gradients) == len(n) else [max(gradients[0], 1e-17)] * len(n)
        series.append(Series(label=method, x=n, y=y, colour=i))
    return Panel(
        title="inside running methods",
        x_label="terms of the series",
        y_label=r"$\|\nabla\Phi\|$ where the method rests",
        series=[*series, _predicted("floor of a series", n, floor)],
        x_scale="linear",
    )


def variance_chart(noisy: Sequence[Json], quiet: Sequence[Json]) -> Chart:
    return Chart(
        caption="At the same number of terms, and so with the same mean, the series cut at random has a variance that "
        "grows with the number of terms; those of the full sum and of the auxiliary variable level off. Without any "
        "noise only the cut has a variance, below N b and parallel to it in the end.",
        panels=[_variances(next(v for v in noisy if v["name"] == DRAWN)), _cut_alone(quiet)],
    )


def _variances(drawn: Json) -> Panel:
    series = []
    for i, of in enumerate(NAMES):
        series += [
            Series(label=LABELS[of], x=drawn["n"], y=drawn["variance"][of], colour=i),
            _predicted(f"law of {of}", drawn["n"], drawn["closed"][of]),
        ]
    return Panel(
        title=f"{DRAWN}, noisy Hessian and Jacobian",
        x_label=r"terms $n = N = Q + 1$",
        y_label="trace of the covariance",
        series=series,
        x_scale="linear",
    )


def _cut_alone(quiet: Sequence[Json]) -> Panel:
    """From N = 2 on: with one term there is no cut."""
    series = []
    for i, v in enumerate(quiet):
        N = v["N"][1:]
        series += [
            Series(label=f"$N b$, {v['quiet']}", x=N, y=v["bound"][1:], kind="bound", colour=i),
            Series(label=f"E1, {v['quiet']}", x=N, y=v["variance"][1:], colour=i),
            _predicted("closed form", N, v["closed"][1:]),
        ]
    return Panel(
        title="without noise: the cut alone",
        x_label="$N$",
        y_label="trace of the covariance",
        series=series,
        triangles=[Triangle(x=8.0, y=0.3 * quiet[0]["closed"][3], slope=1.0, label="1")],
    )


def _of_bias(title: str, x_label: str, series: Sequence[Series]) -> Panel:
    return Panel(title=title, x_label=x_label, y_label="norm of the bias", series=series, x_scale="linear")


def _predicted(label: str, x: Sequence[float], y: Sequence[float]) -> Series:
    return Series(label=label, x=x, y=y, kind="predicted", colour=6)
