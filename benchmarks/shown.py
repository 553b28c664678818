"""What is shown of a record: its tables, the ratios that mean something on another machine, and the targets.

Nothing here can fail: a target that is missed is shown, and what was not measured has no name.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.cases import POINTS
from benchmarks.record import PARTS, Record
from ratecert.base.lists import Grid

MISSING = "–"
OF_NUMBA = 0.5
OF_BETTER = 1.25
OF_TWO_THREADS = 1.8
FIRST = {"numpy": 1.0, "numba, warm cache": 2.0}
FLAT = 1.1
MEBIBYTES = 2048.0


def tables(record: Record) -> dict[str, Grid]:
    """The name of a table -> the table."""
    met = {True: "yes", False: "no", None: "not measured"}
    of_targets = [
        {
            "what": each.what,
            "measured": each.measured,
            "target": f"{each.relation} {each.target:g}",
            "met": met[each.met],
        }
        for each in targets(record)
    ]
    machine = [{"what": name, "which": str(value)} for name, value in record["machine"].items() if value]
    parts = {name: record[name] for name in PARTS}
    return {
        name: grid(name, rows) for name, rows in {**parts, "targets": of_targets, "machine": machine}.items()
    }


def grid(name: str, rows: list[dict[str, Any]]) -> Grid:
    """A column for every name of a cell in any row."""
    columns = tuple(dict.fromkeys(column for row in rows for column in row))
    return Grid(name, columns, [tuple(_text(row.get(column)) for column in columns) for row in rows])


def _text(cell: Any) -> str:
    return MISSING if cell is None else f"{cell:.3g}" if isinstance(cell, float) else str(cell)


def ratios(record: Record) -> dict[str, float]:
    """Ratios within one run, the seconds to the first result, and memory, by the names of what was run."""
    return {
        f"{name}: {column}, {_what(row)}": row[column]
        for name in PARTS
        for row in record[name]
        for column in row
        if isinstance(row[column], float) and (" / " in column or column == "MiB" or name == "first_result")
    }


def _what(row: dict[str, Any]) -> str:
    cells = ((name, cell) for name, cell in row.items() if isinstance(cell, str | int) and name != "at most")
    return ", ".join(cell if isinstance(cell, str) else f"{name} = {cell}" for name, cell in cells)


@dataclass(frozen=True)
class Target:
    """`measured` is the worst of the numbers that it is about, None where none was measured."""

    what: str
    measured: float | None
    relation: str  # "at least" or "at most"
    target: float

    @property
    def met(self) -> bool | None:
        if self.measured is None:
            return None
        return self.measured >= self.target if self.relation == "at least" else self.measured <= self.target


def targets(record: Record) -> list[Target]:
    """What the speed should be, and whether a record gets there."""
    return [*_of_sampling(record), *_of_moments(record)]


def _of_sampling(record: Record) -> Iterator[Target]:
    for d, Q in POINTS:
        found = [row.get("numba / C") for row in record["throughput"] if (row["d"], row["Q"]) == (d, Q)]
        yield _least(f"numba / C at d = {d}, Q = {Q}, the slower algorithm", OF_NUMBA, found)
    better = "seconds with the engine that `auto` takes over those with the better"
    yield _most(better, OF_BETTER, [row["taken / better"] for row in record["auto"]])
    threads = [row["one / two"] for row in record["scaling"] if row["workers"] == "numba, threads"]
    yield _least("two threads of numba against one", OF_TWO_THREADS, threads)
    for engine, target in FIRST.items():
        seconds = [row["seconds"] for row in record["first_result"] if row["engine"] == engine]
        yield _most(f"seconds to the first result, {engine}", target, seconds)
    for engine in ("numba", "numpy"):
        MiB = [row["MiB"] for row in record["memory"] if row["engine"] == engine]
        grown = [max(MiB) / min(MiB)] if MiB else []
        yield _most(f"memory of {engine}, largest over smallest", FLAT, grown)


def _of_moments(record: Record) -> Iterator[Target]:
    for row in record["large"]:
        if row["at most"]:
            yield _most(
                f"exact moments, {row['what']}, {row['size']}", row["at most"], [row["large / small"]]
            )
    yield _most("memory of exact moments, MiB", MEBIBYTES, [row["MiB"] for row in record["large"]])


def _least(what: str, target: float, found: Iterable[float | None]) -> Target:
    return Target(what, min((n for n in found if n is not None), default=None), "at least", target)


def _most(what: str, target: float, found: Iterable[float]) -> Target:
    return Target(what, max(found, default=None), "at most", target)
