"""Three ways to estimate the hypergradient, side by side: the same bias at the same number of terms, other variances.

    E1    the Neumann series cut at random, N terms          E2    the full sum with fresh samples, Q + 1 terms
    E3    an auxiliary variable r that takes n steps with (x, y) fixed, tau = theta

At (x, y) all of them have, with n = N = Q + 1, whatever the noise,

    E[h] - [grad_x f - grad_xy g A^{-1} grad_y f] = grad_xy g (I - theta A)^n A^{-1} grad_y f,        A = grad_yy g

where all derivatives are means over samples. E1 takes (n - 1)/2 products with a Hessian for that on average, E2 takes
n - 1 and E3 n; and E3 goes on from where it is, so that the mean of a variable that is kept has no bias in the limit.
ratecert/evidence/estimators/laws.py has the laws of the bias and of the covariances, with their reasons. Against them
stand the exact moments of the estimators' own code and the mean over all outcomes of their samples.

Inside running methods grad Phi, where the mean iterates rest, is the floor of a series with n terms for methods with E1
or E2, and zero for one with E3.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ratecert.evidence.estimators.bias_law import WARM, law, warm
from ratecert.evidence.estimators.resting import resting
from ratecert.evidence.estimators.three import NAMES, THETA
from ratecert.evidence.estimators.variance_law import QUIET_THETA, cut, variances
from ratecert.verify.chart import Chart, Panel, Series, Triangle
from ratecert.verify.check import Check
from ratecert.verify.claim import Budget, Claim, Json, Judgement, Piece

EXACT = 1e-12
ROUNDING = 64 * float(np.finfo(float).eps)  # of sums over terms and outcomes, relative to what is summed
APART = 1e-3  # relative; a difference of this size is no rounding

NOISE: dict[str, Any] = {"sigma_H": 0.6, "sigma_J": 0.3}
ALL: dict[str, Any] = {**NOISE, "s_f": 0.5}
WORLDS: dict[str, dict[str, Any]] = {
    "scalar": {"world": "scalar", "a": 0.5, "b": -0.2, **ALL},
    "1 x 2": {"world": "random_quadratic", "d_x": 1, "d_y": 2, "seed": 2, **ALL},
    "3 x 3": {"world": "random_quadratic", "d_x": 3, "d_y": 3, "seed": 0, **NOISE},
}
SCALAR_G: dict[str, Any] = {"world": "scalar", "a": 0.5, "b": -0.2, **NOISE}
ENUMERATED = {"scalar": 4, "1 x 2": 3, "3 x 3": 8, "scalar, g noisy": 6}  # terms; up to 65536 outcomes
DRAWN = "3 x 3"  # the world of the charts
QUIET: dict[str, dict[str, Any]] = {
    "scalar": {"world": "scalar", "b": 1.0},
    "2 x 3": {"world": "random_quadratic", "d_x": 2, "d_y": 3, "seed": 1},
}
DOUBLED = [1, 2, 4, 8, 16, 32, 64]
AT_REST = ("scalar", DRAWN)

PRODUCTS: dict[str, tuple[str, Callable[[int], float]]] = {
    "E1": ("(N - 1)/2", lambda n: (n - 1) / 2),
    "E2": ("Q", lambda n: n - 1.0),
    "E3": ("n", float),
}
SYMBOLS = {"E1": "E1, cut at random", "E2": "E2, full sum", "E3": "E3, auxiliary variable"}
POINT = "x = a + 1, y = b - 1/2"


def _terms(budget: Budget) -> list[int]:
    return list(range(1, 7 if budget.quick else 21))


# The bias.


def bias_pieces(of: str, budget: Budget) -> list[Piece]:
    terms = _terms(budget)
    rest = [8] if budget.quick else [1, 4, 8, 16]
    own = [(of, name) for name in WORLDS]
    others = [(other, DRAWN) for other in NAMES if other != of]
    return [
        *(Piece(law, {"of": o, "terms": terms, **_world(name)}, 0.5) for o, name in own + others),
        *(_rest_piece(of, name, rest) for name in AT_REST),
        *(
            Piece(warm, {"name": name, "world": world, "terms": terms}, 0.1)
            for name, world in WORLDS.items()
            if of == "E3"
        ),
        *(_rest_piece(other, DRAWN, rest) for other in NAMES if of == "E3" and other != of),
    ]


def _world(name: str) -> dict[str, Json]:
    return {"name": name, "world": WORLDS[name], "enumerated": ENUMERATED[name]}


def _rest_piece(of: str, name: str, terms: list[int]) -> Piece:
    return Piece(resting, {"of": of, "name": name, "world": WORLDS[name], "terms": terms}, 0.8)


def judge_bias(of: str, values: Sequence[Json]) -> Judgement:
    laws = [v for v in values if "bias" in v]
    own = [v for v in laws if v["estimator"] == of]
    rests = [v for v in values if "rest" in v]
    return Judgement(
        checks=[
            *(check for v in own for check in _law_checks(v)),
            *(check for v in values if "warm" in v for check in _warm_checks(v)),
            *(check for v in rests if v["rest"] == of for check in _rest_checks(v)),
        ],
        regime=f"n = 1 ... {own[0]['n'][-1]} terms, theta = tau = {THETA} < 1/L_1; one point per world, where grad_y f "
        "is not zero; Hessian and Jacobian noisy everywhere, f in all worlds but the last",
        settings={"worlds": WORLDS, "theta": THETA, "point": POINT, "enumerated terms": ENUMERATED},
        method=f"exact moments; enumeration of all outcomes, up to {max(v['outcomes'] for v in own)} of them; exact "
        "fixed points",
        chart=Chart(
            caption=CAPTIONS[of],
            panels=[_side_by_side(laws), SECOND[of](laws if of == "E1" else own if of == "E2" else rests)],
        ),
        notes=NOTES[of],
        table=[
            {"world": v["name"], "terms": n, "bias": bias, "its law": closed, "Hessian products": products}
            for v in own
            for n, bias, closed, products in zip(v["n"], v["bias"], v["closed"], v["products"], strict=True)
        ],
    )


def _zero(name: str, measured: float) -> Check:
    return Check(name=name, measured=measured, predicted=0.0, tolerance=EXACT, uncertainty=ROUNDING)


def _law_checks(v: Json) -> list[Check]:
    of, where = v["estimator"], v["name"]
    formula, products = PRODUCTS[of]
    off = max(abs(count - products(n)) for n, count in zip(v["n"], v["products"], strict=True))
    as_E2 = [_zero(f"mean of {of} - mean of E2 with Q = n - 1, {where}", v["gap to E2"])]
    return [
        _zero(f"bias of {of} against its law, {where}", v["gap"]),
        _zero(f"bias of {of} over all outcomes against its law, {where}", v["gap over outcomes"]),
        Check(name=f"mean Hessian products of {of} - {formula}, {where}", measured=off, predicted=0.0),
        *(as_E2 if of != "E2" else []),
    ]


def _warm_checks(v: Json) -> list[Check]:
    return [
        _zero(f"bias of E3 from r = {WARM:g} against its law, {v['warm']}", v["gap"]),
        _zero(f"bias of E3 where the mean of r stays, {v['warm']}", v["limit"]),
    ]


def _rest_checks(v: Json) -> list[Check]:
    def check(method: str, n: int, measured: float, floor: float) -> Check:
        return Check(
            name=f"||grad Phi|| where {method} rests, "
            + (f"{n} terms, " if v["rest"] != "E3" else "")
            + v["name"],
            measured=measured,
            predicted=floor if v["rest"] != "E3" else 0.0,
            tolerance=EXACT * v["size"],
            uncertainty=ROUNDING * v["size"],
        )

    return [
        check(method, n, measured, floor)
        for method, gradients in v["gradient"].items()
        for n, measured, floor in zip(v["n"], gradients, v["floor"], strict=False)
    ]


def _side_by_side(laws: Sequence[Json]) -> Panel:
    """The three at every third n each, on the one line of the law."""
    drawn = {v["estimator"]: v for v in laws if v["name"] == DRAWN}
    line = drawn["E2"]
    points = [
        Series(label=SYMBOLS[of], x=drawn[of]["n"][i::3], y=drawn[of]["bias"][i::3], colour=i)
        for i, of in enumerate(NAMES)
    ]
    predicted = Series(
        label="the law of all three", x=line["n"], y=line["closed"], kind="predicted", colour=6
    )
    return Panel(
        title=f"{DRAWN}, noisy Hessian and Jacobian",
        x_label=r"terms $n = N = Q + 1$",
        y_label="norm of the bias",
        series=[*points, predicted],
        x_scale="linear",
    )


def _against_products(laws: Sequence[Json]) -> Panel:
    series = []
    for i, of in enumerate(NAMES):
        (v,) = (v for v in laws if (v["estimator"], v["name"]) == (of, DRAWN))
        x = [PRODUCTS[of][1](n) for n in v["n"]]
        series += [
            Series(label=SYMBOLS[of], x=v["products"], y=v["bias"], colour=i),
            Series(label=f"law of {of}", x=x, y=v["closed"], kind="predicted", colour=6),
        ]
    return Panel(
        title="the same against what it costs",
        x_label="products with a Hessian, on average",
        y_label="norm of the bias",
        series=series,
        x_scale="linear",
    )


def _all_worlds(own: Sequence[Json]) -> Panel:
    series = [
        line
        for i, v in enumerate(own)
        for line in (
            Series(label=f"E2, {v['name']}", x=v["n"], y=v["bias"], colour=i),
            Series(label=f"its law, {v['name']}", x=v["n"], y=v["closed"], kind="predicted", colour=6),
        )
    ]
    return Panel(
        title="all worlds",
        x_label=r"terms $Q + 1$",
        y_label="norm of the bias",
        series=series,
        x_scale="linear",
    )


def _at_rest(rests: Sequence[Json]) -> Panel:
    drawn = [v for v in rests if v["name"] == DRAWN]
    n, floor = drawn[0]["n"], drawn[0]["floor"]
    series = []
    for i, (method, gradients) in enumerate((m, g) for v in drawn for m, g in v["gradient"].items()):
        y = gradients if len(gradients) == len(n) else [max(gradients[0], 1e-17)] * len(n)
        series.append(Series(label=method, x=n, y=y, colour=i))
    series.append(Series(label="floor of a series", x=n, y=floor, kind="predicted", colour=6))
    return Panel(
        title="inside running methods",
        x_label="terms of the series",
        y_label=r"$\|\nabla\Phi\|$ where the method rests",
        series=series,
        x_scale="linear",
    )


SECOND: dict[str, Callable[[Sequence[Json]], Panel]] = {
    "E1": _against_products,
    "E2": _all_worlds,
    "E3": _at_rest,
}
CAPTIONS = {
    "E1": "The bias of the three estimators lies on one line against the number of terms. Against the number of "
    "products with a Hessian, the series cut at random gets twice as far as the full sum.",
    "E2": "The bias of the three estimators lies on one line against the number of terms, and that of the full sum on "
    "its law in every world.",
    "E3": "The bias of the three estimators lies on one line against the number of terms. Inside a running method the "
    "series leave their floor; the auxiliary variable, which is kept, leaves rounding.",
}
NOTES = {
    "E1": [
        "The factor N and the probability 1/N cancel in the mean; what they do to the variance is the claim "
        "estimators.variance."
    ],
    "E2": ["The samples of the factors are independent, so the law has the mean Hessian in it and no noise."],
    "E3": [
        "Each step takes fresh samples of the Hessian and of f, and the use of r another one of the Jacobian.",
        "The first step from r = 0 multiplies a Hessian by zero; it is counted.",
    ],
}


# The variance.


def variance_pieces(budget: Budget) -> list[Piece]:
    worlds = {**WORLDS, "scalar, g noisy": SCALAR_G}
    return [
        *(
            Piece(
                variances,
                {"name": name, "world": world, "terms": _terms(budget), "enumerated": ENUMERATED[name]},
                0.8,
            )
            for name, world in worlds.items()
        ),
        *(Piece(cut, {"name": name, "world": world, "terms": DOUBLED}, 0.1) for name, world in QUIET.items()),
    ]


def judge_variance(values: Sequence[Json]) -> Judgement:
    noisy, quiet = ([v for v in values if key in v] for key in ("name", "quiet"))
    return Judgement(
        checks=[
            *(check for v in noisy for check in _covariance_checks(v)),
            *(check for v in quiet for check in _cut_checks(v)),
        ],
        regime=f"n = 1 ... {noisy[0]['n'][-1]} terms, theta = tau = {THETA} < 1/L_1; without noise up to {DOUBLED[-1]} "
        f"terms, theta = {QUIET_THETA}, 0 < theta lambda <= 1; one point per world",
        settings={
            "worlds": {**WORLDS, "scalar, g noisy": SCALAR_G},
            "without noise": QUIET,
            "theta": THETA,
            "point": POINT,
            "enumerated terms": ENUMERATED,
        },
        method="exact moments; enumeration of all outcomes",
        chart=_variance_chart(noisy, quiet),
        notes=[
            "E2 is the mean of E1 over the cut with all samples given, so E1 never has less variance than E2.",
            "Noise of f enters E2 once, through all terms, and E3 afresh in each step, which averages it. Where only g "
            "is noisy E2 and E3 have the same variance if y is a number; where Hessians do not commute they differ, "
            "and here E3 has more.",
        ],
        table=[
            {"world": v["name"], "terms": n, **{of: v["variance"][of][i] for of in NAMES}}
            for v in noisy
            for i, n in enumerate(v["n"])
        ],
    )


def _covariance_checks(v: Json) -> list[Check]:
    name, last = v["name"], v["n"][-1]
    closed = v["E2 - E3, closed"]
    return [
        *(_zero(f"covariance of {of} against its law, {name}", v["gap"][of]) for of in NAMES),
        *(
            _zero(f"covariance of {of} over all outcomes against its law, {name}", v["gap over outcomes"][of])
            for of in NAMES
        ),
        Check(
            name=f"least eigenvalue of cov E1 - cov E2, {name}",
            measured=v["E1 - E2"],
            predicted=0.0,
            relation=">=",
            tolerance=EXACT,
            uncertainty=ROUNDING,
        ),
        Check(
            name=f"(var E2 - var E3)/var E2, {last} terms, {name}",
            measured=v["E2 - E3"],
            predicted=closed,
            tolerance=EXACT,
            uncertainty=ROUNDING,
        )
        if closed is not None
        else Check(
            name=f"|var E2 - var E3|/var E2, {last} terms, {name}",
            measured=abs(v["E2 - E3"]),
            predicted=APART,
            relation=">=",
            uncertainty=ROUNDING,
        ),
    ]


def _cut_checks(v: Json) -> list[Check]:
    name, last = v["quiet"], v["N"][-1]
    return [
        _zero(f"covariance of the cut alone against its closed form, {name}", v["gap"]),
        Check(name=f"variance of E2 and E3 without noise, {name}", measured=v["others"], predicted=0.0),
        Check(
            name=f"variance of the cut over N b, {name}",
            measured=max(a / b for a, b in zip(v["variance"], v["bound"], strict=True)),
            predicted=1.0,
            relation="<=",
            uncertainty=ROUNDING,
        ),
        Check(
            name=f"1 - variance of the cut over N b, N = {last}, {name}",
            measured=v["below"],
            predicted=v["below, closed"],
            tolerance=EXACT,
            uncertainty=ROUNDING,
        ),
    ]


def _variance_chart(noisy: Sequence[Json], quiet: Sequence[Json]) -> Chart:
    (drawn,) = (v for v in noisy if v["name"] == DRAWN)
    against_n = [
        line
        for i, of in enumerate(NAMES)
        for line in (
            Series(label=SYMBOLS[of], x=drawn["n"], y=drawn["variance"][of], colour=i),
            Series(label=f"law of {of}", x=drawn["n"], y=drawn["closed"][of], kind="predicted", colour=6),
        )
    ]
    alone = [
        line
        for i, v in enumerate(quiet)
        for line in (
            Series(label=f"$N b$, {v['quiet']}", x=v["N"][1:], y=v["bound"][1:], kind="bound", colour=i),
            Series(label=f"E1, {v['quiet']}", x=v["N"][1:], y=v["variance"][1:], colour=i),
            Series(label="closed form", x=v["N"][1:], y=v["closed"][1:], kind="predicted", colour=6),
        )
    ]
    return Chart(
        caption="At the same number of terms, and so with the same mean, the series cut at random has a variance that "
        "grows with the number of terms; those of the full sum and of the auxiliary variable level off. Without any "
        "noise only the cut has a variance, below N b and parallel to it in the end.",
        panels=[
            Panel(
                title=f"{DRAWN}, noisy Hessian and Jacobian",
                x_label=r"terms $n = N = Q + 1$",
                y_label="trace of the covariance",
                series=against_n,
                x_scale="linear",
            ),
            Panel(
                title="without noise: the cut alone",
                x_label="$N$",
                y_label="trace of the covariance",
                series=alone,
                triangles=[Triangle(x=8.0, y=0.3 * quiet[0]["closed"][3], slope=1.0, label="1")],
            ),
        ],
    )


SENTENCES: Mapping[str, str] = {
    "E1": "The Neumann series cut at random has exactly the mean of the full sum with Q = N - 1, a bias of "
    "(I - theta A)^N, for half the products with a Hessian.",
    "E2": "The full sum with Q fresh samples has a bias of exactly grad_xy g (I - theta A)^{Q+1} A^{-1} grad_y f, with "
    "the mean Hessian A whatever its noise.",
    "E3": "An auxiliary variable after n steps has exactly the bias of n terms of the series, and one that is kept has "
    "none in the limit, also inside a running method.",
}
CLAIMS = (
    *(
        Claim(
            id=f"estimators.{of}-bias",
            of=("lemma-1", "constant.Delta_Q"),
            sentence=SENTENCES[of],
            pieces=partial(bias_pieces, of),
            judge=partial(judge_bias, of),
        )
        for of in NAMES
    ),
    Claim(
        id="estimators.variance",
        of=("lemma-1", "estimator-stochastic"),
        sentence="At equal numbers of terms the three estimators have the covariances of their laws; that of the "
        "series cut at random is never below that of the full sum and, without any noise, grows in proportion to N.",
        pieces=variance_pieces,
        judge=judge_variance,
    ),
)
