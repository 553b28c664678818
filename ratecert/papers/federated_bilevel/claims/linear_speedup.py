"""Linear speedup: K devices are worth K times as many iterations (Corollaries 1, 3 and 5, Remarks 1 and 2).

Along its scalings a corollary claims measure = O((KT)^-r), r = 1/2 or 2/3. Runs by exact moments have to show

    exponents   of T, of K, and of both in one fit over a grid, inside the window T >= K^3 or K^2 in which p >= 1
    constant    the limit of measure (KT)^r is a closed form, which shares nothing with those runs (below)
    times       K T(K)/T(1) is flat, T(K) being the T at which K devices reach eps
    outside     beyond the window the speedup goes on (LocalBSGM) or stops, at a K that the closed form knows
    contrast    with noise that all devices share, more devices make the measure larger

Beyond the window p = 1, and the step is cut off at the largest one: alpha eta = 1 for LocalBSGM, whose momentum weight
cannot be larger; p eta = 3 for LocalBSGVRM, the value that p eta has all along its scaling.

The step of Corollary 5 is constant until T/2, and no logarithm can come of that. So one more run averages after every
iteration and lets the step decay from t = 62 on: if the average over t < T had the factor log(T + 1) of the claim, so
would the measure at t, the derivative of T times it.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_continuous_lyapunov, solve_discrete_lyapunov

import ratecert as rc
from ratecert.claims import Budget, Check, Claim, Json, Row, Rows, Task, at_least, build, equal, exponent
from ratecert.claims.check import error_of
from ratecert.claims.slope import slope
from ratecert.papers.federated_bilevel.claims.measured_run import L_tilde, claimed, measured_run, reach, read
from ratecert.solvers.engines.experiment import Run
from ratecert.theory.numbers.evaluation import number

Array = NDArray[np.float64]
TOLERANCE = 1e-3  # of exponents, and of ratios that a closed form predicts
FLAT = 1e-2  # of K T(K)/T(1)
LOST = 0.2  # the exponent in K that shared noise has at least
THETA, START = 0.45, {"x0": 1.0, "y0": 0.0}

# Noise in f, in g, in its Hessian and in its coupling: half of LocalBSGM's constant and a third of LocalBSGVRM's, so
# that an average over devices that is lost would be seen.
NOISE = {"sigma_H": 0.1, "sigma_J": 0.1, "s_f": 0.5, "s_g": 0.5}
RANDOM = {"world": "random_quadratic", "mu": 1.0, "L_1": 2.0, "d_y": 2, **NOISE}
SCALAR, PLANE, LINE = "scalar world", "random world, 2 + 2", "random world, 1 + 2"
WORLDS: dict[str, dict[str, Any]] = {
    SCALAR: {"world": "scalar", "mu": 1.0, "L_1": 2.0, "a": 0.5, "b": -0.2, "c": 0.3, **NOISE},
    PLANE: {**RANDOM, "d_x": 2, "seed": 2},
    LINE: {**RANDOM, "d_x": 1, "seed": 4},  # smaller, for decaying steps, which take longer
}


def two_to(*powers: int) -> tuple[int, ...]:
    return tuple(2**power for power in powers)


@dataclass(frozen=True, kw_only=True)
class Case:
    """One corollary: the units of its scalings, the grid inside its window, and where it is followed beyond."""

    method: str
    of: tuple[str, ...]
    units: Mapping[str, float]
    other: str  # the second world of the grid
    K: tuple[int, ...]
    T: tuple[int, ...]
    at: tuple[int, int]  # the K and the T of the grid's two lines
    window: int  # T >= K^window
    beyond: int = 0  # the T at which K grows beyond the window; 0: it does not
    linear: tuple[int, ...] = ()  # K beyond the window with the claimed exponent
    saturated: tuple[int, ...] = ()  # so many K that the measure no longer falls
    largest_step: float = math.inf
    eps: float = 0.0


# Corollary 1's alpha = 8 forgets the first sample quickly, whose noise is the one part that falls faster in K. Q's unit
# is above 1/(2 log(1/(1 - theta mu))) = 0.84, so that the Neumann bias is negligible.
REDUCED = {"alpha": 1.0, "beta": 1.0, "rho_1": 0.05, "rho_2": 0.15, "eta": 3.0, "Q": 2.0}
CASES = {
    "corollary-1": Case(
        method="LocalBSGM", of=("corollary-1", "remark-1"), other=PLANE, window=3,
        units={"alpha": 8.0, "beta": 8.0, "rho_1": 0.1, "rho_2": 0.3, "eta": 6.0, "Q": 2.0},
        K=(1, 16, 256), T=two_to(44, 48, 52, 56), at=(16, 2**52), eps=2.0**-25,
        beyond=2**56, linear=two_to(20, 24, 28), saturated=two_to(56, 60, 64), largest_step=1 / 8,
    ),
    "corollary-3": Case(
        method="LocalBSGVRM", of=("corollary-3", "remark-2"), other=PLANE, window=2, units=REDUCED,
        K=(1, 8, 64), T=two_to(45, 48, 51, 54), at=(8, 2**51), eps=2.0**-32,
        beyond=2**48, saturated=two_to(32, 36, 40), largest_step=3.0,
    ),
    "corollary-5": Case(
        method="LocalBSGVRM", of=("corollary-5",), other=LINE, window=2,
        units={**REDUCED, "eta": 2.0, "p": 1 / 16, "floor": 2048.0},  # constant until t = 2048 K^2 p^3 = T/2
        K=(1, 8, 64), T=two_to(30, 33, 36), at=(8, 2**36),
    ),
}  # fmt: skip
DEEP, SHARED = 2**8, two_to(8, 12, 16)  # a K deep inside the window; K at which shared noise dominates
LATE = two_to(26, 28, 30)  # t at which the start is forgotten


# The constant in front of (KT)^-r on a scalar world, as a closed form in the limit of small steps.
#
# With z = (x - x_star, y - y*(x_star)) samples have the mean J z, the measure is z'W z, and S(z) is the covariance of a
# sample's noise: that of f, of g, of the Hessians in a Neumann sum without end, of the coupling. Here
#
#     J = [[P, (B/A) D], [-B, A]]      W = h h' + L_tilde^2 k k',  h = (P + (B/A)^2 D, 0),  k = (-B/A, 1).
#
# LocalBSGM, eta = s (K/T)^(1/2). In the time tau = eta t the mean run follows z' = -R m, m' = M (J z - m) with
# R = diag(rho), M = diag(alpha, beta) and m(0) = J z(0); noise of variance eta M S(0) M/K enters m. If X solves the
# Lyapunov equation of that flow, F'X + X F + W = 0, then
#
#     measure (KT)^(1/2)  ->  X[z(0), m(0)]/s  +  tr(X_mm S(z(0)))/(s K)  +  s tr(X_mm M S(0) M).
#
# The middle part, "first", is the noise of the first sample, which stays in the momenta for 1/(alpha eta) iterations.
#
# LocalBSGVRM, alpha = beta = a/K, eta = s K^(2/3)/T^(1/3), B = b T^(1/3)/K^(2/3). The errors e of the momenta change at
# the rate alpha eta^2, far more slowly than z, which rests at z = -J^{-1} e. With N = J^{-T} W J^{-1} and X for the
# flow z' = -R J z, and as the variance of e falls at the rate 2 alpha eta^2,
#
#     measure (KT)^(2/3)  ->  X[z(0)]/s  +  s^2 a tr(N S(0))/2  +  tr(N S(z(0)))/(2 a b s^2)  +  tr(N V)/(2 a s).
#
# V = integral of S'(z'(tau)) is the noise that differences of samples collect on the way from the start; S' is the part
# of S that grows with the point.
#
# With infinitely many devices and a fixed step only sums over t are left, of order 1/T: the speedup ends at the K at
# which constant/(KT)^r is that measure.


@dataclass(frozen=True)
class SmallSteps:
    """The parts of the constant at K = 1, each with its power of K; and T times the measure of very many devices."""

    rate: float  # r
    parts: Mapping[str, tuple[float, int]]
    many: float  # at the largest step

    def constant(self, K: float) -> float:
        return float(sum(value * K**power for value, power in self.parts.values()))

    def last_useful_K(self, constant: float, many: float, T: float) -> float:
        """The K at which constant/(KT)^r = many/T."""
        return float((constant / many) ** (1 / self.rate) * T ** (1 / self.rate - 1))


class Model:
    """J, W, z(0) and the diagonals of S on a scalar world; S'(z) has the diagonal noise_of_motion @ z^2."""

    def __init__(self, world: Any, theta: float, x0: float, y0: float) -> None:
        A, E, B, F, P, D, b = read(world, "AEBFPDb")
        x, y = float(world.x_star[0]), float(world.y_star(world.x_star)[0])
        h, k = np.array([P + (B / A) ** 2 * D, 0.0]), np.array([-B / A, 1.0])
        square = (B * B + F * F) * neumann_square(theta, A, E)

        def noise(x: float, y: float) -> Array:
            slope = D * (y - b)  # of f in y, on average
            of_u = world.s_f**2 + square * (slope**2 + world.s_f**2) - (B / A * slope) ** 2
            return np.array(
                [of_u, (E * y) ** 2 + (F * x) ** 2 + world.s_g**2]
            )  # u and v see independent samples

        self.J = np.array([[P, B / A * D], [-B, A]])
        self.W = np.outer(h, h) + L_tilde(world) ** 2 * np.outer(k, k)
        self.start = np.array([x0 - x, y0 - y])
        self.noise_at_start, self.noise_at_rest = noise(x0, y0), noise(x, y)
        self.noise_of_motion = np.array([[0.0, (square - (B / A) ** 2) * D**2], [F * F, E * E]])


