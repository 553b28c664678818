"""How many terms Corollary 1 needs: Q = O(log sqrt(KT)) is right, and its unit has to know theta mu.

The Q at which the floor is 1 % of the noise part grows with the slope 1/(4 log(1/(1 - theta mu))) in log T and in
log K. With twice that many terms the measure falls as (KT)^{-1/2}; with Q = log sqrt(KT) it falls with the exponent
max(-1/2, log(1 - theta mu)).

Why: on a quadratic world without noise in A and B the measure of a run is a sum: the measure of the same run without
noise, which tends to the floor of evidence/bias/bias_floor.py, and a variance. Along Corollary 1 the variance is of
order (KT)^{-1/2} and the floor of order (1 - theta mu)^{2Q+2}. So the floor is a given share of the noise part at

    Q = log(KT) / (4 log(1/(1 - theta mu))) + constant,

which is O(log sqrt(KT)), as the corollary says, with the unit 1/(2 log(1/(1 - theta mu))), about 1/(2 theta mu). With
Q = unit log sqrt(KT) the floor is of order (KT)^(unit log(1 - theta mu)): for unit = 1 that is larger than (KT)^{-1/2}
unless theta mu >= 1 - exp(-1/2) = 0.393, and as theta < 1/L_1, unless L_1/mu < 2.54.

The claim delta-q.unit-1 takes the O(.) of the corollary at its face, with the unit 1: the measure keeps the rate
(KT)^{-1/2} where theta mu = 0.45, and loses it where theta mu is 0.2 or 0.1. The O(.) may hide a unit that depends on
theta mu.
"""

import math
from collections.abc import Iterator, Sequence

from ratecert.base.errors import UserError
from ratecert.claims import Budget, Chart, Check, Claim, Json, Panel, Piece, Row, Rows, Series, Triangle
from ratecert.claims.checks import equal, error_of, exponent
from ratecert.claims.claim import build
from ratecert.claims.lines import line, panel
from ratecert.papers.federated_bilevel.evidence.bias.bias_floor import at_rest, bias_term
from ratecert.papers.federated_bilevel.evidence.runs import run_row
from ratecert.papers.federated_bilevel.scalings import Run, along
from ratecert.solvers.contract.problem import CentredProblem

EXPONENT = 1e-3
DEVICES = 8
LOGS = tuple(range(14, 22))  # log sqrt(KT)
CASES = {0.1: 9.0, 0.2: 4.0, 0.45: 2.0}  # theta mu and L_1, with mu = 1 and theta < 1/L_1
SHARE = 0.01  # of the noise part: a smaller floor does not matter
ENOUGH = 45.0  # terms times log(1/(1 - theta mu)) after which the floor is below rounding
IN_T = tuple(2**power for power in (36, 40, 44, 48, 52, 56, 60))  # at K = 1
IN_K = tuple(2**power for power in (8, 12, 16))  # at T = 2^50 >= K^3
T_OF_IN_K = 2**50


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


def from_the_solution(problem: CentredProblem, run: Run) -> Json:
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


def needed(theta: float, K: int, T: int) -> list[Json]:
    """The first Q at which the floor is at most SHARE of the noise part, and the crossing, between Q - 1 and Q."""
    noisy, quiet = build(world_of(theta)), build(world_of(theta, noise=False))

    def measure(problem: CentredProblem, Q: int) -> float:
        run = along("corollary-1", K=K, T=T, theta=theta, units=units_of(theta), Q=Q)
        return float(from_the_solution(problem, run)["measure"])

    noise, Q = measure(noisy, math.ceil(ENOUGH / rate(theta))), 2
    while at_rest(quiet, theta=theta, Q=Q).floor > SHARE * noise:
        Q += 1
    before, here, after = (math.log(measure(quiet, q) / (SHARE * noise)) for q in (Q - 1, Q, Q + 1))
    inside, outside = Q - 1 + before / (before - here), Q + here / (here - after)
    error = abs(outside - inside)  # the two lines agree where the floor is a pure power of Q
    return [
        {"Q": Q, "crossing": inside, "error": error, "noise": noise, "excess": measure(noisy, Q) / noise - 1}
    ]


def pieces(budget: Budget) -> list[Piece]:
    thetas = list(CASES)[:1] if budget.quick else list(CASES)
    in_T, in_K = (IN_T[-2:], IN_K[-2:]) if budget.quick else (IN_T, IN_K)
    runs = [(1, T) for T in in_T] + [(K, T_OF_IN_K) for K in in_K]
    return [
        *(Piece(needed, {"theta": theta, "K": K, "T": T}, 0.4) for theta in thetas for K, T in runs),
        *(along_unit(theta, unit=1 / rate(theta), budget=budget) for theta in thetas),
        *(along_unit(theta, unit=1.0, budget=budget) for theta in CASES),
    ]


def checks(rows: Rows) -> Iterator[Check]:
    for theta, here in rows.having("crossing").by("theta"):
        for name, some in (("T", here.where(K=1)), ("K", here.but(K=1))):
            first, last = some.last(2)
            span = math.log(last[name] / first[name]) / (4 * rate(theta))
            yield equal(
                f"needed Q per log {name}, in units of 1/(4 log(1/(1 - theta mu))), theta mu = {theta}",
                (last["crossing"] - first["crossing"]) / span,
                1.0,
                EXPONENT,
                (error_of(first, "error") + error_of(last, "error")) / span,
            )
    for (theta, unit), here in rows.by("theta", "unit"):
        yield exponent_in_KT(here, theta, unit, predicted=predicted(theta, unit))


