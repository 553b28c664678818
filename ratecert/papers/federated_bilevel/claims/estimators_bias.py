"""The bias of three estimators of the hypergradient: the same at the same number of terms.

At (x, y) all of them have, with n = N = Q + 1, whatever the noise,

    E[h] - [grad_x f - grad_xy g A^{-1} grad_y f] = grad_xy g (I - theta A)^n A^{-1} grad_y f,        A = grad_yy g

where all derivatives are means over samples. E1 takes (n - 1)/2 products with a Hessian for that on average, E2 takes
n - 1 and E3 n; and E3 goes on from where it is, so that the mean of a variable that is kept has no bias in the limit.

Inside running methods grad Phi, where the mean iterates rest, is the floor of a series with n terms for methods with E1
or E2, and zero for one with E3.

Means are compared entry by entry, relative to the two parts of the hypergradient, whose sum each is rounded with.

The running methods are

    E1    SUSTAIN, TTSA              N = n
    E2    LocalBSGVRM, FedBiOAcc     Q = n - 1
    E3    FedBiOAccGlobal            no number of terms

The floor is that of evidence/bias/bias_floor.py. The devices are alike, so neither their number nor p matters.
"""

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from ratecert.base.arrays import doubles
from ratecert.claims import Budget, Chart, Check, Claim, Json, Panel, Piece, Rows, Series
from ratecert.claims.checks import equal
from ratecert.claims.claim import build
from ratecert.claims.lines import line, panel
from ratecert.claims.rows import entries
from ratecert.papers.federated_bilevel.evidence.bias.bias_floor import at_rest
from ratecert.papers.federated_bilevel.evidence.estimators import three
from ratecert.papers.federated_bilevel.evidence.estimators.laws import laws_at
from ratecert.solvers import (
    SUSTAIN,
    TTSA,
    AuxiliaryGradient,
    FedBiOAcc,
    FedBiOAccGlobal,
    HypergradientThrough,
    LocalBSGVRM,
    fixed_point,
    name_of,
)
from ratecert.solvers.contract.problem import SampledProblem
from ratecert.solvers.engines.estimates import (
    estimate_moments,
    estimate_outcomes,
    estimate_products,
)
from ratecert.solvers.engines.moments.mixture import moments_of

X, Y, C = 0.05, 2.0, 20.0  # steps of x and of y and r in units of eta; the momenta
ETA = 0.1
FED: dict[str, Any] = {"eta": ETA, "p": 4}
WARM = 1.0  # every component of the r from which a warm variable starts
AT_REST = ("scalar", three.DRAWN)


def resting(of: str, world: str, terms: list[int]) -> list[Json]:
    """||grad Phi|| at rest for every method with this estimator, and the floor of its series of n terms.

    `size` is that of the two parts of grad Phi at the solution, where they cancel.
    """
    problem = build(three.WORLDS[world])
    size = 2 * float(np.linalg.norm(problem.P @ (problem.x_star - problem.a)))
    rows = []
    for n in terms if of != "E3" else [0]:
        floor = math.sqrt(at_rest(problem, theta=three.THETA, Q=n - 1).floor) if n else 0.0
        for solver in _methods(of, n):
            gradient = float(np.linalg.norm(problem.hypergradient(fixed_point(problem, solver).x)))
            row = {"method": name_of(solver), "terms": n, "gradient": gradient, "floor": floor}
            rows.append({**row, "size": size})
    return rows


def _methods(of: str, n: int) -> list[Any]:
    """The methods with this estimator; n is 0 where there is no series."""
    if of == "E1":
        return [
            SUSTAIN(eta=ETA, gamma=X, lam=Y, c_u=C, c_v=C, theta=three.THETA, N=n),
            TTSA(alpha=ETA * X, beta=ETA * Y, theta=three.THETA, N=n),
        ]
    if of == "E2":
        return [
            FedBiOAcc(**FED, lam=X, gamma=Y, c_nu=C, c_w=C, theta=three.THETA, Q=n - 1),
            LocalBSGVRM(**FED, rho_1=X, rho_2=Y, alpha=C, beta=C, theta=three.THETA, Q=n - 1),
        ]
    return [FedBiOAccGlobal(**FED, lam=X, gamma=Y, tau=Y, c_nu=C, c_w=C, c_q=C)]


