"""Every file and picture that a page links to is in the repository."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
MADE = "figures/library/"  # by `make docs`


def broken(text: str, folder: Path) -> list[str]:
    """Targets of links that are no files beside the page."""
    targets = {target for target in LINK.findall(text) if "://" not in target and not target.startswith(MADE)}
    return sorted(target for target in targets if not (folder / target).exists())


@pytest.mark.skipif(not PAGES[0].is_file(), reason="the pages are not part of the installed wheel")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_links_to_is_there(page):
    assert broken(page.read_text(encoding="utf-8"), page.parent) == []


def test_a_missing_picture_is_seen():
    text = "![a](nothing.png) [b](test_links.py#top) [c](https://example.org/x)"
    assert broken(text, Path(__file__).parent) == ["nothing.png"]
