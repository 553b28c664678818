"""Values of the tasks of claims, each computed once in a session, whichever test and whichever worker asks first.

A value lies in a folder of the session, in a file named by what it computes; `tests/conftest.py` names the folder.
Without one, as under coverage, which has to see the lines run, each process keeps its own. Values are those of the
sources as they are: a test that substitutes something asks before it does, or computes for itself.
"""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ratecert.claims.claim import Budget, Claim, Task, rows_of
from ratecert.claims.rows import Rows
from ratecert.run.tasks import key, run_tasks


class StoredTasks:
    """A store for `run_tasks`. A file is there whole or not at all, so two workers may write the same one."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self.own: dict[str, str] = {}  # of this process

    def load(self, task: Task) -> str | None:
        path = self._path(task)
        if path and path.exists():
            return path.read_text("utf-8")
        return self.own.get(key(task))

    def save(self, task: Task, value: str) -> None:
        self.own[key(task)] = value
        path = self._path(task)
        if path:
            own = path.with_suffix(f".{os.getpid()}")
            own.write_text(value, "utf-8")
            own.replace(path)

    def _path(self, task: Task) -> Path | None:
        return self.folder and self.folder / hashlib.sha256(key(task).encode()).hexdigest()


KEPT = StoredTasks()


def values_of(tasks: Iterable[Task]) -> list[Any]:
    """Task by task, so that what another worker finishes meanwhile is not computed again."""
    outcomes = [outcome for task in tasks for outcome in run_tasks([task], store=KEPT).values()]
    assert not [outcome.failure for outcome in outcomes if outcome.failure]
    return [outcome.value for outcome in outcomes]


def rows_from(claim: Claim, budget: Budget) -> Rows:
    """All rows of a claim at this budget."""
    tasks = claim.tasks(budget)
    return rows_of(tasks, values_of(tasks))
