"""Which engine samples: numpy, which runs everything, or numba, which is faster where the step can be traced.

`auto` takes numba where it is installed, where it is expected to be done first (costs.py), and where the algorithm's
step on this problem can be traced. It is no race: the same run on the same machine has the same engine, and with it the
same digits, whatever ran before; only when compiled code is kept for the first time does shorter work move to numba.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from importlib.util import find_spec

from ratecert.base.errors import NotTracedError, UserError
from ratecert.base.validation import require_choice
from ratecert.solvers.contract.counts import dimensions_of_state
from ratecert.solvers.contract.experiment import Experiment
from ratecert.solvers.contract.stage import name_of
from ratecert.solvers.engines.compiled.machine import Machine
from ratecert.solvers.engines.costs import seconds_of_numba, seconds_of_numpy
from ratecert.solvers.engines.monte_carlo.noise import WORD

ENGINES = ("auto", "numpy", "numba")
LARGEST_ROOM = 2**30  # bytes; else `auto` would take all memory for a million devices

_preferred: ContextVar[str] = ContextVar("engine", default="auto")


def preferred() -> str:
    """The engine that `simulate` takes where its caller does not name one."""
    return _preferred.get()


@contextmanager
def preferred_engine(engine: str) -> Iterator[None]:
    """Within this context the engine is preferred: numpy still runs what numba cannot."""
    require_choice("engine", engine, ENGINES)
    if engine == "numba":
        _require_numba()
    token = _preferred.set(engine)
    try:
        yield
    finally:
        _preferred.reset(token)


def machine_for(experiment: Experiment, engine: str | None, replicates: int) -> Machine | None:
    """What numba runs, or None: numpy."""
    chosen = preferred() if engine is None else engine
    require_choice("engine", chosen, ENGINES)
    if chosen == "numpy" or (
        chosen == "auto" and (find_spec("numba") is None or not _pays(experiment, replicates))
    ):
        return None
    if chosen == "numba":
        _require_numba()
    try:
        machine = _traced(experiment)
    except NotTracedError as error:
        if engine != "numba":
            return None
        raise UserError(
            f"engine must be 'auto' or 'numpy' for {name_of(experiment.solver)} on "
            f"{type(experiment.problem).__name__}, got 'numba': {error}."
        ) from None
    if chosen == "numba" or (_has_room(experiment, machine) and not _failure_of_numba()):
        return machine
    return None


def _traced(experiment: Experiment) -> Machine:
    if not experiment.usual:
        raise NotTracedError("it has measures of its own")
    try:
        fields = dimensions_of_state(experiment.problem, experiment.solver)
        return Machine(experiment.problem, experiment.solver, fields, T=experiment.T)
    except NotTracedError:
        raise
    except Exception as error:
        raise NotTracedError(f"its step cannot be traced ({type(error).__name__}: {error})") from error


def _require_numba() -> None:
    failure = _failure_of_numba()
    if failure:
        raise UserError(
            f"engine must be 'auto' or 'numpy' where numba cannot be used ({failure}), got 'numba'; install "
            f"ratecert[fast]."
        )


def _failure_of_numba() -> str:
    """Why the compiled code cannot be loaded, if so: numba may be missing, unfit for numpy, or without a folder."""
    if find_spec("numba") is None:
        return "it is not installed"
    try:
        import_module("ratecert.solvers.engines.compiled.engine")
    except Exception as error:  # noqa: BLE001  numba, llvmlite and the loader have many; all mean the same here
        return str(error)
    return ""


def _pays(experiment: Experiment, replicates: int) -> bool:
    try:
        return seconds_of_numba(experiment, replicates) < seconds_of_numpy(experiment, replicates)
    except Exception:  # noqa: BLE001  a step of the user's own that cannot be counted cannot be traced either
        return False


def _has_room(experiment: Experiment, machine: Machine) -> bool:
    """The fast engine needs room for 64 replicates of all devices at once."""
    return experiment.K * machine.rows * WORD * 8 < LARGEST_ROOM
