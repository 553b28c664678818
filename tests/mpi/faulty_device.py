"""A device that fails: `faulty_device.py WHAT RANK`, for mpiexec, on three devices with p = 4.

In iteration 30, which is in round 8, the device of this rank raises an exception, kills its process, ends it, or steps
far off.
"""

import os
import signal
import sys
from dataclasses import dataclass

from ratecert.federate.device_process import run_as_device
from ratecert.federate.experiment import FederatedRun
from ratecert.federate.launching import rank_given, require_mpi
from ratecert.solvers import LocalBSGM
from ratecert.solvers.contract.experiment import prepare
from ratecert.solvers.contract.stage import Oracle, Stage, State

WHAT, RANK = sys.argv[1], int(sys.argv[2])


@dataclass(frozen=True, kw_only=True)
class Faulty(LocalBSGM):
    @property
    def stages(self) -> tuple[Stage, ...]:
        (stage,) = super().stages
        return (Stage(self.faulty_step, stage.repeats, stage.averaged),)

    def faulty_step(self, t: int, s: State, oracle: Oracle) -> State:
        new = super().stages[0].step(t, s, oracle)
        if t != 30 or rank_given() != RANK:
            return new
        if WHAT == "raises":
            raise ZeroDivisionError("a cause")
        if WHAT == "is-killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if WHAT.startswith("ends-with-"):
            os._exit(int(WHAT.removeprefix("ends-with-")))
        return new.but(x=1e200 * new.x)


if __name__ == "__main__":
    experiment = FederatedRun(solver="LocalBSGM", K=3, T=64)
    sound = experiment.setting()
    solver = Faulty(**experiment.hyperparameters())
    setting = prepare(sound.problem, solver, K=3, T=64, start=sound.start, times=None)
    require_mpi()
    raise SystemExit(
        run_as_device(setting, seed=0, replicates=1, show=lambda found: print("all is well") or 0)
    )