def chart(rows: Rows) -> Chart:
    searches, lines = rows.having("crossing"), []
    thetas, totals = searches.cells("theta"), [_total(row) for row in searches]
    for i, theta in enumerate(thetas[:2]):
        lines += _lines(2 * i, theta, searches.where(theta=theta, K=1))
    many = rf"$\theta\mu = {thetas[0]}$, $T = 2^{{50}}$, $K$ up to $2^{{16}}$"
    ends = [min(totals), max(totals)]
    one = {"x": ends, "y": [math.log(KT) / 2 for KT in ends]}
    lines += [
        line(many, searches.where(theta=thetas[0]).but(K=1), _total, "crossing", colour=1),
        Series(label=r"$Q = \log\sqrt{KT}$", **one, kind="contrast", colour=3),
    ]
    of_needed = "$Q$ with floor = 1 % of the noise part"
    runs = rows.having("unit").where(theta=thetas[0])
    return Chart(
        caption="The terms that push the floor to 1 % of the noise part, against KT: straight lines of slope "
        "1/(4 log(1/(1 - theta mu))), far above Q = log sqrt(KT). And the measure: with terms in that proportion it "
        "falls as (KT)^(-1/2); with Q = log sqrt(KT) it follows the floor.",
        panels=[
            panel("$KT$", of_needed, lines, title="terms that are needed", y_scale="linear"),
            measures_panel(runs, title=rf"$\theta\mu = {thetas[0]}$"),
        ],
    )


def _lines(colour: int, theta: float, searches: Rows) -> list[Series]:
    """Terms at K = 1, and the derived slope through the last of them."""
    name, last = rf"$\theta\mu = {theta}$", searches[-1]

    def derived(row: Row) -> float:
        return float(last["crossing"] + math.log(_total(row) / _total(last)) / (4 * rate(theta)))

    return [
        line(f"{name}, $K = 1$", searches, _total, "crossing", colour=colour),
        line(f"{name}, derived slope", searches, _total, derived, kind="predicted", colour=6),
    ]


def _total(row: Row) -> float:
    return float(row["K"] * row["T"])


def pieces_at_unit_1(budget: Budget) -> list[Piece]:
    return [along_unit(theta, unit=1.0, budget=budget) for theta in CASES]


def checks_at_unit_1(rows: Rows) -> Iterator[Check]:
    for theta, here in rows.by("theta"):
        yield exponent_in_KT(here, theta, 1.0, predicted=-0.5)


def chart_at_unit_1(rows: Rows) -> Chart:
    return Chart(
        caption="Measure along Corollary 1 with Q = log sqrt(KT). Where theta mu = 0.45 it falls as (KT)^(-1/2), "
        "dashed; where theta mu is smaller it follows the floor of the truncated sum instead.",
        panels=[measures_panel(rows, title=r"$Q = \log\sqrt{KT}$")],
    )


CLAIMS = (
    Claim(
        id="delta-q.terms",
        of=("corollary-1", "constant.Delta_Q"),
        sentence="Along Corollary 1 the terms after which the floor no longer matters grow as "
        "log(KT)/(4 log(1/(1 - theta mu))), so Q = O(log sqrt(KT)) with a unit that depends on theta mu.",
        pieces=pieces,
        checks=checks,
        regime="along Corollary 1's scalings, T >= K^3; slopes at the largest T and K; runs begin at the solution",
        method="exact moments; the floor is the measure of the same run without noise",
        evidence=("exact moments",),
        settings=lambda rows: settings_of(rows) | {"share of the noise part": SHARE},
        chart=chart,
        notes=[
            "The unit in Q = O(log sqrt(KT)) is 1/(2 log(1/(1 - theta mu))), about 1/(2 theta mu), and theta < 1/L_1: "
            "it grows with the condition number L_1/mu.",
            "excess is the measure with Q terms over the one with all terms, less 1: the floor, less what a shorter "
            "sum saves in noise.",
        ],
        table=("theta", "K", "T", "Q", "crossing", "excess"),
        runs=("LocalBSGM", "LocalBSGVRM"),
    ),
    Claim(
        id="delta-q.unit-1",
        of=("corollary-1",),
        sentence="Q = log sqrt(KT), Corollary 1's order with the unit 1, is enough for the rate (KT)^(-1/2) at every "
        "theta < 1/L_1.",
        pieces=pieces_at_unit_1,
        checks=checks_at_unit_1,
        regime="along Corollary 1's scalings with Q = log sqrt(KT), T >= K^3; every theta < 1/L_1; runs begin at the "
        "solution",
        method="exact moments",
        evidence=("exact moments",),
        settings=settings_of,
        chart=chart_at_unit_1,
        notes=[
            "A unit that depends on theta mu is allowed inside O(log sqrt(KT)): this is not against the corollary, but "
            "against reading it without one.",
            "Q = log sqrt(KT) is enough if theta mu >= 1 - exp(-1/2) = 0.393, which needs L_1/mu < 2.54.",
        ],
        table=("theta mu", "Q", "KT", "measure", "4 Delta_Q^2"),
        runs=("LocalBSGM", "LocalBSGVRM"),
        because="the floor is of order (KT)^(log(1 - theta mu)), larger than (KT)^(-1/2) where theta mu < 0.393; the "
        "O(.) has to hide a factor 1/(theta mu)",
    ),
)
