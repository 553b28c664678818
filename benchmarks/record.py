"""bench.json: one run, the numbers as they were measured.

schema        1; a file with another number is refused
machine       processor, compiler, versions
throughput    algorithm, d, Q, rates: contestant -> device-iterations per core-second
auto          algorithm, d, T, replicates, seconds of each engine in a new process, the engine that `auto` takes;
              records of before it have none
scaling       engine, workers, d, Q, seconds: number of workers -> seconds of the wall clock
first_result  engine, cache, seconds
accuracy      a pilot of sampling and its relative standard error, the time of both ways, the replicates needed
growth        way, what is changed, seconds of a core
large         what, letter, two sizes, seconds of a core at both, MiB at the large one, most: how many times as long it
              may take; records of before have none
certified     d, noise, T, seconds of a core, plain and certified; records of before it have none
one_level     what, d, T, seconds of a core, and those of a short run; records of before it have none
memory        engine, replicates, T, MiB
shares        algorithm, d, Q, shares: part of the fast engine -> share of its time
"""

import json
from pathlib import Path
from typing import Any

from ratecert.base.files import write_text

SCHEMA = 1
SECTIONS = ("throughput", "scaling", "first_result", "accuracy", "growth", "memory", "shares")

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
    except FileNotFoundError:
        raise UnreadableRecordError(
            f"{path} is not there; `python -m benchmarks --out {path}` makes it."
        ) from None
    except (OSError, ValueError) as error:
        raise UnreadableRecordError(f"{path} cannot be read as JSON: {error}") from error
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        raise UnreadableRecordError(
            f"{path} is no record of benchmarks with schema = {SCHEMA}; make it again."
        )
    missing = [name for name in ("machine", *SECTIONS) if name not in record]
    if missing:
        raise UnreadableRecordError(
            f"{path} lacks {', '.join(missing)}; make it again with `python -m benchmarks`."
        )
    return record
