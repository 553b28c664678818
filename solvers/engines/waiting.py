"""How far a long computation is: one line on standard error after two seconds, and only where somebody watches.

Somebody does where standard error is a terminal and nothing above shows a progress of its own (`unwatched`).
"""

import multiprocessing
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

PATIENCE = 2.0  # seconds without a word
PAUSE = 0.2  # seconds between words
CLEAR = "\r\x1b[K"
Item = TypeVar("Item")

_watched: ContextVar[bool] = ContextVar("watched", default=True)


@contextmanager
def unwatched() -> Iterator[None]:
    """Within this context nothing is said: whoever has opened it shows how far things are."""
    token = _watched.set(False)
    try:
        yield
    finally:
        _watched.reset(token)


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
    sys.stderr.write(text)
    sys.stderr.flush()
