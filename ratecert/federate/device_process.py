"""One device as one process of an MPI run: the average is an Allreduce, everything else is its own.

The paths and the counts are gathered afterwards, for the comparison; that is measuring, no part of the algorithm, and
not counted.
"""

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.errors import DivergedError, UserError
from ratecert.federate.findings import Findings, findings
from ratecert.federate.launching import rank_given
from ratecert.federate.path import Path
from ratecert.federate.reporting import Reporter, address
from ratecert.federate.watching import Listener, start_watching
from ratecert.solvers.contract.experiment import Experiment
from ratecert.solvers.engines.federation import FederatedDevice, Traffic, run

Array = NDArray[np.float64]
Show = Callable[[Findings], int]  # prints, and gives the exit code


def run_as_device(setting: Experiment, *, seed: int, replicates: int, show: Show) -> int:
    """The part of this process in a run of setting.K processes: its exit code. Rank 0 shows what was found."""
    from mpi4py import MPI

    reporter = Reporter()
    comm = _connected(MPI, reporter)
    processes = comm.size
    if processes != setting.K:
        reporter.ended(0)
        MPI.Finalize()
        raise UserError(
            f"--devices must be {processes}, the number of processes that MPI sees, got {setting.K}; start ratecert "
            f"without mpiexec, which it then starts itself, or start the mpiexec that belongs to this MPI with "
            f"-n {setting.K}."
        )
    with _ending_all_if_it_fails(MPI, reporter):
        own = path_of(FederatedDevice(setting, comm.rank, seed=seed, replicates=replicates), comm, reporter)
        everyone = comm.gather(own)
        MPI.Finalize()
        code = 0
        if everyone is not None:
            paths, traffic = zip(*everyone, strict=True)
            code = show(findings(setting, paths, traffic, seed=seed, replicates=replicates))
        reporter.ended(code)
    return code


@contextmanager
def _ending_all_if_it_fails(MPI: Any, reporter: Reporter) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        code = 2 if isinstance(error, DivergedError) else 1
        if isinstance(error, MPI.Exception):
            reporter.misses_another()
        else:
            reporter.failed(code, str(error) if code == 2 else f"{type(error).__name__}: {error}")
        if not MPI.Is_finalized():
            MPI.COMM_WORLD.Abort(code)
        os._exit(code)
        raise


def path_of(device: FederatedDevice, comm: Any, reporter: Reporter) -> tuple[Path, Traffic]:
    path: Path = []
    device.seen = lambda t, s: path.append((t, dict(vars(s))))

    def mean(own: Array) -> Array:
        total = np.empty_like(own)
        comm.Allreduce(own, total)
        return total / device.experiment.K

    last, traffic = run(device, mean, reporter.begins)
    return [*path, (device.experiment.T, dict(vars(last)))], traffic


def _connected(MPI: Any, reporter: Reporter) -> Any:
    """MPI's world, in which every device has a watcher: the one of the environment, or one that rank 0 starts.

    Devices on other machines than that of rank 0 do without.
    """
    known, here = address(), socket.gethostname()
    with Listener() if known is None and rank_given() == 0 else nullcontext() as listener:
        if listener:
            known = listener.address
            start_watching(listener)
        if known:
            reporter.connect(known)
            reporter.is_rank(rank_given())
        MPI.Init()
        comm = MPI.COMM_WORLD
        where, machine = comm.bcast((known, here))
        if known is None and machine == here:
            reporter.connect(where)
        reporter.is_rank(comm.rank)
        comm.Barrier()  # only then may the listener go
    return comm
