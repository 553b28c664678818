"""`python -m benchmarks`: measure everything in one run, print the tables, keep the numbers.

One thread of linear algebra is asked for before numpy is there: a core-second is then one of one core.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from rich.console import Console

from benchmarks import (
    accuracy,
    auto,
    certified,
    first_result,
    growth,
    large,
    memory,
    one_level,
    scaling,
    shares,
    throughput,
)
from benchmarks.c_reference import BUILD, NoCompilerError, build, compiler
from benchmarks.machine import machine
from benchmarks.record import Record, UnreadableRecordError, read, rounded, write
from benchmarks.tables import tables
from ratecert.base.errors import UnwritableError
from ratecert.base.files import require_writable
from ratecert.base.progress import progress_of
from ratecert.base.terminal import echo

SECTIONS: dict[str, ModuleType] = {
    "throughput": throughput,
    "auto": auto,
    "scaling": scaling,
    "first_result": first_result,
    "accuracy": accuracy,
    "growth": growth,
    "large": large,
    "certified": certified,
    "one_level": one_level,
    "memory": memory,
    "shares": shares,
}


def measured(parts: Sequence[str] = tuple(SECTIONS)) -> Record:
    return {"machine": machine(), **{name: rows(name, SECTIONS[name]) for name in parts}}


def rows(name: str, module: ModuleType) -> list[dict[str, Any]]:
    settings, found = module.settings(), []
    with progress_of(name, len(settings)) as done:
        for setting in settings:
            found.append(module.measure(setting))
            done()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--out", type=Path, default=BUILD / "bench.json", help="where the numbers are kept")
    parser.add_argument(
        "--part",
        choices=SECTIONS,
        help="measure this part alone, and replace it in a record of the same machine",
    )
    asked = parser.parse_args()
    out: Path = asked.out
    try:
        require_writable(out.parent)
        if compiler():
            build()
    except UnwritableError as error:
        return refused(f"{error.filename}: {error.strerror}; choose another file with --out.")
    except NoCompilerError as error:
        return refused(str(error))
    try:
        kept = read(out) if asked.part else {}
    except UnreadableRecordError as error:
        return refused(str(error))
    if kept and kept["machine"] != rounded(machine()):
        return refused(f"{out} was measured on another machine, or with other versions; measure all of it.")
    found = measured([asked.part] if asked.part else tuple(SECTIONS))
    record = {**kept, **rounded(found)}
    write(record, out)
    console = Console()
    with console.capture() as captured:
        for table in tables(record).values():
            console.print(table.as_rich())
    echo(f"{captured.get()}kept in {out}\n")
    return 0


def refused(message: str) -> int:
    print(message, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
