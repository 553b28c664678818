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
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from joblib import Parallel, cpu_count, delayed
from threadpoolctl import threadpool_limits

from ratecert.base.asked import all_asked, ask_for
from ratecert.base.errors import BugError, UndecidedError
from ratecert.claims.claim import Json, Task
from ratecert.solvers.engines.engine_choice import preferred, preferred_engine

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


_cluster: ContextVar[Cluster | None] = ContextVar("_cluster", default=None)
_inside: ContextVar[bool] = ContextVar("_inside", default=False)  # this process works for another one


def on_cluster() -> bool:
    """Whether calls go to the workers of a cluster."""
    return _cluster.get() is not None


@contextmanager
def using(cluster: Cluster) -> Iterator[None]:
    """Send all calls of this block to a cluster."""
    before = _cluster.set(cluster)
    try:
        yield
    finally:
        _cluster.reset(before)


@contextmanager
def inside() -> Iterator[None]:
    """On a worker: run calls inside this block one after the other."""
    before = _inside.set(True)
    try:
        yield
    finally:
        _inside.reset(before)


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
    calls, cluster = list(calls), _cluster.get()
    if cluster is not None:
        yield from cluster.as_finished(function, calls, lost)
        return
    jobs = min(jobs, cpu_count(), max(1, len(calls)))
    if jobs == 1 or _inside.get():
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
    calls, cluster = list(calls), _cluster.get()
    size = -(-len(calls) // (SHARES * (cluster.workers if cluster else jobs))) or 1
    shares = [(function, first, calls[first : first + size]) for first in range(0, len(calls), size)]
    found = dict(as_finished(_share, shares, jobs))
    return [value for first in sorted(found) for value in found[first]]


def _share(function: Callable[..., T], first: int, calls: Sequence[Sequence[Any]]) -> tuple[int, list[T]]:
    return first, [function(*call) for call in calls]


def _begin(parent: int, papers: dict[str, str]) -> None:
    """In a new process: the papers that the user named, and a watch, so that it does not outlive the parent."""
    _inside.set(True)
    ask_for(papers)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


@dataclass(frozen=True)
class Computed:
    value: Json = None
    failure: str = ""  # why there is no value


class Store(Protocol):
    """Where finished tasks are stored, by key."""

    def load(self, task: Task) -> str | None:
        """The value as JSON, if the task has been computed before."""

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
    """key -> outcome, in the order of the tasks. `finished` is called after each task; longer tasks start first.

    A task with a bug raises BugError, after all others have been computed and stored.
    """
    unique = {key(task): task for task in tasks}
    outcomes: dict[str, Computed] = {}
    for name, task in unique.items():
        stored = store.load(task) if store else None
        if stored is not None:
            outcomes[name] = Computed(json.loads(stored))
            finished(task)
    missing = sorted((n for n in unique if n not in outcomes), key=lambda n: -unique[n].seconds)
    calls = [(n, unique[n], preferred()) for n in missing]
    bugs: list[BugError] = []
    with closing(as_finished(_one, calls, jobs, lost=_lost)) as found:
        for name, text, failure, details in found:
            if details:
                bugs.append(BugError(failure, details))
            elif not failure and store:
                store.save(unique[name], text)
            outcomes[name] = Computed(failure=failure) if failure else Computed(json.loads(text))
            finished(unique[name])
    if bugs:
        raise bugs[0]
    return {name: outcomes[name] for name in unique}


def _one(name: str, task: Task, engine: str) -> tuple[str, str, str, str]:
    """The name, the value as JSON, why there is none, and the traceback of a bug."""
    try:
        with threadpool_limits(limits=1, user_api="blas"), preferred_engine(engine):
            return name, _finite(task, task.function(**task.arguments)), "", ""
    except UndecidedError as error:
        return name, "", str(error), ""
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  a bug; it travels between processes as text, and is raised at the end
        return name, "", f"{task}: {type(error).__name__}: {error}", traceback.format_exc()


def _finite(task: Task, value: Json) -> str:
    try:
        return as_json(value)
    except ValueError as error:
        raise UndecidedError(f"{task} gave a number that is not finite.") from error


def _lost(name: str, task: Task, _engine: str, why: str) -> tuple[str, str, str, str]:
    return name, "", f"{task}: {why}", ""
