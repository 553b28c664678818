"""The bias of a Neumann sum with Q + 1 terms: its bound Delta_Q, the floor that it leaves, and the Q that is enough.

At a point (x, y), with H = grad_yy g, J = grad_xy g and w = grad_y f, all of them means over samples,

    hat    = grad_x f - J [theta sum_{q<=Q} (I - theta H)^q] w       the mean of the stochastic hypergradient
    tilde  = grad_x f - J H^{-1} w                                   the formula with the inverse
    bias   = hat - tilde = J H^{-1} (I - theta H)^{Q+1} w            at most Delta_Q = (1 - theta mu)^{Q+1} L_0 L_1/mu

Doubles soon have no digits left of hat - tilde; the right side is accurate in doubles at every Q.

delta-q         On aligned worlds all worst cases of Delta_Q share one direction. There the algorithm's own sum, run in
                50 digits, is off by Delta_Q itself, where L_1 is read as `block`, and a term shrinks the bias by
                1 - theta mu. Elsewhere it is at most Delta_Q at random points, and where it is largest near (a, b). As
                Q grows a term shrinks it by 1 - theta lambda, lambda the least eigenvalue of the mean Hessian: mu where
                the Hessian has no noise, and larger where it has, as mu is the least curvature over samples.
delta-q.floor   Without noise, or as eta -> 0, both algorithms rest where y = y*(x) and hat(x, y) = 0. On a quadratic
                quadratic world, with M = I - theta A, that is linear in x, and grad Phi is what is left out there:

                    0 = P (x - a) + B' A^{-1} (I - M^{Q+1}) D (y*(x) - b)
                    grad Phi(x) = B' A^{-1} M^{Q+1} D (y*(x) - b)

                So the measure has a floor that no T, K, p or step lowers; it falls by (1 - theta mu)^2 per term.
delta-q.terms   Along Corollary 1 the noise part is of order (KT)^{-1/2}, the floor of order (1 - theta mu)^{2Q+2}: it
                is a given share of the noise at Q = log(KT)/(4 log(1/(1 - theta mu))) + constant. This is
                O(log sqrt(KT)), as printed, with the unit 1/(2 log(1/(1 - theta mu))), about 1/(2 theta mu).
delta-q.unit-1  With Q = unit log sqrt(KT) the floor is of order (KT)^(unit log(1 - theta mu)). The unit 1, the O(.) at
                its face, keeps the rate only where theta mu >= 1 - exp(-1/2) = 0.393: expected to be refuted.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

import ratecert as rc
from ratecert.claims import Budget, Check, Claim, Json, Rows, Task, above, build, equal, exponent, gap
from ratecert.claims.check import error_of, largest_error
from ratecert.errors import UndecidedError, UserError
from ratecert.papers.federated_bilevel.claims.measured_run import L_tilde, run_near
from ratecert.theory.numbers.evaluation import number

LocalBSGM, LocalBSGVRM = rc.methods.LocalBSGM, rc.methods.LocalBSGVRM
Neumann, Silent = rc.contract.StochasticNeumann, rc.contract.Silent
Array = NDArray[np.float64]
Point = tuple[Array, Array]
EXPONENT, EQUAL, EXACT = 1e-3, 1e-7, 1e-12  # tolerances
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
    known = rc.constants(world, radius=radius, reading=reading, paper="printed", theta=theta, Q=Q)
    return known["Delta_Q"]


def means_at(world: Any, x: Array, y: Array) -> tuple[Array, Array, Array, Array]:
    """grad_x f, H, J and w from the world's own oracles, every sign at its mean."""
    mean = Neumann(theta=1.0, Q=1).sample(world, Silent())
    zeta_j, *_ = mean.factors
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
        neumann = Neumann(theta=theta, Q=Q)
        x, y = (exact(value)[:, None] for value in at)
        hat = neumann.evaluate(world, neumann.sample(world, Silent()), x, y)[:, 0]
        return float(DIGITS.sqrt(sum(v * v for v in hat - tilde)))

    return [off(Q) for Q in range(1, terms + 1)]


def bounds_per_Q(world: Any, theta: float, radius: float) -> list[dict[str, Json]]:
    known = {"theta": theta, "mu": world.constants(radius=radius)["mu"]}
    return [
        {**known, "Q": Q, **{f"Delta_Q, {how}": Delta_Q(world, radius, how, theta, Q) for how in READINGS}}
        for Q in range(1, TERMS + 1)
    ]


