"""The floor of the measure as a function of Q: it follows Delta_Q^2, and the theorems' 4 Delta_Q^2 is above it.

evidence/bias/bias_floor.py has the closed form of the floor; against it stand exact moments.

    floor      the limit T -> infinity of the theorems' measure, gradient + L_tilde^2 tracking, without noise. It is the
               closed form at every Q, and falls by (1 - theta mu)^2 per term as Q grows.
    steps      the same floor for LocalBSGVRM, for steps inside Theorem 1's conditions, and for an average over 2^60
               iterations from the solution
    noise      with noise everywhere, also in A and B, the measure of LocalBSGM is the floor plus a part of order eta:
               as eta -> 0 the floor remains
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ratecert.base.errors import UndecidedError
from ratecert.claims import Budget, Chart, Check, Claim, Json, Piece, Rows, Triangle
from ratecert.claims.checks import above, equal, error_of, exponent, largest_error
from ratecert.claims.claim import build
from ratecert.claims.lines import level, line, panel
from ratecert.papers.federated_bilevel.evidence.bias.bias_floor import at_rest, bias_term
from ratecert.papers.federated_bilevel.evidence.runs import L_tilde, run_row
from ratecert.papers.federated_bilevel.evidence.theorems.instances import solver_of
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.solvers import LocalBSGM, LocalBSGVRM, stationary
from ratecert.solvers.contract.problem import Problem
from ratecert.solvers.methods.local_method import LocalMethod
from ratecert.theory.numbers.admissible import admissible

THETA, K, ETA = 0.2, 4, 0.1
STEPS: dict[str, Any] = {"alpha": 1.0, "beta": 1.0, "rho_1": 0.01, "rho_2": 0.5, "p": 4, "theta": THETA}
ANY = 1e6  # radius; where second derivatives are constant no step depends on it
EXPONENT = 1e-3
KNOWN = 1e-14  # grad Phi at the point of rest, in doubles: absolute, as it is a difference there
EQUAL = 1e-7  # at Q = 60 grad Phi is 5e-7
ETAS = tuple(10.0**-i for i in range(1, 9))
LAST, FROM = 60, 40  # the exponent is measured between these Q

RANDOM: dict[str, Any] = {"world": "random_quadratic", "d_x": 2, "d_y": 3, "seed": 1}
WORLDS: dict[str, dict[str, Any]] = {"scalar": {"world": "scalar", "b": 1.0}, "random": RANDOM}
NOISY: dict[str, Any] = {**RANDOM, "sigma_H": 0.3, "sigma_J": 0.2, "s_f": 0.1, "s_g": 0.1}
TERMS_WITH_NOISE = (2, 8, 16)


def floors(world: str, terms: list[int]) -> list[Json]:
    """The limit of the measure without noise, the closed form and the theorem's term, per Q."""
    problem, rows = build(WORLDS[world]), []
    rests = {Q: at_rest(problem, theta=THETA, Q=Q) for Q in terms}
    radius = max(rest.radius for rest in rests.values())
    mu = problem.constants(radius=radius)["mu"]
    for Q, rest in rests.items():
        floor, precision = _limit(problem, LocalBSGM(eta=ETA, Q=Q, **STEPS))
        bound = bias_term(problem, theta=THETA, Q=Q, radius=radius)
        row = {
            "Q": Q,
            "floor": floor,
            "closed form": rest.floor,
            "4 Delta_Q^2": bound,
            "floor/bound": floor / bound,
        }
        errors = {"precision": precision, "error": precision + 2 * KNOWN / math.sqrt(floor)}
        rows.append({**row, "(1 - theta mu)^Q": (1 - THETA * mu) ** Q, **errors})
    return rows


def other_runs(Q: int) -> list[Json]:
    """Measure and floor for another algorithm, other steps and a finite T."""
    problem = build(RANDOM)
    floor, solver = at_rest(problem, theta=THETA, Q=Q).floor, LocalBSGM(eta=ETA, Q=Q, **STEPS)
    given: dict[str, Any] = {"Q": Q, "radius": ANY, "paper": paper(), "fixed": {"theta": THETA}}
    inside = solver_of("theorem-1", admissible("theorem-1", problem, K, STEPS["p"], 10**6, **given))
    start = {"x0": problem.x_star, "y0": problem.y_star(problem.x_star)}
    long = run_row(problem, solver, K=K, T=2**60, **start)
    found = {
        "K = 64, p = 32": _limit(problem, replace(solver, p=32), K=64),
        "LocalBSGVRM": _limit(problem, LocalBSGVRM(eta=ETA, Q=Q, **STEPS)),
        "average over 2^60 iterations": (long["measure"], long["precision"]),
        "steps inside Theorem 1": _limit(problem, inside),
    }
    return [
        {"run": run, "measure": m, "floor": floor, "precision": error} for run, (m, error) in found.items()
    ]


def with_noise(Q: int, etas: list[float]) -> list[Json]:
    """The limit of the measure with noise, its excess over the floor and the excess' relative error, per eta."""
    problem, rows = build(NOISY), []
    floor = at_rest(problem, theta=THETA, Q=Q).floor
    for eta in etas:
        measure, precision = _limit(problem, LocalBSGM(eta=eta, Q=Q, **STEPS))
        row, excess = {"eta": eta, "measure": measure, "floor": floor}, measure - floor
        known = {"excess": excess, "error": (precision + 1e-13) * measure / excess} if excess > 0 else {}
        rows.append({**row, **known})
    return rows


