"""The workers of a Dask cluster instead of this machine's processes.

Inside `with workers(address)` every call of `ratecert.run.tasks` goes to the scheduler at the address, and comes
back with the value that one process gives: workers must run the same sources, the same Python and the same libraries,
and each must have one thread, because the precision of mpmath belongs to a whole process. A worker is told which papers
the user has named. When a run ends early, what waits is cancelled, and workers in the middle of a call start anew.

A worker that dies takes nothing with it: Dask gives its calls to others. It gives a call up (KilledWorker) when too
many workers died that had it, be it at work or only waiting there. So such a call is tried once more, with no other
call of the run beside it; only if its workers die again it is lost, which is then its own doing.
"""

import asyncio
import logging
import os
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any, TypeAlias, TypeVar

from joblib import parallel_config

from ratecert.base.asked import all_asked
from ratecert.base.errors import ClusterError
from ratecert.run.store import about
from ratecert.run.tasks import cluster, work_for_another

T = TypeVar("T")
Call: TypeAlias = Sequence[Any]
Client: TypeAlias = (
    Any  # these three are Dask's, whose types are unknown where the extra `cluster` is missing
)
Future: TypeAlias = Any
Worker: TypeAlias = Any
PATIENCE = 5.0  # seconds in which a scheduler has to answer
ARRIVAL = 15.0  # seconds in which its first worker has to be there
HOW = "start workers with `dask worker ADDRESS --nthreads 1`"


@contextmanager
def workers(scheduler: str) -> Iterator[int]:
    """The number of its workers, each of which runs one call at a time."""
    # Dask reports lost connections, also those that it mends, to the log; what matters is said in sentences.
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with _connection(scheduler) as client:
            number = _fit(client, scheduler)
            token = cluster.set(Workers(client, number))
            try:
                yield number
            finally:
                cluster.reset(token)
    finally:
        logging.disable(before)


@dataclass(frozen=True)
class Workers:
    """A cluster for `ratecert.run.tasks`; twice as many calls are on their way as there were workers at the start."""

    client: Client
    workers: int

    def as_finished(
        self, function: Callable[..., T], calls: Sequence[Call], lost: Callable[..., T] | None
    ) -> Generator[T, None, None]:
        """The values as they finish."""
        given_up: list[Call] = []
        with closing(self._ended(function, calls, 2 * self.workers)) as ended:
            for call, future in ended:
                if is_given_up(future):
                    given_up.append(call)
                else:
                    yield _value(future, call, lost)
        with closing(self._ended(function, given_up, 1)) as ended:
            for call, future in ended:
                yield _value(future, call, lost)

    def _ended(
        self, function: Callable[..., T], calls: Sequence[Call], most: int
    ) -> Generator[tuple[Call, Future], None, None]:
        """The calls as they end, `most` of them on their way at once; nothing goes on after the generator."""
        waiting, sent = deque(calls), dict[Future, Call]()
        finished = dask().as_completed(loop=self.client.loop)
        try:
            while waiting or sent:
                while waiting and len(sent) < most:
                    call = waiting.popleft()
                    given = (versions(), all_asked(), function, tuple(call))
                    future = self.client.submit(on_worker, *given, pure=False)
                    sent[future] = call
                    finished.add(future)
                future = next(finished)
                yield sent.pop(future), future
        finally:
            if sent and self.client.status == "running":
                with suppress(OSError):  # a scheduler that is gone has nothing to stop
                    self._stop(list(sent))

    def _stop(self, futures: list[Future]) -> None:
        busy = [worker for worker, calls in self.client.call_stack(futures).items() if calls]
        self.client.cancel(futures, force=True)
        if busy:
            self.client.run(start_anew, workers=busy, wait=False, on_error="ignore")


def is_given_up(future: Future) -> bool:
    """Whether Dask lost too many workers that had this call."""
    return future.status == "error" and isinstance(future.exception(), dask().KilledWorker)


def _value(future: Future, call: Call, lost: Callable[..., T] | None) -> T:
    """Of a call that has ended."""
    try:
        value: T = future.result()
    except dask().KilledWorker as error:
        why = f"every worker that had it died, the last one at {error.last_worker.address}"
        if lost is None:
            raise ClusterError(f"a computation is lost: {why}.") from error
        return lost(*call, why=why)
    except (CancelledError, dask().comm.CommClosedError) as error:
        raise ClusterError(
            "the scheduler is gone, and with it what was on its way; what was finished is stored: start the cluster "
            "and the command again."
        ) from error
    return value


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
    """To the scheduler; who is there is asked first, since a client waits for ever where somebody says nothing."""
    distributed = dask()
    try:
        there = asyncio.run(_kind(address))
        with warnings.catch_warnings():  # of versions that differ; those that matter are refused below
            warnings.simplefilter("ignore", distributed.versions.VersionMismatchWarning)
            known = {"timeout": PATIENCE, "set_as_default": False}
            client = distributed.Client(address, **known) if there == "Scheduler" else None
    except (TypeError, ValueError, RuntimeError) as error:  # the last where Dask is told to speak TLS alone
        raise ClusterError(
            f"scheduler must be an address such as tcp://host:8786, got {address!r} ({_first_line(error)})."
        ) from error
    except OSError as error:
        cause: BaseException | None = error
        why = ""
        while cause is not None:  # the first cause that says anything
            why, cause = _first_line(cause) or why, cause.__cause__
        raise ClusterError(
            f"the scheduler at {address} does not answer within {PATIENCE:g} s{f' ({why})' if why else ''}; start it "
            f"with `dask scheduler` and give the address that it prints."
        ) from error
    if client is None:
        raise ClusterError(
            f"scheduler must be the address of a scheduler, but at {address} is a {there}; take the one that "
            f"`dask scheduler` prints."
        )
    try:
        yield client
    finally:
        client.close(timeout=PATIENCE)


async def _kind(address: str) -> str:
    """Of the server there."""
    security = dask().Security().get_connection_args("client")
    async with dask().rpc(address, timeout=PATIENCE, connection_args=security) as there:
        longer = PATIENCE + 1  # so that where nobody listens, rpc says why
        return str((await asyncio.wait_for(there.identity(), longer)).get("type"))


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
    answers = client.run(unfit, versions(), on_error="return")
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
def versions() -> dict[str, str]:
    """What has to be the same everywhere."""
    return about() | {library: version(library) for library in ("joblib", "dask", "distributed")}


def unfit(here: Mapping[str, str], dask_worker: Worker) -> str:
    """On a worker: why it may not work for a client that is like `here`, in a sentence; nothing if it may."""
    threads, address = dask_worker.state.nthreads, dask_worker.address
    if threads != 1:
        return (
            f"worker {address} has {threads} threads and must have 1, because the precision of mpmath belongs to a "
            f"whole process; {HOW}."
        )
    for what, theirs in versions().items():
        if theirs != here.get(what):
            return (
                f"worker {address} has another version of {what} ({theirs}, here {here.get(what)}); install the same "
                f"on both sides and start the worker again."
            )
    return ""


def on_worker(here: Mapping[str, str], papers: dict[str, str], function: Callable[..., T], call: Call) -> T:
    """A call, on a worker that may have come after the run began."""
    if why := unfit(here, dask().get_worker()):
        raise ClusterError(why)
    work_for_another(papers)
    with parallel_config("sequential"):
        return function(*call)


async def start_anew(dask_worker: Worker) -> None:  # Dask waits for what is not async
    """On a worker: end, in the middle of a call, where a nanny starts the next one; without a nanny, go on."""
    if dask_worker.nanny is not None:
        os._exit(1)