def neumann_square(theta: float, A: float, E: float) -> float:
    """E Hhat^2 for Hhat = theta (1 + X_1 + X_1 X_2 + ...), X_j = 1 - theta (A + e_j E): Hhat = theta + X_1 Hhat'."""
    mean, square = 1 - theta * A, (1 - theta * A) ** 2 + (theta * E) ** 2
    return (theta**2 + 2 * theta * mean / A) / (1 - square)


def local_bsgm(m: Model, units: Mapping[str, float], largest_step: float) -> SmallSteps:
    """Corollary 1."""
    R, M = (np.diag([units[name] for name in names]) for names in (("rho_1", "rho_2"), ("alpha", "beta")))
    s = units["eta"]
    W = np.pad(m.W, (0, 2))  # on (z, m)
    z = np.concatenate([m.start, m.J @ m.start])
    X = solve_continuous_lyapunov(np.block([[np.zeros((2, 2)), -R], [M @ m.J, -M]]).T, -W)
    of_momenta = np.diagonal(X)[2:]
    parts = {
        "start": (float(z @ X @ z) / s, 0),
        "first": (float(of_momenta @ m.noise_at_start) / s, -1),
        "noise": (s * float(of_momenta @ (np.diagonal(M) ** 2 * m.noise_at_rest)), 0),
    }
    R, M, one = largest_step * R, largest_step * M, np.eye(2)
    momenta = np.hstack([M @ m.J, one - M])  # of this iteration, from z and the momenta of the last one
    step = np.vstack([np.hstack([one, np.zeros((2, 2))]) - R @ momenta, momenta])
    return SmallSteps(1 / 2, parts, float(z @ solve_discrete_lyapunov(step.T, W) @ z))