def _limit(problem: Problem, solver: LocalMethod, K: int = K) -> tuple[float, float]:
    """gradient + L_tilde^2 tracking as T -> infinity, and its precision."""
    limit = stationary(problem, solver, K=K)
    return float(limit.gradient + L_tilde(problem) ** 2 * limit.tracking), limit.precision


def pieces(budget: Budget) -> list[Piece]:
    terms = [1, 5, 10, 20, 30, FROM, 50, LAST] if budget.quick else list(range(1, LAST + 1))
    noisy = TERMS_WITH_NOISE[-1:] if budget.quick else TERMS_WITH_NOISE
    return [
        *(Piece(floors, {"world": w, "terms": terms}, seconds=0.03 * len(terms)) for w in WORLDS),
        Piece(other_runs, {"Q": 10}, 0.2),
        *(Piece(with_noise, {"Q": Q, "etas": list(ETAS)}, 0.5) for Q in noisy),
    ]


def checks(rows: Rows) -> Iterator[Check]:
    for world, here in rows.by("world"):
        ends, power = here.where(Q=FROM) + here.where(Q=LAST), "(1 - theta mu)^Q"
        name = f"exponent of 1 - theta mu, per term, {world}"
        yield exponent(name, ends, "floor", power, 2.0, EXPONENT, error="error")
        off = max(abs(row["floor"] / row["closed form"] - 1) for row in here)
        name = f"largest gap between the measure and the closed form, {world}"
        yield equal(name, off, 0.0, EQUAL, largest_error(here))
        yield above(f"floor over 4 Delta_Q^2, {world}", here, "floor", "4 Delta_Q^2", tolerance=EQUAL)
    for row in rows.having("run"):
        ratio = row["measure"] / row["floor"]
        yield equal(f"measure/floor, {row['run']}", ratio, 1.0, EQUAL, error_of(row))
    for Q, here in rows.having("eta").by("Q"):
        known = Rows(row for row in here if row.get("error", 1.0) < 1e-5)  # what rounding leaves of the noise
        if len(known) < 2:
            raise UndecidedError(
                f"with Q = {Q} the part of the noise is lost to rounding at all eta but one."
            )
        name = f"exponent in eta of measure - floor, Q = {Q}"
        yield exponent(name, known.last(2), "excess", "eta", 1.0, EXPONENT, error="error")


def chart(rows: Rows) -> Chart:
    quiet, noisy, limit = [], [], r"measure as $T \to \infty$"
    for i, (world, here) in enumerate(rows.by("world")):
        quiet += [
            line(rf"$4\Delta_Q^2$, {world}", here, "Q", "4 Delta_Q^2", kind="bound", colour=i),
            line(f"floor, {world}", here, "Q", "floor", colour=i),
            line(f"closed form, {world}", here, "Q", "closed form", kind="predicted", colour=6),
        ]
    for i, (Q, here) in enumerate(rows.having("eta").by("Q")):
        noisy += [
            line(f"with noise, Q = {Q}", here, "eta", "measure", colour=i),
            level("its floor", ETAS, here[0]["floor"], kind="predicted", colour=i),
        ]
        slope = Triangle(x=1e-2, y=0.25 * here[1]["measure"], slope=1.0, label="1", colour=i)
    return Chart(
        caption="The measure that is left when T grows and nothing is random, against the number of terms: the "
        "closed form at every Q, parallel to the theorem's 4 Delta_Q^2 and below it. With noise the measure "
        "falls with eta until it meets that floor; only more terms lower the floor.",
        panels=[
            panel("$Q$", limit, quiet, title=r"no noise, $T \to \infty$", x_scale="linear"),
            panel(r"$\eta$", limit, noisy, [slope], title="with noise"),
        ],
    )


CLAIMS = (
    Claim(
        id="delta-q.floor",
        of=("constant.Delta_Q", "theorem-1", "theorem-2"),
        sentence="The measure has a floor that no T, K, p or step size lowers; it falls by (1 - theta mu)^2 per term, "
        "as Delta_Q^2 does, and lies below 4 Delta_Q^2.",
        pieces=pieces,
        checks=checks,
        regime="T -> infinity; theta < 1/L_1; the floor depends on no step size, and steps inside Theorem 1's "
        "conditions give the same one; the bound takes the ball that holds every point of rest",
        method="exact moments against the closed form of the fixed point",
        evidence=("exact moments", "fixed points", "closed forms"),
        settings={"worlds": WORLDS, "noisy": NOISY, "K": K, "eta": ETA, "etas": list(ETAS), **STEPS},
        chart=chart,
        notes=[
            "The theorem's 4 Delta_Q^2 and the floor fall at the same rate; their ratio is in the table.",
            "Where the Hessian has noise, as in the runs against eta, the floor falls faster, by (1 - theta lambda)^2: "
            "lambda, the least eigenvalue of the mean Hessian, is larger than mu.",
        ],
        table=("world", "Q", "floor", "4 Delta_Q^2", "floor/bound"),
        runs=("LocalBSGM", "LocalBSGVRM"),
        blind_to={"4 Delta_Q^2": "the floor is a small part of it, so that half of it is a bound as well"},
    ),
)
