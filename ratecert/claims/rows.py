"""Flat rows: what a computation returns, a table shows, a check reads and a line draws.

A row is a mapping from column names to numbers, texts, truth values or None. Every row says of itself what it is:
the method, the world, K, T. So a selection is `rows.where(method="LocalBSGM")`, a group is one of
`rows.by("method", "K")`, and a curve is two columns.

Selections compare a cell as it stands; numbers that decide something are read with `row["measure"]` or
`rows.column("measure")`. Tests rely on the difference: they change what is read, and not what is selected.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, overload

Cell = Any  # str, int, finite float, bool or None
Row = Mapping[str, Cell]


class Rows(Sequence[Row]):
    """Rows in their order.

    >>> rows = Rows([{"K": 1, "T": 8, "y": 4.0}, {"K": 1, "T": 16, "y": 2.0}, {"K": 2, "T": 8, "y": 3.0}])
    >>> rows.where(K=1).column("y")
    [4.0, 2.0]
    >>> [(K, len(here)) for K, here in rows.by("K")]
    [(1, 2), (2, 1)]
    """

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._rows = tuple(rows)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> "Rows": ...

    def __getitem__(self, index: int | slice) -> "Row | Rows":
        return Rows(self._rows[index]) if isinstance(index, slice) else self._rows[index]

    def __add__(self, other: Iterable[Row]) -> "Rows":
        return Rows((*self._rows, *other))

    def __repr__(self) -> str:
        columns = dict.fromkeys(name for row in self._rows for name in row)
        return f"Rows({len(self)} rows; {', '.join(columns)})"

    def where(self, **cells: Cell) -> "Rows":
        """The rows with these cells; one without such a column is not among them."""
        return Rows(
            row for row in self._rows if all(name in row and row.get(name) == cells[name] for name in cells)
        )

    def among(self, **choices: Collection[Cell]) -> "Rows":
        """The rows with one of these cells in each of the columns."""
        return Rows(row for row in self._rows if all(row.get(name) in choices[name] for name in choices))

    def having(self, *names: str) -> "Rows":
        """The rows with these columns."""
        return Rows(row for row in self._rows if all(name in row for name in names))

    def but(self, **cells: Cell) -> "Rows":
        """The rows that have none of these cells."""
        return Rows(row for row in self._rows if all(row.get(name) != cells[name] for name in cells))

    def by(self, *names: str) -> Iterator[tuple[Any, "Rows"]]:
        """(cells, rows) for each combination of cells in these columns, in the order in which they first occur.

        With one name the cell stands by itself, with several they are a tuple. Rows that lack one of the columns are
        left out.
        """
        groups: dict[Any, list[Row]] = {}
        for row in self.having(*names):
            cells = tuple(row.get(name) for name in names)
            groups.setdefault(cells[0] if len(names) == 1 else cells, []).append(row)
        return ((cells, Rows(rows)) for cells, rows in groups.items())

    def cells(self, name: str) -> list[Cell]:
        """The different cells of a column, in the order in which they first occur."""
        return list(dict.fromkeys(row.get(name) for row in self.having(name)))

    def column(self, name: str) -> list[Any]:
        """The column as numbers to compute with."""
        return [row[name] for row in self._rows]

    def last(self, n: int) -> "Rows":
        """The last n rows."""
        return self[-n:]

    def sorted(self, *names: str) -> "Rows":
        """In ascending order of these columns."""
        return Rows(sorted(self._rows, key=lambda row: tuple(row.get(name) for name in names)))

    def largest(self, value: Callable[[Row], float]) -> Row:
        """The first row in which `value` is largest."""
        return max(self._rows, key=value)

    def only(self) -> Row:
        """The one row there is."""
        (row,) = self._rows
        return row

    def table(self, *names: str) -> list[dict[str, Cell]]:
        """These columns, of the rows that have them all; without columns there is no table."""
        return [{name: row[name] for name in names} for row in self.having(*names) if names]


def flat(**cells: Any) -> dict[str, Cell]:
    """A row in which a mapping is a group of columns.

    >>> flat(T=8, terms={"start": 0.5, "noise": 0.25})
    {'T': 8, 'terms.start': 0.5, 'terms.noise': 0.25}
    """
    row: dict[str, Cell] = {}
    for name, cell in cells.items():
        row |= {f"{name}.{n}": c for n, c in cell.items()} if isinstance(cell, Mapping) else {name: cell}
    return row
