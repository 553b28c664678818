"""Tests in a real browser; `make test-browser` runs them, and nothing else does.

`page` is a new page with an empty profile; a test that leaves an error on its console fails, whatever it asserts.
"""

import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from oracles.chromium import MISSING, complaints_of, installed, launched
from ratecert.explore.server import served


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    if find_spec("playwright") is None:
        pytest.skip("Playwright is not installed; make test-browser installs it in .venv-browser")
    if installed() is None:
        pytest.skip(MISSING)
    with launched() as found:
        yield found


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Of an explorer."""
    server = served(0)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def blank(browser: Any) -> Iterator[Any]:
    """A page that nobody watches."""
    context = browser.new_context(viewport={"width": 1366, "height": 900})
    yield context.new_page()
    context.close()


@pytest.fixture
def page(blank: Any) -> Iterator[Any]:
    complaints = complaints_of(blank)
    yield blank
    assert not complaints, f"the page complains: {complaints}"
