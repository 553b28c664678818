"""What is measured of exact moments: `PARTS`, each of which measures one row after another. Seconds of a core.

accuracy   what sampling would cost to know E||grad Phi||^2 as well. A pilot of n replicates has the standard error s of
           the mean and takes t seconds; a relative standard error r of the value G then takes n (s / (r G))^2
           replicates, and as much longer. Runs begin at the solution, so that all of the value comes from noise
growth     how cost grows, one thing changed at a time against a base. Sampling is linear in the device-iterations K T,
           and in d and Q about as d^2 (4 + Q) once d is large; exact moments have the cost of their maps, which K and T
           enter not at all or by a logarithm
large      a problem at the size of real experiments against a small one of its kind, each in a new process, so that
           its peak of memory is its own; it may take `at most` so many times as long, if anything is asked
certified  enclosures against doubles. Additive noise moves by congruences, at the cost of n x n matrices; noise in A
           and B takes the map on packed moments
one_level  methods of one level: a long run against one of 2^10 iterations
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from benchmarks.cases import ALGORITHMS, Case, sampling
from benchmarks.clock import Work, best_seconds, in_new_process
from benchmarks.sampling import Part, Row
from ratecert.solvers import SAGA, SVRG, CubeRoot, FedAvg, LocalBSGM, ProxSkip, expect, simulate, stationary
from ratecert.synthetic import FiniteSum, federated, heterogeneous, random_quadratic, single_level

OF_EACH: dict[str, Any] = {"sigma_H": 0.2, "sigma_J": 0.2, "s_f": 0.1, "s_g": 0.1}
ADDITIVE: dict[str, Any] = {"s_f": 0.1, "s_g": 0.1}
SOUGHT = (1e-3, 1e-6)
LENGTHS = {"T = 2^10": 2**10, "T = 2^30": 2**30}


def expected(world: Any, solver: Any, **run: Any) -> Callable[[], Any]:
    return partial(expect, world, solver, times=[], **run)


def accuracy() -> Iterator[Row]:
    for d, T in ((2, 1000), (10, 100)):
        for name in ALGORITHMS:
            yield from against_sampling(Case(algorithm=name, d=d, Q=10, p=8, T=T))


def against_sampling(case: Case) -> Iterator[Row]:
    world, n = case.world, case.replicates
    run = {**case.run, "x0": world.x_star, "y0": world.y_star(world.x_star)}
    works: dict[str, Callable[[], Any]] = {
        "exact": expected(world, case.solver, **run),
        "sampled": partial(simulate, world, case.solver, **run, replicates=n, seed=0, times=[]),
    }
    exact, pilot = (work() for work in works.values())
    seconds = best_seconds(works, tries=3)
    for sought in SOUGHT:
        times = (pilot.standard_error.gradient / exact.gradient / sought) ** 2
        longer = seconds["sampled"] * times
        row = {"algorithm": case.algorithm, "d": case.d, "T": case.T, "sought": f"{sought:g}"}
        row |= {"replicates": n * times, "sampling": longer, "exact moments": seconds["exact"]}
        yield {**row, "sampling / exact": longer / seconds["exact"], "precision": exact.precision}


# How cost grows: what is changed of a base, which the first of each leaves as it is.

SAMPLED = Case(algorithm="LocalBSGM", d=10, Q=10, K=8, p=8, T=200, replicates=256)
EXACT = Case(algorithm="LocalBSGM", d=2, Q=10, K=8, p=8, T=10**6, eta=1e-3)
OF_SAMPLED: tuple[dict[str, Any], ...] = (
    *({}, {"d": 5}, {"d": 20}, {"d": 40}, {"K": 2}, {"K": 32}, {"T": 50}, {"T": 800}),
    *({"Q": 5}, {"Q": 20}, {"Q": 40}, {"p": 1}, {"p": 100}),
)
OF_EXACT: tuple[dict[str, Any], ...] = (
    *({}, {"d": 1}, {"d": 4}, {"d": 10}, {"K": 2}, {"K": 10**6}, {"T": 10**3}, {"T": 10**12}, {"T": 2**63}),
    *({"Q": 1}, {"Q": 100}, {"p": 1}, {"p": 1000}),
)
SCHEDULED = replace(EXACT, T=10**12, eta=CubeRoot(scale=0.2, floor=8e6))
SHOWN = {2**63: "2^63", 10**12: "10^12", 10**6: "10^6"}


def growth() -> Iterator[Row]:
    yield from _grown("sampling", {_name(each): sampling(replace(SAMPLED, **each)) for each in OF_SAMPLED})
    cases = {_name(each): replace(EXACT, **each) for each in OF_EXACT}
    cases["T = 10^12, Theorem 3's schedule"] = SCHEDULED
    works: dict[str, Work] = {name: expected(c.world, c.solver, **c.run) for name, c in cases.items()}
    for case in (replace(EXACT, d=d) for d in (2, 10, 50)):
        works[f"the limit, d = {case.d}"] = partial(stationary, case.world, case.solver, K=case.K)
    yield from _grown("moments", works)


def _grown(way: str, works: dict[str, Work]) -> Iterator[Row]:
    base = None
    for changed, work in works.items():
        seconds = best_seconds({"": work}, tries=3)[""]
        base = base or seconds
        yield {"way": way, "changed": changed, "seconds": seconds, "changed / base": seconds / base}


def _name(change: dict[str, int]) -> str:
    return ", ".join(f"{key} = {SHOWN.get(value, value)}" for key, value in change.items()) or "nothing"


# At the size of experiments.


def devices(K: int, algorithm: str, noise: dict[str, Any]) -> Work:
    case = Case(algorithm=algorithm, d=2, Q=20, K=K, p=8, T=2**30)
    world = heterogeneous(d_x=2, d_y=2, K=K, seed=0, **noise)
    return expected(world, case.solver, **case.run, certified=False)


def fedavg(K: int, alpha: Any, noise: dict[str, Any]) -> Work:
    world, solver = federated([1.0, 4.0], K=K, s=0.5, **noise), FedAvg(alpha=alpha, p=8, m=K)
    return expected(world, solver, K=K, T=2**30, x0=np.ones(2), certified=False)


def dimension(d: int, algorithm: str, noise: dict[str, Any]) -> Work:
    case = Case(algorithm=algorithm, d=d, Q=20, p=8, T=2**40, eta=1e-3)
    world = random_quadratic(d_x=d, d_y=d, mu=1.0, L_1=4.0, seed=0, **noise)
    return expected(world, case.solver, **case.run, certified=False)


DECAYING = CubeRoot(scale=0.05, offset=1.0)
LARGE: dict[str, tuple[int, int, int | None, Callable[..., Work], Any, Any]] = {
    # what -> small, large, `most`, and what runs it in the first argument, with the others
    "LocalBSGM, devices that differ": (10, 1000, 100, devices, "LocalBSGM", OF_EACH),
    "FedAvg, devices that differ": (10, 1000, 100, fedavg, 0.05, {"noise_H": 0.2}),
    "FedAvg, devices that differ, decaying steps": (10, 1000, 100, fedavg, DECAYING, {}),
    "LocalBSGVRM, devices that differ": (4, 8, None, devices, "LocalBSGVRM", OF_EACH),
    "LocalBSGVRM, devices that differ, additive noise": (5, 20, None, devices, "LocalBSGVRM", ADDITIVE),
    "LocalBSGM, additive noise": (10, 50, 5**4, dimension, "LocalBSGM", ADDITIVE),
    "LocalBSGM": (10, 50, 5**4, dimension, "LocalBSGM", OF_EACH),
    "LocalBSGVRM": (10, 50, 5**4, dimension, "LocalBSGVRM", OF_EACH),
}


def of_size(what: str, size: int) -> Work:
    *_, run, which, noise = LARGE[what]
    return run(size, which, noise)


ONE = """
from benchmarks.clock import best_seconds, peak
from benchmarks.exact import of_size
print(best_seconds({{"": of_size({what!r}, {size})}}, tries=1)[""])
print(peak())
"""


def large() -> Iterator[Row]:
    for what, (small, big, most, run, *_) in LARGE.items():
        letter = "d" if run is dimension else "K"
        runs = (in_new_process(ONE.format(what=what, size=size)) for size in (small, big))
        (few, _), (seconds, MiB) = (map(float, lines) for lines in runs)
        row = {"what": what, "size": f"{letter} = {big} against {small}", "small": few, "large": seconds}
        yield {**row, "large / small": seconds / few, "MiB": MiB, "at most": most}


# Enclosures, and methods of one level.


def certified() -> Iterator[Row]:
    every = (2**20, 2**40, 2**62)
    additive = [*((d, "additive", T) for d in (1, 2, 4) for T in every), (10, "additive", 2**20)]
    for d, noise, T in additive + [(d, "all kinds", T) for d in (1, 2) for T in every]:
        level = 0.1 if noise == "all kinds" else 0.0
        world = random_quadratic(d_x=d, d_y=d, sigma_H=level, sigma_J=level, **ADDITIVE, seed=0)
        solver = LocalBSGM(eta=0.01, alpha=10.0, beta=10.0, rho_1=0.1, rho_2=1.0, p=8, theta=0.2, Q=20)
        run: dict[str, Any] = {"K": 5, "T": T, "x0": np.zeros(d), "y0": np.zeros(d)}
        ways = {"plain": False, "certified": True}
        works = {name: expected(world, solver, certified=way, **run) for name, way in ways.items()}
        seconds = best_seconds(works, tries=2)
        row = {"d": d, "noise": noise, "T": f"2^{T.bit_length() - 1}"}
        yield {**row, **seconds, "certified / plain": seconds["certified"] / seconds["plain"]}


def random_sum(n: int, d: int) -> FiniteSum:
    """n random quadratics, the same every time."""
    rng = np.random.default_rng(0)
    roots = rng.standard_normal((n, d, d))
    return FiniteSum(H=roots @ np.swapaxes(roots, 1, 2) + 0.2 * np.eye(d), a=rng.standard_normal((n, d)))


def of_one_level() -> list[tuple[str, Any, Any, int]]:
    """(what, world, solver, K)."""
    eight, many = random_sum(8, 2), random_sum(32, 2)
    alike, differing = single_level([1.0, 4.0], a=1.0, noise_H=0.2, s=0.5), federated([1.0, 4.0], K=3, s=0.5)
    step = {world: 1 / (3 * world.constants()["L_max"]) for world in (eight, many)}
    return [
        ("SAGA, n = 8", eight, SAGA(alpha=step[eight], n=8), 1),
        ("SVRG, n = 32, m = 100", many, SVRG(alpha=step[many], m=100), 1),
        ("FedAvg, 3 of 10 alike devices", alike, FedAvg(alpha=0.05, p=5, m=3), 10),
        ("ProxSkip, 3 devices that differ", differing, ProxSkip(gamma=0.1, p=0.25), 3),
    ]


def one_level() -> Iterator[Row]:
    for what, world, solver, K in of_one_level():
        run: dict[str, Any] = {"K": K, "x0": np.ones(world.d_x), "certified": False}
        works = {name: expected(world, solver, T=T, **run) for name, T in LENGTHS.items()}
        seconds = best_seconds(works, tries=2)
        ratio = seconds["T = 2^30"] / seconds["T = 2^10"]
        yield {"what": what, "d": world.d_x, **seconds, "long / short": ratio}


PARTS: dict[str, Part] = {each.__name__: each for each in (accuracy, growth, large, certified, one_level)}
