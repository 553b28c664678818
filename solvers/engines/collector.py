"""What is built for a thousand devices are millions of objects that live until the result is there.

Python's collector would look through all of them for circles again and again, an eighth of the time; there are none.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collector() -> Iterator[None]:
    """Within it Python's collector rests, unless it did so before."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
