"""Delta_Q: the bias of a Neumann sum with Q + 1 terms, and its bound.

At a point (x, y), with H = grad_yy g, J = grad_xy g and w = grad_y f, all of them means over samples,

    hat    = grad_x f - J [theta sum_{q<=Q} (I - theta H)^q] w       the mean of the stochastic hypergradient
    tilde  = grad_x f - J H^{-1} w                                   the formula with the inverse
    bias   = hat - tilde = J H^{-1} (I - theta H)^{Q+1} w            at most Delta_Q = (1 - theta mu)^{Q+1} L_0 L_1/mu

Doubles soon have no digits left of hat - tilde; the right side is accurate in doubles at every Q.

attained    On aligned worlds all worst cases of Delta_Q share one direction. There the algorithm's own sum, run in 50
            digits, is off by Delta_Q itself, where L_1 is read as `block`, and a term shrinks the bias by 1 - theta mu.
elsewhere   The bias is at most Delta_Q at random points, and where it is largest near (a, b). As Q grows a term shrinks
            it by 1 - theta lambda, lambda the least eigenvalue of the mean Hessian: mu where the Hessian has no noise,
            and larger where it has, as mu is the least curvature over samples.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from ratecert.base.errors import UserError
from ratecert.claims import Budget, Chart, Check, Claim, Json, Piece, Rows
from ratecert.claims.checks import above, equal, gap
from ratecert.claims.claim import build
from ratecert.claims.lines import figure, line
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.solvers import StochasticNeumann
from ratecert.solvers.contract.signs import Silent
from ratecert.synthetic.worlds.aligned import worst_point
from ratecert.theory.numbers.evaluation import with_constants

Array = NDArray[np.float64]
Point = tuple[Array, Array]
EXPONENT, EXACT = 1e-3, 1e-12
ROUNDING = 1e-14  # of constants and closed forms in doubles
TERMS = 60  # the largest Q
READINGS = ("block", "joint")
DIGITS = mpmath.MPContext()
DIGITS.dps = 50

ALIGNED: tuple[dict[str, Any], ...] = (
    {"world": {"world": "aligned", "mu": 2.0, "L_1": 4.0}, "theta": 3 / 16, "radius": 2.0},
    {"world": {"world": "aligned", "d_x": 3, "d_y": 5}, "theta": 1 / 8, "radius": 1.0},
)
RANDOM: dict[str, Any] = {"world": "random_quadratic", "d_x": 2, "d_y": 3, "seed": 1}
ELSEWHERE: dict[str, dict[str, Any]] = {
    "scalar": {"world": "scalar"},
    "random": RANDOM,
    "noisy Hessian": {**RANDOM, "sigma_H": 0.5, "sigma_J": 0.3},
    "huberised": {"world": "huberised", "of": RANDOM, "radius": 1.0},
    "wavy": {"world": "wavy", "d": 3, "A": [1.0, 1.5, 2.0], "a": 0.3, "b": -0.2},
}
RADIUS, SHARE = 2.0, 0.9  # of the ball; theta L_1 under `joint`


def Delta_Q(world: Any, radius: float, reading: str, theta: float, Q: int) -> float:
    """The paper's bound, from its own formula."""
    constants = world.constants(radius=radius, reading=reading)
    return with_constants(paper(), {**constants, "theta": theta, "Q": Q})["Delta_Q"]


def means_at(world: Any, x: Array, y: Array) -> tuple[Array, Array, Array, Array]:
    """grad_x f, H, J and w from the world's own oracles, every sign at its mean."""
    mean = StochasticNeumann(theta=1.0, Q=1).sample(world, Silent())
    (zeta_j,) = mean.factors
    here, units = (x[:, None], y[:, None]), [e[:, None] for e in np.eye(world.d_y)]
    H = np.hstack([world.hessian_g(zeta_j, *here, e) for e in units])
    J = np.hstack([world.jacobian_g(mean.zeta, *here, e) for e in units])
    return world.grad_x_f(mean.xi, *here)[:, 0], H, J, world.grad_y_f(mean.xi, *here)[:, 0]


