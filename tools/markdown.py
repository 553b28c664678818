"""Pages whose prose is written by hand and whose tables are made of kept results.

A table stands between the lines `<!-- table: NAME -->` and `<!-- end -->`, and is replaced.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from ratecert.base.files import write_text

_PLACE = re.compile(r"<!-- table: (\w+) -->\n.*?<!-- end -->\n", re.DOTALL)


def with_tables(page: str, tables: Mapping[str, str]) -> str:
    """The page with every table as it is given, in Markdown."""

    def renewed(place: re.Match[str]) -> str:
        name = place.group(1)
        if name not in tables:
            raise ValueError(f"a table must be one of {', '.join(tables)}, got {name!r}.")
        return f"<!-- table: {name} -->\n\n{tables[name]}\n<!-- end -->\n"

    return _PLACE.sub(renewed, page)


def replace_tables(page: Path, tables: Mapping[str, str]) -> None:
    write_text(page, with_tables(page.read_text(encoding="utf-8"), tables))
