"""Watches the devices of a run: who fails, and in which round.

Every device has a connection on which it says what it is doing (reporting.py). The kernel ends the connection with the
process, however that dies, so a connection that ends without a farewell is a device that was killed; what it said last
is its round. Whoever starts the devices watches; where mpiexec was started by hand, the device of rank 0 starts this
file as a process of its own, in a session of its own, which outlives the devices for as long as it takes to say what
happened. There mpiexec ends the other devices at once, but later than the kernel has ended the first connection.
"""

import os
import selectors
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, cast

from ratecert.federate.reporting import GREETING, sentence

KILLED = "its process ended without a word, as one does that is killed or runs out of memory"
LOST = "the devices lost one another, and the run ended; start it again."
LATEST = 60.0  # seconds from the first device that begins to the last
PATIENCE = 0.1  # seconds between two looks at whether there is still something to watch


@dataclass(frozen=True)
class Ending:
    code: int  # to exit with
    sentence: str | None = None  # of the first failure


@dataclass
class FederatedDevice:
    """What one device has said."""

    rank: int | None = None
    round: int = 0
    farewell: bool = False
    unread: bytes = b""

    def fails(self, code: int, cause: str) -> Ending:
        return Ending(code, sentence(self.rank, self.round, cause))


class Watch:
    """When it is closed, devices that wait to be heard know that they were."""

    def __init__(self, listening: socket.socket, *, expected: int = 0) -> None:
        """`expected` devices: MPI waits without end for one that dies before it has begun."""
        self._expected = expected
        self._connected = 0
        self._deadline = inf
        self._selector = selectors.DefaultSelector()
        self._selector.register(listening, selectors.EVENT_READ)
        self._code = 0
        self._lost = False

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_: object) -> None:
        for key in list(self._selector.get_map().values()):
            if key.data is not None:
                cast(socket.socket, key.fileobj).close()
        self._selector.close()

    def until_the_end(self, running: Callable[[], bool]) -> Ending:
        """The first failure; or, once all connections have ended and nothing is running, how the devices ended."""
        while True:
            alive = running()  # asked before looking: what was said before the end is heard
            ready = self._selector.select(timeout=PATIENCE)
            for key, _ in ready:
                if key.data is None:
                    self._accept(key.fileobj)
                elif failure := self._hear(key.fileobj, key.data):
                    return failure
            if self._connected < self._expected and monotonic() > self._deadline:
                return Ending(
                    1, f"{self._connected} of {self._expected} devices have begun, and the others do not."
                )
            if not alive and not ready and len(self._selector.get_map()) == 1:
                return Ending(1, LOST) if self._lost else Ending(self._code)

    def _accept(self, listening: Any) -> None:
        line, _ = listening.accept()
        line.sendall(GREETING)
        self._connected += 1
        self._deadline = min(self._deadline, monotonic() + LATEST)
        self._selector.register(line, selectors.EVENT_READ, FederatedDevice())

    def _hear(self, line: Any, device: FederatedDevice) -> Ending | None:
        said = b""
        with suppress(ConnectionResetError):
            said = line.recv(1 << 16)
        if not said:
            self._selector.unregister(line)
            line.close()
            return None if device.farewell else device.fails(1, KILLED)
        *lines, device.unread = (device.unread + said).split(b"\n")
        for each in lines:
            word, _, rest = each.decode().partition(" ")
            if word == "rank":
                device.rank = int(rest)
            elif word == "round":
                device.round = int(rest)
            elif word == "failed":
                code, _, cause = rest.partition(" ")
                return device.fails(int(code), cause)
            else:
                device.farewell = True
                self._lost |= word == "lost"
                self._code = max(self._code, int(rest or 0))
        return None


class Listener:
    """A socket for the devices, in a folder that nobody else can enter."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="ratecert-")
        self.address = str(Path(self._folder.name) / "watch")
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(self.address)
        self.socket.listen(128)

    def __enter__(self) -> "Listener":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()
        self._folder.cleanup()


def start_watching(listener: Listener) -> None:
    """In a process of its own."""
    here = str(listener.socket.fileno())
    subprocess.Popen(
        [sys.executable, "-m", __name__, here], pass_fds=[listener.socket.fileno()], start_new_session=True
    )


def main() -> None:
    device_0 = os.getppid()
    with socket.socket(fileno=int(sys.argv[1])) as listening, Watch(listening) as watch:
        ending = watch.until_the_end(lambda: os.getppid() == device_0)
        if ending.sentence:
            print(f"ratecert: {ending.sentence}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
