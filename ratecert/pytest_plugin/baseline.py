"""The file of recorded exponents: JSON, one line for each, sorted, so that a change of one is a change of one line.

A record is found by its key: the test file, relative to the folder of the baseline, then the test as pytest names it,
then the name that the test gave, if any.

    tests/rates/test_rates.py::TestSGD::test_drift[8]: in T
"""

import json
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ratecert.base.errors import BaselineError, UserError
from ratecert.base.files import write_text
from ratecert.pytest_plugin.rule import Entry

NAME = "rate_baseline.json"
EXACT = {"exponent", "interval", "points"}
SAMPLED = EXACT | {"replicates", "confidence"}


def baseline_for(config: pytest.Config, test_file: Path) -> Path:
    chosen = config.getini("rate_baseline")
    if not chosen:
        return test_file.parent / NAME
    return (config.inipath.parent if config.inipath else config.rootpath) / Path(chosen)


def name_of(item: pytest.Item) -> str:
    """The classes and the function: the node id without its file, and without what plugins append to it."""
    return "::".join(node.name for node in item.listchain() if isinstance(node, pytest.Class | pytest.Item))


def key_of(baseline: Path, test_file: Path, test: str, name: str | None = None) -> str:
    file = Path(os.path.relpath(test_file, baseline.parent)).as_posix()
    return f"{file}::{test}" + (f": {name}" if name else "")


def belongs(key: str, test: str) -> bool:
    """Whether `key` is one of the records of the test whose key without a name is `test`."""
    return key == test or key.startswith(f"{test}: ")


def as_record(entry: Entry) -> dict[str, Any]:
    entry = entry.rounded()
    record: dict[str, Any] = {
        "exponent": entry.exponent,
        "interval": [entry.low, entry.high],
        "points": entry.points,
    }
    if entry.confidence is not None:
        record |= {"replicates": entry.replicates, "confidence": entry.confidence}
    return record


def as_entry(record: Any) -> Entry:
    """Refuses, with a ValueError, what `as_record` cannot have made."""
    fields = set(record) if isinstance(record, dict) else set()
    interval = record["interval"] if fields in (EXACT, SAMPLED) else None
    if isinstance(interval, list) and len(interval) == 2:
        exponent, points, low, high = record["exponent"], record["points"], *interval
        replicates, confidence = record.get("replicates", 0), record.get("confidence")
        numbers = (exponent, low, high, points, replicates, confidence or 0)
        if all(isinstance(number, int | float) for number in numbers):
            return Entry(
                exponent=exponent,
                low=low,
                high=high,
                points=points,
                replicates=replicates,
                confidence=confidence,
            )
    raise UserError(f"{json.dumps(record)} is no record of an exponent, its interval and its points")


def read(baseline: Path) -> dict[str, Entry]:
    """All records; none where there is no file."""
    if not baseline.exists():
        return {}
    try:
        text = baseline.read_text(encoding="utf-8")
        records = json.loads(text, object_pairs_hook=_each_once)
        if not isinstance(records, dict):
            raise UserError("it is no object of records")
        return {key: as_entry(record) for key, record in records.items()}
    except (OSError, ValueError) as error:
        raise BaselineError(
            f"{baseline} cannot be read as recorded exponents ({error}): mend it, take it from your last commit, or "
            f"delete it and record again with --rate-update."
        ) from error


def write(baseline: Path, entries: Mapping[str, Entry]) -> None:
    lines = [
        f"  {json.dumps(key, ensure_ascii=False)}: {json.dumps(as_record(entries[key]))}"
        for key in sorted(entries)
    ]
    write_text(baseline, "{\n" + ",\n".join(lines) + "\n}\n")


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    twice = [key for key, times in Counter(key for key, _ in pairs).items() if times > 1]
    if twice:
        raise UserError(f"{twice[0]!r} is there twice")
    return dict(pairs)
