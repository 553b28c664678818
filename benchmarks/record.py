"""bench.json: one run, the numbers as they were measured, and what follows from them.

schema     3; a file with another number is refused
machine    processor, compiler, versions
and for each part a list of rows, whose cells sampling.py and exact.py explain

Its tables, and the targets: nothing here can fail. A target that is missed is shown, and what was not measured has no
number. Ratios within one run mean something on another machine, seconds do not.
"""

import json
import os
import platform
import subprocess
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks import exact, sampling
from benchmarks.c_reference import FLAGS, compiler
from ratecert.base.files import write_text
from tools.markdown import table

SCHEMA = 3
PARTS = {**sampling.PARTS, **exact.PARTS}

Record = dict[str, Any]


class UnreadableRecordError(ValueError):
    """A file that is not a bench.json."""


def write(record: Record, path: Path) -> None:
    write_text(path, json.dumps({"schema": SCHEMA, **rounded(record)}, indent=1, allow_nan=False) + "\n")


def rounded(value: Any) -> Any:
    """Four digits: no clock is better."""
    if isinstance(value, dict):
        return {name: rounded(item) for name, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def read(path: Path) -> Record:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UnreadableRecordError(f"{path} cannot be read as JSON: {error}") from error
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        raise UnreadableRecordError(f"{path} is no record of benchmarks with schema = {SCHEMA}.")
    if missing := [name for name in ("machine", *PARTS) if name not in record]:
        raise UnreadableRecordError(f"{path} lacks {', '.join(missing)}; measure all parts.")
    return record


def machine() -> dict[str, Any]:
    """What was measured on: processor, compiler and versions."""
    cc = compiler()
    compiled = subprocess.run([cc, "--version"], capture_output=True, text=True, check=True) if cc else None
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "compiler": compiled.stdout.splitlines()[0] if compiled else None,
        "flags": " ".join(flag for flag in FLAGS if flag[:2] in ("-O", "-m", "-f")),
        "python": platform.python_version(),
        **{name: version(name) if find_spec(name) else None for name in ("numpy", "scipy")},
    }


def _processor() -> str:
    described = Path("/proc/cpuinfo")
    lines = described.read_text(encoding="utf-8").splitlines() if described.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return [*named, platform.processor() or platform.machine()][0]


# What is shown.


def tables(record: Record) -> dict[str, str]:
    """The name of a table -> the table, with a column for every name of a cell in any row."""
    described = [{"what": name, "which": str(value)} for name, value in record["machine"].items() if value]
    parts = {name: record[name] for name in PARTS}
    found = {}
    for name, rows in {**parts, "targets": list(targets(record)), "machine": described}.items():
        columns = tuple(dict.fromkeys(column for row in rows for column in row))
        found[name] = table(columns, [[_text(row.get(column)) for column in columns] for row in rows])
    return found


def _text(cell: Any) -> str:
    return "–" if cell is None else f"{cell:.3g}" if isinstance(cell, float) else str(cell)


def targets(record: Record) -> Iterator[dict[str, Any]]:
    """What the speed should be, the worst number that it is about, and whether that gets there."""
    seconds = [row["seconds"] for row in record["first_result"]]
    yield _target("seconds to the first result", "at most", 1.0, seconds)
    MiB = [row["MiB"] for row in record["memory"]]
    grown = [max(MiB) / min(MiB)] if MiB else []
    yield _target("memory of sampling, largest over smallest", "at most", 1.1, grown)
    for row in record["large"]:
        if row["at most"]:
            what = f"exact moments, {row['what']}, {row['size']}"
            yield _target(what, "at most", row["at most"], [row["large / small"]])
    yield _target("memory of exact moments, MiB", "at most", 2048, [row["MiB"] for row in record["large"]])


def _target(what: str, relation: str, target: float, found: Iterable[float | None]) -> dict[str, Any]:
    known = [number for number in found if number is not None]
    measured = (min if relation == "at least" else max)(known) if known else None
    met = "not measured"
    if measured is not None:
        met = "yes" if (measured >= target if relation == "at least" else measured <= target) else "no"
    return {"what": what, "measured": measured, "target": f"{relation} {target:g}", "met": met}
