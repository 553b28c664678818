"""The tables of a record: headings and cells as text, for the terminal and for docs/speed.md alike."""

from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.ratios import base_of, loss, of_first, sampling_seconds, targets
from benchmarks.record import Record
from ratecert.base.lists import Grid

MISSING = "–"
Cells = Mapping[str, Callable[[Record], str]]  # heading -> what stands under it


def tables(record: Record) -> dict[str, Grid]:
    """The name of a table -> the table."""
    rows = {**record, "accuracy": _each_sought(record), "growth": _with_base(record)}
    made = {name: _grid(title, COLUMNS[name], rows[name]) for name, title in TITLES.items()}
    return {**made, "targets": _met(record), "machine": _machine(record)}


def _grid(title: str, columns: Cells, rows: list[Record]) -> Grid:
    return Grid(title, tuple(columns), [tuple(cell(row) for cell in columns.values()) for row in rows])


def _said(*names: str, **digits: str) -> Cells:
    """Columns that show what a row says, numbers with the digits that are asked for."""
    plain: Cells = {name: lambda row, name=name: str(row[name]) for name in names}  # type: ignore[misc]
    return {**plain, **{name: lambda row, n=name, d=d: f"{row[n]:{d}}" for name, d in digits.items()}}  # type: ignore[misc]


def _over(one: Any, other: Any, digits: str = ".2g") -> str:
    return MISSING if one is None or other is None else f"{one / other:{digits}}"


def _to_C(engine: str) -> Callable[[Record], str]:
    return lambda row: _over(row["rates"].get(engine), row["rates"].get("C"))


def _each_sought(record: Record) -> list[Record]:
    return [{**row, "sought": each} for row in record["accuracy"] for each in row["replicates_needed"]]


def _with_base(record: Record) -> list[Record]:
    return [{**row, "base": base_of(record, row)} for row in record["growth"]]


TITLES = {
    "throughput": "device-iterations per core-second, as ratios to C",
    "auto": "the engine that auto takes",
    "scaling": "two workers against one, wall clock",
    "first_result": "a new process until its first result",
    "memory": "peak of resident memory",
    "accuracy": "the gradient measure by sampling and by exact moments, at equal accuracy",
    "growth": "how cost grows, one change at a time",
    "large": "exact moments at the size of experiments",
    "certified": "LocalBSGM enclosed, and in doubles",
    "one_level": "methods of one level, by exact moments",
}
COLUMNS: dict[str, Cells] = {
    "throughput": {
        **_said("algorithm", "d", "Q"),
        "C": lambda row: f"{row['rates']['C'] / 1e6:.3g} million" if "C" in row["rates"] else MISSING,
        "numpy / C": _to_C("numpy"),
        "numba / C": _to_C("numba"),
    },
    "auto": {
        **_said("algorithm", "d", "T", "replicates"),
        "numpy, seconds": lambda row: f"{row['seconds']['numpy']:.2f}",
        "numba": lambda row: f"{row['seconds']['numba']:.2f}",
        "auto takes": lambda row: str(row["chosen"]),
        "chosen / better": lambda row: f"{loss(row):.2f}",
    },
    "scaling": {
        "engine": lambda row: f"{row['engine']}, {row['workers']}",
        **_said("d", "Q"),
        "one, seconds": lambda row: f"{row['seconds']['1']:.2f}",
        "two, seconds": lambda row: f"{row['seconds']['2']:.2f}",
        "ratio": lambda row: _over(row["seconds"]["1"], row["seconds"]["2"], ".2f"),
    },
    "first_result": {"engine": of_first, **_said(seconds=".2f")},
    "memory": _said("engine", "replicates", "T", MiB=".0f"),
    "accuracy": {
        **_said("algorithm", "d", "T", "sought"),
        "replicates": lambda row: f"{row['replicates_needed'][row['sought']]:.2g}",
        "sampling, core-seconds": lambda row: f"{sampling_seconds(row, row['sought']):.2g} ({row['engine']})",
        "exact moments": lambda row: f"{row['exact_seconds']:.2g}",
        "ratio": lambda row: _over(sampling_seconds(row, row["sought"]), row["exact_seconds"]),
        "their precision": lambda row: f"{row['exact_precision']:.0e}",
    },
    "growth": {
        **_said("way", "changed"),
        "core-seconds": lambda row: f"{row['seconds']:.2g}",
        "against the base": lambda row: _over(row["seconds"], row["base"]),
    },
    "large": {
        **_said("what"),
        "small": lambda row: f"{row['letter']} = {row['small']}",
        "its core-seconds": lambda row: f"{row['small_seconds']:.3g}",
        "large": lambda row: f"{row['letter']} = {row['large']}",
        "core-seconds": lambda row: f"{row['seconds']:.3g}",
        "ratio": lambda row: _over(row["seconds"], row["small_seconds"], ".3g"),
        **_said(MiB=".0f"),
    },
    "certified": {
        **_said("d", "noise", "T"),
        "plain, core-seconds": lambda row: f"{row['plain_seconds']:.2g}",
        "certified": lambda row: f"{row['certified_seconds']:.2g}",
        "certified / plain": lambda row: _over(row["certified_seconds"], row["plain_seconds"]),
    },
    "one_level": {
        **_said("what", "d", "T"),
        "core-seconds": lambda row: f"{row['seconds']:.2g}",
        "against T = 2^10": lambda row: _over(row["seconds"], row["short_seconds"]),
    },
}


def _met(record: Record) -> Grid:
    rows = [
        (
            target.what,
            MISSING if target.measured is None else f"{target.measured:.4g}",
            f"{'≥' if target.relation == '>=' else '≤'} {target.target:g}",
            {True: "yes", False: "no", None: "not measured"}[target.met],
        )
        for target in targets(record)
    ]
    return Grid("targets", ("what", "measured", "target", "met"), rows)


def _machine(record: Record) -> Grid:
    rows = [(name, str(value)) for name, value in record["machine"].items() if value is not None]
    return Grid("measured on", ("what", "which"), rows)
