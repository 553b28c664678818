"""The computations behind the claims on speedup: plain functions of JSON values, as pieces have to be."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ratecert.claim.claim import Json
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.evidence.speedup.runs import (
    L_tilde,
    Setting,
    iterations_to,
    measured,
    orders,
    run_with_largest_step,
)
from ratecert.papers.federated_bilevel.evidence.speedup.small_steps import (
    model,
    momentum_alone,
    momentum_constant,
    reduced_alone,
    reduced_constant,
)
from ratecert.papers.federated_bilevel.evidence.theorems.grid import TheoremSetting
from ratecert.papers.federated_bilevel.evidence.theorems.tightness import measure
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.solvers import expect
from ratecert.theory.language.statements import Corollary

OFF = 1.0  # how far the runs beside the bound start from the solution


def grid(setting: Json, name: str, points: Sequence[Sequence[float]]) -> Json:
    """Runs at the points (K, T) or (K, eps); `name` is T or eps."""
    here = Setting(**setting)
    rows = [{**measured(here, here.run(K=int(K), **{name: value})), name: value} for K, value in points]
    return {"part": "grid", "setting": setting, "name": name, "rows": rows}


def curve(setting: Json, K: int, T: int, times: Sequence[int]) -> Json:
    """One run that averages after every iteration: E||grad Phi||^2 + L_tilde^2 E||y - y*||^2 at these t.

    Once the start is forgotten, the noise of LocalBSGVRM follows its step: the measure times (Kt)^(2/3) has the noise
    part of Corollary 3's constant as its limit.
    """
    here = Setting(**setting)
    problem, run = build(here.world), here.run(K=K, T=T, p=1)
    x0, y0 = [here.x0] * problem.d_x, [here.y0] * problem.d_y
    exact = expect(problem, run.solver, K=K, T=T, x0=x0, y0=y0, times=times)
    values = exact.curves.gradient + L_tilde(problem) ** 2 * exact.curves.tracking
    rows = [
        {"t": t, "measure": float(value), "precision": exact.curve_precision}
        for t, value in zip(times, values, strict=True)
    ]
    limit = reduced_constant(model(here), here.units)["noise"][0]
    return {"part": "curve", "setting": setting, "K": K, "T": T, "limit": limit, "rows": rows}


def constants(setting: Json, largest: float) -> Json:
    """The leading constant by parts, and T times the measure of infinitely many devices at the largest step."""
    here = Setting(**setting)
    m, momentum = model(here), here.corollary == "corollary-1"
    parts = (momentum_constant if momentum else reduced_constant)(m, here.units)
    alone = (momentum_alone if momentum else reduced_alone)(m, here.units, largest)
    return {"part": "constants", "parts": parts, "alone": alone}


def devices(setting: Json, T: int, K: Sequence[int], largest: float, shared_noise: bool) -> Json:
    """Runs at one T with more and more devices; no step is above the largest."""
    here = Setting(**setting)
    runs = [run_with_largest_step(here, each, T, largest) for each in K]
    rows = [measured(here, run, shared_noise=shared_noise) for run in runs]
    return {"part": "shared" if shared_noise else "devices", "T": T, "largest": largest, "rows": rows}


def times(setting: Json, eps: float, K: Sequence[int], first: float, shared_noise: bool) -> Json:
    """T to reach eps, by K; `first` is where the search for the first K begins."""
    here, rows = Setting(**setting), list[Json]()
    for each in K:
        rows.append(iterations_to(eps, here, each, first / each, shared_noise=shared_noise))
        first = rows[-1]["T"] * each
    return {"part": "shared times" if shared_noise else "times", "eps": eps, "rows": rows}


def bounds(corollary: str, world: Mapping[str, Any], points: Sequence[Sequence[int]], period: float) -> Json:
    """Both sides of the repaired theorem along the corollary, at the points (K, T), inside all conditions.

    B is the corollary's order, p is `period` times it. So is eta where Theorem 1 leaves it free; Theorem 2's largest
    eta is of that order over `period`. All other steps are the largest that the theorem admits.
    """
    theorem = paper("printed").the(Corollary, corollary).theorem
    rows = []
    for K, T in points:
        order = orders(corollary, K, T)
        given: dict[str, Any] = {"world": dict(world), "name": "additive noise", "K": K, "T": T, "x_off": OFF}
        given |= {"p": max(1, round(period * order["p"])), "B": math.ceil(order.get("B", 1.0))}
        given |= {"fixed": {"eta": order["eta"]}} if theorem == "theorem-1" else {}
        sides = measure(theorem, TheoremSetting(**given))
        rows.append(
            {
                "K": K,
                "T": T,
                "measure": sides.measured,
                "precision": sides.precision,
                "bound": sides.bound.total,
                "largest term": sides.bound.dominating,
            }
        )
    return {
        "part": "bounds",
        "theorem": theorem,
        "world": dict(world),
        "x_off": OFF,
        "period": period,
        "rows": rows,
    }
