"""`python -m benchmarks`: measure everything in one run, print the tables, keep the numbers.

One thread of linear algebra is asked for before numpy is there: a core-second is then one of one core.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"

import argparse
import sys
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
    memory,
    one_level,
    scaling,
    shares,
    throughput,
)
from benchmarks.c_reference import BUILD, NoCompilerError, build, compiler
from benchmarks.machine import machine
from benchmarks.record import Record, rounded, write
from benchmarks.tables import tables
from ratecert.errors import UnwritableError
from ratecert.output.files import require_writable
from ratecert.output.terminal import echo
from ratecert.run.progress import progress_of

SECTIONS: dict[str, ModuleType] = {
    "throughput": throughput,
    "auto": auto,
    "scaling": scaling,
    "first_result": first_result,
    "accuracy": accuracy,
    "growth": growth,
    "certified": certified,
    "one_level": one_level,
    "memory": memory,
    "shares": shares,
}


def measured() -> Record:
    return {"machine": machine(), **{name: rows(name, module) for name, module in SECTIONS.items()}}


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
    out: Path = parser.parse_args().out
    try:
        require_writable(out.parent)
        if compiler():
            build()
    except UnwritableError as error:
        return refused(f"{error.filename}: {error.strerror}; choose another file with --out.")
    except NoCompilerError as error:
        return refused(str(error))
    record = rounded(measured())
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
