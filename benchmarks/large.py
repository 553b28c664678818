"""Exact moments at the size of real experiments: what a large problem costs against a small one of its kind.

Each is a new process, so that its peak of memory is its own: seconds of a core from the call to the result, imports and
the making of the world aside.

python -m benchmarks.large WHAT SIZE
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.cases import Case
from benchmarks.memory import peak
from ratecert.solvers import CubeRoot, FedAvg, expect
from ratecert.synthetic import Quadratic, federated, heterogeneous, random_quadratic

OF_EACH: dict[str, Any] = {"sigma_H": 0.2, "sigma_J": 0.2, "s_f": 0.1, "s_g": 0.1}
ADDITIVE: dict[str, Any] = {"s_f": 0.1, "s_g": 0.1}
DIFFERING = Case(algorithm="LocalBSGM", d=2, Q=20, K=10, p=8, T=2**30)
ALIKE = Case(algorithm="LocalBSGM", d=10, Q=20, K=8, p=8, T=2**40, eta=1e-3)


@dataclass(frozen=True)
class Setting:
    """`most` is how many times as long the large one may take; None where nothing is asked."""

    what: str
    letter: str
    small: int
    large: int
    run: Callable[[int], Callable[[], object]]
    most: float | None = None


def _differing(algorithm: str, noise: dict[str, Any]) -> Callable[[int], Callable[[], object]]:
    def of(K: int) -> Callable[[], object]:
        case = replace(DIFFERING, algorithm=algorithm, K=K)
        world = heterogeneous(d_x=case.d, d_y=case.d, K=K, seed=0, **noise)
        return lambda: expect(
            world, case.solver, K=K, T=case.T, x0=case.start, y0=case.start, times=[], certified=False
        )

    return of


def _fedavg(K: int) -> Callable[[], object]:
    world, solver = federated([1.0, 4.0], K=K, noise_H=0.2, s=0.5), FedAvg(alpha=0.05, p=8, m=K)
    return lambda: expect(world, solver, K=K, T=2**30, x0=np.ones(2), times=[], certified=False)


def _decaying(K: int) -> Callable[[], object]:
    world, solver = (
        federated([1.0, 4.0], K=K, s=0.5),
        FedAvg(alpha=CubeRoot(scale=0.05, offset=1.0), p=8, m=K),
    )
    return lambda: expect(world, solver, K=K, T=2**30, x0=np.ones(2), times=[], certified=False)


def _alike(algorithm: str, noise: dict[str, Any]) -> Callable[[int], Callable[[], object]]:
    def of(d: int) -> Callable[[], object]:
        case = replace(ALIKE, algorithm=algorithm, d=d)
        world: Quadratic = random_quadratic(d_x=d, d_y=d, mu=1.0, L_1=4.0, seed=0, **noise)
        return lambda: expect(
            world, case.solver, K=case.K, T=case.T, x0=case.start, y0=case.start, times=[], certified=False
        )

    return of


BY_WHAT = {
    each.what: each
    for each in (
        Setting("LocalBSGM, devices that differ", "K", 10, 1000, _differing("LocalBSGM", OF_EACH), 100.0),
        Setting("FedAvg, devices that differ", "K", 10, 1000, _fedavg, 100.0),
        Setting("FedAvg, devices that differ, decaying steps", "K", 10, 1000, _decaying, 100.0),
        Setting("LocalBSGVRM, devices that differ", "K", 4, 8, _differing("LocalBSGVRM", OF_EACH)),
        Setting(
            "LocalBSGVRM, devices that differ, additive noise",
            "K",
            5,
            20,
            _differing("LocalBSGVRM", ADDITIVE),
        ),
        Setting("LocalBSGM, additive noise", "d", 10, 50, _alike("LocalBSGM", ADDITIVE), 5.0**4),
        Setting("LocalBSGM", "d", 10, 50, _alike("LocalBSGM", OF_EACH), 5.0**4),
        Setting("LocalBSGVRM", "d", 10, 50, _alike("LocalBSGVRM", OF_EACH), 5.0**4),
    )
}


def settings() -> list[Setting]:
    return list(BY_WHAT.values())


def measure(setting: Setting) -> dict[str, Any]:
    small, large = (_measured(setting.what, size) for size in (setting.small, setting.large))
    return {
        "what": setting.what,
        "letter": setting.letter,
        "small": setting.small,
        "large": setting.large,
        "small_seconds": small["seconds"],
        "seconds": large["seconds"],
        "MiB": large["MiB"],
        "most": setting.most,
    }


def _measured(what: str, size: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.large", what, str(size)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main(what: str, size: int) -> None:
    work = BY_WHAT[what].run(size)
    begin = time.process_time()
    work()
    seconds = time.process_time() - begin
    print(json.dumps({"seconds": seconds, "MiB": peak() / 2**20}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