def attained(world: Json, theta: float, radius: float) -> list[Json]:
    """Bias and bound at the worst point of an aligned world, per Q."""
    problem = build(world)
    at = rc.worlds.worst_point(problem, radius)
    own, closed = own_sum_biases(problem, at, theta), closed_form(problem, at, theta).tolist()
    found = zip(bounds_per_Q(problem, theta, radius), own, closed, strict=True)
    return [{"name": "aligned", **bounds, "bias": b, "closed form": c} for bounds, b, c in found]


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


def tasks(budget: Budget) -> list[Task]:
    points = 8 if budget.quick else 32
    found = [Task(elsewhere, {"name": name, "points": points}, 0.1) for name in ELSEWHERE]
    return [Task(attained, setting, 0.2) for setting in ALIGNED] + found


def checks(rows: Rows) -> Iterator[Check]:
    for _, here in rows.where(name="aligned").by("theta"):
        theta_mu = here[0]["theta"] * here[0]["mu"]
        where = f"aligned, theta mu = {theta_mu:g}"
        off = max(abs(after["bias"] / before["bias"] - (1 - theta_mu)) for before, after in pairwise(here))
        yield equal(f"factor per term - (1 - theta mu), {where}", off, 0.0, EXACT, ROUNDING)
        farthest = max((row["bias"] / row["Delta_Q, block"] for row in here), key=lambda each: abs(each - 1))
        yield equal(f"bias/Delta_Q, block, {where}", farthest, 1.0, EXACT, ROUNDING)
        yield above(f"bias/Delta_Q, joint, {where}", here, "bias", "Delta_Q, joint", tolerance=EXACT)
        yield gap(f"own sum against closed form, {where}", here, "bias", "closed form", EXACT, error=ROUNDING)
    for name, some in rows.but(name="aligned").by("name"):
        for reading in READINGS:
            title, bound = f"bias/Delta_Q, {reading}, {name}", f"Delta_Q, {reading}"
            yield above(title, some, "bias", bound, tolerance=EXACT, error=ROUNDING)
        before, last = some.last(2)
        shrunk = math.log(last["at one point"] / before["at one point"])
        power = shrunk / math.log1p(-last["theta"] * last["lambda"])
        yield equal(f"decay exponent at Q = {TERMS}, {name}", power, 1.0, EXPONENT, ROUNDING)


# The floor

THETA, DEVICES, ETA = 0.2, 4, 0.1
STEPS: dict[str, Any] = {"alpha": 1.0, "beta": 1.0, "rho_1": 0.01, "rho_2": 0.5, "p": 4, "theta": THETA}
FLOORS: dict[str, dict[str, Any]] = {"scalar": {"world": "scalar", "b": 1.0}, "random": RANDOM}
NOISY = {**RANDOM, "sigma_H": 0.3, "sigma_J": 0.2, "s_f": 0.1, "s_g": 0.1}
ETAS = [10.0**-i for i in range(1, 9)]
FROM = 40  # the exponent is measured between this Q and TERMS
KNOWN = 1e-14  # grad Phi at the point of rest, in doubles: absolute, as it is a difference there


def at_rest(world: Any, theta: float, Q: int) -> tuple[float, float]:
    """The floor, ||grad Phi(x)||^2 where the mean iterates stay, and ||(x - a, y*(x) - b)|| there."""
    left_out = np.linalg.matrix_power(np.eye(world.d_y) - theta * world.A, Q + 1)
    back = np.linalg.solve(world.A, world.B).T  # B' A^{-1}
    used, lost = back @ (np.eye(world.d_y) - left_out) @ world.D, back @ left_out @ world.D
    offset = world.y_star(world.a) - world.b
    x = world.a - np.linalg.solve(world.P + used @ back.T, used @ offset)
    away = world.y_star(x) - world.b
    return float(np.sum((lost @ away) ** 2)), math.hypot(np.linalg.norm(x - world.a), np.linalg.norm(away))


def limit(world: Any, method: Any, K: int = DEVICES) -> Json:
    """The theorems' measure as T -> infinity, and its precision."""
    found = rc.stationary(world, method, K=K)
    return {"measure": found.gradient + L_tilde(world) ** 2 * found.tracking, "precision": found.precision}


def bias_term(world: Any, radius: float, Q: int) -> float:
    """What Theorem 1 adds for the bias, 4 Delta_Q^2, with the constants of this ball."""
    known = rc.constants(world, radius=radius, paper="printed", theta=THETA, Q=Q)
    return number(rc.paper().the(rc.statements.Theorem, "theorem-1").terms["bias"], known)


