"""The floor that a Neumann sum with Q + 1 terms leaves of the measure, and the Q that is enough.

delta-q.floor   Without noise, or as eta -> 0, both algorithms rest where y = y*(x) and hat(x, y) = 0 (delta_q.py). On a
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
from typing import Any

import numpy as np

from ratecert.base.errors import UndecidedError, UserError
from ratecert.claims import Budget, Check, Claim, Json, Piece, Rows
from ratecert.claims.checks import above, equal, error_of, exponent, largest_error
from ratecert.claims.claim import build
from ratecert.papers.federated_bilevel.claims.delta_q import RANDOM, TERMS
from ratecert.papers.federated_bilevel.claims.measured_run import L_tilde, measured_run
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.scalings import along
from ratecert.solvers import LocalBSGM, LocalBSGVRM, stationary
from ratecert.synthetic import Quadratic
from ratecert.theory.language.statements import Theorem
from ratecert.theory.numbers.evaluation import number, with_constants

EXPONENT, EQUAL = 1e-3, 1e-7
THETA, DEVICES, ETA = 0.2, 4, 0.1
STEPS: dict[str, Any] = {"alpha": 1.0, "beta": 1.0, "rho_1": 0.01, "rho_2": 0.5, "p": 4, "theta": THETA}
FLOORS: dict[str, dict[str, Any]] = {"scalar": {"world": "scalar", "b": 1.0}, "random": RANDOM}
NOISY = {**RANDOM, "sigma_H": 0.3, "sigma_J": 0.2, "s_f": 0.1, "s_g": 0.1}
ETAS = [10.0**-i for i in range(1, 9)]
FROM = 40  # the exponent is measured between this Q and TERMS
KNOWN = 1e-14  # grad Phi at the point of rest, in doubles: absolute, as it is a difference there


def at_rest(world: Quadratic, theta: float, Q: int) -> tuple[float, float]:
    """The floor, ||grad Phi(x)||^2 where the mean iterates stay, and ||(x - a, y*(x) - b)|| there."""
    left_out = np.linalg.matrix_power(np.eye(world.d_y) - theta * world.A, Q + 1)
    back = np.linalg.solve(world.A, world.B).T  # B' A^{-1}
    used, lost = back @ (np.eye(world.d_y) - left_out) @ world.D, back @ left_out @ world.D
    offset = world.y_star(world.a) - world.b
    x = world.a - np.linalg.solve(world.P + used @ back.T, used @ offset)
    away = world.y_star(x) - world.b
    return float(np.sum((lost @ away) ** 2)), math.hypot(np.linalg.norm(x - world.a), np.linalg.norm(away))


def limit(world: Any, method: Any, K: int = DEVICES) -> tuple[float, float]:
    """The theorems' measure as T -> infinity, and its precision."""
    found = stationary(world, method, K=K)
    return float(found.gradient + L_tilde(world) ** 2 * found.tracking), found.precision


def bias_term(world: Quadratic, radius: float, Q: int) -> float:
    """What Theorem 1 adds for the bias, 4 Delta_Q^2, with the constants of this ball."""
    values = with_constants(paper(), {**world.constants(radius=radius), "theta": THETA, "Q": Q})
    return number(paper().the(Theorem, "theorem-1").terms["bias"], values)


def floors(world: str, terms: list[int]) -> list[Json]:
    """The limit of the measure without noise, the closed form and the theorem's term, per Q.

    The constants in Delta_Q are those of the ball that holds every point of rest.
    """
    problem, rows = build(FLOORS[world]), []
    rests = {Q: at_rest(problem, THETA, Q) for Q in terms}
    radius = max(away for _, away in rests.values())
    shrink = 1 - THETA * problem.constants(radius=radius)["mu"]
    for Q, (closed, _) in rests.items():
        floor, precision = limit(problem, LocalBSGM(eta=ETA, Q=Q, **STEPS))
        bound = bias_term(problem, radius, Q)
        found = {"floor": floor, "closed form": closed, "4 Delta_Q^2": bound, "(1 - theta mu)^Q": shrink**Q}
        errors = {"precision": precision, "error": precision + 2 * KNOWN / math.sqrt(floor)}
        rows.append({"Q": Q, **found, **errors})
    return rows


def same_floor(Q: int) -> list[Json]:
    """Measure and floor on other devices, of another algorithm and after a finite T from the solution."""
    world, plain = build(RANDOM), LocalBSGM(eta=ETA, Q=Q, **STEPS)
    long = measured_run(world, plain, K=DEVICES, T=2**60, x0=world.x_star, y0=world.y_star(world.x_star))
    found = {
        "K = 64, p = 32": limit(world, replace(plain, p=32), K=64),
        "LocalBSGVRM": limit(world, LocalBSGVRM(eta=ETA, Q=Q, **STEPS)),
        "average over 2^60 iterations": (long["measure"], long["precision"]),
    }
    floor = at_rest(world, THETA, Q)[0]
    return [
        {"run": run, "measure": m, "floor": floor, "precision": error} for run, (m, error) in found.items()
    ]


