"""The tables of the pages. A line `<!-- table: NAME -->` of docs/PAGE.md is where one stands when the site is built.

Prose is written in the page, tables are made of records that the repository keeps, and of the papers themselves.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.record import read as read_benchmarks
from benchmarks.shown import tables as of_benchmarks
from tools import errata, library, searches, verdicts

DOCS = Path(__file__).resolve().parent.parent / "docs"
PLACE = re.compile(r"^<!-- table: (\w+) -->$", re.MULTILINE)
Tables = Mapping[str, str]  # the name of a table -> Markdown

PAGES: dict[str, Callable[[], Tables]] = {
    "corrections": errata.of_first,
    "falsify": lambda: searches.of_falsify(DOCS),
    "for_maintainers": errata.of_library,
    "library": lambda: library.tables(DOCS),
    "methods": lambda: verdicts.of_methods(DOCS),
    "sharpen": lambda: searches.of_sharpen(DOCS),
    "speed": lambda: {
        name: table.as_markdown()
        for name, table in of_benchmarks(read_benchmarks(DOCS / "bench.json")).items()
    },
    "verified": lambda: verdicts.of_verified(DOCS),
}


def with_tables(text: str, tables: Tables) -> str:
    """The text of a page with a table at every place; each place has a table, and each table a place."""
    places = PLACE.findall(text)
    if sorted(places) != sorted(tables):
        raise ValueError(
            f"the page has places for {', '.join(places)}, and there are tables {', '.join(tables)}."
        )
    return PLACE.sub(lambda place: f"\n{tables[place.group(1)]}\n", text)


def built(name: str, text: str) -> str:
    """What the site shows of a page: its text, with its tables where it has any."""
    return with_tables(text, PAGES[name]() if name in PAGES else {})
