"""How many Neumann terms Corollary 1 needs: runs along its scalings with Q = unit log sqrt(KT), and their exponent.

On a quadratic world without noise in A and B the measure of a run is a sum: the measure of the same run without noise,
which tends to the floor of evidence/bias/bias_floor.py, and a variance. Along Corollary 1 the variance is of
order (KT)^{-1/2} and the floor of order (1 - theta mu)^{2Q+2}. So the floor is a given share of the noise part at

    Q = log(KT) / (4 log(1/(1 - theta mu))) + constant,

which is O(log sqrt(KT)), as the corollary says, with the unit 1/(2 log(1/(1 - theta mu))), about 1/(2 theta mu). With
Q = unit log sqrt(KT) the floor is of order (KT)^(unit log(1 - theta mu)): for unit = 1 that is larger than (KT)^{-1/2}
unless theta mu >= 1 - exp(-1/2) = 0.393, and as theta < 1/L_1, unless L_1/mu < 2.54.
"""

import math
from collections.abc import Sequence
from typing import Any

from ratecert.claim import Budget, Check, Json, Panel, Piece, Rows, Triangle
from ratecert.claim.checks import exponent
from ratecert.claim.lines import line, panel
from ratecert.claim.worlds import build
from ratecert.errors import UserError
from ratecert.papers.federated_bilevel.evidence.bias.bias_floor import at_rest, bias_term
from ratecert.papers.federated_bilevel.evidence.runs import run_row
from ratecert.papers.federated_bilevel.scalings import Run, along

EXPONENT = 1e-3
DEVICES = 8
LOGS = tuple(range(14, 22))  # log sqrt(KT)
CASES = {0.1: 9.0, 0.2: 4.0, 0.45: 2.0}  # theta mu and L_1, with mu = 1 and theta < 1/L_1


def world_of(theta: float, *, noise: bool = True) -> Json:
    """mu = 1, and P much larger than what D adds to the Hessian of Phi, so that the floor is a pure power of Q."""
    L_1, levels = CASES[theta], {"s_f": 0.3, "s_g": 1e-3} if noise else {}
    return {"world": "scalar", "mu": 1.0, "L_1": L_1, "P": L_1, "D": 1e-3, "b": 100.0, **levels}


def units_of(theta: float) -> dict[str, float]:
    """The units of rho_1 and rho_2 along the corollary."""
    return {"rho_1": 0.1 / CASES[theta], "rho_2": 1 / CASES[theta]}


def rate(theta: float) -> float:
    """log(1/(1 - theta mu)), with mu = 1."""
    return -math.log1p(-theta)


def predicted(theta: float, unit: float) -> float:
    """The exponent of the measure in KT with Q = unit log sqrt(KT): that of the noise part or of the floor."""
    return max(-0.5, -unit * rate(theta))


def along_unit(theta: float, *, unit: float, budget: Budget) -> Piece:
    """KT from about exp(28) to exp(42), where unit log sqrt(KT) is a whole number."""
    terms = sorted({math.floor(value * unit) for value in (LOGS[-3:] if budget.quick else LOGS)})
    return Piece(with_unit, {"theta": theta, "K": DEVICES, "unit": unit, "terms": terms}, 0.08 * len(terms))


def with_unit(theta: float, K: int, unit: float, terms: Sequence[int]) -> list[Json]:
    """The measure along Corollary 1 with Q = unit log sqrt(KT), at the T where that is these whole numbers.

    4 Delta_Q^2 is that of the ball which holds every point of rest.
    """
    problem, rows = build(world_of(theta)), []
    radius = max(at_rest(problem, theta=theta, Q=Q).radius for Q in terms)
    for Q in terms:
        T = int(math.exp(2 * Q / unit) * (1 - 1e-12) / K)
        run = along("corollary-1", K=K, T=T, theta=theta, units={**units_of(theta), "Q": unit})
        if run.solver.Q != Q:
            raise UserError(f"Corollary 1 was to take Q = {Q} at K = {K}, T = {T}, got {run.solver.Q}.")
        bound = bias_term(problem, theta=theta, Q=Q, radius=radius)
        row = {"theta mu": theta, "Q": Q, "KT": float(K * T), "4 Delta_Q^2": bound}
        rows.append({**row, **from_the_solution(problem, run)})
    return rows


def from_the_solution(problem: Any, run: Run) -> Json:
    """A run from the solution, as a row."""
    start = {"x0": problem.x_star, "y0": problem.y_star(problem.x_star)}
    return run_row(problem, run.solver, K=run.K, T=run.T, **start)


def exponent_in_KT(runs: Rows, theta: float, unit: float, *, predicted: float) -> Check:
    """The exponent over the last two steps."""
    name = f"exponent in KT, Q = {unit:.3g} log sqrt(KT), theta mu = {theta}"
    return exponent(name, runs[-3::2], "measure", "KT", predicted, EXPONENT)


def settings_of(rows: Rows) -> dict[str, Json]:
    """The worlds and units of these rows."""
    thetas = rows.cells("theta")
    return {
        "corollary": "corollary-1",
        "worlds": {f"theta = {theta}": world_of(theta) for theta in thetas},
        "units": {f"theta = {theta}": units_of(theta) for theta in thetas},
    }


def measures_panel(rows: Rows, *, title: str) -> Panel:
    """Measure against KT; runs that keep the rate are solid, and the rate is drawn through the first of them."""
    series, triangles, kept = [], [], []
    for i, ((theta, unit), here) in enumerate(rows.by("theta", "unit")):
        slope, first = predicted(theta, unit), here[0]
        kept += [here] if slope == -0.5 else []
        kind, power = ("measured", "-1/2") if slope == -0.5 else ("contrast", f"{slope:.3f}")
        factor = "" if unit == 1 else rf"{unit:.3g}\,"
        label = rf"$\theta\mu = {theta}$, $Q = {factor}\log\sqrt{{KT}}$"
        series.append(line(label, here, "KT", "measure", kind=kind, colour=i))
        at = {"x": first["KT"] * 3, "y": 3 * first["measure"] * 3**slope, "factor": 10.0}
        triangles.append(Triangle(slope=slope, label=power, colour=i, **at))
    here = kept[0] if kept else next(here for _, here in rows.by("theta", "unit"))
    KT, measure = here[0]["KT"], here[0]["measure"]
    rate_kept = Rows({"KT": row["KT"], "rate": measure * (row["KT"] / KT) ** -0.5} for row in here)
    dashed = line(r"$\propto (KT)^{-1/2}$", rate_kept, "KT", "rate", kind="predicted", colour=6)
    return panel("$KT$", "measure", [*series, dashed], triangles, title=title)