def floor_with_noise(Q: int, etas: list[float]) -> list[Json]:
    """What the measure with noise has above the floor, and its relative error, for each eta."""
    world, rows = build(NOISY), []
    floor = at_rest(world, THETA, Q)[0]
    for eta in etas:
        measure, precision = limit(world, LocalBSGM(eta=eta, Q=Q, **STEPS))
        row, excess = {"eta": eta, "measure": measure, "floor": floor}, measure - floor
        known = {"excess": excess, "error": (precision + 1e-13) * measure / excess} if excess > 0 else {}
        rows.append({**row, **known})
    return rows


def pieces_of_floor(budget: Budget) -> list[Piece]:
    terms = [1, 5, 10, 20, 30, FROM, 50, TERMS] if budget.quick else list(range(1, TERMS + 1))
    return [
        *(Piece(floors, {"world": world, "terms": terms}, 0.03 * len(terms)) for world in FLOORS),
        Piece(same_floor, {"Q": 10}, 0.2),
        *(
            Piece(floor_with_noise, {"Q": Q, "etas": ETAS}, 0.5)
            for Q in ((16,) if budget.quick else (2, 8, 16))
        ),
    ]


def checks_of_floor(rows: Rows) -> Iterator[Check]:
    for world, here in rows.by("world"):
        name, ends = f"exponent of 1 - theta mu, per term, {world}", here.among(Q=(FROM, TERMS))
        yield exponent(name, ends, "floor", "(1 - theta mu)^Q", 2.0, EXPONENT, error="error")
        off = max(abs(row["floor"] / row["closed form"] - 1) for row in here)
        name = f"largest gap between the measure and the closed form, {world}"
        yield equal(name, off, 0.0, EQUAL, largest_error(here))
        yield above(f"floor over 4 Delta_Q^2, {world}", here, "floor", "4 Delta_Q^2", tolerance=EQUAL)
    for row in rows.having("run"):
        yield equal(f"measure/floor, {row['run']}", row["measure"] / row["floor"], 1.0, EQUAL, error_of(row))
    for Q, here in rows.having("eta").by("Q"):
        known = Rows(row for row in here if row.get("error", 1.0) < 1e-5)  # what rounding leaves of the noise
        if len(known) < 2:
            raise UndecidedError(
                f"with Q = {Q} the part of the noise is lost to rounding at all eta but one."
            )
        name = f"exponent in eta of measure - floor, Q = {Q}"
        yield exponent(name, known.last(2), "excess", "eta", 1.0, EXPONENT, error="error")


# The Q that is enough along Corollary 1.

L_1_OF = {0.1: 9.0, 0.2: 4.0, 0.45: 2.0}  # by theta, which is theta mu, as mu = 1; theta < 1/L_1
SHARE_OF_NOISE = 0.01  # a smaller floor does not matter
ENOUGH = 45.0  # terms times log(1/(1 - theta mu)) after which the floor is below rounding
LOGS = tuple(range(14, 22))  # log sqrt(KT), at K = 8
IN_T = [(1, 2**power) for power in (36, 40, 44, 48, 52, 56, 60)]
IN_K = [(2**power, 2**50) for power in (8, 12, 16)]  # T >= K^3


def world_of(theta: float, noise: bool = True) -> Any:
    """P is much larger than what D adds to the Hessian of Phi, so that the floor is a pure power of Q."""
    L_1, levels = L_1_OF[theta], {"s_f": 0.3, "s_g": 1e-3} if noise else {}
    return build({"world": "scalar", "mu": 1.0, "L_1": L_1, "P": L_1, "D": 1e-3, "b": 100.0, **levels})


def rate(theta: float) -> float:
    """log(1/(1 - theta mu))."""
    return -math.log1p(-theta)


def run_along(world: Any, theta: float, K: int, T: int, unit: float = 1.0, **instead: Any) -> dict[str, Any]:
    """Corollary 1's run from the solution; Q is of the corollary's order times this unit, unless it is given."""
    units = {"rho_1": 0.1 / L_1_OF[theta], "rho_2": 1 / L_1_OF[theta], "Q": unit}
    run = along("corollary-1", K=K, T=T, theta=theta, units=units, **instead)
    row = measured_run(world, run.solver, K=K, T=T, x0=world.x_star, y0=world.y_star(world.x_star))
    return {**row, "Q": run.solver.Q, "KT": float(K * T)}


def with_unit(theta: float, unit: float, terms: Sequence[int]) -> list[Json]:
    """Q = unit log sqrt(KT), at the T where that is these whole numbers."""
    rows, K = [], 8
    for Q in terms:
        row = run_along(world_of(theta), theta, K, int(math.exp(2 * Q / unit) * (1 - 1e-12) / K), unit)
        if row["Q"] != Q:
            raise UserError(f"Corollary 1 was to take Q = {Q} at K = {K}, T = {row['T']}, got {row['Q']}.")
        rows.append(row)
    return rows