def local_bsgvrm(m: Model, units: Mapping[str, float], largest_step: float) -> SmallSteps:
    """Corollary 3; `many` is for B = 1 and 1 << K << T."""
    s, a, b = units["eta"], units["alpha"], units.get("B", 1.0)
    back = np.linalg.inv(m.J)
    N = np.diagonal(back.T @ m.W @ back)
    flow = -np.diag([units["rho_1"], units["rho_2"]]) @ m.J
    X, speed = solve_continuous_lyapunov(flow.T, -m.W), flow @ m.start
    travelled = np.diagonal(solve_continuous_lyapunov(flow, -np.outer(speed, speed)))  # of z'(tau)^2
    parts = {
        "start": (float(m.start @ X @ m.start) / s, 0),
        "noise": (s**2 * a * float(N @ m.noise_at_rest) / 2, 0),
        "first": (float(N @ m.noise_at_start) / (2 * a * b * s**2), 0),
        "motion": (float(N @ (m.noise_of_motion @ travelled)) / (2 * a * s), 0),
    }
    step, move = np.eye(2) + largest_step * flow, largest_step * speed
    X = solve_discrete_lyapunov(step.T, m.W)
    travelled = np.diagonal(solve_discrete_lyapunov(step, np.outer(move, move)))
    errors = float(N @ (m.noise_at_start + m.noise_of_motion @ travelled)) / (2 * a * largest_step**2)
    return SmallSteps(2 / 3, parts, float(m.start @ X @ m.start) + errors)


