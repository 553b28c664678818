"""`python -m benchmarks`: measure everything in one run, print the tables, keep the numbers.

One thread of linear algebra is asked for before numpy is there: a core-second is then one of one core.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.c_reference import BUILD, NoCompilerError, build, compiler
from benchmarks.record import PARTS, Record, UnreadableRecordError, machine, read, rounded, write
from benchmarks.shown import tables
from ratecert.base.errors import UnwritableError
from ratecert.base.files import require_writable
from ratecert.base.terminal import echo


def measured(parts: Sequence[str]) -> Record:
    return {"machine": machine(), **{name: _rows(name) for name in parts}}


def _rows(name: str) -> list[dict[str, Any]]:
    print(f"measuring {name}", file=sys.stderr, flush=True)
    return list(PARTS[name]())


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--out", type=Path, default=BUILD / "bench.json", help="where the numbers are kept")
    one = "measure this part alone, and replace it in a record of the same machine"
    parser.add_argument("--part", choices=PARTS, help=one)
    asked = parser.parse_args()
    out: Path = asked.out
    try:
        require_writable(out.parent)
        if compiler():
            build()
        stored = read(out) if asked.part else {}
    except UnwritableError as error:
        return refused(f"{error.filename}: {error.strerror}; choose another file with --out.")
    except (NoCompilerError, UnreadableRecordError) as error:
        return refused(str(error))
    if stored and stored["machine"] != rounded(machine()):
        return refused(f"{out} was measured on another machine, or with other versions; measure all of it.")
    record = {**stored, **rounded(measured([asked.part] if asked.part else tuple(PARTS)))}
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
