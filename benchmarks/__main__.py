"""`python -m benchmarks`: measure everything in one run, print the tables, keep the numbers.

Exit code 2 if a file cannot be read or written. One thread of linear algebra is asked for before numpy is there: a
core-second is then one of one core.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.c_reference import NoCompilerError, built, compiler
from benchmarks.record import PARTS, UnreadableRecordError, machine, read, rounded, tables, write
from ratecert.base.errors import UnwritableError
from ratecert.base.files import require_writable
from ratecert.base.terminal import echo

OUT = Path(__file__).parents[1] / "build" / "bench.json"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT, help="where the numbers are kept")
    one = "measure this part alone, and replace it in a record of the same machine"
    parser.add_argument("--part", choices=PARTS, help=one)
    asked = parser.parse_args(arguments)
    try:
        return measured(asked.out, asked.part)
    except UnwritableError as error:
        print(f"{error.filename}: {error.strerror}; choose another file with --out.", file=sys.stderr)
    except (NoCompilerError, UnreadableRecordError) as error:
        print(error, file=sys.stderr)
    return 2


def measured(out: Path, part: str | None) -> int:
    require_writable(out.parent)
    stored = read(out) if part else {}
    if stored and stored["machine"] != rounded(machine()):
        raise UnreadableRecordError(f"{out} is of another machine, or of other versions; measure all of it.")
    if compiler():
        built()
    record = {**stored, "machine": machine()}
    for name in [part] if part else PARTS:
        print(f"measuring {name}", file=sys.stderr, flush=True)
        record[name] = list(PARTS[name]())
    write(record, out)
    echo("".join(f"{name}\n\n{table}\n" for name, table in tables(read(out)).items()) + f"kept in {out}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
