"""Many settings at once: worlds a second, from a world's numbers to its measures with their errors.

    python -m benchmarks.many                            one core, numpy
    python -m benchmarks.many --library torch --device cuda --out docs/many.json

Every row is measured in one run: on one core of this machine with numpy, and with another library on its device, if one
is named. Each pair must agree; how far it does not is in the row.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import ratecert as rc
from benchmarks.record import rounded
from tools.markdown import table

TRIES = 2
T = 2**20
SETTINGS = {"host": 20_000, "device": 1_000_000}
Make = Callable[[Any], Any]


def one_level(method: Any, d: int, N: int, make: Make) -> dict[str, Any]:
    """A world with noise in the Hessian and in the gradient, free in everything, K too."""
    rng = np.random.default_rng(0)
    H = np.eye(d) * rng.uniform(1, 2, size=(N, 1, 1))
    data = {"H": H, "a": rng.normal(size=(N, d)), "E": 0.1 * H[:, None], "c": rng.normal(size=(N, 1, d))}
    worlds = rc.many(rc.worlds.SingleLevel, **{name: make(each) for name, each in data.items()}, s=0.5)
    more = {"beta": make(rng.uniform(0.1, 0.9, size=N))} if method is rc.methods.HeavyBall else {}
    solvers = rc.many(method, alpha=make(rng.uniform(0.01, 0.1, size=N)), **more)
    start = {"x0": make(rng.normal(size=(N, d)))}
    return {
        "worlds": worlds,
        "solvers": solvers,
        **_rest(rng, N),
        **start,
        "measures": {"gap": rc.measures.gap().last()},
    }


def two_levels(d: int, N: int, make: Make) -> dict[str, Any]:
    """LocalBSGM, p = 8 and Q = 10, on worlds with every kind of noise."""
    rng = np.random.default_rng(0)
    one = np.eye(d) * np.ones((N, 1, 1))
    data = {
        "A": one * rng.uniform(1, 2, size=(N, 1, 1)), "E": 0.2 * one[:, None], "B": one, "F": 0.1 * one[:, None],
        "c": rng.normal(size=(N, d)), "P": one, "D": one, "a": rng.normal(size=(N, d)), "b": rng.normal(size=(N, d)),
    }  # fmt: skip
    worlds = rc.many(
        rc.worlds.Quadratic, **{name: make(each) for name, each in data.items()}, s_f=0.5, s_g=0.5
    )
    solvers = rc.many(
        rc.methods.LocalBSGM, eta=make(rng.uniform(0.005, 0.02, size=N)),
        alpha=10.0, beta=8.0, rho_1=0.1, rho_2=0.5, p=8, theta=0.2, Q=10,
    )  # fmt: skip
    start = {name: make(rng.normal(size=(N, d))) for name in ("x0", "y0")}
    measures = {"gradient": rc.measures.gradient(), "tracking": rc.measures.tracking()}
    return {"worlds": worlds, "solvers": solvers, **_rest(rng, N), **start, "measures": measures}


def _rest(rng: np.random.Generator, N: int) -> dict[str, Any]:
    return {"K": rng.integers(1, 50, size=N), "T": T, "precise": False}


CASES: dict[
    str, tuple[Callable[[int, Make], dict[str, Any]], float]
] = {  # and how many settings, against the first
    "SGD, d = 1": (lambda N, make: one_level(rc.methods.SGD, 1, N, make), 1),
    "SGD, d = 2": (lambda N, make: one_level(rc.methods.SGD, 2, N, make), 1),
    "heavy ball, d = 1": (lambda N, make: one_level(rc.methods.HeavyBall, 1, N, make), 1),
    "heavy ball, d = 2": (lambda N, make: one_level(rc.methods.HeavyBall, 2, N, make), 0.25),
    "LocalBSGM, 1 x 1": (lambda N, make: two_levels(1, N, make), 0.25),
    "LocalBSGM, 2 x 2": (lambda N, make: two_levels(2, N, make), 0.05),
}


def measured(case: str, library: str | None, device: str) -> dict[str, Any]:
    """One row: worlds a second on one core, and with another library on its device."""
    call, share = CASES[case]
    N = int(SETTINGS["host"] * share)
    seconds, found = _timed(call(N, np.asarray), lambda _: None, time.process_time)
    row = {"case": case, "settings": N, "a second on one core": N / seconds, "in doubt": _doubt(found)}
    if library is None:
        return row
    make, wait = _library(library, device)
    again = rc.expect_many(**call(N, make))
    apart = max(_apart(found.values[name], again.values[name]) for name in found.values)
    M = int(SETTINGS["device"] * share)
    seconds, more = _timed(call(M, make), wait)
    return row | {
        "settings there": M, "a second there": M / seconds, "in doubt there": _doubt(more), "largest difference": apart
    }  # fmt: skip


def _timed(
    call: dict[str, Any], wait: Callable[[Any], None], clock: Callable[[], float] = time.perf_counter
) -> tuple[float, Any]:
    """The best of a few tries; on one core in seconds of the process, whoever else is there."""
    best, found = np.inf, None
    for _ in range(TRIES):
        begin = clock()
        found = rc.expect_many(**call)
        wait(found)
        best = min(best, clock() - begin)
    return best, found


def _doubt(found: Any) -> float:
    return float(np.mean(_host(found.precision) > 1e-9))


def _apart(a: Any, b: Any) -> float:
    a, b = _host(a), _host(b)
    return float(np.max(np.abs(a - b) / np.maximum(np.abs(a), 1e-300)))


def _host(array: Any) -> Any:
    return np.asarray(array.cpu() if hasattr(array, "cpu") else array)


def _library(name: str, device: str) -> tuple[Make, Callable[[Any], None]]:
    """How an array is made there, and how a result is waited for."""
    library = import_module(name if name == "torch" else "jax.numpy")
    if name == "torch":
        return (lambda array: library.asarray(array, device=device)), lambda found: _host(found.precision)
    import_module("jax").config.update("jax_enable_x64", True)
    return library.asarray, lambda found: found.precision.block_until_ready()


def shown(path: Path) -> str:
    """The record as a table for the page on speed."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    columns = ("on a core of the same machine", f"on one {kept['device']}", "ratio", "largest difference")
    rows = []
    for row in kept["rows"]:
        here, there = row["a second on one core"], row["a second there"]
        rows.append(
            [
                row["case"],
                f"{here:,.0f}",
                f"{there:,.0f}",
                f"{there / here:,.0f}",
                f"{row['largest difference']:.0e}",
            ]
        )
    return f"`{kept['command']}`\n\n" + table(("settings a second", *columns), rows)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.many", description=__doc__)
    parser.add_argument("--library", choices=("torch", "jax"))
    parser.add_argument("--device", default="cpu", help="of torch's arrays, such as cuda")
    parser.add_argument("--out", type=Path, default=None)
    asked = parser.parse_args()
    rows = []
    for case in CASES:
        rows.append(measured(case, asked.library, asked.device))
        print(rounded(rows[-1]), flush=True)
    name = ""
    if asked.library == "torch" and asked.device == "cuda":
        name = import_module("torch").cuda.get_device_name()
    record = {
        "command": " ".join(["python -m benchmarks.many", *sys.argv[1:]]),
        "T": T,
        "processor": platform.processor() or platform.machine(),
        "library": asked.library,
        "device": name or asked.device,
        "rows": rounded(rows),
    }
    if asked.out is not None:
        asked.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
