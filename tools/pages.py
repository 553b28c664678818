"""The tables of the pages. A line `<!-- table: NAME -->` of docs/PAGE.md is where one stands when the site is built.

Prose is written in the page, tables are made of records that the repository keeps, and of the papers themselves.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks import many, record
from tools import papers, reference, runs

DOCS = Path(__file__).resolve().parent.parent / "docs"
PLACE = re.compile(r"^<!-- table: (\w+) -->$", re.MULTILINE)
Tables = Mapping[str, str]  # the name of a table -> Markdown

PAGES: dict[str, Callable[[Path], Tables]] = {
    "falsify": runs.of_falsify,
    "library": papers.of_library,
    "methods": runs.of_methods,
    "one_level": lambda _: {name: reference.names(name) for name in ("statements", "contract")},
    "sharpen": runs.of_sharpen,
    "speed": lambda docs: {
        **record.tables(record.read(docs / "bench.json")),
        "many": many.shown(docs / "many.json"),
    },
    "verified": lambda docs: {**runs.of_verified(docs), "errata": papers.corrections()},
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
    return with_tables(text, PAGES[name](DOCS) if name in PAGES else {})


def write(folder: Path, made: Mapping[str, str]) -> None:
    """Pages that are made whole, by name; one that is made no more goes."""
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.md"):
        if old.stem not in made:
            old.unlink()
    for name, text in made.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