def law(of: str, world: str, terms: list[int]) -> list[Json]:
    """The bias of E1, E2 or E3 per number of terms: by moments, over all outcomes while they are few, and its law."""
    problem, rows = build(three.WORLDS[world]), []
    laws, point = laws_at(problem), three.place(problem, of)
    for n in terms:
        h, closed = three.estimator(of, n), laws.bias(n)
        mean = estimate_moments(problem, h, point)[0]
        full = estimate_moments(problem, three.estimator("E2", n), point[:2])[0]
        bias, products = mean - laws.tilde, float(estimate_products(problem, h, point))
        norms = {"bias": float(np.linalg.norm(bias)), "its law": float(np.linalg.norm(closed))}
        rows.append({"terms": n, **norms, "Hessian products": products})
        rows += entries(bias, closed, laws.size, way="moments")
        rows += entries(mean, full, laws.size, way="E2")
        if n <= three.ENUMERATED[world]:
            mean, _, outcomes = estimate_outcomes(problem, h, point)
            rows += entries(mean - laws.tilde, closed, laws.size, way="outcomes", outcomes=outcomes)
    return rows


def warm(world: str, terms: list[int]) -> list[Json]:
    """E3 from another r than 0, and from the r at which its mean stays."""
    problem, rows = build(three.WORLDS[world]), []
    laws, (x, y, zero) = laws_at(problem), three.place(problem, "E3")
    for n in terms:
        mean = estimate_moments(problem, three.estimator("E3", n), (x, y, zero + WARM))[0]
        rows += entries(mean - laws.tilde, laws.bias(n, WARM), laws.size, way="warm")
    limit = estimate_moments(problem, HypergradientThrough(), (x, y, _rest(problem, x, y)))[0]
    return rows + entries(limit, laws.tilde, laws.size, way="limit")


def _rest(problem: SampledProblem, x: three.Array, y: three.Array) -> three.Array:
    """The r at which the mean step is zero."""
    mean = doubles(moments_of(problem, AuxiliaryGradient(), (len(x), len(y), len(y))).mean)
    constant = mean[:, -1] + mean[:, : len(x) + len(y)] @ np.concatenate([x, y])
    return np.linalg.solve(mean[:, -len(y) - 1 : -1], -constant)


def pieces(of: str, budget: Budget) -> list[Piece]:
    """Of the other estimators, what the figures need."""
    others, terms = [other for other in three.NAMES if other != of], three.terms_of(budget)
    biases = [*((of, world) for world in three.WORLDS), *((other, three.DRAWN) for other in others)]
    found = [Piece(law, {"of": o, "world": w, "terms": terms}, 0.5) for o, w in biases]
    rests = [(of, world) for world in AT_REST]
    if of == "E3":
        rests += [(other, three.DRAWN) for other in others]
        found += [Piece(warm, {"world": world, "terms": terms}, 0.1) for world in three.WORLDS]
    few = [8] if budget.quick else [1, 4, 8, 16]
    return found + [Piece(resting, {"of": o, "world": w, "terms": few}, 0.8) for o, w in rests]


def checks(of: str, rows: Rows) -> Iterator[Check]:
    own, (formula, products) = rows.where(of=of), three.PRODUCTS[of]
    for world in three.WORLDS:
        here = own.where(world=world)
        outcomes = f"bias of {of} over all outcomes against its law, {world}"
        yield three.to_rounding(f"bias of {of} against its law, {world}", here.where(way="moments"))
        yield three.to_rounding(outcomes, here.where(way="outcomes"))
        off = max(abs(row["Hessian products"] - products(row["terms"])) for row in here.having("bias"))
        yield equal(f"mean Hessian products of {of} - {formula}, {world}", off, 0.0, 0.0)
        if of != "E2":
            name = f"mean of {of} - mean of E2 with Q = n - 1, {world}"
            yield three.to_rounding(name, here.where(way="E2"))
    for world, here in rows.where(way="warm").by("world"):
        yield three.to_rounding(f"bias of E3 from r = {WARM:g} against its law, {world}", here)
        limit = rows.where(way="limit", world=world)
        yield three.to_rounding(f"bias of E3 where the mean of r stays, {world}", limit)
    for (world, method), here in own.by("world", "method"):
        for row in here:
            series = f"{terms} terms, " if (terms := row.get("terms")) else ""
            name, size = f"||grad Phi|| where {method} rests, {series}{world}", row["size"]
            yield equal(name, row["gradient"], row["floor"], three.EXACT * size, three.ROUNDING * size)


def regime(rows: Rows) -> str:
    return (
        f"n = 1 ... {max(rows.having('bias').cells('terms'))} terms, theta = tau = {three.THETA} < 1/L_1; one point "
        "per world, where grad_y f is not zero; Hessian and Jacobian noisy everywhere, f in all worlds but the last"
    )