def closed_form(world: Any, at: Point, theta: float) -> Array:
    """The norm of the bias for Q = 1, ..., TERMS."""
    _, H, J, w = means_at(world, *at)
    r, rows = np.linalg.solve(H, w), []
    r -= theta * (H @ r)
    for _ in range(TERMS):
        r = r - theta * (H @ r)
        rows.append(J @ r)
    sizes: Array = np.linalg.norm(rows, axis=1)
    return sizes


def own_sum_biases(world: Any, at: Point, theta: float, terms: int = TERMS) -> list[float]:
    """||hat - tilde|| in 50 digits for Q = 1, ..., terms, hat being the algorithm's own running sum.

    The oracles of a quadratic world take 50-digit vectors. All that they round is I - theta A, which has to be exact.
    """
    exact = np.frompyfunc(DIGITS.mpf, 1, 1)
    grad_x_f, H, J, w = means_at(world, *at)
    eye = np.eye(len(w))
    if not np.all(exact(eye - theta * H) == exact(eye) - DIGITS.mpf(theta) * exact(H)):
        raise UserError(f"I - theta A must be exact in doubles, got theta = {theta}; take few binary digits.")
    solved = DIGITS.lu_solve(DIGITS.matrix(exact(H).tolist()), DIGITS.matrix(w.tolist()))
    tilde = exact(grad_x_f) - exact(J) @ np.array(list(solved), dtype=object)

    def off(Q: int) -> float:
        neumann = StochasticNeumann(theta=theta, Q=Q)
        x, y = (exact(value)[:, None] for value in at)
        hat = neumann.evaluate(world, neumann.sample(world, Silent()), x, y)[:, 0]
        return float(DIGITS.sqrt(sum(v * v for v in hat - tilde)))

    return [off(Q) for Q in range(1, terms + 1)]


def attained(world: Json, theta: float, radius: float) -> list[Json]:
    """Bias and bound at the worst point of an aligned world, per Q."""
    problem = build(world)
    at = worst_point(problem, radius)
    own, closed = own_sum_biases(problem, at, theta), closed_form(problem, at, theta).tolist()
    found = zip(bounds_per_Q(problem, theta, radius), own, closed, strict=True)
    return [{"name": "aligned", **bounds, "bias": b, "closed form": c} for bounds, b, c in found]


def bounds_per_Q(world: Any, theta: float, radius: float) -> list[dict[str, Json]]:
    mu = world.constants(radius=radius)["mu"]
    return [
        {"theta": theta, "mu": mu, "Q": Q}
        | {f"Delta_Q, {reading}": Delta_Q(world, radius, reading, theta, Q) for reading in READINGS}
        for Q in range(1, TERMS + 1)
    ]


def elsewhere(name: str, points: int) -> list[Json]:
    """The largest bias over points of the ball's sphere, and the decay at the first of them, per Q."""
    world, rng = build(ELSEWHERE[name]), np.random.default_rng(0)
    theta = SHARE / world.constants(radius=RADIUS, reading="joint")["L_1"]
    directions = rng.standard_normal((points, world.d_x + world.d_y))
    directions[1::2, : world.d_x] = 0.0  # every other point has x = a, where grad_y f is larger
    directions *= RADIUS / np.linalg.norm(directions, axis=1, keepdims=True)
    drawn = [(world.a + z[: world.d_x], world.b + z[world.d_x :]) for z in directions]
    sizes = [closed_form(world, at, theta) for at in drawn]
    smallest = float(np.linalg.eigvalsh(means_at(world, *drawn[0])[1])[0])
    rows = []
    for i, bounds in enumerate(bounds_per_Q(world, theta, RADIUS)):
        steepest = closed_form(world, steepest_point(world, theta, i + 1), theta)
        largest = float(max(each[i] for each in (*sizes, steepest)))
        rows.append({**bounds, "bias": largest, "lambda": smallest, "at one point": float(sizes[0][i])})
    return rows


