"""What a device says about itself while it runs, to whoever watches (watching.py): its rank, its round, its end.

A process that is killed says nothing more, but its connection ends, and what it said last is still known.
"""

import os
import socket
import sys
from contextlib import suppress

ADDRESS = "RATECERT_FEDERATE_WATCH"  # in the environment: where the one who watches listens
GREETING = b"."
PATIENCE = 5.0  # seconds


class Reporter:
    """One device's line to the watcher; while there is none, a failure goes to standard error."""

    def __init__(self) -> None:
        self._line: socket.socket | None = None
        self._rank: int | None = None
        self._round = 0

    def connect(self, address: str) -> None:
        """Until the watcher has greeted: from then on it misses nothing."""
        self._line = socket.socket(socket.AF_UNIX)
        self._line.connect(address)
        self._line.recv(len(GREETING))

    def is_rank(self, rank: int | None) -> None:
        self._rank = rank
        if rank is not None:
            self._say(f"rank {rank}")

    def begins(self, round: int) -> None:
        self._round = round
        self._say(f"round {round}")

    def ended(self, code: int) -> None:
        self._say(f"ended {code}")

    def misses_another(self) -> None:
        self._say("lost")

    def failed(self, code: int, cause: str) -> None:
        """Comes back when the watcher has dealt with it, or is gone: what ends the run ends the way to be heard."""
        cause = " ".join(cause.split())
        if self._line is None:
            print(f"ratecert: {sentence(self._rank, self._round, cause)}", file=sys.stderr, flush=True)
            return
        with suppress(OSError):
            self._say(f"failed {code} {cause}")
            self._line.settimeout(PATIENCE)
            self._line.recv(1)

    def close(self) -> None:
        if self._line is not None:
            self._line.close()

    def _say(self, words: str) -> None:
        if self._line is not None:
            self._line.sendall(f"{words}\n".encode())


def sentence(rank: int | None, round: int, cause: str) -> str:
    who = "a device without a rank yet" if rank is None else f"the device of rank {rank}"
    when = f"in round {round}" if round else "before its first round"
    return f"{who} failed {when}, and the run ended with it: {cause.rstrip('.')}."


def address() -> str | None:
    return os.environ.get(ADDRESS)
