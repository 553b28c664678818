"""The methods' own noise-free rounds, run to rest in 50 digits (solvers.fixed_point), beside the closed forms.

A world is a mapping: arguments of `heterogeneous` but for the dial, the step theta and the number of terms of the
series that suit it, and the letters of A, B, c in which its devices are `alike`. In all of them x is a number.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from ratecert.claims.claim import Json
from ratecert.papers.federated_bilevel.evidence.at_rest.methods import METHODS, solver_of
from ratecert.papers.federated_bilevel.evidence.at_rest.places import X_OWN
from ratecert.solvers import fixed_point, name_of
from ratecert.synthetic import Heterogeneous, Quadratic, heterogeneous

THREE, TWO, SAME_A, SAME_A_B = "three devices", "two devices", "all A_k equal", "all A_k and B_k equal"
_THREE: dict[str, Any] = {"d_x": 1, "d_y": 1, "K": 3, "seed": 3, "theta": 0.95, "terms": 26}
WORLDS: dict[str, dict[str, Any]] = {
    THREE: _THREE,
    TWO: {"d_x": 1, "d_y": 2, "K": 2, "seed": 3, "theta": 0.6, "terms": 48},
    SAME_A: {**_THREE, "alike": ["A"]},
    SAME_A_B: {**_THREE, "alike": ["A", "B"]},
}
STEP = 0.1


def world_at(spec: Mapping[str, Any], dial: float) -> Heterogeneous:
    """The devices of a specification."""
    arguments = {name: value for name, value in spec.items() if name not in ("theta", "terms", "alike")}
    world = heterogeneous(**arguments, dial=dial)
    if not spec.get("alike"):
        return world
    spread = {f"d{name}": getattr(world, f"d{name}") * (name not in spec["alike"]) for name in "ABc"}
    mean = {f.name: getattr(world, f.name) for f in fields(Quadratic)}
    return Heterogeneous(**mean, **spread, dial=dial)


def resting(method: str, world: str, dials: list[float], p: int, few: int | None) -> list[Json]:
    """Where a method rests, the three places, the method's own closed form and ||grad Phi||, per dial.

    `few`: a number of terms that is too small, instead of the world's own.
    """
    spec, known, rows = WORLDS[world], METHODS[method], []
    solver = solver_of(method, p=p, step=STEP, theta=spec["theta"], terms=few or spec["terms"])
    cut = few if known.terms is not None else None
    for dial in dials:
        problem = world_at(spec, dial)
        x = fixed_point(problem, solver).x
        found = {"x": x, "x_star": problem.x_star, "x_local": problem.x_local, "x_own": X_OWN.at(problem)}
        found["closed form"] = known.place.at(problem, theta=spec["theta"], terms=cut)
        gradient = float(np.linalg.norm(problem.hypergradient(x)))
        row = {"name": name_of(solver), "K": spec["K"], "dial": dial, "||grad Phi||": gradient}
        rows.append({**row, **{name: float(value[0]) for name, value in found.items()}})
    return rows
