"""The paper's table, measured: what fifteen methods take to reach eps, on the same worlds and with the same counting.

A run of size n has steps, periods and batches in the orders of the method's own theory, which leave a constant open for
every step. It reaches eps, the average of E||grad Phi||^2 over its iterations, and costs each device samples (of f and
of g) and rounds. All measures are exact. Checked are

    exponents of 1/eps    samples and rounds against eps, over runs of growing size; claimed orders are upper bounds,
                          and along these steps, on this world, they are attained
    exponents of K        samples and rounds at the same eps. A method that claims linear speedup has K in its steps;
                          one that does not is run as it stands, and with K put into its steps: would it be there?
    periods               eps is reached with the period of the method's theory as well as with p = 1

FedNest shows linear speedup where grad_y f vanishes at the solution (no tension between the levels), and needs more
samples where it does not: all devices cut its series by one draw, whose noise no average removes.

Steps are constant over a run, of the order that a decaying schedule has at its end; where that forgets its start, a
batch B of the start does so here. The series of every hypergradient has 12 terms, which is off by 1e-11 on these
worlds: the logarithm of 1/eps by which the terms would have to grow is left out of all counts.

The constants are the best of 64 trials per method at n = 2^24 (2^12 for StocBiO and VRBO), K = 1, on its first world:
32 Sobol points in a box from 1/64 to 4096, in logarithms, then 32 steps of Nelder and Mead's search from the best of
them; they are given to four digits. That of LocalBSGM's step of y is at the edge of the box.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import ratecert as rc
from ratecert.claims import Budget, Check, Claim, Json, Rows, Task, build, equal
from ratecert.claims.slope import slope
from ratecert.papers.federated_bilevel.claims.measured_run import measured_run
from ratecert.solvers import ALGORITHMS

TOLERANCE = 1e-3
START = {"x0": 1.0, "y0": 0.0}
DEVICES = 4096  # of the federated methods, where exponents of eps are taken
MANY_DEVICES = (2**16, 2**20), 44  # and log n at the fewer, where less noise is not what is looked for
SCALAR: dict[str, Any] = {
    "world": "scalar", "mu": 1.0, "L_1": 1.5, "a": 0.5, "c": 0.3,
    "sigma_H": 0.1, "sigma_J": 0.1, "s_f": 0.5, "s_g": 0.5,
}  # fmt: skip
WORLDS: dict[str, dict[str, Any]] = {
    "tension": {**SCALAR, "b": -0.2},
    "no tension": {**SCALAR, "b": float(build(SCALAR).y_star([SCALAR["a"]])[0])},  # y*(a), so that x* = a
    "one level": {
        "world": "quadratic", "A": 1.1, "E": 0.1, "B": 0.0, "c": 0.3, "P": 1.0, "D": 1.0, "a": 0.5, "b": -0.2,
        "s_f": 0.5, "s_g": 0.5,
    },
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Family:
    """A method: what it claims, the constants of the steps of x and y and of the momentum weight, and its runs."""

    claimed: tuple[str, ...]  # exponents of 1/eps in samples, rounds and samples of f
    best: tuple[float, float, float]
    sizes: Sequence[int]  # logarithms of n to the base 2, at which the exponents of eps are taken
    devices: tuple[int, int] = (1, 1)  # between which exponents of K are taken; (1, 1): one machine
    size_with_devices: int = 48  # log n at the fewer devices
    put_K: bool = False  # claims no linear speedup: the steps have no K of their own
    period: bool = False  # p falls with K as the iterations do, so that rounds are free of K
    cycles: float = 0.0  # a run is this power of n cycles; 0: n iterations
    correction: float | None = None  # r, where a part of the measure is n^-r of the leading one


HALVES: dict[str, Any] = {"sizes": (36, 40, 44, 48), "devices": (256, 4096)}
THIRDS: dict[str, Any] = {"sizes": (54, 57, 60), "devices": (64, 4096), "size_with_devices": 60}
NESTED: dict[str, Any] = {**HALVES, "cycles": 1.0}
ROWS = {  # of Table 1
    "FedNest": "FEDNEST",
    "FedBiOAcc": "FedBiOAcc",
    "LocalBSGM": "LocalBSGM",
    "LocalBSGVRM": "LocalBSGVR-constant",
}


def in_table_1(method: str) -> dict[str, Any]:
    """Read what the paper's table claims of a method, and put K into its steps if that is no linear speedup."""
    (row,) = (
        row for row in rc.paper().the(rc.statements.Counts, "table-1").costs if row.method == ROWS[method]
    )
    powers = [str(-rc.statements.claimed(row.counts[cost]).exponent("eps")) for cost in ("samples", "rounds")]
    return {"claimed": tuple(powers), "put_K": not row.linear_speedup}


