"""A row of the table: constants found, exponents of eps, exponents of K; one call computes it.

The worlds are scalar with all sources of noise:

    tension     grad_y f is not zero at the solution: the levels want different y
    no tension  b = y*(a), so that x* = a and grad_y f = 0 there
    one level   grad_xy g = 0, for the method without a lower level
"""

from typing import Any

from ratecert.claim.claim import Json
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.evidence.complexity.best_constants import best_constants
from ratecert.papers.federated_bilevel.evidence.complexity.families import FAMILIES, SINGLE_LEVEL
from ratecert.papers.federated_bilevel.evidence.complexity.measured_runs import measured_run

NOISE = {"sigma_H": 0.1, "sigma_J": 0.1, "s_f": 0.5, "s_g": 0.5}
SCALAR: dict[str, Any] = {"world": "scalar", "mu": 1.0, "L_1": 1.5, "a": 0.5, "c": 0.3, **NOISE}
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


def world_for(method: str, name: str = "tension") -> str:
    return "one level" if method in SINGLE_LEVEL else name


def costs_of(method: str) -> Json:
    """Constants, and the runs from which exponents of eps are taken."""
    family, world = FAMILIES[method], world_for(method)
    problem = build(WORLDS[world])
    best = best_constants(method, problem)
    K = 1 if family.devices is None else DEVICES
    runs = [measured_run(method, problem, n=2**m, K=K, c=best.constants) for m in family.sizes]
    averaged_at_once = (
        measured_run(method, problem, n=2 ** family.sizes[-1], K=K, c=best.constants, every_step=True)
        if family.rounds_free_of_K
        else None
    )
    return {
        "method": method,
        "world": world,
        "constants": dict(zip(family.constants, best.constants, strict=True)),
        "trials": best.trials,
        "lost": best.lost,
        "at edge": best.at_edge,
        "runs": runs,
        "averaged after every step": averaged_at_once,
        "with devices": []
        if family.devices is None
        else _with_devices(method, family.devices, best.constants),
    }


def _with_devices(method: str, devices: tuple[int, int], c: Any) -> list[Json]:
    """Pairs of runs with few and many devices: along the method's own steps and, where it can be asked, with K in them.

    The larger one has the size at which, if costs go as K^(predicted), both reach the same eps.
    """
    found = []
    for name in dict.fromkeys(world_for(method, world) for world in ("tension", "no tension")):
        for asked in (False, True) if FAMILIES[method].can_be_asked else (False,):
            predicted = predicted_exponent(method, name, asked)
            few, many = devices if predicted < 0 else MANY_DEVICES
            first = 2 ** (FAMILIES[method].size_with_devices if predicted < 0 else SIZE_WITH_MANY)
            problem = build(WORLDS[name])
            pair = [
                measured_run(method, problem, n=n, K=K, c=c, asked=asked)
                for n, K in ((first, few), (round(first * (many / few) ** predicted), many))
            ]
            found.append({"world": name, "asked": asked, "predicted": predicted, "runs": pair})
    return found


def predicted_exponent(method: str, world: str, asked: bool) -> int:
    """Of K, in the samples of a device that reach eps.

    -1  the noise of a mean over K devices is 1/K of one device's, and the steps are K times as large for it
     0  the steps do not know K: less noise does not help
    +1  the steps are as large, but the noise is not smaller: FEDNEST cuts its series by one draw for all devices, and
        where grad_y f is not zero the noise of that draw is what remains
    """
    if FAMILIES[method].can_be_asked and not asked:
        return 0
    return 1 if FAMILIES[method].estimator == "E1" and world == "tension" else -1
