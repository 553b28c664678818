"""Tests marked `untraced` run without coverage's tracing, which makes tight loops up to four times slower.

They are long computations whose lines other tests run as well. So are the twins of claims, which substitute something
wrong and run what the test of the claim itself runs. Values of claims that nobody has changed are kept for the session.
"""

import os
from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from oracles.kept_pieces import KEPT
from oracles.tracing import paused_tracing

CLAIMS = ("test_claims_", "test_linear_speedup", "test_delta_q", "test_communication_period")


@pytest.fixture(autouse=True)
def _untraced(request: pytest.FixtureRequest) -> Iterator[None]:
    untraced = request.node.get_closest_marker("untraced") or _is_twin(request)
    with paused_tracing() if untraced else nullcontext():
        yield


@pytest.fixture(autouse=True, scope="session")
def _kept_pieces(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> None:
    """One folder for all workers, whose own folders lie in the session's; none where coverage counts lines."""
    own = tmp_path_factory.getbasetemp()
    session = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    if not request.config.getoption("cov_source", None):
        KEPT.folder = session / "kept_pieces"
        KEPT.folder.mkdir(exist_ok=True)


def _is_twin(request: pytest.FixtureRequest) -> bool:
    about_claims = request.path.name.startswith(CLAIMS)
    return about_claims and "monkeypatch" in request.fixturenames


LONG = frozenset(  # files of which every change would wait too long; they run at night
    {
        "test_benchmarks.py",
        "test_by_data.py",
        "test_changing_steps.py",
        "test_claims_algorithms.py",
        "test_claims_estimators.py",
        "test_claims_sampled.py",
        "test_claims_table.py",
        "test_claims_theorems.py",
        "test_closed_forms.py",
        "test_conformance.py",
        "test_enumeration.py",
        "test_expect_precision.py",
        "test_expect_schedules.py",
        "test_expect_witness.py",
        "test_false_alarms.py",
        "test_falsify.py",
        "test_falsify_constants.py",
        "test_fast_engine.py",
        "test_fast_one_level.py",
        "test_fast_tracing.py",
        "test_federated.py",
        "test_guides.py",
        "test_long_runs.py",
        "test_notebooks_run.py",
        "test_power.py",
        "test_reach.py",
        "test_stochastic.py",
        "test_twins.py",
        "test_world_ridge.py",
        "test_world_wavy.py",
    }
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.name in LONG:
            item.add_marker(pytest.mark.nightly)
