"""The methods' own noise-free rounds, run to rest in 50 digits (solvers.fixed_point), beside the closed forms.

A world is a mapping: arguments of `heterogeneous` but for the dial, the step theta and the
number of terms of the series that suit it, and the letters of A, B, c in which its devices are `alike`.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ratecert.claim.claim import Json
from ratecert.papers.federated_bilevel.evidence.at_rest.laws import law
from ratecert.papers.federated_bilevel.evidence.at_rest.methods import METHODS, solver_of
from ratecert.papers.federated_bilevel.evidence.at_rest.places import X_OWN
from ratecert.papers.federated_bilevel.evidence.at_rest.settings import STEP
from ratecert.papers.federated_bilevel.evidence.periods.communication import norm
from ratecert.solvers import fixed_point, name_of
from ratecert.synthetic import Heterogeneous, Quadratic, heterogeneous


def world_at(spec: Mapping[str, Any], dial: float) -> Heterogeneous:
    """The devices of a specification."""
    arguments = {name: value for name, value in spec.items() if name not in ("theta", "terms", "alike")}
    world = heterogeneous(**arguments, dial=dial)
    if not spec.get("alike"):
        return world
    spread = {f"d{name}": getattr(world, f"d{name}") * (name not in spec["alike"]) for name in "ABc"}
    mean = {f.name: getattr(world, f.name) for f in fields(Quadratic)}
    return Heterogeneous(**mean, **spread, dial=dial)


def resting(method: str, world: Json, dials: list[float], p: int = 1, few: int | None = None) -> Json:
    """For every dial: how far from the three places and the method's closed form it rests, and ||grad Phi|| there.

    `few`: a number of terms that is too small, instead of the world's own.
    """
    terms = world["terms"] if few is None else few
    solver = solver_of(method, p=p, step=STEP, theta=world["theta"], terms=terms)
    distances: dict[str, list[float]] = {"x_star": [], "x_local": [], "x_own": [], "closed form": []}
    gradients = []
    for dial in dials:
        problem = world_at(world, dial)
        x = fixed_point(problem, solver).x
        cut = few if METHODS[method].terms is not None else None
        places = {
            "x_star": problem.x_star,
            "x_local": problem.x_local,
            "x_own": X_OWN.at(problem),
            "closed form": METHODS[method].place.at(problem, theta=world["theta"], terms=cut),
        }
        for name, place in places.items():
            distances[name].append(norm(x - place))
        gradients.append(norm(problem.hypergradient(x)))
    what = {"method": method, "name": name_of(solver), "world": world, "dials": dials, "p": p, "few": few}
    return {**what, "distances": distances, "gradients": gradients}


def moved(method: str, world: Json, dials: list[float], p: int, step: float) -> Json:
    """How far rounds of p steps move x at rest, per dial; at the last dial its law, and the same at twice the step."""
    series = {"theta": world["theta"], "terms": world["terms"]}
    solver, twice = (solver_of(method, p=p, step=s, **series) for s in (step, 2 * step))
    problems = [world_at(world, dial) for dial in dials]
    excess = [fixed_point(problem, solver).excess_x for problem in problems]
    predicted = law(problems[-1], solver)
    return {
        "method": method,
        "name": name_of(solver),
        "world": world,
        "dials": dials,
        "p": p,
        "step": step,
        "moved": [norm(d) for d in excess],
        "twice": norm(fixed_point(problems[-1], twice).excess_x),
        "gap": norm(excess[-1] - predicted),
        "law": norm(predicted),
    }