def closed_form(corollary: str) -> SmallSteps:
    """Of the constant on the scalar world, for Corollaries 1 and 3."""
    case = CASES[corollary]
    limit = local_bsgm if case.method == "LocalBSGM" else local_bsgvrm
    return limit(Model(build(WORLDS[SCALAR]), THETA, **START), case.units, case.largest_step)


def run_of(corollary: str, K: int, T: int) -> Run:
    """The corollary's run at K and T, a constant step cut off at the largest."""
    case, instead = CASES[corollary], dict[str, Any]()
    if case.beyond:
        order = rc.paper().the(rc.statements.Corollary, corollary).scalings["eta"].order
        step = case.units["eta"] * number(order, {"K": K, "T": float(T)})
        instead = {"eta": min(step, case.largest_step)}
    return rc.along(corollary, K=K, T=T, theta=THETA, units=case.units, **instead)


def runs(corollary: str, part: str, world: str, points: Sequence[Sequence[int]]) -> list[Json]:
    """Run at the points (K, T); in the part "shared" all devices draw the same noise."""
    problem, found = build(WORLDS[world]), [run_of(corollary, K, T) for K, T in points]
    shared = {"shared_noise": part == "shared"}
    return [measured_run(problem, run.solver, K=run.K, T=run.T, **START, **shared) for run in found]


def times(corollary: str, eps: float, K: Sequence[int]) -> list[Json]:
    """Find T(K), at which K devices reach eps, and K T(K)/T(1); the search begins where the closed form says."""
    problem, form, rate = build(WORLDS[SCALAR]), closed_form(corollary), -claimed(corollary, "T")

    def at(T: float, K: int, certified: bool | None) -> Json:
        run = run_of(corollary, K, math.ceil(T))
        return measured_run(problem, run.solver, K=K, T=run.T, **START, certified=certified)

    rows, first = list[Json](), (1.0, 0.0)
    for each in K:
        start = (form.constant(each) / eps) ** (1 / rate) / each
        row, T, error = reach(eps, partial(at, K=each), first=start, slope=-rate)
        first = first if rows else (T, error)
        rows.append({**row, "T": T, "precision": error + first[1], "K T(K)/T(1)": each * T / first[0]})
    return rows


