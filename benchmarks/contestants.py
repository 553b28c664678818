"""The ways to run a case. A contestant takes a case and returns work that says how many device-iterations it did.

What belongs to no iteration, making the world and compiling, is done before the work is handed out.
"""

from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from benchmarks import c_reference, device_loop
from benchmarks.by_hand import ByHand
from benchmarks.cases import Case
from ratecert.solvers import simulate
from ratecert.solvers.engines.threads import one_thread

Work = Callable[[], int]
BY_HAND = "numpy by hand"
LOOPED = 20  # iterations of the one replicate of the loop over devices


def loop(case: Case) -> Work:
    case = replace(case, T=LOOPED, replicates=1)
    world, solver = case.world, case.solver

    def work() -> int:
        device_loop.run(world, solver, case.K, case.T, seed=0)
        return case.device_iterations

    return work


def sampling(engine: str, *, workers: int = 1) -> Callable[[Case], Work]:
    """`simulate` with one of its engines."""

    def contestant(case: Case) -> Work:
        settings: dict[str, Any] = {"K": case.K, "T": case.T, "x0": case.start, "y0": case.start}
        settings |= {"replicates": case.replicates, "seed": 0, "times": [], "workers": workers}
        world, solver = case.world, case.solver

        def work() -> int:
            simulate(world, solver, engine=engine, **settings)
            return case.device_iterations

        return work

    return contestant


def numpy_by_hand(case: Case) -> Work:
    tile = ByHand(case.world, case.solver, K=case.K, replicates=case.replicates, seed=0)

    def work() -> int:
        with one_thread():
            tile.run(case.T, case.start, case.start)
        return case.device_iterations

    return work


def in_C(case: Case) -> Work:
    world, solver, library = case.world, case.solver, c_reference.build()

    def work() -> int:
        c_reference.run(
            *(world, solver),
            K=case.K,
            T=case.T,
            x0=case.start,
            y0=case.start,
            replicates=case.replicates,
            seed=0,
            library=library,
        )
        return case.device_iterations

    return work


def engines() -> tuple[str, ...]:
    """Those of `simulate` that can run here, the fastest last; numba is an extra."""
    return ("numpy", "numba") if find_spec("numba") else ("numpy",)


def all_contestants() -> dict[str, Callable[[Case], Work]]:
    """C only where there is a compiler."""
    found: dict[str, Callable[[Case], Work]] = {"loop": loop, BY_HAND: numpy_by_hand}
    found |= {engine: sampling(engine) for engine in engines()}
    return found | ({"C": in_C} if c_reference.compiler() else {})
