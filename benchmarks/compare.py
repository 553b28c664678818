"""What changed between two runs: `python -m benchmarks.compare A.json B.json`.

Ratios that moved by more than a tenth, numbers that one of the runs lacks, and targets that are met in one run only.
Exit code 1 if a target that was met is met no more, 2 if a file cannot be read. Runs differ by a few per cent by
themselves, and on a busy machine by more.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.record import Record, UnreadableRecordError, read
from benchmarks.shown import ratios, targets

TENTH = 0.1


def turned(a: Record, b: Record, *, into: str) -> Iterator[str]:
    """Targets that are met in one of the runs only: those that became `missed`, or `met`, in b."""
    for old, new in zip(targets(a), targets(b), strict=True):
        if bool(old.met) != bool(new.met) and bool(new.met) == (into == "met"):
            yield f"target {into}: {new.what}, {_number(old.measured)} -> {_number(new.measured)}"


def moved(a: Record, b: Record) -> Iterator[str]:
    before, after = ratios(a), ratios(b)
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name), after.get(name)
        if old is None or new is None or abs(new - old) > TENTH * old:
            yield f"{name}: {_number(old)} -> {_number(new)}"


def _number(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.3g}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__)
    parser.add_argument("a", type=Path)
    parser.add_argument("b", type=Path)
    chosen = parser.parse_args(arguments)
    try:
        a, b = read(chosen.a), read(chosen.b)
    except UnreadableRecordError as error:
        print(error, file=sys.stderr)
        return 2
    worse = list(turned(a, b, into="missed"))
    lines = [*worse, *turned(a, b, into="met"), *moved(a, b)]
    print("\n".join(lines) if lines else f"Nothing changed by more than {TENTH:.0%}.")
    return int(bool(worse))


if __name__ == "__main__":
    sys.exit(main())