def decaying(corollary: str, T: int, t: Sequence[int]) -> list[Json]:
    """Run on one device, with an average after every iteration and a step that decays early: the measure at t."""
    world, units = build(WORLDS[SCALAR]), {**CASES[corollary].units, "floor": 64.0}
    solver = rc.along(corollary, K=1, T=T, theta=THETA, units=units, p=1).solver
    exact = rc.expect(world, solver, K=1, T=T, x0=[START["x0"]], y0=[START["y0"]], times=t)
    measure = exact.curves.gradient + L_tilde(world) ** 2 * exact.curves.tracking
    found = zip(t, measure.tolist(), strict=True)
    return [{"t": t, "measure": value, "precision": exact.curve_precision} for t, value in found]


def tasks(corollary: str, budget: Budget) -> list[Task]:
    """The grid on two worlds; T(K) and growing K where the corollary is followed beyond its window."""
    case, quick, found = CASES[corollary], budget.quick, []

    def add(function: Any, seconds: float, **arguments: Json) -> None:
        found.append(Task(function, {"corollary": corollary, **arguments}, seconds))

    grid = [[K, T] for K in case.K for T in (case.T[-3:] if quick else case.T)]
    for world in (SCALAR,) if quick else (SCALAR, case.other):
        add(runs, 0.1 * len(grid), part="grid", world=world, points=grid)
    if case.beyond:
        between = {K for K in two_to(*range(0, 64, 8)) if not quick and case.saturated[0] > K}
        many = sorted({1, DEEP, *between, *case.linear, *case.saturated})
        for part, devices in (("devices", many), ("shared", [1, *SHARED])):
            add(runs, 1.0, part=part, world=SCALAR, points=[[K, case.beyond] for K in devices])
        K = [1, 32, 1024] if quick else [1, 4, 16, 64, 256, 1024]
        add(times, 1.5, eps=case.eps, K=K)
    elif not quick:
        add(decaying, 6.0, T=LATE[-1], t=LATE)
    return found


def checks(corollary: str, rows: Rows) -> Iterator[Check]:
    rate = claimed(corollary, "T")
    for world, grid in rows.where(part="grid").by("world"):
        yield from exponents(corollary, world, grid)
    for _, late in rows.having("t").by("corollary"):
        name = "exponent of t without a factor log t, p = 1, K = 1"
        yield exponent(name, late, "measure", "t", rate, TOLERANCE, straight=False)
    if CASES[corollary].beyond:
        form = closed_form(corollary)
        yield leading_constant(form, rows.where(part="grid", world=SCALAR))
        yield from flatness(form, rows.having("K T(K)/T(1)"))
        yield from outside(corollary, form, rows.where(part="devices"))
        lost, error = slope(rows.where(part="shared").among(K=SHARED), "measure", "K", straight=False)
        yield at_least(f"exponent of K, noise shared, K from {SHARED[0]} on", lost, LOST, error)


def exponents(corollary: str, world: str, grid: Rows) -> Iterator[Check]:
    """In T at one K, in K at one T, and in both over the whole grid: the joint fit is the mean over the grid's lines.

    An exact curve need not be a power law, so the range of its slopes between neighbours is the uncertainty.
    """
    K, T = CASES[corollary].at
    lines = {"T": ("K", f"K = {K}", grid.where(K=K)), "K": ("T", f"T = {power(T)}", grid.where(T=T))}
    for letter, (other, where, here) in lines.items():
        rate = claimed(corollary, letter)
        name = f"exponent of {letter}, {where}, {world}"
        yield exponent(name, here, "measure", letter, rate, TOLERANCE, straight=False)
        slopes = [slope(line, "measure", letter, straight=False) for _, line in grid.by(other)]
        value, error = np.mean(slopes, axis=0).tolist()
        yield equal(f"exponent of {letter}, joint fit, {world}", value, rate, TOLERANCE, error)


def power(value: float) -> str:
    return f"2^{round(math.log2(value))}"


def scaled(row: Row, rate: float) -> float:
    """measure (KT)^r, which is constant where the speedup is linear."""
    return float(row["measure"] * (row["K"] * float(row["T"])) ** rate)


