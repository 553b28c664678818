"""Flat rows: what a computation returns, a table shows, a check reads and a line draws.

A row is a mapping from column names to numbers, texts, truth values or None. Every row says of itself what it is:
the method, the world, K, T. So a selection is `rows.where(method="LocalBSGM")`, a group is one of
`rows.by("method", "K")`, and a curve is two columns.

Selections compare a cell as it stands; numbers that decide something are read with `row["measure"]` or
`rows.column("measure")`. Tests rely on the difference: they change what is read, and not what is selected.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, overload

from ratecert.base.chart import Chart, Panel, Series, Triangle

Cell = Any  # str, int, finite float, bool or None
Row = Mapping[str, Cell]


def or_inf(value: float) -> float:
    """The value, larger than every number where it is none: max(0.1, nan) is 0.1, and would hide it."""
    return math.inf if math.isnan(value) else value


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

    def largest(self, value: Callable[[Row], float]) -> Row:
        """The first row in which `value` is largest, or is no number."""
        return max(self._rows, key=lambda row: or_inf(value(row)))

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


# Figures of rows: a line is two columns, a level a number, a corner the triangle of a slope.

Quantity = str | Callable[[Row], float]  # a column, or a function of a row


def line(label: str, rows: Rows, x: Quantity, y: Quantity, **look: Any) -> Series:
    """y against x; `look` is kind, colour and error of the series."""
    return Series(label=label, x=values(rows, x), y=drawable(values(rows, y)), **look)


def power_law(label: str, rows: Rows, x: str, y: str, slope: float | Fraction, **look: Any) -> Series:
    """The power x^slope through the first row's point."""
    first = rows[0]
    return line(label, rows, x, lambda row: first[y] * (row[x] / first[x]) ** float(slope), **look)


def level(label: str, x: Sequence[float], y: float, **look: Any) -> Series:
    """A horizontal line from the smallest to the largest x."""
    return Series(label=label, x=[min(x), max(x)], y=[y, y], **look)


def corner(
    row: Row,
    x: str,
    y: str,
    slope: float | Fraction,
    *,
    above: float = 1.0,
    right: float = 1.0,
    back: bool = False,
    label: str = "",
    factor: float = 4.0,
    colour: int = 0,
) -> Triangle:
    """The triangle of a slope, so many times above and right of a row's point: from there, or `back` to end there."""
    x0, y0, power = row[x] * right, drawable([row[y]])[0] * above, float(slope)
    if back:
        x0, y0 = x0 / factor, y0 / factor**power
    return Triangle(x=x0, y=y0, slope=power, label=label or str(slope), factor=factor, colour=colour)


def figure(
    caption: str,
    x_label: str,
    y_label: str,
    series: Iterable[Series],
    triangles: Iterable[Triangle] = (),
    **look: Any,
) -> Chart:
    """A chart of one panel; `look` is what else a panel has."""
    return Chart(caption=caption, panels=[panel(x_label, y_label, series, triangles, **look)])


def panel(
    x_label: str, y_label: str, series: Iterable[Series], triangles: Iterable[Triangle] = (), **look: Any
) -> Panel:
    """One of several panels of a chart; `look` is what else it has."""
    return Panel(x_label=x_label, y_label=y_label, series=list(series), triangles=list(triangles), **look)


def values(rows: Rows, quantity: Quantity) -> list[float]:
    if isinstance(quantity, str):
        return [float(value) for value in rows.column(quantity)]
    return [float(quantity(row)) for row in rows]


def drawable(numbers: Sequence[float]) -> list[float]:
    """For a logarithmic axis; numbers that went wrong are drawn at the bottom, as the figure of a failure is of use."""
    positive = [v for v in numbers if 0 < v < math.inf]
    return [v if 0 < v < math.inf else min(positive, default=1.0) for v in numbers]