def floors(world: str, terms: list[int]) -> list[Json]:
    """The limit of the measure without noise, the closed form and the theorem's term, per Q.

    The constants in Delta_Q are those of the ball that holds every point of rest.
    """
    problem, rows = build(FLOORS[world]), []
    rests = {Q: at_rest(problem, THETA, Q) for Q in terms}
    radius = max(away for _, away in rests.values())
    shrink = 1 - THETA * problem.constants(radius=radius)["mu"]
    for Q, (closed, _) in rests.items():
        found, bound = limit(problem, LocalBSGM(eta=ETA, Q=Q, **STEPS)), bias_term(problem, radius, Q)
        error = found["precision"] + 2 * KNOWN / math.sqrt(found["measure"])
        known = {"closed form": closed, "4 Delta_Q^2": bound, "(1 - theta mu)^Q": shrink**Q, "error": error}
        rows.append({"Q": Q, **found, **known})
    return rows


def same_floor(Q: int) -> list[Json]:
    """Measure and floor on other devices, of another algorithm and after a finite T from the solution."""
    world, plain = build(RANDOM), LocalBSGM(eta=ETA, Q=Q, **STEPS)
    found = {
        "K = 64, p = 32": limit(world, replace(plain, p=32), K=64),
        "LocalBSGVRM": limit(world, LocalBSGVRM(eta=ETA, Q=Q, **STEPS)),
        "average over 2^60 iterations": run_near(world, plain, K=DEVICES, T=2**60),
    }
    floor, known = at_rest(world, THETA, Q)[0], ("measure", "precision")
    return [{"run": run, "closed form": floor, **{n: row[n] for n in known}} for run, row in found.items()]


def floor_with_noise(Q: int, etas: list[float]) -> list[Json]:
    """What the measure with noise has above the floor, and its relative error, for each eta."""
    world, rows = build(NOISY), []
    for eta in etas:
        found = limit(world, LocalBSGM(eta=eta, Q=Q, **STEPS))
        excess = found["measure"] - at_rest(world, THETA, Q)[0]
        error = (found["precision"] + 1e-13) * found["measure"] / excess if excess > 0 else 1.0
        rows.append({"eta": eta, **found, "excess": excess, "error": error})
    return rows


def tasks_of_floor(budget: Budget) -> list[Task]:
    terms = [1, 5, 10, 20, 30, FROM, 50, TERMS] if budget.quick else list(range(1, TERMS + 1))
    quiet = [Task(floors, {"world": world, "terms": terms}, 0.03 * len(terms)) for world in FLOORS]
    noisy = [Task(floor_with_noise, {"Q": Q, "etas": ETAS}, 0.5) for Q in (2, 8, 16)]
    return [*quiet, Task(same_floor, {"Q": 10}, 0.2), *(noisy[-1:] if budget.quick else noisy)]


def checks_of_floor(rows: Rows) -> Iterator[Check]:
    for world, here in rows.by("world"):
        name, ends = f"exponent of 1 - theta mu, per term, {world}", here.among(Q=(FROM, TERMS))
        yield exponent(name, ends, "measure", "(1 - theta mu)^Q", 2.0, EXPONENT, error="error")
        off = max(abs(row["measure"] / row["closed form"] - 1) for row in here)
        name = f"largest gap between the measure and the closed form, {world}"
        yield equal(name, off, 0.0, EQUAL, largest_error(here))
        yield above(f"floor over 4 Delta_Q^2, {world}", here, "measure", "4 Delta_Q^2", tolerance=EQUAL)
    for row in rows.having("run"):
        ratio = row["measure"] / row["closed form"]
        yield equal(f"measure/floor, {row['run']}", ratio, 1.0, EQUAL, error_of(row))
    for Q, here in rows.having("eta").by("Q"):
        known = Rows(row for row in here if row.get("error", 1.0) < 1e-5)  # what rounding leaves of the noise
        if len(known) < 2:
            raise UndecidedError(f"with Q = {Q} all of the noise but one point is lost to rounding.")
        name = f"exponent in eta of measure - floor, Q = {Q}"
        yield exponent(name, known.last(2), "excess", "eta", 1.0, EXPONENT, error="error")


# The Q that is enough along Corollary 1

