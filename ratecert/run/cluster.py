"""The workers of a Dask cluster in the place of this machine's processes.

Inside `with workers(None, address)` every sweep sends its calls to the scheduler at the address, through a backend of
joblib. A call comes back with the value that one process gives: workers must run the same sources, the same Python and
the same libraries, and each must have one thread, because the precision of mpmath belongs to a whole process.

A worker that dies takes nothing with it: Dask gives its calls to others. It gives a call up (KilledWorker) when too
many workers died that had it, be it at work or only waiting there. So such a call is tried once more, with no other
call of the run beside it; only if its workers die again it is lost, which is then its own doing.

joblib has a Dask backend of its own. It waits for ever for a call that Dask has given up, computes in this process
where a cluster has one worker, and sends nested parallel calls back to the cluster, where they run beside others.
"""

import asyncio
import hashlib
import logging
import os
import platform
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.metadata import version
from threading import Lock
from typing import Any, TypeAlias

from joblib.parallel import AutoBatchingMixin, ParallelBackendBase, SequentialBackend

from ratecert.asked import all_asked, ask_for
from ratecert.errors import ClusterError, UserError
from ratecert.run.code_version import sources, versions

Client: TypeAlias = (
    Any  # these three are Dask's, whose types are not known where the extra `cluster` is missing
)
Future: TypeAlias = Any
Worker: TypeAlias = Any
PATIENCE = 5.0  # seconds in which a scheduler has to answer
ARRIVAL = 15.0  # seconds in which its first worker has to be there
HOW = "start workers with `dask worker ADDRESS --nthreads 1`"
_connected: ContextVar[Client | None] = ContextVar("_connected", default=None)


@contextmanager
def workers(jobs: int | None, scheduler: str | None) -> Iterator[int | None]:
    """How many calls may run at once: `jobs` as it is, or with a scheduler the number of its workers."""
    if scheduler is None:
        yield jobs
        return
    if jobs is not None:
        raise UserError(
            f"jobs counts processes of this machine and scheduler names a cluster, whose workers are all used, got "
            f"jobs = {jobs} and scheduler = {scheduler!r}; leave one of them out."
        )
    with _quiet(), _connection(scheduler) as client:
        number = _fit(client, scheduler)
        before = _connected.set(client)
        try:
            yield number
        finally:
            _connected.reset(before)


def backend(lost: Callable[..., Any] | None = None) -> "OnDask | None":
    """For joblib: the cluster inside `workers`, None elsewhere, which is joblib's own choice.

    `lost(*call, why=...)` is the value of a call that is lost; without it the whole run ends.
    """
    client = _connected.get()
    return None if client is None else OnDask(client, lost)


