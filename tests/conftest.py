"""Tests marked `untraced` run without coverage's tracing, which makes tight loops up to four times slower.

They are long computations whose lines other tests run as well.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _untraced(request: pytest.FixtureRequest) -> Iterator[None]:
    with ExitStack() as paused:
        if request.node.get_closest_marker("untraced"):
            for tracer in iter(_tracer, None):
                tracer.stop()
                paused.callback(tracer.start)
        yield


def _tracer() -> Any:
    """Coverage, as long as it is measuring (workers have it twice); it is an extra of the developers."""
    try:
        from coverage import Coverage
    except ImportError:
        return None
    return Coverage.current()
