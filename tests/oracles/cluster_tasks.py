"""What workers of a cluster compute in tests: tasks that kill their process or take too long, and others.

Files in a folder ask for it. The folder is named by an environment variable, because workers are processes of their
own; for the same reason this file imports little.
"""

import os
import signal
import time
from pathlib import Path
from typing import Any

from ratecert.claims.claim import Json
from ratecert.run.tasks import as_finished

FOLDER = "DEADLY_FOLDER"


def ask(what: str) -> Path:
    """A file that asks for something, and is there or not."""
    return Path(os.environ[FOLDER]) / what


def deadly_once(number: int) -> Json:
    """Task 3 kills its process if the file `once` is there, which it then is no longer."""
    if number == 3 and ask("once").exists():
        ask("once").unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return _value(number)


def deadly(number: int) -> Json:
    """Task 3 kills every process that it runs in."""
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return _value(number)


def slow(number: int) -> Json:
    """Tasks from 4 on take two minutes as long as the file `slow` is there."""
    if number >= 4 and ask("slow").exists():
        time.sleep(120)
    return _value(number)


def _value(number: int) -> Json:
    time.sleep(0.02)
    return [{"square": number**2 + 0.1}]


def process(number: int) -> int:
    return os.getpid()


def nested(number: int) -> set[int]:
    """Of a call and of parallel calls inside it."""
    return {os.getpid(), *as_finished(process, [(n,) for n in range(4)], 2)}


def undrawn(id: str, chart: Any) -> tuple[str, list[str]]:
    """In the place of a figure; a worker that has just started takes seconds to import what draws."""
    return id, ["<svg/>"]
