"""The site in a real browser, where `make docs` has built it: no wider than the page, and figures that fit the dark."""

from pathlib import Path
from typing import Any

import pytest

from oracles.chromium import WIDTHS, wider_than_page

SITE = Path(__file__).parents[2] / "build" / "docs"
PAGES = sorted(
    path for path in SITE.rglob("*.html") if not path.relative_to(SITE).as_posix().startswith("_modules")
)


@pytest.mark.skipif(not PAGES, reason="the site is not built; make docs builds it")
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_sticks_out(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    found = {}
    for path in PAGES:
        page.goto(path.as_uri())
        if wide := wider_than_page(page, "[role=main]"):
            found[path.name] = wide[:2]
    assert not found
