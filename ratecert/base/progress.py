"""How far long work is, on standard error and only where somebody watches.

Commands show bars. A computation in Python is one line after two seconds, where standard error is a terminal and
nothing above shows a progress of its own (`unwatched`). What is counted says how far it is (`told`); where nothing is
said for a while, a thread says how long it has been (`timed`).
"""

import multiprocessing
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

PATIENCE = 2.0  # seconds without a word
PAUSE = 0.2  # seconds between words
CLEAR = "\r\x1b[K"
Item = TypeVar("Item")
P = ParamSpec("P")
R = TypeVar("R")

_watched: ContextVar[bool] = ContextVar("watched", default=True)
_has_clock: ContextVar[bool] = ContextVar("has_clock", default=False)


class _LastWord:
    """When anything was said last, by whom ever: the clock does not talk over what is counted."""

    at = 0.0


@contextmanager
def unwatched() -> Iterator[None]:
    """Within this context nothing is said: whoever has opened it shows how far things are."""
    token = _watched.set(False)
    try:
        yield
    finally:
        _watched.reset(token)


def timed(function: Callable[P, R]) -> Callable[P, R]:
    """The function; while it runs and is silent, the seconds are said. Of calls inside one another the first counts."""

    @wraps(function)
    def with_clock(*given: P.args, **named: P.kwargs) -> R:
        if _has_clock.get() or not _is_watched():
            return function(*given, **named)
        done, token = threading.Event(), _has_clock.set(True)
        clock = threading.Thread(target=_tick, args=(function.__name__, done), daemon=True)
        clock.start()
        try:
            return function(*given, **named)
        finally:
            done.set()
            clock.join()
            _has_clock.reset(token)

    return with_clock


def _tick(what: str, done: threading.Event) -> None:
    begin, said = time.monotonic(), False
    while not done.wait(max(PAUSE, 0.01)):
        now = time.monotonic()
        if now - max(begin, _LastWord.at) > PATIENCE:
            said = True
            sys.stderr.write(f"{CLEAR}ratecert: {what}, {now - begin:.0f} s")
            sys.stderr.flush()
    if said:
        _say(CLEAR)


def told(items: Sequence[Item], what: str) -> Iterator[Item]:
    """The items one by one, and how many of them are done."""
    if not _is_watched():
        yield from items
        return
    said, begin = 0.0, time.monotonic()
    try:
        for done, item in enumerate(items):
            now = time.monotonic()
            if now - begin > PATIENCE and now - said > PAUSE:
                said = now
                _say(f"{CLEAR}ratecert: {done} of {len(items)} {what}, {now - begin:.0f} s")
            yield item
    finally:
        if said:
            _say(CLEAR)


def _is_watched() -> bool:
    here = multiprocessing.parent_process() is None
    return here and _watched.get() and sys.stderr is not None and sys.stderr.isatty()


def _say(text: str) -> None:
    _LastWord.at = time.monotonic()
    sys.stderr.write(text)
    sys.stderr.flush()


# Bars of commands.


@contextmanager
def progress_of(what: str, total: int, first: str = "") -> Iterator[Callable[..., None]]:
    """Call what is yielded with how many have been done and, where they have names, with that of the next."""
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    count = TextColumn("{task.completed}/{task.total}")
    name = TextColumn("{task.description}", table_column=Column(overflow="ellipsis", no_wrap=True))
    with _bars(TextColumn(what), BarColumn(bar_width=16), count, TimeElapsedColumn(), name) as progress:
        task = progress.add_task(first, total=total)
        yield lambda n, next_one="": progress.update(task, advance=n, description=next_one)


@contextmanager
def stages_of(what: str) -> Iterator[Callable[[str], None]]:
    """Call what is yielded with the name of each stage that begins, where nobody knows how many there are."""
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    with _bars(SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()) as progress:
        task = progress.add_task(what, total=None)
        yield lambda stage: progress.update(task, description=f"{what}: {stage}")


@contextmanager
def _bars(*columns: Any) -> Iterator[Any]:
    """Of rich; nothing is left of them when all is done."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    shown = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    with unwatched(), shown as progress:
        yield progress