def needed(theta: float, K: int, T: int) -> list[Json]:
    """Find the first Q at which the floor is at most a share of the noise part, and the crossing before it."""
    noisy, quiet = world_of(theta), world_of(theta, noise=False)

    def measure(world: Any, Q: int) -> float:
        return float(run_along(world, theta, K, T, Q=Q)["measure"])

    small, Q = SHARE_OF_NOISE * measure(noisy, math.ceil(ENOUGH / rate(theta))), 2
    while at_rest(quiet, theta, Q)[0] > small:
        Q += 1
    before, here, after = (math.log(measure(quiet, q) / small) for q in (Q - 1, Q, Q + 1))
    inside, outside = Q - 1 + before / (before - here), Q + here / (here - after)
    return [
        {"Q": Q, "crossing": inside, "error": abs(outside - inside)}
    ]  # 0 where the floor is a pure power of Q


def pieces_of_unit(theta: float, unit: float, budget: Budget) -> Piece:
    terms = sorted({math.floor(value * unit) for value in (LOGS[-3:] if budget.quick else LOGS)})
    return Piece(with_unit, {"theta": theta, "unit": unit, "terms": terms}, 0.08 * len(terms))


def pieces_of_terms(budget: Budget) -> list[Piece]:
    thetas = list(L_1_OF)[: 1 if budget.quick else None]
    runs = [*IN_T[-2:], *IN_K[-2:]] if budget.quick else [*IN_T, *IN_K]
    return [
        *(Piece(needed, {"theta": theta, "K": K, "T": T}, 0.4) for theta in thetas for K, T in runs),
        *(pieces_of_unit(theta, 1 / rate(theta), budget) for theta in thetas),
        *(pieces_of_unit(theta, 1.0, budget) for theta in L_1_OF),
    ]


def checks_of_terms(rows: Rows) -> Iterator[Check]:
    for theta, here in rows.having("crossing").by("theta"):
        for letter, some in (("T", here.where(K=1)), ("K", here.but(K=1))):
            first, last = some.last(2)
            span = math.log(last[letter] / first[letter]) / (4 * rate(theta))
            name = f"needed Q per log {letter}, in units of 1/(4 log(1/(1 - theta mu))), theta mu = {theta}"
            error = (error_of(first, "error") + error_of(last, "error")) / span
            yield equal(name, (last["crossing"] - first["crossing"]) / span, 1.0, EXPONENT, error)
    for (theta, unit), _ in rows.by("theta", "unit"):
        yield exponent_in_KT(rows, theta, unit, max(-0.5, -unit * rate(theta)))


def exponent_in_KT(rows: Rows, theta: float, unit: float, predicted: float) -> Check:
    """Over the last two steps, with the exponent of the noise or of the floor."""
    name = f"exponent in KT, Q = {unit:.3g} log sqrt(KT), theta mu = {theta}"
    return exponent(name, rows.where(theta=theta, unit=unit)[-3::2], "measure", "KT", predicted, EXPONENT)


def checks_of_unit_1(rows: Rows) -> Iterator[Check]:
    return (exponent_in_KT(rows, theta, 1.0, -0.5) for theta in rows.cells("theta"))


claim = partial(Claim, evidence=("exact moments",), method="exact moments", runs=("LocalBSGM", "LocalBSGVRM"))
CLAIMS = (
    claim(
        id="delta-q.floor",
        of=("constant.Delta_Q", "theorem-1", "theorem-2"),
        sentence="The measure has a floor that no T, K, p or step size lowers; it falls by (1 - theta mu)^2 per term, "
        "as Delta_Q^2 does, and lies below 4 Delta_Q^2.",
        pieces=pieces_of_floor,
        checks=checks_of_floor,
        regime="T -> infinity; theta < 1/L_1; the bound takes the ball that holds every point of rest",
        method="exact moments against the closed form of the fixed point",
        evidence=("exact moments", "fixed points", "closed forms"),
        settings={"worlds": FLOORS, "noisy": NOISY, "K": DEVICES, "eta": ETA, "etas": ETAS, **STEPS},
        table=("world", "Q", "floor", "closed form", "4 Delta_Q^2"),
        blind_to={"4 Delta_Q^2": "the floor is a small part of it, so that half of it is a bound as well"},
    ),
    claim(
        id="delta-q.terms",
        of=("corollary-1", "constant.Delta_Q"),
        sentence="Along Corollary 1 the terms after which the floor no longer matters grow as "
        "log(KT)/(4 log(1/(1 - theta mu))), so Q = O(log sqrt(KT)) with a unit that depends on theta mu.",
        pieces=pieces_of_terms,
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
        pieces=lambda budget: [pieces_of_unit(theta, 1.0, budget) for theta in L_1_OF],
        checks=checks_of_unit_1,
        regime="along Corollary 1's scalings with Q = log sqrt(KT), T >= K^3; runs begin at the solution",
        settings={"L_1 by theta": [*L_1_OF.items()]},
        notes=[
            "A unit that depends on theta mu is allowed inside O(log sqrt(KT)): the corollary itself stands."
        ],
        table=("theta", "Q", "KT", "measure"),
        because="the floor is of order (KT)^(log(1 - theta mu)), larger than (KT)^(-1/2) where theta mu < 0.393; the "
        "O(.) has to hide a factor 1/(theta mu)",
    ),
)
