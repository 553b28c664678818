"""Settings as rows of a table: a run that has tables in it has a heading, and each of its parts a row."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

Row = tuple[str, Markup | None]  # name and value; a heading has no value
NEXT = Markup(", <wbr>")  # the only place where a line may end


def settings_rows(settings: Mapping[str, Any]) -> list[Row]:
    """What stands alone or is a table of plain values has a row; tables that have tables in them come last."""
    entries = sorted(_named(settings), key=lambda entry: _has_tables(entry[1]))
    return [row for name, value in entries for row in _rows(name, value)]


def _rows(name: str, value: Any) -> Iterator[Row]:
    if _has_tables(value):
        yield name, None
        for part, each in _named(value):
            yield part, in_line(each)
    else:
        yield name, in_line(value)


def _has_tables(value: Any) -> bool:
    return isinstance(value, Mapping) and any(isinstance(each, Mapping) for _, each in _named(value))


def _named(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Its entries; the tables of a list are numbered."""
    for name, value in table.items():
        if isinstance(value, list) and any(isinstance(each, Mapping) for each in value):
            yield from ((f"{name} {i}", each) for i, each in enumerate(value, 1))
        else:
            yield name, value


def worlds_rows(worlds: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The worlds of results.json, which are JSON there."""
    return [{**row, "world": in_line(json.loads(row["world"]))} for row in worlds]


def in_line(value: Any) -> Markup:
    """name = value, name = value, with five digits; inner lists and tables in brackets, a world's kind first."""
    if isinstance(value, Mapping):
        kind = value.get("world")
        if isinstance(kind, str):
            rest = in_line({name: each for name, each in value.items() if name != "world"})
            return Markup("{}: {}").format(kind, rest) if rest else escape(kind)
        return NEXT.join(_pair(name, each) for name, each in value.items())
    if isinstance(value, list):
        return Markup("[{}]").format(NEXT.join(map(in_line, value)))
    if isinstance(value, bool) or value is None:
        return escape({True: "yes", False: "no", None: "none"}[value])
    return escape(f"{value:.5g}" if isinstance(value, float) else value)


def _pair(name: str, value: Any) -> Markup:
    return Markup("{} ({})" if isinstance(value, Mapping) else "{} = {}").format(name, in_line(value))