FAMILIES = {
    "FedNest": Family(best=(0.6022, 116.5, 0), **NESTED, **in_table_1("FedNest")),
    "LFedNest": Family(claimed=("2", "2"), best=(0.851, 196.8, 0), put_K=True, **NESTED),
    "FedBiOAcc": Family(best=(57.15, 4.475, 1.027), period=True, **THIRDS, **in_table_1("FedBiOAcc")),
    "FedBiOAccGlobal": Family(claimed=("3/2", "1"), best=(46.04, 8.003, 0.9872), period=True, **THIRDS),
    "LocalBSGM": Family(best=(1.214, 4096, 3.845), period=True, **HALVES, **in_table_1("LocalBSGM")),
    "LocalBSGVRM": Family(best=(57.15, 4.475, 1.027), period=True, **THIRDS, **in_table_1("LocalBSGVRM")),
    "LocalSGD": Family(claimed=("2", "3/2"), best=(1.301, 927.5, 0), period=True, **HALVES),
    "STEM": Family(claimed=("3/2", "1"), best=(249, 0, 1.002), period=True, **THIRDS),
    "BSA": Family(claimed=("3", "", "2"), best=(0.6139, 1.57, 0), sizes=(32, 36, 40), cycles=1.0),
    "TTSA": Family(claimed=("5/2",), best=(3.175, 22, 0), sizes=(48, 52, 56, 60), correction=1 / 5),
    "StocBiO": Family(claimed=("2",), best=(0.6259, 0.5465, 0), sizes=(20, 24, 28), cycles=1.0),
    "SMB": Family(claimed=("2",), best=(1.266, 1361, 11.37), sizes=(36, 40, 44, 48)),
    "SUSTAIN": Family(claimed=("3/2",), best=(52.04, 0.4336, 0.8307), sizes=(54, 57, 60)),
    "MRBO": Family(claimed=("3/2",), best=(57.15, 4.475, 1.027), sizes=(54, 57, 60)),
    "VRBO": Family(claimed=("3/2",), best=(1.28, 0.7789, 0), sizes=(18, 20, 22), cycles=1 / 2),
}
SUM: dict[str, Any] = {"theta": 0.8, "Q": 11}  # the full sum of 12 terms, E2
CUT: dict[str, Any] = {"theta": 0.8, "N": 12}  # cut at random, E1