def leading_constant(form: SmallSteps, grid: Rows) -> Check:
    """measure (KT)^r at the largest T over its closed form, at the worst K; what still moves there is uncertain."""

    def ratio(row: Row) -> float:
        return scaled(row, form.rate) / form.constant(row["K"])

    before, last = (grid.where(T=T) for T in grid.cells("T")[-2:])
    worst = last.largest(lambda row: abs(ratio(row) - 1))
    moved = ratio(worst) - ratio(before.where(K=worst.get("K")).only())
    return equal("leading constant over its closed form, worst K", ratio(worst), 1.0, TOLERANCE, abs(moved))


def flatness(form: SmallSteps, rows: Rows) -> Iterator[Check]:
    """K T(K)/T(1) is 1, and as near to the closed form's as eps is small, where the first sample's noise moves it."""

    def exact(row: Row) -> float:
        return float((form.constant(row["K"]) / form.constant(1)) ** (1 / form.rate))

    worst = rows.largest(lambda row: abs(row["K T(K)/T(1)"] - 1))
    where = f"worst K, eps = {power(rows.cells('eps')[0])}"
    yield equal(f"K T(K)/T(1), {where}", worst["K T(K)/T(1)"], 1.0, FLAT, error_of(worst))
    if any(exact(row) != 1 for row in rows):
        far = rows.largest(lambda row: abs(row["K T(K)/T(1)"] / exact(row) - 1))
        name, ratio = f"K T(K)/T(1) over its closed form, {where}", far["K T(K)/T(1)"] / exact(far)
        yield equal(name, ratio, 1.0, TOLERANCE, error_of(far))


def outside(corollary: str, form: SmallSteps, rows: Rows) -> Iterator[Check]:
    """The exponent in K where it is still the claimed one and where nothing is left of it, and the bend between."""
    case = CASES[corollary]
    for K, expected in ((case.linear, claimed(corollary, "K")), (case.saturated, 0.0)):
        if K:
            name = f"exponent of K outside the window, K from {power(K[0])} to {power(K[-1])}"
            yield exponent(name, rows.among(K=K), "measure", "K", expected, TOLERANCE, straight=False)
    deep, far = (rows.where(K=K).only() for K in (DEEP, case.saturated[-1]))
    T = float(far["T"])
    seen = form.last_useful_K(scaled(deep, form.rate), far["measure"] * T, T)
    ratio = seen / form.last_useful_K(form.constant(DEEP), form.many, case.beyond)
    error = ratio * (error_of(deep) + error_of(far)) / form.rate
    yield equal("K at which the curve bends over its closed form", ratio, 1.0, TOLERANCE, error)


OF_DEVICES = (
    "The measure is that of the mean over devices. Where devices are alike the mean is as good if they never meet; "
    "what averages buy is that each device is near it."
)
NO_LOGARITHM = (
    "The factor log(T + 1) is not seen: it would raise the exponent by 1/log T, 0.04 to 0.05. The claim, an upper "
    "bound, holds. With Theorem 3's own 200^3 for our unit of the floor no step would decay within T."
)
CLAIMS = tuple(
    Claim(
        id=f"linear-speedup.{corollary}",
        of=case.of,
        sentence=f"{case.method} speeds up linearly: along Corollary {corollary[-1]} the measure falls as "
        f"(KT)^({'-1/2' if case.window == 3 else '-2/3'}), so that K devices reach eps in T(1)/K iterations.",
        tasks=partial(tasks, corollary),
        checks=partial(checks, corollary),
        regime=f"inside T >= K^{case.window}, and in K beyond it where T(K) is given; steps along the corollary's "
        "orders, whose units are ours and not inside the theorem's conditions",
        method="exact moments; closed forms from Lyapunov equations",
        evidence=("exact moments", "closed forms"),
        settings={"worlds": WORLDS, "units": case.units, "theta": THETA, **START},
        notes=[OF_DEVICES if case.beyond else NO_LOGARITHM],
        table=("part", "world", "K", "T", "measure"),
    )
    for corollary, case in CASES.items()
)
