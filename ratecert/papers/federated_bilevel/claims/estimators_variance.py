"""The variance of three estimators of the hypergradient at the same number of terms, and so with the same mean.

The cut at random has a variance of its own, without any noise below N b and parallel to it in the end; the full sum and
the auxiliary variable have that of their samples alone.

Covariances are compared entry by entry, relative to the second moment of the part with the series, from which the laws
subtract the square of a mean.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ratecert.claims import Budget, Chart, Check, Claim, Json, Piece, Rows, Triangle
from ratecert.claims.checks import above, at_least, equal
from ratecert.claims.claim import build
from ratecert.claims.lines import line, panel
from ratecert.claims.rows import entries
from ratecert.papers.federated_bilevel.evidence.estimators import three
from ratecert.papers.federated_bilevel.evidence.estimators.laws import Laws, laws_at
from ratecert.solvers.contract.problem import CentredProblem
from ratecert.solvers.engines.estimates import estimate_moments, estimate_outcomes

APART = 1e-3  # relative; a difference of this size is no rounding
QUIET_THETA = 0.4  # (1 - theta lambda)^64 is below rounding for every lambda >= 1

SCALAR_G: dict[str, Any] = {"world": "scalar", "a": 0.5, "b": -0.2, **three.NOISE}
QUIET: dict[str, dict[str, Any]] = {
    "scalar": {"world": "scalar", "b": 1.0},
    "2 x 3": {"world": "random_quadratic", "d_x": 2, "d_y": 3, "seed": 1},
}
DOUBLED = [1, 2, 4, 8, 16, 32, 64]


def noisy_worlds() -> dict[str, Json]:
    return {**three.WORLDS, "scalar, g noisy": SCALAR_G}


def variances(world: str, terms: list[int]) -> list[Json]:
    """The trace of each covariance per number of terms, and every entry beside its law, also over all outcomes."""
    problem, rows = build(noisy_worlds()[world]), []
    laws = laws_at(problem)
    for n in terms:
        exact = {of: _covariance(problem, of, n) for of in three.NAMES}
        law = {of: laws.covariance(of, n) for of in three.NAMES}
        traces = {of: float(np.trace(exact[of])) for of in three.NAMES}
        row: Json = {"terms": n, **traces, **{f"law of {of}": float(np.trace(law[of])) for of in three.NAMES}}
        if n > 1:
            least = float(np.linalg.eigvalsh(exact["E1"] - exact["E2"])[0])
            row["least eigenvalue"] = least / _scale(laws, law["E1"], n)
        if problem.d_y == 1:
            row["saved"] = laws.saved_by_fresh_samples(n)
        rows.append(row)
        for of in three.NAMES:
            found = {"moments": exact[of]}
            if n <= three.ENUMERATED[world]:
                point = three.place(problem, of)
                found["outcomes"] = estimate_outcomes(problem, three.estimator(of, n), point)[1]
            for way, covariance in found.items():
                rows += entries(covariance, law[of], _scale(laws, law[of], n), of=of, way=way)
    return rows


def cut(quiet: str, terms: list[int]) -> list[Json]:
    """Without noise: what the cut at random alone adds, and how it grows with N."""
    problem = build(QUIET[quiet])
    laws = laws_at(problem, QUIET_THETA)
    left = float(np.sum((laws.tilde - laws.grad_x_f) ** 2))
    others = [_covariance(problem, of, n, QUIET_THETA) for of in ("E2", "E3") for n in terms[:4]]
    rows: list[Json] = [{"E2 and E3": float(max(np.abs(covariance).max() for covariance in others))}]
    for N in terms:
        exact, closed = _covariance(problem, "E1", N, QUIET_THETA), laws.covariance_of_the_cut(N)
        traces = {"variance": float(np.trace(exact)), "closed form": float(np.trace(closed))}
        rows.append({"N": N, **traces, "N b": N * laws.growth_of_the_cut, "left in the end": left})
        rows += entries(exact, closed, _scale(laws, laws.covariance("E1", N), N))
    return rows


def _covariance(problem: CentredProblem, of: str, n: int, theta: float = three.THETA) -> three.Array:
    return estimate_moments(problem, three.estimator(of, n, theta=theta), three.place(problem, of))[1]


def _scale(laws: Laws, covariance: three.Array, n: int) -> float:
    """The second moment of the part with the series."""
    mean = laws.world.B.T @ laws.rho(n)
    return float(np.trace(covariance) + mean @ mean)


def pieces(budget: Budget) -> list[Piece]:
    terms = three.terms_of(budget)
    return [
        *(Piece(variances, {"world": world, "terms": terms}, 0.8) for world in noisy_worlds()),
        *(Piece(cut, {"quiet": world, "terms": DOUBLED}, 0.1) for world in QUIET),
    ]


def checks(rows: Rows) -> Iterator[Check]:
    for world, here in rows.by("world"):
        for way, words in (("moments", ""), ("outcomes", " over all outcomes")):
            for of in three.NAMES:
                name = f"covariance of {of}{words} against its law, {world}"
                yield three.to_rounding(name, here.where(of=of, way=way))
        least = min(here.having("least eigenvalue").column("least eigenvalue"))
        name = f"least eigenvalue of cov E1 - cov E2, {world}"
        yield at_least(name, least, 0.0, three.ROUNDING, three.EXACT)
        yield _saved_by_fresh_samples(world, here)
    for world, here in rows.by("quiet"):
        name = f"covariance of the cut alone against its closed form, {world}"
        yield three.to_rounding(name, here.having("measured"))
        others = here.having("E2 and E3").only()["E2 and E3"]
        yield equal(f"variance of E2 and E3 without noise, {world}", others, 0.0, 0.0)
        cuts = here.having("N")
        yield above(f"variance of the cut over N b, {world}", cuts, "variance", "N b", error=three.ROUNDING)
        last, name = cuts[-1], f"1 - variance of the cut over N b, N = {DOUBLED[-1]}, {world}"
        below, left = (last["N b"] - last["variance"]) / last["N b"], last["left in the end"] / last["N b"]
        yield equal(name, below, left, three.EXACT, three.ROUNDING)


def _saved_by_fresh_samples(world: str, here: Rows) -> Check:
    """Where y is a number there is a closed form; elsewhere, that there is a difference."""
    last = here.having("terms")[-1]
    where, saved = f"{last.get('terms')} terms, {world}", (last["E2"] - last["E3"]) / last["E2"]
    if "saved" in last:
        closed = last["saved"] / last["E2"]
        return equal(f"(var E2 - var E3)/var E2, {where}", saved, closed, three.EXACT, three.ROUNDING)
    return at_least(f"|var E2 - var E3|/var E2, {where}", abs(saved), APART, three.ROUNDING)


def chart(rows: Rows) -> Chart:
    noisy, quiet, drawn = [], [], rows.where(world=three.DRAWN).having("terms")
    for i, of in enumerate(three.NAMES):
        noisy += [
            line(three.LABELS[of], drawn, "terms", of, colour=i),
            line(f"law of {of}", drawn, "terms", f"law of {of}", **three.LAW),
        ]
    cuts = rows.having("N")
    for i, (world, here) in enumerate(cuts.by("quiet")):
        later = here[1:]  # with one term there is no cut
        quiet += [
            line(f"$N b$, {world}", later, "N", "N b", kind="bound", colour=i),
            line(f"E1, {world}", later, "N", "variance", colour=i),
            line("closed form", later, "N", "closed form", **three.LAW),
        ]
    one = Triangle(x=8.0, y=0.3 * cuts[3]["closed form"], slope=1.0, label="1")
    title, trace = f"{three.DRAWN}, noisy Hessian and Jacobian", "trace of the covariance"
    return Chart(
        caption="At the same number of terms, and so with the same mean, the series cut at random has a variance that "
        "grows with the number of terms; those of the full sum and of the auxiliary variable level off. Without any "
        "noise only the cut has a variance, below N b and parallel to it in the end.",
        panels=[
            panel(r"terms $n = N = Q + 1$", trace, noisy, title=title, x_scale="linear"),
            panel("$N$", trace, quiet, [one], title="without noise: the cut alone"),
        ],
    )


CLAIMS = (
    Claim(
        id="estimators.variance",
        of=("lemma-1", "estimator-stochastic"),
        sentence="At equal numbers of terms the three estimators have the covariances of their laws; that of the "
        "series cut at random is never below that of the full sum and, without any noise, grows in proportion to N.",
        pieces=pieces,
        checks=checks,
        regime=lambda rows: (
            f"n = 1 ... {max(rows.cells('terms'))} terms, theta = tau = {three.THETA} < 1/L_1; without noise up to "
            f"{DOUBLED[-1]} terms, theta = {QUIET_THETA}, 0 < theta lambda <= 1; one point per world"
        ),
        method="exact moments; enumeration of all outcomes",
        evidence=("exact moments", "enumeration"),
        settings={**three.SETTINGS, "worlds": noisy_worlds(), "without noise": QUIET},
        chart=chart,
        notes=[
            "E2 is the mean of E1 over the cut with all samples given, so E1 never has less variance than E2.",
            "Noise of f enters E2 once, through all terms, and E3 afresh in each step, which averages it. Where only g "
            "is noisy E2 and E3 have the same variance if y is a number; where Hessians do not commute they differ, "
            "and here E3 has more.",
        ],
        table=("world", "terms", *three.NAMES),
        runs=("LocalBSGM", "LocalBSGVRM"),
        blind_to={
            "least eigenvalue": "its sign is what counts",
            "E2 and E3": "it is exactly zero, and so are its multiples",
        },
    ),
)
