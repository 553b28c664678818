"""Starts one process per device with mpiexec, and watches them.

ratecert starts mpiexec itself, unless it finds itself started by one. Then there is one process that is no device: it
survives every device, so it can name the one that died, and it keeps to itself what mpiexec says about that, which
names neither device nor round. The mpiexec is the one beside the interpreter, which belongs to the MPI of that
environment, or else the one on the path.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from ratecert.base.errors import NoMPIError
from ratecert.base.terminal import echo
from ratecert.federate.reporting import ADDRESS
from ratecert.federate.watching import Listener, Watch

INSTALL = "install ratecert with the extra mpi: pip install 'ratecert[mpi]'"
RANKS = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")  # MPICH and its kin, Open MPI
GRACE = 5.0  # seconds for mpiexec to end its processes


def rank_given() -> int | None:
    """The rank that mpiexec gave to this process in its environment; None if none did."""
    return next((int(os.environ[name]) for name in RANKS if name in os.environ), None)


def require_mpi() -> None:
    """mpi4py, and an MPI library that it can load; MPI itself is not started."""
    try:
        import mpi4py

        mpi4py.rc.initialize = False
        from mpi4py import MPI  # noqa: F401  loads the library
    except ModuleNotFoundError:
        raise NoMPIError(f"federate needs mpi4py, which is not installed; {INSTALL}.") from None
    except (ImportError, RuntimeError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise NoMPIError(f"mpi4py finds no MPI library ({reason}); {INSTALL}.") from None


def mpiexec() -> Path:
    found = shutil.which("mpiexec", path=sysconfig.get_path("scripts")) or shutil.which("mpiexec")
    if found is None:
        raise NoMPIError(f"mpiexec is neither beside {sys.executable} nor on the path; {INSTALL}.")
    return Path(found)


def launch(starter: Path, K: int, command: Sequence[str]) -> int:
    """Run the command as K processes of one MPI run; its exit code. Of a failure, one sentence is said and no more."""
    with Listener() as listener, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(
            [str(starter), *_to_leave_survivors_alone(starter), "-n", str(K), *command],
            env=os.environ | {ADDRESS: listener.address, "PYTHONIOENCODING": "utf-8"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=complaints,
            start_new_session=True,  # an interrupt from the keyboard is for this process, which ends the others
        )
        try:
            with Watch(listener.socket, expected=K) as watch:
                ending = watch.until_the_end(lambda: process.poll() is None)
        finally:
            _end(process)
        if ending.sentence:
            print(f"ratecert: {ending.sentence}", file=sys.stderr)
            return ending.code
        echo(_text(output))
        sys.stderr.write(_text(complaints))
        return ending.code or process.returncode


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", errors="replace")


def _to_leave_survivors_alone(starter: Path) -> list[str]:
    """Hydra, of MPICH, would kill the other devices at the same moment; then it is a race who is seen to die first."""
    version = subprocess.run([starter, "--version"], capture_output=True, text=True, check=False)
    return ["-disable-auto-cleanup"] if "HYDRA" in version.stdout else []


def _end(process: "subprocess.Popen[bytes]") -> None:
    """mpiexec passes the signal on to the devices."""
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
