"""A corollary's algorithm along its own scalings: every hyperparameter is its printed order times a unit of ours.

The orders are those of the statement in theory/, so a changed exponent there is a changed run here. O(.) leaves the
units open; `units` gives them by name (1 where it does not). p is rounded; B, Q and T are rounded up; none is below 1.
The decaying step of Corollaries 5 and 6 is eta_t = scale/max(offset + t, floor)^(1/3) with offset = 2, scale =
units["eta"] K^(2/3) and floor = units["floor"] K^2 p^3, of which Theorem 3's is an instance.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ratecert.errors import UserError
from ratecert.papers.federated_bilevel.paper import PRINTED, paper
from ratecert.solvers import CubeRoot, LocalBSGM, LocalBSGVRM
from ratecert.solvers.methods.local_method import LocalMethod
from ratecert.theory.language.statements import Corollary
from ratecert.theory.numbers.evaluation import number

STEPS = ("alpha", "beta", "rho_1", "rho_2")


@dataclass(frozen=True)
class Run:
    """An algorithm, and for how many devices and iterations it is meant."""

    solver: LocalMethod
    K: int
    T: int


def along(
    corollary: str,
    *,
    K: int,
    T: int | None = None,
    eps: float | None = None,
    theta: float,
    units: Mapping[str, float],
    variant: str = "printed",
    **instead: Any,
) -> Run:
    """Make the algorithm of a corollary, with every hyperparameter at its order in K and T (or eps) times a unit.

    corollary   "corollary-1" to "corollary-6"
    K           devices
    T           iterations, for corollaries 1, 3 and 5
    eps         accuracy, for corollaries 2, 4 and 6, which say what T is
    theta       step of the Neumann sum
    units       by name, what O(.) leaves open; 1 where it does not say
    variant     "printed" or "repaired"
    instead     fields of the algorithm to be replaced

    >>> import ratecert as rc
    >>> run = rc.along("corollary-1", K=16, T=2**20, theta=0.4, units={"eta": 2.0})
    >>> round(run.solver.step_size(0), 6), run.solver.p, run.solver.Q
    (0.007812, 4, 9)
    """
    version = paper(variant)
    statement = version.the(Corollary, corollary.removeprefix(f"{PRINTED.key}:"))
    given: dict[str, float] = {"K": K}
    given |= {"T": float(T)} if T is not None else {}
    given |= {"eps": eps} if eps is not None else {}
    free = "eps" if "T" in statement.scalings else "T"
    if free not in given:
        raise UserError(f"{free} must be given, because {corollary} scales with it, got None.")
    orders = {name: number(scaling.order, given) for name, scaling in statement.scalings.items()}
    value = {name: order * units.get(name, 1.0) for name, order in orders.items()}
    T = math.ceil(value["T"]) if T is None else T
    fields: dict[str, Any] = {name: value[name] for name in STEPS}
    fields |= {"p": max(1, round(value["p"])), "Q": max(1, math.ceil(value["Q"])), "theta": theta}
    if statement.theorem == "theorem-1":
        return Run(LocalBSGM(**{**fields, "eta": value["eta"], **instead}), K, T)
    fields["B"] = max(1, math.ceil(value["B"]))
    if statement.theorem == "theorem-3":
        period = instead.get("p", fields["p"])
        floor = units.get("floor", 0.0) * K**2 * period**3
        fields["eta"] = CubeRoot(scale=units.get("eta", 1.0) * K ** (2 / 3), floor=floor)
    else:
        fields["eta"] = value["eta"]
    return Run(LocalBSGVRM(**{**fields, **instead}), K, T)
