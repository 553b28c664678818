"""Tests marked `untraced` run without coverage's tracing, which makes tight loops up to four times slower.

They are long computations whose lines other tests run as well. So are the twins of claims, which substitute something
wrong and run what the test of the claim itself runs.
"""

from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from oracles.tracing import paused_tracing

CLAIMS = ("test_claims_", "test_linear_speedup", "test_delta_q", "test_communication_period")


@pytest.fixture(autouse=True)
def _untraced(request: pytest.FixtureRequest) -> Iterator[None]:
    untraced = request.node.get_closest_marker("untraced") or _is_twin(request)
    with paused_tracing() if untraced else nullcontext():
        yield


def _is_twin(request: pytest.FixtureRequest) -> bool:
    about_claims = request.path.name.startswith(CLAIMS)
    return about_claims and "monkeypatch" in request.fixturenames
