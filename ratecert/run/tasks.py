"""Computes tasks: in this process, in several or on a cluster, each once however many claims ask for it.

Values pass through JSON even where nothing leaves the process, so that a value does not depend on the way it came. A
task for which there is no number (UndecidedError) says why in a sentence, and the claims that need it are undecided.
Any other exception is a bug: the other tasks are computed and stored, and then it is raised. Each task runs on one BLAS
thread: the same digits whatever the number of jobs.

`as_finished` and `in_order` are the one way to work in parallel, for searches too. A call inside a call runs in the
same process. Processes end with this one and know the papers that its user has named.
"""

import json
import os
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from joblib import Parallel, cpu_count, delayed
from threadpoolctl import threadpool_limits

from ratecert.base.asked import all_asked, ask_for
from ratecert.base.errors import BugError, UndecidedError
from ratecert.claims.claim import Json, Task

T = TypeVar("T")
SHARES = 4  # parts of the calls that each process gets of a map in order, so that none has long to wait


class Cluster(Protocol):
    """Workers elsewhere (dask.py)."""

    @property
    def workers(self) -> int:
        """How many there were at the start."""

    def as_finished(
        self, function: Callable[..., T], calls: Sequence[Sequence[Any]], lost: Callable[..., T] | None
    ) -> Generator[T, None, None]: ...


cluster: ContextVar[Cluster | None] = ContextVar("cluster", default=None)  # where all calls go
_for_another: ContextVar[bool] = ContextVar("_for_another", default=False)


def work_for_another(papers: dict[str, str]) -> None:
    """In a process of another one: run calls one after the other, and the papers that its user has named."""
    _for_another.set(True)
    ask_for(papers)


def as_finished(
    function: Callable[..., T],
    calls: Iterable[Sequence[Any]],
    jobs: int,
    *,
    lost: Callable[..., T] | None = None,
) -> Generator[T, None, None]:
    """The values of the calls, as they finish; with one job those of this process.

    `lost(*call, why=...)` is the value of a call that no worker of a cluster survives; without it that ends the run.
    """
    calls, elsewhere = list(calls), cluster.get()
    if elsewhere is not None:
        yield from elsewhere.as_finished(function, calls, lost)
        return
    jobs = min(jobs, cpu_count(), max(1, len(calls)))
    if jobs == 1 or _for_another.get():
        yield from (function(*call) for call in calls)
        return
    each = Parallel(
        n_jobs=jobs,
        return_as="generator_unordered",
        batch_size=1,
        pre_dispatch=2 * jobs,
        initializer=_begin,
        initargs=(os.getpid(), all_asked()),
    )
    with closing(each(delayed(function)(*call) for call in calls)) as values:
        yield from values


def in_order(function: Callable[..., T], calls: Iterable[Sequence[Any]], jobs: int) -> list[T]:
    """The values of the calls, which may be short: each process gets several at once."""
    calls, elsewhere = list(calls), cluster.get()
    size = -(-len(calls) // (SHARES * (elsewhere.workers if elsewhere else jobs))) or 1
    shares = [(function, first, calls[first : first + size]) for first in range(0, len(calls), size)]
    found = dict(as_finished(_share, shares, jobs))
    return [value for first in sorted(found) for value in found[first]]


def _share(function: Callable[..., T], first: int, calls: Sequence[Sequence[Any]]) -> tuple[int, list[T]]:
    return first, [function(*call) for call in calls]


def _begin(parent: int, papers: dict[str, str]) -> None:
    """In a new process: a watch, so that it does not outlive its parent."""
    work_for_another(papers)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


@dataclass(frozen=True)
class Computed:
    """The value of a task as JSON, or why there is none."""

    text: str = ""
    failure: str = ""
    bug: str = ""  # the traceback, where the failure is a bug

    @property
    def value(self) -> Json:
        return json.loads(self.text)


class Store(Protocol):
    """Where the values of finished tasks are, as JSON."""

    def load(self, task: Task) -> str | None: ...

    def save(self, task: Task, value: str) -> None: ...


def key(task: Task) -> str:
    """The same text for the same computation."""
    return f"{task}({as_json(dict(task.arguments))})"


def as_json(value: Json) -> str:
    return json.dumps(value, sort_keys=True, allow_nan=False, ensure_ascii=False)


def run_tasks(
    tasks: Iterable[Task],
    *,
    jobs: int = 1,
    store: Store | None = None,
    finished: Callable[[Task], None] = lambda _: None,
) -> dict[str, Computed]:
    """key -> what was found, in the order of the tasks. `finished` is called after each; longer tasks start first.

    A task with a bug raises BugError, after all others have been computed and stored.
    """
    unique = {key(task): task for task in tasks}
    found: dict[str, Computed] = {}
    for name, task in unique.items():
        text = store.load(task) if store else None
        if text is not None:
            found[name] = Computed(text)
            finished(task)
    missing = sorted((name for name in unique if name not in found), key=lambda name: -unique[name].seconds)
    calls = [(name, unique[name]) for name in missing]
    with closing(as_finished(_one, calls, jobs, lost=_lost)) as values:
        for name, computed in values:
            if store and not computed.failure:
                store.save(unique[name], computed.text)
            found[name] = computed
            finished(unique[name])
    for computed in found.values():
        if computed.bug:
            raise BugError(computed.failure, computed.bug)
    return {name: found[name] for name in unique}


def _one(name: str, task: Task) -> tuple[str, Computed]:
    try:
        with threadpool_limits(limits=1, user_api="blas"):
            value = task.function(**task.arguments)
        try:
            return name, Computed(as_json(value))
        except ValueError as error:
            raise UndecidedError(f"{task} gave a number that is not finite.") from error
    except UndecidedError as error:
        return name, Computed(failure=str(error))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  a bug; it travels between processes as text, and is raised at the end
        return name, Computed(failure=f"{task}: {type(error).__name__}: {error}", bug=traceback.format_exc())


def _lost(name: str, task: Task, why: str) -> tuple[str, Computed]:
    return name, Computed(failure=f"{task}: {why}")