def method(of: str, rows: Rows) -> str:
    most = max(rows.where(of=of).cells("outcomes"))
    return f"exact moments; enumeration of all outcomes, up to {most} of them; exact fixed points"


def table(of: str, rows: Rows) -> list[Json]:
    return rows.where(of=of).table("world", "terms", "bias", "its law", "Hessian products")


def chart(of: str, rows: Rows) -> Chart:
    drawn = {name: rows.where(of=name, world=three.DRAWN).having("bias") for name in three.NAMES}
    side_by_side = [  # every third n each
        *(
            line(three.LABELS[o], drawn[o][i::3], "terms", "bias", colour=i)
            for i, o in enumerate(three.NAMES)
        ),
        line("the law of all three", drawn["E2"], "terms", "its law", **three.LAW),
    ]
    if of == "E1":
        second = _against_products(drawn)
    elif of == "E2":
        second = _all_worlds(rows.where(of="E2").having("bias"))
    else:
        second = _at_rest(rows.where(world=three.DRAWN).having("gradient"))
    title = f"{three.DRAWN}, noisy Hessian and Jacobian"
    return Chart(
        caption=CAPTIONS[of], panels=[_of_bias(title, r"terms $n = N = Q + 1$", side_by_side), second]
    )


def _against_products(drawn: Mapping[str, Rows]) -> Panel:
    series = []
    for i, (of, here) in enumerate(drawn.items()):
        law = Rows({**row, "Hessian products": three.PRODUCTS[of][1](row["terms"])} for row in here)
        series += [
            line(three.LABELS[of], here, "Hessian products", "bias", colour=i),
            line(f"law of {of}", law, "Hessian products", "its law", **three.LAW),
        ]
    return _of_bias("the same against what it costs", "products with a Hessian, on average", series)


def _all_worlds(own: Rows) -> Panel:
    series = []
    for i, (world, here) in enumerate(own.by("world")):
        series += [
            line(f"E2, {world}", here, "terms", "bias", colour=i),
            line(f"its law, {world}", here, "terms", "its law", **three.LAW),
        ]
    return _of_bias("all worlds", r"terms $Q + 1$", series)


def _at_rest(rests: Rows) -> Panel:
    series, cut = [], rests.where(method="SUSTAIN")
    for i, ((of, method), here) in enumerate(rests.by("of", "method")):
        kept = Rows({"terms": n, "gradient": max(here[0]["gradient"], 1e-17)} for n in cut.cells("terms"))
        series.append(line(method, kept if of == "E3" else here, "terms", "gradient", colour=i))
    return panel(
        "terms of the series",
        r"$\|\nabla\Phi\|$ where the method rests",
        [*series, line("floor of a series", cut, "terms", "floor", **three.LAW)],
        title="inside running methods",
        x_scale="linear",
    )


def _of_bias(title: str, x_label: str, series: list[Series]) -> Panel:
    return panel(x_label, "norm of the bias", series, title=title, x_scale="linear")


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
SENTENCES: Mapping[str, str] = {
    "E1": "The Neumann series cut at random has exactly the mean of the full sum with Q = N - 1, a bias of "
    "(I - theta A)^N, for half the products with a Hessian.",
    "E2": "The full sum with Q fresh samples has a bias of exactly grad_xy g (I - theta A)^{Q+1} A^{-1} grad_y f, with "
    "the mean Hessian A whatever its noise.",
    "E3": "An auxiliary variable after n steps has exactly the bias of n terms of the series, and one that is kept has "
    "none in the limit, also inside a running method.",
}
SIZE = {"size": "it scales what counts as rounding, which no number here comes near"}
ZERO = dict.fromkeys(("gradient", "floor"), "both are zero but for rounding, and so are their multiples")
CLAIMS = tuple(
    Claim(
        id=f"estimators.{of}-bias",
        of=("lemma-1", "constant.Delta_Q"),
        sentence=SENTENCES[of],
        pieces=partial(pieces, of),
        checks=partial(checks, of),
        regime=regime,
        method=partial(method, of),
        evidence=("exact moments", "enumeration", "fixed points"),
        settings=three.SETTINGS,
        chart=partial(chart, of),
        notes=NOTES[of],
        table=partial(table, of),
        runs=("LocalBSGM", "LocalBSGVRM"),
        blind_to=SIZE | ZERO if of == "E3" else SIZE,
    )
    for of in three.NAMES
)
