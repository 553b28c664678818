"""A corollary's algorithm along its own scalings: every hyperparameter is its printed order times a unit of ours.

The orders are those of the statement in theory/, so a changed exponent there is a changed run here. O(.) leaves the
units open; `units` gives them by name (1 where it does not). p is rounded; B, Q and T are rounded up; none is below 1.
The decaying step of Corollaries 5 and 6 is eta_t = scale/max(offset + t, floor)^(1/3) with offset = 2, scale =
units["eta"] K^(2/3) and floor = units["floor"] K^2 p^3, of which Theorem 3's is an instance.
"""

import math
from collections.abc import Mapping
from typing import Any

from ratecert.base.errors import UserError, UserTypeError
from ratecert.catalogue.find import paper
from ratecert.solvers import CubeRoot, LocalBSGM, LocalBSGVRM
from ratecert.solvers.engines.experiment import Run as Run
from ratecert.theory.numbers.evaluation import as_finite, number
from ratecert.theory.statements import Corollary

STEPS = ("alpha", "beta", "rho_1", "rho_2")
FLOOR = "floor"  # the unit of what only the decaying step has


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
    """T for Corollaries 1, 3 and 5, eps for 2, 4 and 6; `instead` replaces fields of the algorithm."""
    statement = paper(variant).the(Corollary, corollary)
    _require_units(statement, units)
    free = "eps" if "T" in statement.scalings else "T"
    if (given := {"T": T, "eps": eps}[free]) is None:
        raise UserError(f"{free} must be given, because {corollary} scales with it, got None.")
    known = {"K": K, free: float(given)}
    orders = {name: number(scaling.order, known) for name, scaling in statement.scalings.items()}
    value = {name: order * units.get(name, 1.0) for name, order in orders.items()}
    T = math.ceil(value["T"]) if T is None else T
    fields: dict[str, Any] = {name: value[name] for name in STEPS} | {"theta": theta}
    fields |= {"p": max(1, round(value["p"])), "Q": max(1, math.ceil(value["Q"]))}
    if statement.theorem == "theorem-3":
        floor = units.get(FLOOR, 0.0) * K**2 * instead.get("p", fields["p"]) ** 3
        fields["eta"] = CubeRoot(scale=units.get("eta", 1.0) * K ** (2 / 3), floor=floor)
    else:
        fields["eta"] = value["eta"]
    if statement.theorem == "theorem-1":
        return Run(LocalBSGM(**{**fields, **instead}), K, T)
    fields["B"] = max(1, math.ceil(value["B"]))
    return Run(LocalBSGVRM(**{**fields, **instead}), K, T)


def _require_units(corollary: Corollary, units: Mapping[str, float]) -> None:
    known = dict.fromkeys((*corollary.scalings, "eta", FLOOR))  # Theorem 3 scales a step that it names itself
    if not isinstance(units, Mapping):
        raise UserTypeError(f"units must be a mapping from {', '.join(known)} to numbers, got {units!r:.60}.")
    for name, unit in units.items():
        if name not in known:
            raise UserError(f"units gives {', '.join(known)} of {corollary.id}; {name} is not one of them.")
        as_finite(f"the unit of {name}", unit)
