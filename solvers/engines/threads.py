"""Two settings of the process that the Monte Carlo engine needs to run at the machine's speed.

Freed memory is kept: every operation of a step makes an array of the same few sizes, and by default glibc hands such
memory back to the system as soon as it is free and faults it in again a moment later, which costs a quarter of the
time. Where the C library has no `mallopt` nothing is done.

Linear algebra runs on one thread: the matrices are small, and several threads wait for each other longer than they
work. Workers are processes, each with a core of its own.
"""

import ctypes
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # the numbers of these parameters in glibc's malloc.h
LARGEST = 1 << 28


@cache
def keep_freed_memory() -> None:
    """Once per process."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    mallopt(TRIM_THRESHOLD, LARGEST)
    mallopt(MMAP_THRESHOLD, LARGEST)


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread() -> Any:
    """A context in which linear algebra uses one thread."""
    return _controller().limit(limits=1, user_api="blas")
