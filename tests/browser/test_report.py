"""The report of a whole run in a real browser: light, no wider than the page, in forty pages of paper."""

import re
from pathlib import Path
from typing import Any

import pytest

from oracles.chromium import WIDTHS, faint_text, wider_than_page
from ratecert.cli.main import main

MOST_BYTES, MOST_PAGES, MOST_NODES = 2_500_000, 8, 40_000
TALLEST = 6000  # pixels, before anything is unfolded

# What is cut above or below (with classic scrollbars it has one of its own), and what sticks out of a cell of a table.
TIGHT = """() => [...document.querySelectorAll('.formula, .term, .scroll, td')].filter(node =>
  node.scrollHeight > node.clientHeight || (node.tagName === 'TD' && node.scrollWidth > node.clientWidth)
).map(node => `${node.className || node.tagName}: ${node.textContent.trim().slice(0, 40)}`)"""
# Numbers and short words in cells of a table that stand on more than one line.
BROKEN = """() => [...document.querySelectorAll('td, table th')].flatMap(cell => {
  const WORD = /\\d[\\d.]*(e[-+]?\\d+)?|(?<!\\S)[a-z]{1,15}(?!\\S)/gi;
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), found = [];
  while (texts.nextNode()) for (const match of texts.currentNode.data.matchAll(WORD)) {
    const range = document.createRange();
    range.setStart(texts.currentNode, match.index);
    range.setEnd(texts.currentNode, match.index + match[0].length);
    if (new Set([...range.getClientRects()].map(box => box.top)).size > 1) found.push(match[0]);
  }
  return found;
})"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every claim, with fewer settings."""
    folder = tmp_path_factory.mktemp("report")
    assert main(["verify", "--quick", "--out", str(folder)]) == 0
    return folder / "index.html"


@pytest.fixture
def opened(page: Any, report: Path) -> Any:
    page.goto(report.as_uri())
    return page


def test_it_is_light(opened: Any, report: Path) -> None:
    assert report.stat().st_size <= MOST_BYTES
    assert opened.evaluate("document.querySelectorAll('*').length") <= MOST_NODES


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_sticks_out_and_all_text_can_be_read(opened: Any, width: int, scheme: str) -> None:
    opened.emulate_media(color_scheme=scheme)
    opened.set_viewport_size({"width": width, "height": 900})
    assert wider_than_page(opened) == []
    assert faint_text(opened) == []


@pytest.mark.parametrize("width", [360, 1366])
def test_no_formula_is_cut_and_no_number_is_broken(opened: Any, width: int) -> None:
    opened.set_viewport_size({"width": width, "height": 900})
    opened.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true; })")
    opened.locator(".formula").nth(800).wait_for(state="attached")
    assert opened.evaluate(TIGHT) == []
    assert opened.evaluate(BROKEN) == []


def test_what_is_wrong_is_on_the_first_screen(opened: Any) -> None:
    opened.set_viewport_size({"width": 1366, "height": 900})
    table = opened.locator("table.first").first
    assert table.bounding_box()["y"] < 300
    assert table.locator("td[data-name='as printed']:has-text('proved false')").count() == 4  # with G
    assert opened.evaluate("document.documentElement.scrollHeight") <= TALLEST
    assert opened.locator(".first td .differs").count() > 10
    card = opened.locator(".card").first
    assert card.locator("math").count() > 5
    assert card.locator(".wrong").count() == 3  # the terms with G


def test_legends_can_be_read_on_a_phone(opened: Any) -> None:
    opened.set_viewport_size({"width": 360, "height": 900})
    opened.locator(".card > summary").first.click()
    smallest = """() => Math.min(...[...document.querySelectorAll('.card[open] figure svg text')].map(text => {
      const { a, b } = text.getScreenCTM();
      return Math.hypot(a, b) * parseFloat(getComputedStyle(text).fontSize);
    }))"""
    assert opened.evaluate(smallest) >= 8  # px


def test_claims_are_filtered(opened: Any) -> None:
    rows = opened.locator("#rows tr:visible")
    everything = rows.count()
    opened.select_option("select[name=verdict]", "proved false")
    assert 0 < rows.count() < everything
    opened.fill("input[name=words]", "theorem-2")
    assert rows.count() == 1
    assert opened.locator("form output").text_content() == "1 claims"
    opened.fill("input[name=words]", "no such words")
    assert rows.count() == 0


def test_statements_and_tables_come_when_they_are_asked_for(opened: Any) -> None:
    opened.locator("details.part > summary").first.click()
    claim = opened.locator("details.claim").filter(has_text="theorem-1.repaired").first
    claim.locator(":scope > summary").click()
    late = claim.locator("details.late")
    statement = late.filter(has_text="typeset").first
    assert statement.locator("math").count() == 0
    statement.locator("summary").click()
    assert statement.locator("math").count() > 10
    checks = late.filter(has_text="All checks").first
    checks.locator("summary").click()
    assert checks.locator("tbody tr").count() > 1


def test_it_prints_on_eight_pages_with_a_table_of_verdicts(opened: Any) -> None:
    margins = dict.fromkeys(("top", "right", "bottom", "left"), "1cm")
    paper = opened.pdf(format="A4", margin=margins)
    assert len(re.findall(rb"/Type\s*/Page\b", paper)) <= MOST_PAGES
    opened.set_viewport_size({"width": 718, "height": 1046})  # what A4 has between these margins
    opened.emulate_media(media="print")
    assert opened.evaluate("getComputedStyle(document.querySelector('#rows td')).display") == "table-cell"
    assert opened.evaluate(BROKEN) == []
    assert wider_than_page(opened) == []
