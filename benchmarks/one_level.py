"""Methods of one level: what their expectation costs, and how much more for a long run than for one of 2^10 iterations.

The ratio of seconds of a core is one within one run. The cost grows with the logarithm of T, at most: a map that has
settled is not composed again.
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.clock import best_seconds
from ratecert.solvers import SAGA, SVRG, FedAvg, ProxSkip, expect
from ratecert.synthetic import FiniteSum, federated, single_level

TRIES = 2
SHORT, LONG = 2**10, 2**30


@dataclass(frozen=True)
class Setting:
    what: str
    world: Any
    solver: Any
    K: int


def random_sum(n: int, d: int) -> FiniteSum:
    """n random quadratics, the same every time."""
    rng = np.random.default_rng(0)
    roots = rng.standard_normal((n, d, d))
    return FiniteSum(H=roots @ np.swapaxes(roots, 1, 2) + 0.2 * np.eye(d), a=rng.standard_normal((n, d)))


def settings() -> list[Setting]:
    eight, many = random_sum(8, 2), random_sum(32, 2)
    alike, differing = single_level([1.0, 4.0], a=1.0, noise_H=0.2, s=0.5), federated([1.0, 4.0], K=3, s=0.5)
    step = {world: 1 / (3 * world.constants()["L_max"]) for world in (eight, many)}
    return [
        Setting("SAGA, n = 8", eight, SAGA(alpha=step[eight], n=8), 1),
        Setting("SVRG, n = 32, m = 100", many, SVRG(alpha=step[many], m=100), 1),
        Setting("FedAvg, 3 of 10 alike devices", alike, FedAvg(alpha=0.05, p=5, m=3), 10),
        Setting("ProxSkip, 3 devices that differ", differing, ProxSkip(gamma=0.1, p=0.25), 3),
    ]


def measure(setting: Setting) -> dict[str, Any]:
    def way(T: int) -> Any:
        run: dict[str, Any] = {"K": setting.K, "T": T, "x0": np.ones(setting.world.d_x), "times": []}
        return lambda: expect(setting.world, setting.solver, certified=False, **run)

    seconds = best_seconds({"short": way(SHORT), "long": way(LONG)}, tries=TRIES, clock=time.process_time)
    row = {"what": setting.what, "d": setting.world.d_x, "T": f"2^{LONG.bit_length() - 1}"}
    return {**row, "short_seconds": seconds["short"], "seconds": seconds["long"]}
