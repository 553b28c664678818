"""docs/power.md: its prose is written by hand, its tables are made of docs/power.json.

    python -m ratecert.power.page docs/power.json docs/power.md

A table stands between the lines `<!-- table: NAME -->` and `<!-- end -->`, and is replaced.
"""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

from ratecert.folders import written_whole
from ratecert.power import tables
from ratecert.power.tables import Grid
from ratecert.verify.claim import Json

TABLES: dict[str, Callable[[Json], Grid]] = {
    "algorithms": lambda results: tables.of_algorithms(results["algorithms"]),
    "unseen": lambda results: tables.unseen(results["algorithms"]),
    "statements": lambda results: tables.of_statements(results["statements"]),
    "terms": lambda results: tables.of_terms(results["statements"]),
}
_PLACE = re.compile(r"<!-- table: (\w+) -->\n.*?<!-- end -->\n", re.DOTALL)


def with_tables(page: str, results: Json) -> str:
    """The page with every table as the results have it."""

    def renewed(place: re.Match[str]) -> str:
        name = place.group(1)
        if name not in TABLES:
            raise ValueError(f"a table must be one of {', '.join(TABLES)}, got {name!r}.")
        return f"<!-- table: {name} -->\n\n{TABLES[name](results).as_markdown()}\n<!-- end -->\n"

    return _PLACE.sub(renewed, page)


def renew(results: Path, page: Path) -> None:
    text = with_tables(page.read_text(encoding="utf-8"), json.loads(results.read_text(encoding="utf-8")))
    with written_whole(page) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    renew(Path(sys.argv[1]), Path(sys.argv[2]))
