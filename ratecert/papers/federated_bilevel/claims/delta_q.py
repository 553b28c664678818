"""Delta_Q = (1 - theta mu)^{Q+1} L_0 L_1/mu bounds the bias of the stochastic hypergradient, and no smaller rate does.

The bias at (x, y) is ||hat - tilde||, where hat is the mean of the stochastic hypergradient with Q + 1 terms and tilde
the formula with the inverse, both at (x, y); evidence/bias/neumann_bias.py has its closed form.

    aligned      the worst point of a world on which all worst cases of Delta_Q share one direction. hat is the
                 algorithm's own running sum, run in 50 digits: at large Q it differs from tilde in digits that doubles
                 do not have. Under the reading `block` the bias is Delta_Q, and a term shrinks it by 1 - theta mu.
    elsewhere    random points of the ball of the constants, and for every Q the point with the largest bias near
                 (a, b). The closed form equals the difference in doubles, up to their rounding. The bias is at most
                 Delta_Q. As Q grows a term shrinks it by 1 - theta lambda, lambda the least eigenvalue of the mean
                 Hessian: that is 1 - theta mu where the Hessian has no noise. With noise lambda > mu, as mu is the
                 least over samples, and Delta_Q falls more slowly than the bias.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from ratecert.claims import Budget, Chart, Check, Claim, Json, Piece, Row, Rows
from ratecert.claims.checks import above, difference, equal, gap
from ratecert.claims.claim import build
from ratecert.claims.lines import level, line, panel
from ratecert.claims.rows import entries
from ratecert.papers.federated_bilevel.evidence.bias.neumann_bias import (
    Array,
    Delta_Q,
    means_at,
    own_sum_biases,
)
from ratecert.solvers import neumann_hypergradient
from ratecert.solvers.contract.problem import CentredProblem, Problem
from ratecert.synthetic.worlds.aligned import worst_point
from ratecert.theory.numbers.assumptions import WithConstants

TERMS = 60  # the largest Q
READINGS = ("block", "joint")
EXACT = 1e-12
EXPONENT = 1e-3
ROUNDING = 1e-14  # of constants and closed forms in doubles, relative

ALIGNED: tuple[dict[str, Any], ...] = (
    {"world": {"world": "aligned", "mu": 2.0, "L_1": 4.0}, "theta": 3 / 16, "radius": 2.0},
    {"world": {"world": "aligned", "d_x": 3, "d_y": 5}, "theta": 1 / 8, "radius": 1.0},
)
PLAIN: dict[str, Any] = {"world": "random_quadratic", "d_x": 2, "d_y": 3, "seed": 1}
ELSEWHERE: dict[str, dict[str, Any]] = {
    "scalar": {"world": "scalar"},
    "random": PLAIN,
    "noisy Hessian": {**PLAIN, "sigma_H": 0.5, "sigma_J": 0.3},
    "huberised": {"world": "huberised", "of": PLAIN, "radius": 1.0},
    "wavy": {"world": "wavy", "d": 3, "A": [1.0, 1.5, 2.0], "a": 0.3, "b": -0.2},
}
RADIUS, SHARE = 2.0, 0.9  # of the ball; theta L_1 under `joint`


def attained(world: Json, theta: float, radius: float) -> list[Json]:
    """Bias and bound at the worst point of an aligned world, per Q."""
    problem = build(world)
    at = worst_point(problem, radius)
    own = [float(v) for v in own_sum_biases(problem, *at, theta=theta, terms=TERMS)]
    closed = _sizes(problem, at, theta).tolist()
    found = zip(_bounds(problem, theta, radius), own, closed, strict=True)
    return [{"name": "aligned", **bounds, "bias": b, "closed form": c} for bounds, b, c in found]


def elsewhere(name: str, radius: float, share: float, points: int, seed: int) -> list[Json]:
    """The largest bias over points and the decay at the first of them, per Q; then closed form and sum in doubles."""
    problem = build(ELSEWHERE[name])
    theta = share / problem.constants(radius=radius, reading="joint")["L_1"]
    places = _places(problem, radius, points, seed)
    every = [_sizes(problem, at, theta) for at in places]
    smallest = float(np.linalg.eigvalsh(means_at(problem, *places[0]).H)[0])
    rows = []
    for i, bounds in enumerate(_bounds(problem, theta, radius)):
        steepest = _sizes(problem, _steepest(problem, radius, theta, i + 1), theta)
        largest = max(sizes[i] for sizes in (*every, steepest))
        rows.append(
            {**bounds, "bias": float(largest), "lambda": smallest, "at one point": float(every[0][i])}
        )
    return rows + [row for at in places[:4] for row in _in_doubles(problem, at, theta)]


def _bounds(problem: WithConstants, theta: float, radius: float) -> list[dict[str, Json]]:
    """theta, mu and Delta_Q under both readings, per Q."""
    constants = {reading: problem.constants(radius=radius, reading=reading) for reading in READINGS}
    return [
        {"theta": theta, "mu": constants["joint"]["mu"], "Q": Q}
        | {f"Delta_Q, {reading}": Delta_Q(c, theta=theta, Q=Q) for reading, c in constants.items()}
        for Q in range(1, TERMS + 1)
    ]


def _places(problem: CentredProblem, radius: float, points: int, seed: int) -> list[tuple[Array, Array]]:
    """Random points of the sphere; every other one has x = a, where grad_y f is larger."""
    directions = np.random.default_rng(seed).standard_normal((points, problem.d_x + problem.d_y))
    directions[1::2, : problem.d_x] = 0.0
    directions *= radius / np.linalg.norm(directions, axis=1, keepdims=True)
    return [(problem.a + z[: problem.d_x], problem.b + z[problem.d_x :]) for z in directions]


def _steepest(problem: CentredProblem, radius: float, theta: float, Q: int) -> tuple[Array, Array]:
    """(a, b + radius v), v the direction in which J H^{-1} (I - theta H)^{Q+1} grad_y f grows most near (a, b)."""
    here, step = means_at(problem, problem.a, problem.b), 1e-3 * radius
    eye = np.eye(len(here.H))
    D = [means_at(problem, problem.a, problem.b + step * e).w - here.w for e in eye]
    shrunk = np.linalg.matrix_power(eye - theta * here.H, Q + 1)
    v = np.linalg.svd(here.J @ np.linalg.solve(here.H, shrunk @ np.array(D).T))[2][0]
    return problem.a, problem.b + radius * v


def _sizes(problem: CentredProblem, at: tuple[Array, Array], theta: float) -> Array:
    """The norm of the bias for every Q."""
    sizes: Array = np.linalg.norm(means_at(problem, *at).bias(theta=theta, terms=TERMS), axis=1)
    return sizes


def _in_doubles(problem: Problem, at: tuple[Array, Array], theta: float) -> list[Json]:
    """hat - tilde beside its closed form for some Q, relative to the two parts of the hypergradient."""
    means = means_at(problem, *at)
    closed = means.bias(theta=theta, terms=TERMS)
    parts = float(np.linalg.norm(means.grad_x_f) + np.linalg.norm(means.tilde - means.grad_x_f))
    hats = {Q: neumann_hypergradient(problem, *at, theta=theta, Q=Q) for Q in (1, 5, 20, TERMS)}
    return [row for Q, hat in hats.items() for row in entries(hat - means.tilde, closed[Q - 1], parts)]


def pieces(budget: Budget) -> list[Piece]:
    common = {"radius": RADIUS, "share": SHARE, "points": 8 if budget.quick else 32, "seed": 0}
    others = [Piece(elsewhere, {"name": name, **common}, 0.1) for name in ELSEWHERE]
    return [Piece(attained, setting, 0.2) for setting in ALIGNED] + others


def checks(rows: Rows) -> Iterator[Check]:
    for _, here in rows.where(name="aligned").by("theta"):
        theta_mu = here[0]["theta"] * here[0]["mu"]
        where = f"aligned, theta mu = {theta_mu:g}"
        factors = [after["bias"] / before["bias"] for before, after in pairwise(here)]
        off = max(abs(factor - (1 - theta_mu)) for factor in factors)
        yield equal(f"factor per term - (1 - theta mu), {where}", off, 0.0, EXACT, ROUNDING)
        farthest = max(_ratios(here, "block"), key=lambda ratio: abs(ratio - 1))
        yield equal(f"bias/Delta_Q, block, {where}", farthest, 1.0, EXACT, ROUNDING)
        yield above(f"bias/Delta_Q, joint, {where}", here, "bias", "Delta_Q, joint", tolerance=EXACT)
        own = f"own sum against closed form, {where}"
        yield gap(own, here, "bias", "closed form", EXACT, error=ROUNDING)
    for name, here in rows.but(name="aligned").by("name"):
        some = here.having("bias")
        for reading in READINGS:
            title, bound = f"bias/Delta_Q, {reading}, {name}", f"Delta_Q, {reading}"
            yield above(title, some, "bias", bound, tolerance=EXACT, error=ROUNDING)
        before, last = some.last(2)
        shrunk = math.log(last["at one point"] / before["at one point"])
        exponent = shrunk / math.log1p(-last["theta"] * last["lambda"])
        yield equal(f"decay exponent at Q = {TERMS}, {name}", exponent, 1.0, EXPONENT, ROUNDING)
        doubles, title = here.having("measured"), f"doubles against closed form, {name}"
        yield difference(title, doubles, "measured", "predicted", EXACT, error=ROUNDING)


def _ratios(rows: Rows, reading: str) -> list[float]:
    return [row["bias"] / row[f"Delta_Q, {reading}"] for row in rows]


def table(rows: Rows) -> Iterator[Row]:
    for (name, theta), here in rows.having("bias").by("name", "theta"):
        mu = here[0]["mu"]
        yield {
            "world": name,
            "theta": theta,
            "mu": mu,
            "lambda_min of the mean Hessian": here[0].get("lambda", mu),
            "largest bias/Delta_Q, block": max(_ratios(here, "block")),
            "largest bias/Delta_Q, joint": max(_ratios(here, "joint")),
            "bias/Delta_Q at the last Q, joint": _ratios(here, "joint")[-1],
        }


def chart(rows: Rows) -> Chart:
    best, others = [], [level(r"$\Delta_Q$ itself", [1, TERMS], 1.0, kind="bound", colour=6)]
    for i, (theta, here) in enumerate(rows.where(name="aligned").by("theta")):
        label = rf"$\Delta_Q$, $\theta\mu = {theta * here[0]['mu']:g}$"
        best += [
            line(label, here, "Q", "Delta_Q, block", kind="bound", colour=i + 1),
            line("bias", here[2::3], "Q", "bias", colour=2 * i),
        ]
    for i, (name, here) in enumerate(rows.but(name="aligned").having("bias").by("name")):
        others.append(line(name, here[2::3], "Q", lambda row: row["bias"] / row["Delta_Q, joint"], colour=i))
    ratio = r"bias / $\Delta_Q$ (reading joint)"
    return Chart(
        caption="On aligned worlds the bias of the truncated sum is Delta_Q (reading block) at every Q, down twelve "
        "powers of ten. On other worlds it stays below Delta_Q (reading joint); the ratio is level where both fall by "
        "the same factor per term and sinks where the Hessian has noise.",
        panels=[
            panel("$Q$", "norm of the bias", best, title="aligned worlds, worst point", x_scale="linear"),
            panel("$Q$", ratio, others, title="other worlds, worst point", x_scale="linear"),
        ],
    )


CLAIMS = (
    Claim(
        id="delta-q",
        of=("constant.Delta_Q",),
        sentence="The bias of the stochastic hypergradient is at most Delta_Q; on an aligned world it is Delta_Q, and "
        "every term shrinks it by 1 - theta mu.",
        pieces=pieces,
        checks=checks,
        regime=f"Q = 1 ... {TERMS}; theta < 1/L_1, the ball of the constants holds all points",
        method="the algorithm's own sum in 50 digits; elsewhere its closed form, compared with the sum in doubles",
        evidence=("closed forms",),
        settings={"attained": list(ALIGNED), "elsewhere": ELSEWHERE, "radius": RADIUS, "theta L_1": SHARE},
        chart=chart,
        notes=[
            "Under the reading block a scalar world attains Delta_Q as well: where d_y = 1 and D >= P, the worst cases "
            "share the only direction there is.",
            "With Hessian noise the bias falls by 1 - theta lambda_min(E[H]) per term, faster than Delta_Q: mu is the "
            "least curvature over samples.",
        ],
        table=table,
        runs=("LocalBSGM", "LocalBSGVRM"),
    ),
)