def solver_of(method: str, n: int, K: int, x: float, y: float, w: float) -> Any:
    """Make the solver of a run of size n with K in its steps; x, y and w are its constants."""
    half, third, period = (K / n) ** (1 / 2), K ** (2 / 3) / n ** (1 / 3), whole(n ** (1 / 3) / K ** (2 / 3))
    asked: dict[str, Any] = {"K": K, "T": n, "units": {"rho_1": x, "rho_2": y, "alpha": w, "beta": w}, **SUM}
    if method == "LocalBSGM":
        return rc.along("corollary-1", **asked).solver
    if method == "LocalBSGVRM":
        return rc.along("corollary-3", momenta="fresh", **asked).solver
    slow, q = {"alpha": x * half, "beta": y * half}, whole(n ** (1 / 2))
    reduced, weights = {"eta": third, "p": period, "B": period}, dict.fromkeys(("c_nu", "c_w", "c_q"), w / K)
    on_both = {"eta": third, "B": period, "gamma": x, "lam": y, "c_u": w, "c_v": w}
    fields: dict[str, dict[str, Any]] = {
        "LocalSGD": {"eta": half, "rho_1": x, "rho_2": y, "p": whole(n ** (1 / 4) / K ** (3 / 4)), **SUM},
        "FedNest": {**slow, "tau": 2, "T_in": 1, **CUT},
        "LFedNest": {**slow, "tau": 2, "T_in": 1, **CUT},
        "FedBiOAcc": {**reduced, "lam": x, "gamma": y, "c_nu": w / K, "c_w": w / K, **SUM},
        "FedBiOAccGlobal": {**reduced, "lam": x, "gamma": y, "tau": y, **weights},
        "STEM": {**reduced, "rho": x, "c_u": w / K},
        "BSA": {**slow, "T_in": whole(1 / half), **CUT},
        "TTSA": {"alpha": x * n ** (-3 / 5), "beta": y * n ** (-2 / 5), **CUT},
        "StocBiO": {"alpha": x, "beta": y, "T_in": 4, "S": n, **SUM},
        "SMB": {"eta": x * half, "tau": y / x, "b": w * half, **SUM},
        "SUSTAIN": {**on_both, **CUT},
        "MRBO": {**on_both, **SUM},
        "VRBO": {"alpha": x, "beta": y, "q": q, "T_in": 1, "S": n, "S_2": q, **SUM},
    }
    return ALGORITHMS[method](**fields[method])


def whole(value: float) -> int:
    return max(1, round(value))


def run(method: str, world: str, n: int, K: int, *, put_K: bool = False, every_step: bool = False) -> Json:
    """Run with size n on K devices; with `every_step` they are averaged after every step, whatever p is."""
    family = FAMILIES[method]
    solver = solver_of(method, n, K if put_K or not family.put_K else 1, *family.best)
    steps = sum(stage.repeats for stage in solver.stages)
    T = whole(n**family.cycles) * steps if family.cycles else n
    solver = replace(solver, p=1) if every_step else solver
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rc.errors.PrecisionWarning)  # of drifts; the gradient's matters here
        row = measured_run(build(WORLDS[world]), solver, K=K, T=T, **START)
    return {"world": world, "n": n, **row, "samples": row["samples_f"] + row["samples_g"]}


def costs_of(method: str) -> list[Json]:
    """Make the runs from which exponents of eps are taken, one without a period, and those with few and many devices.

    Of the last the larger one has the size at which, if costs go as K^(predicted), both reach the same eps.
    """
    family, worlds = FAMILIES[method], worlds_of(method)
    K = DEVICES if family.devices[1] > 1 else 1
    rows = [{"part": "eps", **run(method, worlds[0], 2**m, K)} for m in family.sizes]
    if family.period:
        often = run(method, worlds[0], 2 ** family.sizes[-1], K, every_step=True)
        rows.append({"part": "averaged after every step", **often})
    if K == 1:
        return rows
    for world, put_K in product(worlds, (False, True) if family.put_K else (False,)):
        power = predicted(method, world, put_K=put_K)
        of_noise = power < 0  # less noise is what is looked for
        (few, many), size = (family.devices, family.size_with_devices) if of_noise else MANY_DEVICES
        for n, K in ((2**size, few), (round(2**size * (many / few) ** power), many)):
            rows.append({"part": "devices", "put_K": put_K, **run(method, world, n, K, put_K=put_K)})
    return rows


def worlds_of(method: str) -> tuple[str, ...]:
    """Name the worlds on which the method is run, the first one for exponents of eps; STEM has no lower level."""
    return ("one level",) if method == "STEM" else ("tension", "no tension")


def predicted(method: str, world: str, *, put_K: bool) -> int:
    """Predict the exponent of K in the samples of a device that reach eps.

    -1  the noise of a mean over K devices is 1/K of one device's, and the steps are K times as large for it
     0  the steps do not know K: less noise does not help
    +1  the steps are as large, but the noise is not smaller: FedNest's one draw for all devices, under tension
    """
    if FAMILIES[method].put_K and not put_K:
        return 0
    return 1 if method in ("FedNest", "LFedNest") and world == "tension" else -1