L_1_OF = {0.1: 9.0, 0.2: 4.0, 0.45: 2.0}  # by theta, which is theta mu, as mu = 1; theta < 1/L_1
RATE = {theta: -math.log1p(-theta) for theta in L_1_OF}  # log(1/(1 - theta mu))
SHARE_OF_NOISE = 0.01  # a smaller floor does not matter
ENOUGH = 45.0  # terms times log(1/(1 - theta mu)) after which the floor is below rounding
LOGS = tuple(range(14, 22))  # log sqrt(KT), at K = 8
IN_T = [(1, 2**power) for power in (36, 40, 44, 48, 52, 56, 60)]
IN_K = [(2**power, 2**50) for power in (8, 12, 16)]  # T >= K^3


def world_of(theta: float, noise: bool = True) -> Any:
    """P is much larger than what D adds to the Hessian of Phi, so that the floor is a pure power of Q."""
    L_1, levels = L_1_OF[theta], {"s_f": 0.3, "s_g": 1e-3} if noise else {}
    return build({"world": "scalar", "mu": 1.0, "L_1": L_1, "P": L_1, "D": 1e-3, "b": 100.0, **levels})


def run_along(world: Any, theta: float, K: int, T: int, unit: float = 1.0, **instead: Any) -> dict[str, Any]:
    """Corollary 1's run from the solution; Q is of the corollary's order times this unit, unless it is given."""
    units = {"rho_1": 0.1 / L_1_OF[theta], "rho_2": 1 / L_1_OF[theta], "Q": unit}
    run = rc.along("corollary-1", K=K, T=T, theta=theta, units=units, **instead)
    return {**run_near(world, run.solver, K=K, T=T), "Q": run.solver.Q, "KT": float(K * T)}


def with_unit(theta: float, unit: float, terms: Sequence[int]) -> list[Json]:
    """Q = unit log sqrt(KT), at the T where that is these whole numbers."""
    world, K = world_of(theta), 8
    times = [int(math.exp(2 * Q / unit) * (1 - 1e-12) / K) for Q in terms]
    rows = [run_along(world, theta, K, T, unit) for T in times]
    if (taken := [row["Q"] for row in rows]) != [*terms]:
        raise UserError(f"Corollary 1 was to take Q = {terms} at K = {K}, T = {times}, got {taken}.")
    return rows


def needed(theta: float, K: int, T: int) -> list[Json]:
    """Find the first Q at which the floor is at most a share of the noise part, and the crossing before it."""
    noisy, quiet = world_of(theta), world_of(theta, noise=False)

    def measure(world: Any, Q: int) -> float:
        return float(run_along(world, theta, K, T, Q=Q)["measure"])

    small, Q = SHARE_OF_NOISE * measure(noisy, math.ceil(ENOUGH / RATE[theta])), 2
    while at_rest(quiet, theta, Q)[0] > small:
        Q += 1
    before, here, after = (math.log(measure(quiet, q) / small) for q in (Q - 1, Q, Q + 1))
    inside, outside = Q - 1 + before / (before - here), Q + here / (here - after)
    return [{"Q": Q, "crossing": inside, "error": abs(outside - inside)}]  # 0 where the floor is a power of Q


def tasks_of_unit(theta: float, unit: float, budget: Budget) -> Task:
    terms = sorted({math.floor(value * unit) for value in (LOGS[-3:] if budget.quick else LOGS)})
    return Task(with_unit, {"theta": theta, "unit": unit, "terms": terms}, 0.08 * len(terms))


def tasks_of_terms(budget: Budget) -> list[Task]:
    thetas = list(L_1_OF)[: 1 if budget.quick else None]
    runs = [*IN_T[-2:], *IN_K[-2:]] if budget.quick else [*IN_T, *IN_K]
    return [
        *(Task(needed, {"theta": theta, "K": K, "T": T}, 0.4) for theta in thetas for K, T in runs),
        *(tasks_of_unit(theta, 1 / RATE[theta], budget) for theta in thetas),
        *(tasks_of_unit(theta, 1.0, budget) for theta in L_1_OF),
    ]


def checks_of_terms(rows: Rows) -> Iterator[Check]:
    for theta, here in rows.having("crossing").by("theta"):
        for letter, some in (("T", here.where(K=1)), ("K", here.but(K=1))):
            first, last = some.last(2)
            span = math.log(last[letter] / first[letter]) / (4 * RATE[theta])
            name = f"needed Q per log {letter}, in units of 1/(4 log(1/(1 - theta mu))), theta mu = {theta}"
            error = (error_of(first, "error") + error_of(last, "error")) / span
            yield equal(name, (last["crossing"] - first["crossing"]) / span, 1.0, EXPONENT, error)
    for (theta, unit), _ in rows.by("theta", "unit"):
        yield exponent_in_KT(rows, theta, unit, max(-0.5, -unit * RATE[theta]))


