"""What is measured of exact moments: `PARTS`, each its settings and a function that measures one. Seconds of a core.

accuracy   what sampling would cost to know E||grad Phi||^2 as well. A pilot of n replicates has the standard error s of
           the mean and takes t seconds; a relative standard error r of the value G then takes n (s / (r G))^2
           replicates, and as much longer. Runs begin at the solution, so that all of the value comes from noise
growth     how cost grows, one thing changed at a time against a base. Sampling is linear in the device-iterations K T,
           and in d and Q about as d^2 (4 + Q) once d is large; exact moments have the cost of their maps, which K and T
           enter not at all or by a logarithm
large      a problem at the size of real experiments against a small one of its kind, each in a new process, so that
           its peak of memory is its own; `most` is how many times as long the large one may take, None where nothing
           is asked
certified  enclosures against doubles. Additive noise moves by congruences, at the cost of n x n matrices; noise in A
           and B takes the map on packed moments
one_level  methods of one level: a long run against one of 2^10 iterations
"""

import time
from collections.abc import Callable, Mapping
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


def of_accuracy() -> list[Case]:
    sizes = ((2, 1000), (10, 100))
    return [Case(algorithm=name, d=d, Q=10, p=8, T=T) for d, T in sizes for name in ALGORITHMS]


def accuracy(case: Case) -> Row:
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
    row = {"algorithm": case.algorithm, "d": case.d, "T": case.T, "engine": engine}
    row |= {"exact_seconds": seconds["exact"], "exact_precision": results["exact"].precision}
    row |= {"pilot_replicates": case.replicates, "pilot_seconds": seconds["sampled"]}
    needed = {f"{r:g}": case.replicates * (relative / r) ** 2 for r in SOUGHT}
    return row | {"pilot_relative_error": relative, "replicates_needed": needed}


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
Growth = tuple[str, str, Case, Callable[[Case], Work]]


def of_growth() -> list[Growth]:
    """(way, what is changed, case, work)."""
    engine = engines()[-1]
    return [
        *((engine, _name(each), replace(SAMPLED, **each), sampling(engine)) for each in OF_SAMPLED),
        *(("moments", _name(each), replace(EXACT, **each), exactly) for each in OF_EXACT),
        ("moments", "T = 10^12, Theorem 3's schedule", SCHEDULED, exactly),
        *(
            ("moments", f"the limit{shown}", replace(EXACT, d=d), _limit)
            for d, shown in ((2, ""), (10, ", d = 10"), (50, ", d = 50"))
        ),
    ]


def growth(setting: Growth) -> Row:
    way, changed, case, contestant = setting
    work = contestant(case)
    if way != "moments":
        work()
    tries = 1 if case.d >= 10 and way == "moments" else 3
    return {"way": way, "changed": changed, "seconds": core_seconds({"": work}, tries)[""]}


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


Large = tuple[str, int, int, Callable[[int], Work], float | None]
DECAYING = CubeRoot(scale=0.05, offset=1.0)
LARGE: dict[str, Large] = {  # what -> its letter, small, large, how to run it, and `most`
    "LocalBSGM, devices that differ": ("K", 10, 1000, _devices("LocalBSGM", OF_EACH), 100.0),
    "FedAvg, devices that differ": ("K", 10, 1000, _fedavg(0.05, {"noise_H": 0.2}), 100.0),
    "FedAvg, devices that differ, decaying steps": ("K", 10, 1000, _fedavg(DECAYING, {}), 100.0),
    "LocalBSGVRM, devices that differ": ("K", 4, 8, _devices("LocalBSGVRM", OF_EACH), None),
    "LocalBSGVRM, devices that differ, additive noise": ("K", 5, 20, _devices("LocalBSGVRM", ADDITIVE), None),
    "LocalBSGM, additive noise": ("d", 10, 50, _dimension("LocalBSGM", ADDITIVE), 5.0**4),
    "LocalBSGM": ("d", 10, 50, _dimension("LocalBSGM", OF_EACH), 5.0**4),
    "LocalBSGVRM": ("d", 10, 50, _dimension("LocalBSGVRM", OF_EACH), 5.0**4),
}
ONE = """
from benchmarks.clock import peak
from benchmarks.exact import LARGE, core_seconds
print(core_seconds({{"": LARGE[{what!r}][3]({size})}}, 1)[""])
print(peak())
"""


def large(what: str) -> Row:
    letter, small, big, _, most = LARGE[what]
    (few, _), (seconds, MiB) = (in_new_process(ONE.format(what=what, size=size)) for size in (small, big))
    row = {"what": what, "letter": letter, "small": small, "large": big}
    return row | {"small_seconds": float(few), "seconds": float(seconds), "MiB": float(MiB), "most": most}


# Enclosures, and methods of one level.


def of_certified() -> list[tuple[int, str, int]]:
    every = (2**20, 2**40, 2**62)
    additive = [*((d, "additive", T) for d in (1, 2, 4) for T in every), (10, "additive", 2**20)]
    return additive + [(d, "all kinds", T) for d in (1, 2) for T in every]


def certified(setting: tuple[int, str, int]) -> Row:
    d, noise, T = setting
    level = 0.1 if noise == "all kinds" else 0.0
    world = random_quadratic(d_x=d, d_y=d, sigma_H=level, sigma_J=level, **ADDITIVE, seed=0)
    solver = LocalBSGM(eta=0.01, alpha=10.0, beta=10.0, rho_1=0.1, rho_2=1.0, p=8, theta=0.2, Q=20)
    run: dict[str, Any] = {"K": 5, "T": T, "x0": np.zeros(d), "y0": np.zeros(d)}
    ways = {
        "plain_seconds": expected(world, solver, certified=False, **run),
        "certified_seconds": expected(world, solver, certified=True, **run),
    }
    return {"d": d, "noise": noise, "T": f"2^{T.bit_length() - 1}", **core_seconds(ways, 2)}


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


def one_level(setting: tuple[str, Any, Any, int]) -> Row:
    what, world, solver, K = setting
    run: dict[str, Any] = {"K": K, "x0": np.ones(world.d_x), "certified": False}
    ways = {
        "short_seconds": expected(world, solver, T=SHORT, **run),
        "seconds": expected(world, solver, T=LONG, **run),
    }
    return {"what": what, "d": world.d_x, "T": f"2^{LONG.bit_length() - 1}", **core_seconds(ways, 2)}


PARTS: dict[str, Part] = {
    "accuracy": (of_accuracy, accuracy),
    "growth": (of_growth, growth),
    "large": (lambda: list(LARGE), large),
    "certified": (of_certified, certified),
    "one_level": (of_one_level, one_level),
}