def exponent_of_eps(rows: Rows, cost: str, correction: float | None = None) -> tuple[float, float]:
    """Compute r in cost ~ (1/eps)^r over runs of growing size, and by how much it still moves with their size."""
    if correction is not None:
        *_, before, last = limit_of_exponents(rows, cost, correction)
        return last, abs(last - before)
    ends = rows[:: len(rows) - 1], rows[-2:]
    whole_range, later = (-slope(pair, cost, "gradient")[0] for pair in ends)
    return later, abs(later - whole_range)


def limit_of_exponents(rows: Rows, cost: str, correction: float) -> list[float]:
    """Free the exponents between neighbours of a part that falls as n^-correction: one from each two of them.

    Sizes are in a geometric progression, so this is Aitken's extrapolation with the known ratio.
    """
    slopes = [-slope(Rows(pair), cost, "gradient")[0] for pair in pairwise(rows)]
    ratio = (rows[0]["n"] / rows[1]["n"]) ** correction
    return [later + (later - earlier) * ratio / (1 - ratio) for earlier, later in pairwise(slopes)]


def exponent_of_K(pair: Rows, cost: str, in_eps: float) -> tuple[float, float]:
    """Compute r in cost ~ K^r at the same eps: the exponent of 1/eps makes up for what the two measures differ by."""
    of_cost, _ = slope(pair, cost, "K", error=0.0)
    of_measure, uncertainty = slope(pair, "gradient", "K")
    return of_cost + in_eps * of_measure, in_eps * uncertainty


def checks(rows: Rows) -> Iterator[Check]:
    for method, here in rows.by("method"):
        family, name = FAMILIES[method], rc.methods.name_of(ALGORITHMS[method])
        sizes, in_eps = here.where(part="eps"), {}
        for cost, claimed in zip(("samples", "rounds", "samples of f"), family.claimed, strict=False):
            if claimed:
                column = "samples_f" if cost == "samples of f" else cost
                in_eps[cost], moves = exponent_of_eps(sizes, column, family.correction)
                what = f"{name}: exponent of 1/eps in {cost}"
                yield equal(what, in_eps[cost], float(Fraction(claimed)), TOLERANCE, moves)
        for often in here.where(part="averaged after every step"):
            ratio = sizes[-1]["gradient"] / often["gradient"]
            yield equal(f"{name}: measure with its p over that with p = 1", ratio, 1.0, TOLERANCE)
        for (world, put_K), pair in here.where(part="devices").by("world", "put_K"):
            power = predicted(method, world, put_K=put_K)
            where = f"{world}, K in its steps" if put_K else world
            saved = 1 if power < 0 and family.period else 0  # p falls as samples do
            for cost, expected in (("samples", power), ("rounds", power + saved)):
                value, error = exponent_of_K(pair, cost, in_eps[cost])
                yield equal(f"{name}: exponent of K in {cost}, {where}", value, expected, TOLERANCE, error)


def tasks(budget: Budget) -> list[Task]:
    return [Task(costs_of, {"method": method}, 2.0) for method in (ROWS if budget.quick else FAMILIES)]


CLAIMS = (
    Claim(
        id="complexity-table",
        of=("table-1",),
        sentence="To reach eps every method takes samples and rounds in the orders that are claimed for it, measured "
        "on the same world; those that claim linear speedup show it.",
        tasks=tasks,
        checks=checks,
        regime="devices that are alike; steps constant over a run, in the orders of each method's theory; the measure "
        "is E||grad Phi||^2 averaged over iterations; the theorems' constants are not imposed. Exponents of eps at "
        f"K = {DEVICES} (one machine: 1); exponents of K up to 4096 where K is in the steps and less noise helps, "
        "between 2^16 and 2^20 where not",
        method="exact moments",
        evidence=("exact moments",),
        settings={"worlds": WORLDS, **SUM, "constants": {m: f.best for m, f in FAMILIES.items()}, **START},
        notes=(
            "(reconstructed): the method's exact statement could not be had; what is measured is the one in its file.",
            "Tension: grad_y f is not zero at the solution, because the two levels want different y.",
            "A longer period would cost no accuracy either where devices are alike and noise is additive "
            "(communication-period.invariance), so exponents of rounds are no lower bounds.",
        ),
        table=("method", "part", "world", "K", "n", "p", "gradient", "samples", "rounds"),
    ),
)
