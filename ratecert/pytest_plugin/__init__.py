"""The pytest plugin: rates that a test suite remembers, and tables and figures of the assertions that fail.

    rate_regression   the fixture: this exponent is the recorded one, up to its interval
    --rate-update     record what the tests measure, and remove what no test measures any more
    --rate-figures    the folder for figures of failed assertions
    rate_baseline     ini: one file for all records; without it, rate_baseline.json beside each test file

It starts with every run of pytest, so this module and what it imports take the standard library and pytest alone;
numbers and figures are imported by the test that needs them. docs/pytest_plugin.md has a project that uses it.
"""

import hashlib
import os
import re
import sys
import warnings
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ratecert.base.files import write_text
from ratecert.pytest_plugin.fixture import RateRegression
from ratecert.pytest_plugin.records import NAME, baseline_for
from ratecert.pytest_plugin.update import Updating

if TYPE_CHECKING:
    from ratecert.testing.evidence import Evidence

__all__ = ["rate_regression"]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("rates", "rates of convergence (ratecert)")
    group.addoption(
        "--rate-update",
        action="store_true",
        help="record the exponents that rate_regression measures, remove those that no test measures any more",
    )
    group.addoption(
        "--rate-figures",
        metavar="DIR",
        help="folder for the figures of failed assertions; default: .rate_figures in the root folder",
    )
    parser.addini("rate_baseline", f"file for all recorded exponents; default: {NAME} beside each test file")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("rate_update") and not config.getoption("collectonly"):
        config.pluginmanager.register(Updating(config), "ratecert-updating")


@pytest.fixture
def rate_regression(request: pytest.FixtureRequest) -> RateRegression:
    """rate_regression((x, y)): fails unless the exponent of y in x is the recorded one, up to its interval."""
    item, config = request.node, request.config
    return RateRegression(
        item=item,
        baseline=baseline_for(config, item.path),
        update=config.getoption("rate_update"),
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failed assertion that carries its numbers shows them, and its figure is saved."""
    report = yield
    ours = sys.modules.get("ratecert.testing.evidence")  # where nobody has imported it, it cannot have failed
    evidence = getattr(call.excinfo.value, "evidence", None) if call.excinfo else None
    text: Any = report.longrepr  # plain text where another plugin made it
    if ours and isinstance(evidence, ours.Evidence) and hasattr(text, "addsection"):
        folder = item.config.getoption("rate_figures")
        here = item.config.invocation_params.dir
        folder = here / folder if folder else item.config.rootpath / ".rate_figures"
        text.addsection("rate", show(evidence, item.nodeid, folder=Path(folder), here=here))
    return report


def show(evidence: "Evidence", test: str, *, folder: Path, here: Path) -> str:
    """The table; the figure goes into `folder` and is named as seen from `here`.

    A folder that cannot be written does not hide the failure that is to be shown.
    """
    if evidence.chart is None:
        return "\n".join(evidence.table)
    path = folder / figure_name(test)
    named = Path(os.path.relpath(path, here)).as_posix() if path.is_relative_to(here) else str(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with warnings.catch_warnings():  # the suite of a user may turn them into errors
            warnings.simplefilter("ignore")
            from ratecert.base.drawing import svgs

            write_text(path, svgs(evidence.chart)[0])
    except OSError as error:
        named = f"not saved: {error}"
    return "\n".join([*evidence.table, f"figure     {named}"])


def figure_name(test: str) -> str:
    """Readable, and different for different tests."""
    readable = re.sub(r"[^\w.-]+", "-", test, flags=re.ASCII).strip("-")[-80:]
    return f"{readable}-{hashlib.sha256(test.encode()).hexdigest()[:6]}.svg"
