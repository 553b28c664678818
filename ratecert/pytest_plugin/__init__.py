"""The pytest plugin: rates that a test suite remembers, and tables and figures of the assertions that fail.

    rate_regression   the fixture: this exponent is the recorded one, up to its interval
    --rate-update     record what the tests measure, and remove what no test measures any more
    --rate-figures    the folder for figures of failed assertions
    rate_baseline     ini: one file for all records; without it, rate_baseline.json beside each test file

It starts with every run of pytest, so this module and what it imports take the standard library and pytest alone;
numbers and figures are imported by the test that needs them. docs/pytest_plugin.md has a project that uses it.
"""

import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from ratecert.pytest_plugin.baseline import NAME, baseline_for
from ratecert.pytest_plugin.regression import RateRegression
from ratecert.pytest_plugin.updating import Updating

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
    rates = sys.modules.get("ratecert.rates.asserting")  # where nobody has imported it, it cannot have failed
    evidence = getattr(call.excinfo.value, "evidence", None) if call.excinfo else None
    text: Any = report.longrepr  # plain text where another plugin made it
    if rates and isinstance(evidence, rates.EVIDENCE) and hasattr(text, "addsection"):
        from ratecert.pytest_plugin.showing import show

        folder = item.config.getoption("rate_figures")
        here = item.config.invocation_params.dir
        folder = here / folder if folder else item.config.rootpath / ".rate_figures"
        text.addsection("rate", show(evidence, item.nodeid, folder=Path(folder), here=here))
    return report
