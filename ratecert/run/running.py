"""Runs pieces, in this process, in several or on a cluster, each once however many claims ask for it.

Values pass through JSON even where nothing leaves the process, so that a value does not depend on the way it came. A
piece for which there is no number (UndecidedError) says why in a sentence, and the claims that need it are undecided.
Any other exception is a bug: the other pieces are computed and kept, and then it is raised. Each piece runs on one BLAS
thread: the same digits whatever the number of jobs.
"""

import json
import os
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from joblib import Parallel, cpu_count, delayed
from threadpoolctl import threadpool_limits

from ratecert.asked import all_asked, ask_for
from ratecert.claim.claim import Json, Piece
from ratecert.errors import BugError, UndecidedError
from ratecert.run import cluster
from ratecert.solvers.engines.engine_choice import preferred, preferred_engine

T = TypeVar("T")


@dataclass(frozen=True)
class Outcome:
    value: Json = None
    failure: str = ""  # why there is no value


class Store(Protocol):
    """Where finished pieces are kept, by key."""

    def load(self, piece: Piece) -> str | None:
        """The value as JSON, if the piece has been computed before."""

    def save(self, piece: Piece, value: str) -> None: ...


class Nowhere:
    """Keeps nothing."""

    def load(self, piece: Piece) -> str | None:
        return None

    def save(self, piece: Piece, value: str) -> None:
        return None


def key(piece: Piece) -> str:
    """The same text for the same computation."""
    return f"{piece}({as_json(dict(piece.arguments))})"


def as_json(value: Json) -> str:
    return json.dumps(value, sort_keys=True, allow_nan=False, ensure_ascii=False)


def run_pieces(
    pieces: Iterable[Piece],
    *,
    jobs: int = 1,
    store: Store | None = None,
    finished: Callable[[Piece], None] = lambda _: None,
) -> dict[str, Outcome]:
    """key -> outcome, in the order of the pieces. `finished` is called after each piece; longer pieces start first.

    A piece with a bug raises BugError, after all others have been computed and kept.
    """
    store = Nowhere() if store is None else store
    unique = {key(piece): piece for piece in pieces}
    outcomes: dict[str, Outcome] = {}
    for name, piece in unique.items():
        kept = store.load(piece)
        if kept is not None:
            outcomes[name] = Outcome(json.loads(kept))
            finished(piece)
    missing = sorted((n for n in unique if n not in outcomes), key=lambda n: -unique[n].seconds)
    calls = [(n, unique[n], preferred()) for n in missing]
    bugs: list[BugError] = []
    for name, text, failure, details in in_processes(_one, calls, jobs, lost=_lost):
        if details:
            bugs.append(BugError(failure, details))
        elif not failure:
            store.save(unique[name], text)
        outcomes[name] = Outcome(failure=failure) if failure else Outcome(json.loads(text))
        finished(unique[name])
    if bugs:
        raise bugs[0]
    return {name: outcomes[name] for name in unique}


def in_processes(
    function: Callable[..., T],
    calls: Sequence[Sequence[Any]],
    jobs: int,
    *,
    lost: Callable[..., T] | None = None,
) -> Iterable[T]:
    """The values of the calls, as they finish: of this process with one job, of the workers inside `cluster.workers`.

    `lost(*call, why=...)` stands for the value of a call that no worker of a cluster survives.
    """
    backend = cluster.backend(lost)
    jobs = jobs if backend else min(jobs, cpu_count(), max(1, len(calls)))
    if jobs == 1 and not backend:
        return (function(*call) for call in calls)
    each = parallel(jobs, lost, return_as="generator_unordered", batch_size=1, pre_dispatch=2 * jobs)
    values: Iterable[T] = each(delayed(function)(*call) for call in calls)
    return values


def parallel(jobs: int, lost: Callable[..., Any] | None = None, **options: Any) -> Parallel:
    """joblib's `Parallel`: on the workers of a cluster, or on processes that end with this one and run its papers."""
    backend = cluster.backend(lost)
    own = {"backend": backend} if backend else {"initializer": _begin, "initargs": (os.getpid(), all_asked())}
    return Parallel(n_jobs=jobs, **own, **options)


def _begin(parent: int, papers: dict[str, str]) -> None:
    """In a new process: the papers that the user named, and a watch, so that it does not outlive the parent."""
    ask_for(papers)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def _one(name: str, piece: Piece, engine: str) -> tuple[str, str, str, str]:
    """The name, the value as JSON, why there is none, and the traceback of a bug."""
    try:
        with threadpool_limits(limits=1, user_api="blas"), preferred_engine(engine):
            return name, _finite(piece, piece.function(**piece.arguments)), "", ""
    except UndecidedError as error:
        return name, "", str(error), ""
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  a bug; it travels between processes as text, and is raised at the end
        return name, "", f"{piece}: {type(error).__name__}: {error}", traceback.format_exc()


def _finite(piece: Piece, value: Json) -> str:
    try:
        return as_json(value)
    except ValueError as error:
        raise UndecidedError(f"{piece} gave a number that is not finite.") from error


def _lost(name: str, piece: Piece, _engine: str, why: str) -> tuple[str, str, str, str]:
    return name, "", f"{piece}: {why}", ""
