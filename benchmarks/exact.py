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

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.cases import ALGORITHMS, Case, engines, sampling
from benchmarks.clock import best_seconds, in_new_process
from benchmarks.sampling import Part, Row
from ratecert.solvers import SAGA, SVRG, CubeRoot, FedAvg, LocalBSGM, ProxSkip, expect, simulate, stationary
from ratecert.synthetic import FiniteSum, federated, heterogeneous, random_quadratic, single_level

Work = Callable[[], object]
OF_EACH: dict[str, Any] = {"sigma_H": 0.2, "sigma_J": 0.2, "s_f": 0.1, "s_g": 0.1}
ADDITIVE: dict[str, Any] = {"s_f": 0.1, "s_g": 0.1}
SOUGHT = (1e-3, 1e-6)
SHORT, LONG = 2**10, 2**30


def core_seconds(works: Mapping[str, Work], tries: int) -> dict[str, float]:
    return best_seconds(works, tries=tries, clock=time.process_time)


def expected(world: Any, solver: Any, **run: Any) -> Work:
    return lambda: expect(world, solver, times=[], **run)


def exactly(case: Case) -> Work:
    return expected(case.world, case.solver, **case.run)


# Against sampling.


def accuracy() -> Iterator[Row]:
    for d, T in ((2, 1000), (10, 100)):
        for name in ALGORITHMS:
            yield from against_sampling(Case(algorithm=name, d=d, Q=10, p=8, T=T))


def against_sampling(case: Case) -> Iterator[Row]:
    engine, world, solver = engines()[-1], case.world, case.solver
    run = {**case.run, "x0": world.x_star, "y0": world.y_star(world.x_star), "times": []}
    results: dict[str, Any] = {}

    def exact() -> None:
        results["exact"] = expect(world, solver, **run)

    def sampled() -> None:
        results["sampled"] = simulate(world, solver, replicates=case.replicates, seed=0, engine=engine, **run)

    sampled()
    seconds = core_seconds({"exact": exact, "sampled": sampled}, 3)
    relative = results["sampled"].standard_error.gradient / results["exact"].gradient
    for sought in SOUGHT:
        replicates = case.replicates * (relative / sought) ** 2
        longer = seconds["sampled"] * replicates / case.replicates
        row = {"algorithm": case.algorithm, "d": case.d, "T": case.T, "sought": f"{sought:g}"}
        row |= {"replicates": replicates, f"sampling by {engine}": longer, "exact moments": seconds["exact"]}
        yield row | {"sampling / exact": longer / seconds["exact"], "precision": results["exact"].precision}


# How cost grows.

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


def growth() -> Iterator[Row]:
    engine = engines()[-1]
    sampled = [(_name(each), sampling(engine)(replace(SAMPLED, **each))) for each in OF_SAMPLED]
    yield from _against_the_first(engine, sampled)
    changed = [(_name(each), exactly(replace(EXACT, **each))) for each in OF_EXACT]
    scheduled = ("T = 10^12, Theorem 3's schedule", exactly(SCHEDULED))
    limits = [(f"the limit, d = {d}", _limit(replace(EXACT, d=d))) for d in (2, 10, 50)]
    yield from _against_the_first("moments", [*changed, scheduled, *limits])


def _against_the_first(way: str, works: Sequence[tuple[str, Work]]) -> Iterator[Row]:
    base = None
    for changed, work in works:
        work()
        seconds = core_seconds({"": work}, 2)[""]
        base = base or seconds
        yield {"way": way, "changed": changed, "seconds": seconds, "changed / base": seconds / base}


def _limit(case: Case) -> Work:
    world, solver = case.world, case.solver
    return lambda: stationary(world, solver, K=case.K)


def _name(change: dict[str, Any]) -> str:
    shown = {2**63: "2^63", 10**12: "10^12", 10**6: "10^6"}
    return ", ".join(f"{key} = {shown.get(value, value)}" for key, value in change.items()) or "nothing"


# At the size of experiments.


def _devices(algorithm: str, noise: dict[str, Any]) -> Callable[[int], Work]:
    def of(K: int) -> Work:
        case = Case(algorithm=algorithm, d=2, Q=20, K=K, p=8, T=LONG)
        world = heterogeneous(d_x=2, d_y=2, K=K, seed=0, **noise)
        return expected(world, case.solver, **case.run, certified=False)

    return of


def _dimension(algorithm: str, noise: dict[str, Any]) -> Callable[[int], Work]:
    def of(d: int) -> Work:
        case = Case(algorithm=algorithm, d=d, Q=20, p=8, T=2**40, eta=1e-3)
        world = random_quadratic(d_x=d, d_y=d, mu=1.0, L_1=4.0, seed=0, **noise)
        return expected(world, case.solver, **case.run, certified=False)

    return of


def _fedavg(alpha: Any, noise: dict[str, Any]) -> Callable[[int], Work]:
    def of(K: int) -> Work:
        world, solver = federated([1.0, 4.0], K=K, s=0.5, **noise), FedAvg(alpha=alpha, p=8, m=K)
        return expected(world, solver, K=K, T=LONG, x0=np.ones(2), certified=False)

    return of


Large = tuple[str, int, int, Callable[[int], Work], int | None]
DECAYING = CubeRoot(scale=0.05, offset=1.0)
LARGE: dict[str, Large] = {  # what -> its letter, small, large, how to run it, and `most`
    "LocalBSGM, devices that differ": ("K", 10, 1000, _devices("LocalBSGM", OF_EACH), 100),
    "FedAvg, devices that differ": ("K", 10, 1000, _fedavg(0.05, {"noise_H": 0.2}), 100),
    "FedAvg, devices that differ, decaying steps": ("K", 10, 1000, _fedavg(DECAYING, {}), 100),
    "LocalBSGVRM, devices that differ": ("K", 4, 8, _devices("LocalBSGVRM", OF_EACH), None),
    "LocalBSGVRM, devices that differ, additive noise": ("K", 5, 20, _devices("LocalBSGVRM", ADDITIVE), None),
    "LocalBSGM, additive noise": ("d", 10, 50, _dimension("LocalBSGM", ADDITIVE), 5**4),
    "LocalBSGM": ("d", 10, 50, _dimension("LocalBSGM", OF_EACH), 5**4),
    "LocalBSGVRM": ("d", 10, 50, _dimension("LocalBSGVRM", OF_EACH), 5**4),
}
ONE = """
from benchmarks.clock import peak
from benchmarks.exact import LARGE, core_seconds
print(core_seconds({{"": LARGE[{what!r}][3]({size})}}, 1)[""])
print(peak())
"""


def large() -> Iterator[Row]:
    for what, (letter, small, big, _, most) in LARGE.items():
        (few, _), (seconds, MiB) = (in_new_process(ONE.format(what=what, size=size)) for size in (small, big))
        row = {
            "what": what,
            "size": f"{letter} = {big} against {small}",
            "small": float(few),
            "large": float(seconds),
        }
        yield row | {"large / small": float(seconds) / float(few), "MiB": float(MiB), "at most": most}


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
        seconds = core_seconds(works, 2)
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
        lengths = {"T = 2^10": SHORT, "T = 2^30": LONG}
        seconds = core_seconds({name: expected(world, solver, T=T, **run) for name, T in lengths.items()}, 2)
        yield {
            "what": what,
            "d": world.d_x,
            **seconds,
            "long / short": seconds["T = 2^30"] / seconds["T = 2^10"],
        }


PARTS: dict[str, Part] = {each.__name__: each for each in (accuracy, growth, large, certified, one_level)}
