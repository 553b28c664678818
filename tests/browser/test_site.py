"""The site in a real browser, where `make docs` has built it: no wider than the page, and figures that fit the dark."""

from pathlib import Path
from typing import Any

import pytest

from oracles.chromium import WIDTHS, wider_than_page

SITE = Path(__file__).parents[2] / "build" / "docs"
PAGES = sorted(
    path for path in SITE.rglob("*.html") if not path.relative_to(SITE).as_posix().startswith("_modules")
)

pytestmark = pytest.mark.skipif(not PAGES, reason="the site is not built; make docs builds it")


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_sticks_out(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    found = {}
    for path in PAGES:
        page.goto(path.as_uri())
        if wide := wider_than_page(page, "main" if path.name == "explorer.html" else "[role=main]"):
            found[path.name] = wide[:2]
    assert not found


@pytest.mark.parametrize(("scheme", "turned"), [("dark", True), ("light", False)])
def test_figures_fit_the_dark(page: Any, scheme: str, turned: bool) -> None:
    """Drawn on white, they are turned round there, and only there."""
    page.emulate_media(color_scheme=scheme)
    page.goto((SITE / "index.html").as_uri())
    figure = page.locator("[role=main] img[src$='.svg']").first
    assert (figure.evaluate("node => getComputedStyle(node).filter") != "none") is turned


def test_the_explorer_answers_without_a_server(page: Any) -> None:
    """Sliders step through what was computed beforehand, and another theorem can be chosen."""
    page.goto((SITE / "explorer.html").as_uri())
    page.wait_for_selector("body[data-busy=no]")
    first = page.inner_text("#verdict")
    assert "breaks its bound here" in first
    page.locator("#at-T").evaluate("s => { s.value = 0; s.dispatchEvent(new Event('input')); }")
    page.wait_for_selector("body[data-busy=no]")
    assert page.input_value("#is-T") == "1"
    assert page.inner_text("#verdict") != first
    page.select_option("#choose-show", "parallel-sgd:sgd-descent")
    assert "is not refuted here" in page.inner_text("#verdict")
    assert not page.is_visible("#certify")
