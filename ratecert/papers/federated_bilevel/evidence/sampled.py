"""The exponent of a corollary's rate where second moments do not close: sampled runs along its scalings.

    measure = 1/T sum_{t<T} (E||grad Phi(xbar_t)||^2 + L_tilde^2 E||ybar_t - y*(xbar_t)||^2)

Every K and T is one piece: a pilot with a seed of its own estimates the spread of one run, and from that follow the
replicates with which the interval of the slope has the half-width h that the claim asks for
(ratecert/rates/planning.py); a plan of too many is not run, and leaves the claim undecided. Whenever the intervals
cover, a slope whose true value is within tolerance - 2h of the prediction is found to hold, and one that is off by more
than tolerance + 2h is found to be violated.

False alarms. Every interval has the error probability 1e-6: q = 4.9 standard errors by Student's law, see
ratecert/claims/slope.py. The two claims have five and three slopes, together 5e-6 and 3e-6. One run's measure, an
average over t < T, has a skewness s of about 0.6 (wavy) and 1 (ridge; 1.4 at T = 32, where n is larger), and there are
n >= 512 replicates. That raises the two numbers by the parts s^2 q^6/(18 n) = 0.6 and 1.5, to 8e-6, as the tests work
out. So much for the probability that an interval does not cover; for the verdict to change the slope has to be off by
the interval and by what is left of the tolerance besides.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ratecert.claims import Check, Claim, Json, Panel, Piece, Rows
from ratecert.claims.checks import at_least, at_most, equal
from ratecert.claims.claim import CONFIDENCE, build
from ratecert.claims.lines import corner, line
from ratecert.claims.slope import Slope, fit_slope, quantile
from ratecert.papers.federated_bilevel.evidence.experiment import Experiment, claimed
from ratecert.papers.federated_bilevel.evidence.runs import L_tilde
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.scalings import Run
from ratecert.rates.planning import PILOT, relative_error_for, replicates_within
from ratecert.solvers import ALGORITHMS, simulate
from ratecert.solvers.contract.result import Result
from ratecert.theory.language.statements import Corollary
from ratecert.theory.numbers.admissible import admissible

FALSE_ALARM = 1e-5
OVERHEAD, PER_DEVICE = 500.0, 500.0  # microseconds per iteration, roughly: longer pieces start first
LABELS = {
    "measure": r"gradient + $\tilde{L}^2$ tracking, mean over $t < T$",
    "gradient": r"$\|\nabla\Phi(\bar{x}_t)\|^2$, mean over $t < T$",
}
TABLE = (
    *("role", "K", "T", "p", "Q", "eta", "replicates", "L_tilde"),
    *("measure", "measure_error", "gradient", "gradient_error"),
)
TOO_SMALL = "a change of 1 % moves an exponent by less than 0.01, a fifth of what a sampled one may be off by"


@dataclass(frozen=True, kw_only=True)
class SampledExperiment(Experiment):
    """An experiment on a world that is not quadratic, possibly with another algorithm or other steps."""

    radius: float  # of the ball around (a, b) on which L_tilde holds
    instead: Mapping[str, Json] = field(default_factory=dict)  # fields of the algorithm
    algorithm: str = ""  # another algorithm with the same fields

    def run(self, **where: Any) -> Run:
        run = super().run(**where, **self.instead)
        if not self.algorithm:
            return run
        other: Any = ALGORITHMS[self.algorithm]
        return replace(run, solver=other(**{f.name: getattr(run.solver, f.name) for f in fields(other)}))


class Point(NamedTuple):
    K: int
    T: int


def planned(points: Sequence[Point], half_width: float) -> dict[str, float]:
    """The plan for a slope over the T of these points, or over their K where T is the same, with this half-width."""
    x = [p.T for p in points] if len({p.T for p in points}) > 1 else [p.K for p in points]
    return {"relative_error": relative_error_for(x, half_width=half_width, confidence=CONFIDENCE)}


def pieces_along(
    experiment: Callable[[Point], SampledExperiment],
    points: Sequence[Point],
    *,
    role: str,
    seed: int,
    plan: Mapping[str, float],
    cost: float = 1.0,
) -> list[Piece]:
    """One piece per point. A plan is a relative error, or a number of replicates where any will do.

    `cost` is about that of an iteration, relative to one of LocalBSGM.
    """
    return [
        Piece(
            sampled_point,
            {"experiment": asdict(experiment(p)), "K": p.K, "T": p.T, "role": role, "seed": seed, **plan},
            seconds=1e-6 * cost * p.T * (OVERHEAD + PER_DEVICE * p.K),
        )
        for p in points
    ]


def sampled_point(
    *,
    experiment: dict[str, Json],
    K: int,
    T: int,
    role: str,
    seed: int,
    relative_error: float = math.inf,
    replicates: int | None = None,
) -> list[Json]:
    """The measure and its gradient part at one K and T, each with its standard error."""
    chosen = SampledExperiment(**experiment)
    world, solver = build(chosen.world), chosen.run(K=K, T=T).solver
    weight, start = L_tilde(world, chosen.radius), chosen.start(world)

    def run(replicates: int, seed: int) -> Result:
        return simulate(world, solver, K=K, T=T, **start, replicates=replicates, seed=seed, times=[])

    pilot_seed, run_seed = np.random.SeedSequence([seed, K, T]).generate_state(2, np.uint64).tolist()
    if replicates is None:
        value, error = run(PILOT, pilot_seed).measure(weight)
        replicates = replicates_within(value, error, relative_error)
    result = run(replicates, run_seed)
    measure, measure_error = result.measure(weight)
    return [
        {
            "role": role,
            "K": K,
            "T": T,
            "p": solver.p,
            "Q": solver.Q,
            "eta": float(solver.step_size(0)),
            "replicates": replicates,
            "L_tilde": weight,
            "measure": measure,
            "measure_error": measure_error,
            "gradient": result.gradient,
            "gradient_error": result.standard_error.gradient,
        }
    ]


def slope_of(rows: Rows, y: str, x: str = "T") -> Slope:
    """The slope of sampled means, with its interval."""
    return fit_slope(
        rows.column(x),
        rows.column(y),
        standard_error=[row.get(f"{y}_error", math.inf) for row in rows],
        replicates=min(row.get("replicates", 0) for row in rows),
        confidence=CONFIDENCE,
    )


def exponents(
    rows: Rows, corollary: str, tolerance: float, x: str = "T", *, upper_bound: bool = False
) -> Iterator[Check]:
    """The exponents of the measure and of its gradient part are the claimed one, or at most that."""
    for y in LABELS:
        slope = slope_of(rows, y, x)
        check = at_most if upper_bound else equal
        yield check(
            f"exponent of the {y} in {x}, {x} = {rows[0].get(x)} ... {rows[-1].get(x)}",
            slope.value,
            claimed(corollary, x),
            uncertainty=slope.uncertainty,
            tolerance=tolerance,
        )


def told_apart(rows: Rows, corollary: str, what: str, tolerance: float) -> Check:
    """The exponent of the measure is too large by two tolerances, up to one: outside of what is allowed."""
    slope, bound = slope_of(rows, "measure"), claimed(corollary, "T") + 2 * tolerance
    name = f"exponent of the measure in T told apart, {what}"
    return at_least(name, slope.value, bound, slope.uncertainty, tolerance)


def panel(
    rows: Rows, corollary: str, y: str, *, x: str = "T", contrast: Rows | None = None, what: str = ""
) -> Panel:
    """The points with their intervals, a line of the claimed exponent through them, and the contrast."""
    power = claimed(corollary, x)
    rate = f"${x}^{{{Fraction(power).limit_denominator(99)}}}$"
    middle = math.fsum(math.log(row[y] / row[x] ** power) for row in rows) / len(rows)
    bars = [quantile(CONFIDENCE, row["replicates"]) * row[f"{y}_error"] for row in rows]
    series = [
        line("sampled", rows, x, y, kind="sampled", error=bars),
        line(
            f"{rate} through the points",
            rows,
            x,
            lambda row: math.exp(middle) * row[x] ** power,
            kind="predicted",
        ),
    ]
    if contrast:
        label = f"{what}: exponent {_shown(slope_of(contrast, y, x))}"
        series.append(line(label, contrast, x, y, kind="contrast", colour=1))
    return Panel(
        x_label=f"${x}$",
        y_label=LABELS[y],
        title=f"exponent in ${x}$: {_shown(slope_of(rows, y, x))}",
        series=series,
        triangles=[corner(rows[0], x, y, power, above=0.45, label=rate, factor=2.0)],
    )


def _shown(slope: Slope) -> str:
    return rf"${slope.value:.3f} \pm {slope.uncertainty:.3f}$"


def regime(experiment: SampledExperiment, rows: Rows) -> str:
    """Where the points lie, and how far beyond the theorem's own conditions."""
    printed, rho_1 = rows.where(role="printed"), experiment.units["rho_1"]
    first, last = printed[0], printed[-1]
    theorem = paper().the(Corollary, experiment.corollary).theorem
    world = build(experiment.world).constants(radius=experiment.radius) | {"Phi_gap": 1.0, "y_gap": 1.0}
    admitted = admissible(theorem, world, K=last["K"], p=last["p"], T=last["T"], paper=paper("printed"))
    return (
        f"K = {last['K']}, T = {first['T']} to {last['T']}; the corollary's orders, whose units are ours: outside the "
        f"conditions of {theorem}, which admits rho_1 up to {admitted.values['rho_1']:.1e} here, and rho_1 = {rho_1:g}"
    )


def how(rows: Rows) -> str:
    """How many runs a planned point has, and what its interval means."""
    counts = rows.but(role="contrast").column("replicates")
    return (
        f"sampled, {min(counts)} to {max(counts)} runs per point, planned from pilots; intervals by the infinitesimal "
        f"jackknife, error probability {1 - CONFIDENCE:.0e} each"
    )


def settings(experiment: SampledExperiment, contrast: str, rows: Rows) -> dict[str, Json]:
    setup = asdict(experiment)
    return {"setup": setup, "points": rows.table("K", "T"), "contrast": contrast}


def claim(experiment: SampledExperiment, contrast: str, **rest: Any) -> Claim:
    """A claim on what is sampled of this experiment."""
    return Claim(
        of=(experiment.corollary,),
        regime=partial(regime, experiment),
        method=how,
        evidence=("sampled",),
        settings=partial(settings, experiment, contrast),
        table=TABLE,
        false_alarm=FALSE_ALARM,
        **rest,
    )