def steepest_point(world: Any, theta: float, Q: int) -> Point:
    """(a, b + radius v), v the direction in which J H^{-1} (I - theta H)^{Q+1} grad_y f grows most near (a, b)."""
    _, H, J, w = means_at(world, world.a, world.b)
    eye, step = np.eye(len(H)), 1e-3 * RADIUS
    D = [means_at(world, world.a, world.b + step * e)[3] - w for e in eye]
    shrunk = np.linalg.matrix_power(eye - theta * H, Q + 1)
    v = np.linalg.svd(J @ np.linalg.solve(H, shrunk @ np.array(D).T))[2][0]
    return world.a, world.b + RADIUS * v


def pieces(budget: Budget) -> list[Piece]:
    points = 8 if budget.quick else 32
    found = [Piece(elsewhere, {"name": name, "points": points}, 0.1) for name in ELSEWHERE]
    return [Piece(attained, setting, 0.2) for setting in ALIGNED] + found


def checks(rows: Rows) -> Iterator[Check]:
    for _, here in rows.where(name="aligned").by("theta"):
        theta_mu = here[0]["theta"] * here[0]["mu"]
        where = f"aligned, theta mu = {theta_mu:g}"
        factors = [after["bias"] / before["bias"] for before, after in pairwise(here)]
        off = max(abs(factor - (1 - theta_mu)) for factor in factors)
        yield equal(f"factor per term - (1 - theta mu), {where}", off, 0.0, EXACT, ROUNDING)
        farthest = max(
            (row["bias"] / row["Delta_Q, block"] for row in here), key=lambda ratio: abs(ratio - 1)
        )
        yield equal(f"bias/Delta_Q, block, {where}", farthest, 1.0, EXACT, ROUNDING)
        yield above(f"bias/Delta_Q, joint, {where}", here, "bias", "Delta_Q, joint", tolerance=EXACT)
        name = f"own sum against closed form, {where}"
        yield gap(name, here, "bias", "closed form", EXACT, error=ROUNDING)
    for name, some in rows.but(name="aligned").by("name"):
        for reading in READINGS:
            title, bound = f"bias/Delta_Q, {reading}, {name}", f"Delta_Q, {reading}"
            yield above(title, some, "bias", bound, tolerance=EXACT, error=ROUNDING)
        before, last = some.last(2)
        shrunk = math.log(last["at one point"] / before["at one point"])
        power = shrunk / math.log1p(-last["theta"] * last["lambda"])
        yield equal(f"decay exponent at Q = {TERMS}, {name}", power, 1.0, EXPONENT, ROUNDING)


def chart(rows: Rows) -> Chart:
    series = [
        line(name, here, "Q", lambda row: row["bias"] / row["Delta_Q, joint"], colour=i)
        for i, (name, here) in enumerate(rows.having("lambda").by("name"))
    ]
    caption = (
        "Bias over Delta_Q at the worst point: level where both fall by the same factor per term, sinking where the "
        "Hessian has noise."
    )
    return figure(caption, "$Q$", r"bias / $\Delta_Q$", series, x_scale="linear")


CLAIMS = (
    Claim(
        id="delta-q",
        of=("constant.Delta_Q",),
        sentence="The bias of the stochastic hypergradient is at most Delta_Q; on an aligned world it is Delta_Q, and "
        "every term shrinks it by 1 - theta mu.",
        pieces=pieces,
        checks=checks,
        regime=f"Q = 1 ... {TERMS}; theta < 1/L_1, the ball of the constants holds all points",
        method="the algorithm's own sum in 50 digits; elsewhere its closed form",
        evidence=("closed forms",),
        settings={"attained": list(ALIGNED), "elsewhere": ELSEWHERE, "radius": RADIUS, "theta L_1": SHARE},
        chart=chart,
        notes=[
            "Under the reading block a scalar world attains Delta_Q too: where d_y = 1 there is one direction."
        ],
        table=("name", "theta", "Q", "bias", "Delta_Q, block", "Delta_Q, joint"),
    ),
)