@contextmanager
def _quiet() -> Iterator[None]:
    """Dask reports every lost connection, also those that it mends, to the log; what matters is said in sentences."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def dask() -> Any:
    """The package; imported here alone, because it is heavy and need not be there."""
    try:
        import distributed
    except ImportError as error:
        raise ClusterError(
            f"a scheduler needs Dask, which is not installed ({error}); install ratecert with its extra cluster."
        ) from error
    return distributed


@contextmanager
def _connection(address: str) -> Iterator[Client]:
    distributed = dask()
    _require_scheduler(address)
    try:
        with warnings.catch_warnings():  # of versions that differ; those that matter are refused below
            warnings.simplefilter("ignore", distributed.versions.VersionMismatchWarning)
            client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except OSError as error:
        raise ClusterError(_silent(address, error)) from error
    try:
        yield client
    finally:
        client.close(timeout=PATIENCE)


def _require_scheduler(address: str) -> None:
    """Ask who is there, before a client is made: that one waits for ever where somebody listens and says nothing."""
    try:
        found = asyncio.run(_identity(address))
    except (
        TypeError,
        ValueError,
        RuntimeError,
    ) as error:  # the last one where Dask is told to speak TLS alone
        raise ClusterError(
            f"scheduler must be an address such as tcp://host:8786, got {address!r} ({_first_line(error)})."
        ) from error
    except OSError as error:
        raise ClusterError(_silent(address, error)) from error
    if found.get("type") != "Scheduler":
        raise ClusterError(
            f"scheduler must be the address of a scheduler, but at {address} is a {found.get('type')}; take the one "
            f"that `dask scheduler` prints."
        )


async def _identity(address: str) -> Mapping[str, Any]:
    security = dask().Security().get_connection_args("client")
    async with dask().rpc(address, timeout=PATIENCE, connection_args=security) as there:
        longer = PATIENCE + 1  # so that where nobody listens, rpc says why
        found: Mapping[str, Any] = await asyncio.wait_for(there.identity(), longer)
        return found


def _silent(address: str, error: Exception) -> str:
    cause: BaseException | None = error
    why = ""
    while cause is not None:  # the first cause that says anything
        why, cause = _first_line(cause) or why, cause.__cause__
    return (
        f"the scheduler at {address} does not answer within {PATIENCE:g} s{f' ({why})' if why else ''}; start it with "
        f"`dask scheduler` and give the address that it prints."
    )


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [""])[0].rstrip(".")


def _fit(client: Client, address: str) -> int:
    """The number of workers, all of which can do the work."""
    try:
        client.wait_for_workers(1, timeout=ARRIVAL)
    except TimeoutError as error:
        raise ClusterError(
            f"the scheduler at {address} has no worker after {ARRIVAL:g} s; {HOW}, and wait until they are there."
        ) from error
    answers = client.run(unfit, about(), on_error="return")
    for worker, answer in answers.items():
        if isinstance(answer, Exception):
            raise ClusterError(
                f"worker {worker} cannot say which version of ratecert it has ({_first_line(answer)}); install the "
                f"version that runs here on every worker, with its extra cluster."
            )
        if answer:
            raise ClusterError(answer)
    return len(answers)


@cache
def about() -> dict[str, str]:
    """What has to be the same everywhere, as it was when this process first looked."""
    found = {"Python": platform.python_version()}
    found |= versions() | {library: version(library) for library in ("joblib", "dask", "distributed")}
    digest = hashlib.sha256()
    for name, path in sources().items():
        digest.update(f"{name}\0".encode() + path.read_bytes() + b"\0")
    return found | {"the sources of ratecert": digest.hexdigest()[:12]}


def unfit(here: Mapping[str, str], dask_worker: Worker) -> str:
    """On a worker: why it may not work for a client that is like `here`, in a sentence; nothing if it may."""
    threads, address = dask_worker.state.nthreads, dask_worker.address
    if threads != 1:
        return (
            f"worker {address} has {threads} threads and must have 1, because the precision of mpmath belongs to a "
            f"whole process; {HOW}."
        )
    for what, theirs in about().items():
        if theirs != here.get(what):
            return (
                f"worker {address} has another version of {what} ({theirs}, here {here.get(what)}); install the same "
                f"on both sides and start the worker again."
            )
    return ""


def on_worker(here: Mapping[str, str], papers: dict[str, str], batch: Callable[[], list[Any]]) -> list[Any]:
    """A call, on a worker that may have come after the run began."""
    why = unfit(here, dask().get_worker())
    if why:
        raise ClusterError(why)
    ask_for(papers)
    return batch()


async def start_anew(dask_worker: Worker) -> None:  # Dask waits for what is not async
    """On a worker: end, in the middle of a piece, where a nanny starts the next one; without a nanny, go on."""
    if dask_worker.nanny is not None:
        os._exit(1)


@dataclass(eq=False)
class _Call:
    batch: Any  # joblib's BatchedCalls
    callback: Callable[[Any], None]
    tried: int = 0


@dataclass
class _Hand:
    """What this run has on the cluster."""

    running: dict[str, Future] = field(default_factory=dict)
    given_up: deque[_Call] = field(default_factory=deque)
    stopped: bool = False


class OnDask(AutoBatchingMixin, ParallelBackendBase):  # type: ignore[misc]  # joblib has no types
    """joblib's calls as tasks of a cluster, several short ones in one task where the caller leaves that to joblib."""

    supports_retrieve_callback = True
    tries = 2  # of a call that Dask gives up; all but the first are made alone

    def __init__(self, client: Client, lost: Callable[..., Any] | None) -> None:
        super().__init__()
        self.client, self.lost = client, lost
        self.lock, self.hand = Lock(), _Hand()

    def effective_n_jobs(self, n_jobs: int) -> int:
        """At least 2: with 1, joblib computes here."""
        return max(2, n_jobs)

    def get_nested_backend(self) -> tuple[SequentialBackend, int]:
        """Parallel calls inside a call run one after the other."""
        return SequentialBackend(nesting_level=1), 1

    def start_call(self) -> None:
        self.hand = _Hand()

    def submit(self, func: Any, callback: Callable[[Any], None]) -> _Call:
        call = _Call(func, callback)
        self._send(call)
        return call

    def _send(self, call: _Call) -> None:
        with self.lock:
            if self.hand.stopped:
                return
            call.tried += 1
            future = self.client.submit(on_worker, about(), all_asked(), call.batch, pure=False)
            self.hand.running[future.key] = future
        future.add_done_callback(partial(self._done, call))

    def _done(self, call: _Call, future: Future) -> None:
        """Called in a thread of Dask's, one call after the other."""
        given_up = future.status == "error" and isinstance(future.exception(), dask().KilledWorker)
        again = given_up and call.tried < self.tries
        with self.lock:
            self.hand.running.pop(future.key, None)
            if again:
                self.hand.given_up.append(call)
        if not again:
            call.callback((call.batch, future))
        self._try_again()

    def _try_again(self) -> None:
        """One of the calls that Dask has given up, when no other call of this run is there."""
        with self.lock:
            if self.hand.running or not self.hand.given_up:
                return
            call = self.hand.given_up.popleft()
        self._send(call)

    def retrieve_result_callback(self, out: tuple[Any, Future]) -> list[Any]:
        batch, future = out
        try:
            values: list[Any] = future.result()
        except dask().KilledWorker as error:
            why = f"every worker that had it died, the last one at {error.last_worker.address}"
            if self.lost is None:
                raise ClusterError(f"a computation is lost: {why}.") from error
            return [self.lost(*call, why=why) for _, call, _ in batch.items]
        except (CancelledError, dask().comm.CommClosedError) as error:
            raise ClusterError(
                "the scheduler is gone, and with it what was on its way; what was finished is kept: start the cluster "
                "and the command again."
            ) from error
        return values

    def abort_everything(self, ensure_ready: bool = True) -> None:
        """Nothing of this run goes on: what waits is cancelled, and workers that are at it start anew."""
        with self.lock:
            self.hand.stopped = True
            futures = list(self.hand.running.values())
        if futures and self.client.status == "running":
            with suppress(OSError):  # a scheduler that is gone has nothing to stop
                busy = [worker for worker, calls in self.client.call_stack(futures).items() if calls]
                self.client.cancel(futures, force=True)
                if busy:
                    self.client.run(start_anew, workers=busy, wait=False, on_error="ignore")
