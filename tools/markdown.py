"""What every page is made of: tables, and prose in which no character means anything but itself."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

BAR = r"(?<!\\)\|"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A bar inside a cell would end it, unless it is escaped: it becomes a slash."""
    lines = [columns, ("---",) * len(columns), *rows]
    return "".join(f"| {' | '.join(re.sub(BAR, '/', cell) for cell in line)} |\n" for line in lines)


def tabulated(*columns: str) -> Callable[[Callable[..., Iterable[Sequence[str]]]], Callable[..., str]]:
    """A function that yields rows becomes one that returns their table."""

    def made(rows: Callable[..., Iterable[Sequence[str]]]) -> Callable[..., str]:
        return wraps(rows)(lambda *given: table(columns, rows(*given)))

    return made


def plain(text: Any) -> str:
    """The text, every sign of Markdown escaped."""
    return re.sub(r"([\\`*_\[\]<>|$~])", r"\\\1", str(text))
