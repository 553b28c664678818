"""What watches pages sees what it should: errors of scripts, requests that leave the machine, elements too wide."""

from typing import Any

import pytest

from oracles.chromium import WIDTHS, complaints_of, faint_text, wider_than_page


def test_a_sound_page_has_no_complaints(page: Any) -> None:
    page.set_content("<script>console.log('well')</script><p>sound</p>")
    assert page.inner_text("p") == "sound"


@pytest.mark.parametrize(
    ("body", "seen"),
    [
        ("<script>console.error('broken')</script>", "broken"),
        ("<script>undefined.x</script>", "undefined"),
        ("<img src='http://example.org/picture.png'>", "asks for http://example.org"),
    ],
)
def test_a_broken_page_is_seen(blank: Any, body: str, seen: str) -> None:
    complaints = complaints_of(blank)
    blank.set_content(body)
    blank.wait_for_timeout(50)
    assert any(seen in complaint for complaint in complaints)


@pytest.mark.parametrize("width", WIDTHS)
def test_elements_wider_than_the_page_are_seen(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 600})
    page.set_content("<div style='width: 100%'>fits</div>")
    assert wider_than_page(page) == []
    page.set_content(f"<div class='wide' style='width: {width + 50}px'>sticks out</div>")
    assert any("div.wide" in element for element in wider_than_page(page))
    page.set_content(f"<div style='overflow-x: auto'><p style='width: {width + 50}px'>scrolls</p></div>")
    assert wider_than_page(page) == []


def test_faint_text_is_seen(page: Any) -> None:
    page.set_content("<p style='color: #555; background: #fff'>clear</p>")
    assert faint_text(page) == []
    page.set_content("<p style='color: #999; background: #fff'>faint</p>")
    assert faint_text(page) == ['p "faint" has 2.85']
    page.set_content("<p style='color: #888; background: #fff; font-size: 30px'>large</p>")
    assert faint_text(page) == []
