"""The theorems at any point that the explorer shows: their letters read off a method, a world and a run.

The constants are those of a ball that holds the run (evidence/theorems/instances.py). No condition depends on it, so
that a point outside the conditions is refused before the ball is looked for. A certificate takes longer than an answer
may; where it does, the ball of the run's own moments is assumed, and said so.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ratecert.base.errors import OutsideConditionsError
from ratecert.papers.federated_bilevel.beginnings import STEPS
from ratecert.papers.federated_bilevel.beginnings import beginnings as beginnings
from ratecert.papers.federated_bilevel.evidence.theorems.instances import assumed_ball, certified_ball
from ratecert.solvers.contract.result import ExactResult
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Theorem
from ratecert.theory.numbers.admissible import schedule
from ratecert.theory.numbers.evaluation import complete, evaluate

THEOREMS = {"LocalBSGM": ("theorem-1",), "LocalBSGVRM": ("theorem-2", "theorem-3")}
ANY = 1e12  # radius; no condition depends on it
FIRST = "theorem-1.printed-G.simple"  # the counterexample that is shown when nothing is asked for
LONG = 2**20  # iterations of it: long after it has broken the bound
QUICK = 1  # dimension up to which the ball is certified while somebody waits
EQUAL = 1e-9  # of the step that Theorem 3 prescribes, which a link has in digits


def letters(
    id: str,
    source: Paper,
    world: Any,
    solver: Any,
    run: Mapping[str, Any],
    result: ExactResult,
    *,
    sure: bool,
) -> tuple[dict[str, float], str]:
    """What `evaluate` takes, and how far the constants hold; `run` has K, T, x0 and y0."""
    if hasattr(world, "devices"):
        raise OutsideConditionsError("the paper's devices are alike, and those of this world differ.")
    theorem, x0, y0 = source.the(Theorem, id), run["x0"], run["y0"]
    values = {name: float(getattr(solver, name)) for name in STEPS}
    values |= {"K": run["K"], "T": run["T"], "p": solver.p, "Q": solver.Q, "B": getattr(solver, "B", 1)}
    values["Phi_gap"] = max(0.0, float(world.objective(x0) - world.objective(world.x_star)))
    values["y_gap"] = float(np.linalg.norm(y0 - world.y_star(x0)))
    anywhere = {**values, **world.constants(radius=ANY)}
    if "w" in theorem.conditions:
        _require_schedule(source, theorem, anywhere, solver, run["T"])
        values = {name: value for name, value in values.items() if name not in ("alpha", "beta")}
    else:
        values["eta"] = anywhere["eta"] = float(solver.step_size(0))
    evaluate(source, id, {**values, **world.constants(radius=ANY)})
    ball = certified_ball(world, solver, run["K"], x0, y0) if sure or world.d_x <= QUICK else None
    ball = ball or assumed_ball(world, result.curves)
    how = "which no outcome leaves" if ball.certified else "assumed: twice the root mean square of the run"
    said = f"constants on a ball of radius {ball.radius:.4g}, {how}"
    return {**values, **world.constants(radius=ball.radius)}, said


def left(measures: Mapping[str, Any], values: Mapping[str, float]) -> Any:
    """gradient + L_tilde^2 tracking, of numbers or of curves."""
    return measures["gradient"] + values["L_tilde"] ** 2 * measures["tracking"]


def _require_schedule(
    source: Paper, theorem: Theorem, values: Mapping[str, float], solver: Any, T: int
) -> None:
    """Theorem 3 prescribes alpha, beta and a step that is constant at first."""
    free = {name: value for name, value in values.items() if name not in ("alpha", "beta")}
    full = complete(source, theorem, free)
    steps = schedule(theorem, full)
    constant = steps["floor"] - steps["offset"]
    wanted = {"alpha": full["alpha"], "beta": full["beta"]}
    wanted["eta"] = steps["scale"] / math.cbrt(max(steps["floor"], steps["offset"]))
    given = {"alpha": solver.alpha, "beta": solver.beta, "eta": float(solver.step_size(0))}
    for name, value in wanted.items():
        if not math.isclose(given[name], value, rel_tol=EQUAL):
            raise OutsideConditionsError(
                f"{theorem.id} prescribes {name} = {value:.12g} at these numbers, got {given[name]:.12g}."
            )
    if constant < T:
        raise OutsideConditionsError(
            f"{theorem.id} lets the step decay after {constant:.4g} iterations, and here it is constant for {T}."
        )
