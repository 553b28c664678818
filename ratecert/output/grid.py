"""A table of text, for the terminal and for pages alike."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Column, Table

BAR = r"(?<!\\)\|"


@dataclass(frozen=True)
class Grid:
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def as_rich(self) -> Table:
        table = Table(*(Column(name, overflow="fold") for name in self.columns), title=self.title)
        for row in self.rows:
            table.add_row(*row)
        return table

    def as_markdown(self) -> str:
        """A bar inside a cell would end it, unless it is escaped: it becomes a slash."""
        lines = [self.columns, ("---",) * len(self.columns), *self.rows]
        return "".join(f"| {' | '.join(re.sub(BAR, '/', cell) for cell in line)} |\n" for line in lines)
