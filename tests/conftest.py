"""When a test runs, by markers alone, and how long each takes.

`nightly` stands on a test, a file or a parameter that takes too long for every change; `by_night` names parameters by
their ids or by how these begin. build/durations.json has the seconds of computing of every test that has run, by name.
A run without `-m "not nightly"`, as at night, fails a test that is not marked and takes more than LIMIT: whoever
changes a line would wait for it. Not where coverage counts lines, which makes loops several times slower.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from oracles.stored_tasks import KEPT

LIMIT = 3.0  # seconds of computing
DURATIONS = Path(__file__).parents[1] / "build" / "durations.json"
SECONDS = pytest.StashKey[float]()
TAKEN: dict[str, float] = {}

os.environ.pop("COLUMNS", None)  # workers have one; what is written to a file or a pipe has no width


@pytest.fixture(autouse=True, scope="session")
def _stored_tasks(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> None:
    """One folder for all workers, whose own folders lie in the session's; none where coverage counts lines."""
    own = tmp_path_factory.getbasetemp()
    session = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    if not request.config.getoption("cov_source", None):
        KEPT.folder = session / "stored_tasks"
        KEPT.folder.mkdir(exist_ok=True)


@pytest.fixture(autouse=True)
def _forgotten_modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What a test imports from a folder of its own is no module that the next one finds."""
    before, path, folder = set(sys.modules), sys.path[:], str(tmp_path_factory.getbasetemp())
    yield
    sys.path[:] = path
    for name in set(sys.modules) - before:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(folder):
            del sys.modules[name]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Parameters that `by_night` names are nightly; a name that fits none of them has grown old."""
    fitting: dict[tuple[str, str], bool] = {}
    for item in items:
        for name in (name for mark in item.iter_markers("by_night") for name in mark.args):
            fits = item.name.partition("[")[2].startswith(name)
            test = item.nodeid.partition("[")[0]
            fitting[test, name] = fitting.get((test, name), False) or fits
            if fits:
                item.add_marker(pytest.mark.nightly)
    old = [f"{test}[{name}" for (test, name), fits in fitting.items() if not fits]
    if old and not any("::" in argument for argument in config.args):
        raise pytest.UsageError(
            f"no parameter is called {', '.join(old)}: bring the marker by_night up to date."
        )


def computing() -> float:
    """Seconds of this process and of those that it has waited for."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    begun = computing()
    try:
        return (yield)
    finally:
        item.stash[SECONDS] = computing() - begun


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    report = yield
    if call.when == "call":
        report.computing = seconds = round(item.stash[SECONDS], 2)
        by_day = "not nightly" in item.config.option.markexpr
        traced = item.config.getoption("cov_source", None)
        if report.passed and seconds > LIMIT and not (by_day or traced or item.get_closest_marker("nightly")):
            report.outcome = "failed"
            report.longrepr = (
                f"{seconds} s of computing, for which every change waits: make it smaller or nightly."
            )
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" and hasattr(report, "computing"):
        TAKEN[report.nodeid] = report.computing


def pytest_sessionfinish(session: pytest.Session) -> None:
    """The process that has all reports writes them down, beside those of earlier runs."""
    if not TAKEN or hasattr(session.config, "workerinput") or not os.access(DURATIONS.parents[1], os.W_OK):
        return
    DURATIONS.parent.mkdir(exist_ok=True)
    try:
        known = json.loads(DURATIONS.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        known = {}
    written = DURATIONS.with_suffix(f".{os.getpid()}")
    written.write_text(json.dumps(dict(sorted((known | TAKEN).items())), indent=0) + "\n", encoding="utf-8")
    written.replace(DURATIONS)
