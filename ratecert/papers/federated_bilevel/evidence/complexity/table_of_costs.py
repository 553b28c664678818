"""A row of the table: constants found, and the runs from which exponents of eps and of K are taken.

The worlds are scalar with all sources of noise:

    tension     grad_y f is not zero at the solution: the levels want different y
    no tension  b = y*(a), so that x* = a and grad_y f = 0 there
    one level   grad_xy g = 0, for the method without a lower level

eps is the measure that a run reaches, E||grad Phi||^2 averaged over iterations: the column "gradient".
"""

from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any

from ratecert.claim import Json, Row, Rows
from ratecert.claim.checks import slope
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.evidence.complexity.best_constants import best_constants
from ratecert.papers.federated_bilevel.evidence.complexity.families import FAMILIES
from ratecert.papers.federated_bilevel.evidence.complexity.measured_runs import measured_run

SCALAR: dict[str, Any] = {
    "world": "scalar", "mu": 1.0, "L_1": 1.5, "a": 0.5, "c": 0.3,
    "sigma_H": 0.1, "sigma_J": 0.1, "s_f": 0.5, "s_g": 0.5,
}  # fmt: skip
WORLDS: dict[str, dict[str, Any]] = {
    "tension": {**SCALAR, "b": -0.2},
    "no tension": {**SCALAR, "b": float(build(SCALAR).y_star([SCALAR["a"]])[0])},
    "one level": {
        "world": "quadratic", "A": 1.1, "E": 0.1, "B": 0.0, "c": 0.3, "P": 1.0, "D": 1.0, "a": 0.5, "b": -0.2,
        "s_f": 0.5, "s_g": 0.5,
    },
}  # fmt: skip
DEVICES = 4096  # of the federated methods, where exponents of eps are taken
MANY_DEVICES = (2**16, 2**20)  # where less noise is not what is looked for
SIZE_WITH_MANY = 44


def worlds_for(method: str) -> list[str]:
    """The names of the worlds on which the method is run, the first one for exponents of eps."""
    return ["one level"] if FAMILIES[method].lower_level == "none" else ["tension", "no tension"]


def costs_of(method: str) -> list[Json]:
    """Constants, the runs from which exponents of eps are taken, and those with few and many devices."""
    family, name = FAMILIES[method], worlds_for(method)[0]
    world, K = build(WORLDS[name]), DEVICES if family.devices else 1
    best = best_constants(method, world)
    c = best.constants
    constants = dict(zip(family.constants, c, strict=True))
    at_edge = {"trials": best.trials, "lost": best.lost, "at edge": best.at_edge}
    sizes = [measured_run(method, world, n=2**m, K=K, c=c) for m in family.sizes]
    rows = [
        {"part": "constants", **constants, **at_edge},
        *({"part": "eps", "world": name, **run} for run in sizes),
    ]
    if family.rounds_free_of_K:
        often = measured_run(method, world, n=2 ** family.sizes[-1], K=K, c=c, every_step=True)
        rows.append({"part": "averaged after every step", "world": name, **often})
    return [*rows, *_with_devices(method, c)]


def _with_devices(method: str, c: Sequence[float]) -> list[Json]:
    """Runs with few and many devices: along the method's own steps and, where these have no K, with K in them.

    The larger one has the size at which, if costs go as K^(predicted), both reach the same eps.
    """
    family, rows = FAMILIES[method], []
    scaled = (False, True) if family.can_scale_with_K else (False,)
    for name, with_K in product(worlds_for(method) if family.devices else (), scaled):
        predicted = predicted_exponent(method, name, with_K)
        few, many = family.devices if family.devices and predicted < 0 else MANY_DEVICES
        first = 2 ** (family.size_with_devices if predicted < 0 else SIZE_WITH_MANY)
        for n, K in ((first, few), (round(first * (many / few) ** predicted), many)):
            run = measured_run(method, build(WORLDS[name]), n=n, K=K, c=c, steps_scaled_with_K=with_K)
            rows.append({"part": "devices", "world": name, "steps_scaled_with_K": with_K, **run})
    return rows


def predicted_exponent(method: str, world: str, steps_scaled_with_K: bool) -> int:
    """The exponent of K in the samples of a device that reach eps.

    -1  the noise of a mean over K devices is 1/K of one device's, and the steps are K times as large for it
     0  the steps do not know K: less noise does not help
    +1  the steps are as large, but the noise is not smaller: FEDNEST cuts its series by one draw for all devices, and
        where grad_y f is not zero the noise of that draw is what remains
    """
    if FAMILIES[method].can_scale_with_K and not steps_scaled_with_K:
        return 0
    return 1 if FAMILIES[method].estimator == "E1" and world == "tension" else -1


def exponent_of_eps(rows: Rows, cost: str, correction: float | None = None) -> tuple[float, float]:
    """r in cost ~ (1/eps)^r over runs of growing size, and by how much it still moves with the size of the runs."""
    if correction is not None:
        *_, before, last = limit_of_exponents(rows, cost, correction)
        return last, abs(last - before)
    whole, later = (-slope(Rows(pair), cost, "gradient")[0] for pair in ((rows[0], rows[-1]), rows.last(2)))
    return later, abs(later - whole)


def limit_of_exponents(rows: Rows, cost: str, correction: float) -> list[float]:
    """Exponents between neighbours, freed of a part that falls as n^-correction: one from each two of them.

    Sizes are in a geometric progression, so this is Aitken's extrapolation with the known ratio.
    """
    slopes = [-slope(Rows(pair), cost, "gradient")[0] for pair in pairwise(rows)]
    ratio = (rows[0]["n"] / rows[1]["n"]) ** correction
    return [later + (later - earlier) * ratio / (1 - ratio) for earlier, later in pairwise(slopes)]


def exponent_of_K(pair: Rows, cost: str, in_eps: float) -> tuple[float, float]:
    """r in cost ~ K^r at the same eps, and its uncertainty.

    What the two runs' measures differ by is made up for by the exponent of 1/eps.
    """
    of_cost, _ = slope(pair, cost, "K", error=0.0)
    of_measure, uncertainty = slope(pair, "gradient", "K")
    return of_cost + in_eps * of_measure, in_eps * uncertainty


def cost_at(run: Row, cost: str, eps: float, in_eps: float) -> float:
    """The cost of reaching eps, by the power law through this run."""
    return float(run[cost] * (run["gradient"] / eps) ** in_eps)
