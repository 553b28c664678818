"""The runs behind the claims on speedup, as rows: on a grid, with more and more devices, to eps, beside the bound."""

import math
from collections.abc import Sequence
from dataclasses import replace

import sympy

from ratecert.claim import Json, Row
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.evidence.experiment import Experiment, claimed, orders
from ratecert.papers.federated_bilevel.evidence.runs import L_tilde
from ratecert.papers.federated_bilevel.evidence.speedup.settings import SCALAR, WORLDS, experiment
from ratecert.papers.federated_bilevel.evidence.speedup.small_steps import leading_constant, leading_parts
from ratecert.papers.federated_bilevel.evidence.theorems.grid import TheoremSetting
from ratecert.papers.federated_bilevel.evidence.theorems.tightness import measure
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.scalings import Run
from ratecert.solvers.engines.expansion import K as DEVICES
from ratecert.solvers.engines.leading import leading
from ratecert.theory.language.statements import Corollary

CLOSE = 1e-6  # of log(measure/eps), where the search for T ends
OFF = 1.0  # how far the runs beside the bound start from the solution
# the world beside the bound: with noise in the Hessian no ball for its constants could be certified
ADDITIVE = {name: v for name, v in WORLDS[SCALAR].items() if name not in ("sigma_H", "sigma_J")}


def scaled(row: Row) -> float:
    """Compute measure (KT)^r, which is constant where the speedup is linear."""
    return float(row["measure"] * (row["K"] * float(row["T"])) ** -claimed(row["corollary"], "T"))


def grid(corollary: str, world: str, name: str, points: Sequence[Sequence[float]]) -> list[Json]:
    """Run at the points (K, T) or (K, eps); `name` is T or eps."""
    here = experiment(corollary, world)
    return [
        {"part": "grid", **here.row(here.run(K=int(K), **{name: value})), name: value} for K, value in points
    ]


def devices(corollary: str, T: int, K: Sequence[int], largest: float, shared_noise: bool) -> list[Json]:
    """Run at one T with more and more devices, and no step above the largest."""
    here, part = experiment(corollary), "shared" if shared_noise else "devices"
    runs = [run_with_largest_step(here, each, T, largest) for each in K]
    return [{"part": part, **here.row(run, shared_noise=shared_noise)} for run in runs]


def run_with_largest_step(here: Experiment, K: int, T: int, largest: float) -> Run:
    """Make the run at K and T, its constant step cut off at the largest."""
    eta = here.units["eta"] * orders(here.corollary, K=K, T=float(T))["eta"]
    return here.run(K=K, T=T, eta=min(eta, largest))


def times(corollary: str, eps: float, K: Sequence[int], shared_noise: bool) -> list[Json]:
    """Find T(K), at which K devices reach eps, and K T(K)/T(1); the search begins where the closed form says."""
    here, rate = experiment(corollary), -claimed(corollary, "T")
    parts, rows, first = leading_parts(here), list[Json](), (1.0, 0.0)
    for each in K:
        constant = leading_constant(parts, each, shared_noise=shared_noise)
        start = (constant / eps) ** (1 / rate) / each
        found = here.reach(eps, K=each, first=start, close=CLOSE, shared_noise=shared_noise)
        T, error = found.corrected, (abs(found.excess) + found.found["precision"]) / rate
        first = first if rows else (T, error)
        ratio = {"K T(K)/T(1)": each * T / first[0], "precision": error + first[1]}
        rows.append({"part": "shared times" if shared_noise else "times", **found.found, "T": T, **ratio})
    return rows


def exact(corollary: str, Q: int) -> list[Json]:
    """Expand the limit of the measure at eta = 0 with an average at every step: fractions, for any K at once.

    `per K` is the constant of the first power of eta above the floor, times K; `free of K` counts the measures of
    which it no longer depends on K.
    """
    here = experiment(corollary)
    world, solver = build(here.world), here.run(K=1, T=2**30, p=1).solver
    found = leading(world, replace(solver, Q=Q, momenta="fresh"))
    weight = L_tilde(world) ** 2
    powers = {expansion.power for expansion in (found.gradient, found.tracking)}
    per_K = [sympy.cancel(expansion.constant * DEVICES) for expansion in (found.gradient, found.tracking)]
    return [
        {
            "part": "exact",
            "power": max(powers),
            "powers": len(powers),
            "free of K": sum(1 for constant in per_K if not constant.free_symbols),
            "floor": float(found.gradient.floor + weight * found.tracking.floor),
            "per K": float(per_K[0].subs(DEVICES, 1) + weight * per_K[1].subs(DEVICES, 1)),
        }
    ]


def bounds(corollary: str, points: Sequence[Sequence[int]], period: float) -> list[Json]:
    """Both sides of the repaired theorem along the corollary, at the points (K, T), inside all conditions.

    B is the corollary's order, p is `period` times it. So is eta where Theorem 1 leaves it free; Theorem 2's largest
    eta is of that order over `period`. All other steps are the largest that the theorem admits.
    """
    theorem, rows = paper("printed").the(Corollary, corollary).theorem, []
    for K, T in points:
        order = orders(corollary, K=K, T=float(T))
        fixed = {"eta": order["eta"]} if theorem == "theorem-1" else {}
        p, B = max(1, round(period * order["p"])), math.ceil(order.get("B", 1.0))
        sides = measure(theorem, TheoremSetting(world=ADDITIVE, K=K, T=T, p=p, B=B, x_off=OFF, fixed=fixed))
        found = {"measure": sides.measured, "precision": sides.precision, "bound": sides.bound.total}
        rows.append({"part": "bounds", "K": K, "T": T, **found, "largest term": sides.bound.dominating})
    return rows
