"""Settings as rows of a table: one for each run, world or number, with five digits."""

from collections.abc import Iterator, Mapping
from typing import Any

Row = tuple[str, str]


def settings_rows(settings: Mapping[str, Any]) -> list[Row]:
    """What stands alone has a row; a list of tables has one for each."""
    return [row for name, value in settings.items() for row in _rows(name, value)]


def _rows(name: str, value: Any) -> Iterator[Row]:
    if isinstance(value, list) and any(isinstance(each, Mapping) for each in value):
        for i, each in enumerate(value, 1):
            yield f"{name} {i}", in_line(each)
    else:
        yield name, in_line(value)


def in_line(value: Any) -> str:
    """name value, name value; lists in brackets."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {in_line(each)}" for name, each in value.items())
    if isinstance(value, list):
        return f"[{', '.join(map(in_line, value))}]"
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return f"{value:.5g}" if isinstance(value, (int, float)) else str(value)
