"""Which engine samples: numpy, which runs everything, or numba, which is faster where the step can be traced.

`auto` takes numba where it is installed, where the algorithm's step on this problem can be traced, and where the work is
long enough to pay for loading the compiled code, or for compiling it the first time.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from typing import Any

from solvers.counts import dimensions_of_state
from solvers.fast.expression import NotTraced
from solvers.fast.machine import Machine
from solvers.noise import WORD
from solvers.refuse import require_choice
from solvers.setting import Setting
from solvers.stage import name_of

ENGINES = ("auto", "numpy", "numba")
WORTH_IT = 20.0  # seconds that numpy is expected to take
PER_STEP, PER_FLOP = (
    9e-8,
    6e-11,
)  # seconds of numpy for a device's step, roughly: only the choice depends on them

_preferred: ContextVar[str] = ContextVar("engine", default="auto")


@contextmanager
def preferred_engine(engine: str) -> Iterator[None]:
    """Within this context `simulate` takes the engine where its caller does not name one."""
    require_choice("engine", engine, ENGINES)
    token = _preferred.set(engine)
    try:
        yield
    finally:
        _preferred.reset(token)


def machine_for(setting: Setting, engine: str | None, replicates: int) -> Machine | None:
    """What numba runs, or None: numpy."""
    engine = _preferred.get() if engine is None else engine
    require_choice("engine", engine, ENGINES)
    installed = find_spec("numba") is not None
    if engine == "numpy" or (engine == "auto" and not installed):
        return None
    if not installed:
        raise ValueError(
            "engine must be 'auto' or 'numpy' where numba is not installed, got 'numba'; install ratecert[fast]."
        )
    try:
        machine = Machine(
            setting.problem, setting.solver, dimensions_of_state(setting.problem, setting.solver)
        )
    except NotTraced as error:
        if engine == "auto":
            return None
        raise ValueError(
            f"engine must be 'auto' or 'numpy' for {name_of(setting.solver)} on {_kind(setting.problem)}, got 'numba': "
            f"{error}."
        ) from None
    return machine if engine == "numba" or _worth_it(setting, machine, replicates) else None


def _worth_it(setting: Setting, machine: Machine, replicates: int) -> bool:
    """Where the words of signs would be nearly empty, numpy does less work."""
    steps = setting.K * setting.T * replicates
    return replicates >= WORD // 2 and steps * (PER_STEP + PER_FLOP * machine.program.flops) > WORTH_IT


def _kind(problem: Any) -> str:
    return type(problem).__name__
