"""The bias of three estimators of the hypergradient: the same at the same number of terms.

At (x, y) all of them have, with n = N = Q + 1, whatever the noise,

    E[h] - [grad_x f - grad_xy g A^{-1} grad_y f] = grad_xy g (I - theta A)^n A^{-1} grad_y f,        A = grad_yy g

where all derivatives are means over samples. E1 takes (n - 1)/2 products with a Hessian for that on average, E2 takes
n - 1 and E3 n; and E3 goes on from where it is, so that the mean of a variable that is kept has no bias in the limit.

Inside running methods grad Phi, where the mean iterates rest, is the floor of a series with n terms for methods with E1
or E2, and zero for one with E3.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.estimators.bias_law import WARM, law, warm
from ratecert.papers.federated_bilevel.evidence.estimators.charts import bias_chart
from ratecert.papers.federated_bilevel.evidence.estimators.checks import to_rounding
from ratecert.papers.federated_bilevel.evidence.estimators.resting import resting
from ratecert.papers.federated_bilevel.evidence.estimators.settings import (
    DRAWN,
    ENUMERATED,
    POINT,
    WORLDS,
    in_world,
    terms_of,
)
from ratecert.papers.federated_bilevel.evidence.estimators.three import NAMES, PRODUCTS, THETA

AT_REST = ("scalar", DRAWN)


def pieces(of: str, budget: Budget) -> list[Piece]:
    """Of the other estimators, what the figures need."""
    others = [other for other in NAMES if other != of]
    asked = [*((of, name) for name in WORLDS), *((other, DRAWN) for other in others)]
    rests = [(of, name) for name in AT_REST]
    found = [Piece(law, {"of": o, **in_world(name, WORLDS[name], budget)}, 0.5) for o, name in asked]
    if of == "E3":
        rests += [(other, DRAWN) for other in others]
        found += [
            Piece(warm, {"name": name, "world": world, "terms": terms_of(budget)}, 0.1)
            for name, world in WORLDS.items()
        ]
    terms = [8] if budget.quick else [1, 4, 8, 16]
    return found + [
        Piece(resting, {"of": o, "name": name, "world": WORLDS[name], "terms": terms}, 0.8)
        for o, name in rests
    ]


def judge(of: str, values: Sequence[Json]) -> Judgement:
    laws, warmed, rests = ([v for v in values if key in v] for key in ("bias", "warm", "rest"))
    own = [v for v in laws if v["estimator"] == of]
    return Judgement(
        checks=[
            *(check for v in own for check in _law_checks(v)),
            *(check for v in warmed for check in _warm_checks(v)),
            *(check for v in rests if v["rest"] == of for check in _rest_checks(v)),
        ],
        regime=f"n = 1 ... {own[0]['n'][-1]} terms, theta = tau = {THETA} < 1/L_1; one point per world, where grad_y f "
        "is not zero; Hessian and Jacobian noisy everywhere, f in all worlds but the last",
        settings={"worlds": WORLDS, "theta": THETA, "point": POINT, "enumerated terms": ENUMERATED},
        method=f"exact moments; enumeration of all outcomes, up to {max(v['outcomes'] for v in own)} of them; exact "
        "fixed points",
        chart=bias_chart(of, laws, rests),
        notes=NOTES[of],
        table=[
            {"world": v["name"], "terms": n, "bias": bias, "its law": closed, "Hessian products": products}
            for v in own
            for n, bias, closed, products in zip(v["n"], v["bias"], v["closed"], v["products"], strict=True)
        ],
    )


def _law_checks(v: Json) -> list[Check]:
    of, where = v["estimator"], v["name"]
    formula, products = PRODUCTS[of]
    off = max(abs(count - products(n)) for n, count in zip(v["n"], v["products"], strict=True))
    as_E2 = [to_rounding(f"mean of {of} - mean of E2 with Q = n - 1, {where}", v["gap to E2"])]
    return [
        to_rounding(f"bias of {of} against its law, {where}", v["gap"]),
        to_rounding(f"bias of {of} over all outcomes against its law, {where}", v["gap over outcomes"]),
        Check(name=f"mean Hessian products of {of} - {formula}, {where}", measured=off, predicted=0.0),
        *(as_E2 if of != "E2" else []),
    ]


def _warm_checks(v: Json) -> list[Check]:
    return [
        to_rounding(f"bias of E3 from r = {WARM:g} against its law, {v['warm']}", v["gap"]),
        to_rounding(f"bias of E3 where the mean of r stays, {v['warm']}", v["limit"]),
    ]


def _rest_checks(v: Json) -> list[Check]:
    """A method with E3 rests at one place whatever the number of terms."""
    series = v["rest"] != "E3"
    return [
        to_rounding(
            f"||grad Phi|| where {method} rests, {f'{n} terms, ' if series else ''}{v['name']}",
            measured,
            floor if series else 0.0,
            size=v["size"],
        )
        for method, gradients in v["gradient"].items()
        for n, measured, floor in zip(v["n"], gradients, v["floor"], strict=False)
    ]


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
SENTENCES: Mapping[str, str] = {
    "E1": "The Neumann series cut at random has exactly the mean of the full sum with Q = N - 1, a bias of "
    "(I - theta A)^N, for half the products with a Hessian.",
    "E2": "The full sum with Q fresh samples has a bias of exactly grad_xy g (I - theta A)^{Q+1} A^{-1} grad_y f, with "
    "the mean Hessian A whatever its noise.",
    "E3": "An auxiliary variable after n steps has exactly the bias of n terms of the series, and one that is kept has "
    "none in the limit, also inside a running method.",
}
CLAIMS = tuple(
    Claim(
        id=f"estimators.{of}-bias",
        of=("lemma-1", "constant.Delta_Q"),
        sentence=SENTENCES[of],
        pieces=partial(pieces, of),
        judge=partial(judge, of),
    )
    for of in NAMES
)
