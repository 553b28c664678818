"""How cost grows: seconds of a core, one thing changed at a time against a base.

Sampling is linear in the device-iterations K T, and in d and Q about as d^2 (4 + Q) once d is large. Exact moments have
the cost of their maps, which K and T enter not at all or by a logarithm.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from benchmarks.cases import Case
from benchmarks.clock import best_seconds
from benchmarks.contestants import engines, sampling
from ratecert.solvers import CubeRoot, expect, stationary

TRIES = 3
SAMPLED = Case(algorithm="LocalBSGM", d=10, Q=10, K=8, p=8, T=200, replicates=256)
EXACT = Case(algorithm="LocalBSGM", d=2, Q=10, K=8, p=8, T=10**6, eta=1e-3)
CHANGES_OF_SAMPLED: tuple[dict[str, Any], ...] = (
    *({}, {"d": 5}, {"d": 20}, {"d": 40}, {"K": 2}, {"K": 32}, {"T": 50}, {"T": 800}),
    *({"Q": 5}, {"Q": 20}, {"Q": 40}, {"p": 1}, {"p": 100}),
)
CHANGES_OF_EXACT: tuple[dict[str, Any], ...] = (
    *({}, {"d": 1}, {"d": 4}, {"d": 10}, {"K": 2}, {"K": 10**6}, {"T": 10**3}, {"T": 10**12}, {"T": 2**63}),
    *({"Q": 1}, {"Q": 100}, {"p": 1}, {"p": 1000}),
)
Setting = tuple[str, str, Case, Callable[[Case], Callable[[], object]]]


def settings() -> list[Setting]:
    """(way, what is changed, case, work)."""
    engine = engines()[-1]
    return [
        *(
            (engine, _name(change), replace(SAMPLED, **change), sampling(engine))
            for change in CHANGES_OF_SAMPLED
        ),
        *(("moments", _name(change), replace(EXACT, **change), _expect) for change in CHANGES_OF_EXACT),
        (
            "moments",
            "T = 10^12, Theorem 3's schedule",
            replace(EXACT, T=10**12, eta=CubeRoot(scale=0.2, floor=8e6)),
            _expect,
        ),
        ("moments", "the limit", EXACT, _limit),
        ("moments", "the limit, d = 10", replace(EXACT, d=10), _limit),
        ("moments", "the limit, d = 50", replace(EXACT, d=50), _limit),
    ]


def measure(setting: Setting) -> dict[str, Any]:
    way, changed, case, contestant = setting
    work = contestant(case)
    if way != "moments":
        work()
    tries = 1 if case.d >= 10 and way == "moments" else TRIES
    seconds = best_seconds({"": work}, tries=tries, clock=time.process_time)[""]
    return {"way": way, "changed": changed, "seconds": seconds}


def _expect(case: Case) -> Callable[[], object]:
    world, solver = case.world, case.solver
    return lambda: expect(world, solver, K=case.K, T=case.T, x0=case.start, y0=case.start, times=[])


def _limit(case: Case) -> Callable[[], object]:
    world, solver = case.world, case.solver
    return lambda: stationary(world, solver, K=case.K)


def _name(change: dict[str, Any]) -> str:
    shown = {2**63: "2^63", 10**12: "10^12", 10**6: "10^6"}
    return ", ".join(f"{key} = {shown.get(value, value)}" for key, value in change.items()) or "nothing"