def exponent_in_KT(rows: Rows, theta: float, unit: float, predicted: float) -> Check:
    """Over the last two steps, with the exponent of the noise or of the floor."""
    name = f"exponent in KT, Q = {unit:.3g} log sqrt(KT), theta mu = {theta}"
    return exponent(name, rows.where(theta=theta, unit=unit)[-3::2], "measure", "KT", predicted, EXPONENT)


claim = partial(Claim, evidence=("exact moments",), method="exact moments")
CLAIMS = (
    claim(
        id="delta-q",
        of=("constant.Delta_Q",),
        sentence="The bias of the stochastic hypergradient is at most Delta_Q; on an aligned world it is Delta_Q, and "
        "every term shrinks it by 1 - theta mu.",
        tasks=tasks,
        checks=checks,
        regime=f"Q = 1 ... {TERMS}; theta < 1/L_1, the ball of the constants holds all points",
        method="the algorithm's own sum in 50 digits; elsewhere its closed form",
        evidence=("closed forms",),
        settings={"attained": list(ALIGNED), "elsewhere": ELSEWHERE, "radius": RADIUS, "theta L_1": SHARE},
        notes=["Under the reading block a scalar world attains Delta_Q too, as there is one direction."],
        table=("name", "theta", "Q", "bias", "Delta_Q, block", "Delta_Q, joint"),
    ),
    claim(
        id="delta-q.floor",
        of=("constant.Delta_Q", "theorem-1", "theorem-2"),
        sentence="The measure has a floor that no T, K, p or step size lowers; it falls by (1 - theta mu)^2 per term, "
        "as Delta_Q^2 does, and lies below 4 Delta_Q^2.",
        tasks=tasks_of_floor,
        checks=checks_of_floor,
        regime="T -> infinity; theta < 1/L_1; the bound takes the ball that holds every point of rest",
        method="exact moments against the closed form of the fixed point",
        evidence=("exact moments", "fixed points", "closed forms"),
        settings={"worlds": FLOORS, "noisy": NOISY, "K": DEVICES, "eta": ETA, "etas": ETAS, **STEPS},
        table=("world", "Q", "measure", "closed form", "4 Delta_Q^2"),
        insensitive_to={
            "4 Delta_Q^2": "the floor is a small part of it, so that half of it is a bound as well"
        },
    ),
    claim(
        id="delta-q.terms",
        of=("corollary-1", "constant.Delta_Q"),
        sentence="Along Corollary 1 the terms after which the floor no longer matters grow as "
        "log(KT)/(4 log(1/(1 - theta mu))), so Q = O(log sqrt(KT)) with a unit that depends on theta mu.",
        tasks=tasks_of_terms,
        checks=checks_of_terms,
        regime="along Corollary 1's scalings, T >= K^3; slopes at the largest T and K; runs begin at the solution",
        settings={"L_1 by theta": [*L_1_OF.items()], "share of the noise part": SHARE_OF_NOISE},
        table=("theta", "K", "T", "Q", "crossing"),
    ),
    claim(
        id="delta-q.unit-1",
        of=("corollary-1",),
        sentence="Q = log sqrt(KT), Corollary 1's order with the unit 1, is enough for the rate (KT)^(-1/2) at every "
        "theta < 1/L_1.",
        tasks=lambda budget: [tasks_of_unit(theta, 1.0, budget) for theta in L_1_OF],
        checks=lambda rows: [exponent_in_KT(rows, theta, 1.0, -0.5) for theta in rows.cells("theta")],
        regime="along Corollary 1's scalings with Q = log sqrt(KT), T >= K^3; runs begin at the solution",
        settings={"L_1 by theta": [*L_1_OF.items()]},
        notes=["A unit that depends on theta mu is allowed inside O(log sqrt(KT)): the corollary stands."],
        table=("theta", "Q", "KT", "measure"),
        because="the floor is of order (KT)^(log(1 - theta mu)), larger than (KT)^(-1/2) where theta mu < 0.393; the "
        "O(.) has to hide a factor 1/(theta mu)",
    ),
)
