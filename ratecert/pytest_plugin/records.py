"""Recorded exponents: the file, and when a measured exponent is still the recorded one.

The file is JSON, one line for each record, sorted, so that a change of one is a change of one line. A record is found
by its key: the test file, relative to the folder of the baseline, then the test as pytest names it, then the name that
the test gave, if any.

    tests/rates/test_rates.py::TestSGD::test_drift[8]: in T

A recorded exponent s in [l, h], a measured one e in [a, b], and when the second is still the first.

*Exact values*: e lies in [l, h]. The interval is the range of the slopes between neighbours, so it is as narrow as the
curve is straight, and it is not widened by [a, b].

*Sampled values*: both are known up to their half-widths u and v alone, and a difference of independent numbers is known
up to the root of the sum of squares:

    |e - s| <= sqrt(u^2 + v^2),

which errs as often as either interval does. [l, h] alone would cry wolf: of two honest runs at 1 - 1e-5 every 500th.

In both cases the test's own `tolerance`, 0 unless given, is added on both sides, and ROUNDING for the digits that are
recorded; and [a, b] is at most WIDER times as wide as what was recorded, [l, h] with the tolerance: a measurement that
has become vague confirms nothing. So disjoint intervals fail where there is no tolerance: e lies in [a, b], and
sqrt(u^2 + v^2) <= u + v. Exact and sampled exponents, and intervals of two confidences, are never compared.
"""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from ratecert.base.errors import BaselineError, UserError
from ratecert.base.files import read_data, write_text

NAME = "rate_baseline.json"
EXACT = {"exponent", "interval", "points"}
SAMPLED = EXACT | {"replicates", "confidence"}

DECIMALS = 9  # of what is recorded; machines differ in digits behind
ROUNDING = 10.0**-DECIMALS
WIDER = 2.0


@dataclass(frozen=True)
class Entry:
    """An exponent with its interval, as it is recorded."""

    exponent: float
    low: float
    high: float
    points: int
    replicates: int = 0  # 0: nothing was sampled
    confidence: float | None = None  # of a sampled interval

    def __post_init__(self) -> None:
        finite = all(map(math.isfinite, (self.exponent, self.low, self.high)))
        if not finite or not self.low <= self.exponent <= self.high:
            advice = "two points cannot show a bend; measure at three or more" if self.points == 2 else ""
            raise UserError(
                f"an exponent must be finite and lie in a finite interval, got {self.exponent:g} in "
                f"[{self.low:g}, {self.high:g}]{advice and f': {advice}'}."
            )

    def rounded(self) -> "Entry":
        """With DECIMALS decimals, so that a file does not change with the machine that wrote it."""
        exponent, low, high = (round(value, DECIMALS) + 0.0 for value in (self.exponent, self.low, self.high))
        return replace(self, exponent=exponent, low=low, high=high)

    @property
    def how(self) -> str:
        if self.confidence is None:
            return f"{self.points} points, exact"
        return f"{self.points} points, {self.replicates} replicates, confidence {self.confidence:.10g}"

    def __str__(self) -> str:
        return f"{digits(self.exponent)} in [{digits(self.low)}, {digits(self.high)}] ({self.how})"


def digits(value: float) -> str:
    """All that is recorded, and no zeros behind it."""
    return f"{round(value, DECIMALS) + 0.0:.{DECIMALS}f}".rstrip("0").rstrip(".")


def allowed(recorded: Entry, measured: Entry, tolerance: float = 0.0) -> tuple[float, float]:
    """Where the measured exponent may lie."""
    below, above = recorded.exponent - recorded.low, recorded.high - recorded.exponent
    if recorded.confidence is not None:
        half = math.hypot(max(below, above), (measured.high - measured.low) / 2)
        below, above = half, half
    return recorded.exponent - below - tolerance, recorded.exponent + above + tolerance


def disagreement(recorded: Entry, measured: Entry, tolerance: float = 0.0) -> str | None:
    """Why the measured exponent is not the recorded one; None where it is."""
    if recorded.confidence != measured.confidence:
        return "intervals that mean different things are not compared"
    low, high = allowed(recorded, measured, tolerance)
    if not low - ROUNDING <= measured.exponent <= high + ROUNDING:
        moved = measured.exponent - recorded.exponent
        return f"the exponent has moved by {moved:+.3g}, out of [{digits(low)}, {digits(high)}]"
    width, most = measured.high - measured.low, WIDER * (recorded.high - recorded.low + 2 * tolerance)
    if width > most + 2 * ROUNDING:
        return f"the interval is {width:.3g} wide, more than {most:.3g}, and confirms nothing"
    return None


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
        plain = all(isinstance(each, int | float) and not isinstance(each, bool) for each in numbers)
        counts = isinstance(points, int) and isinstance(replicates, int) and min(points, replicates + 1) > 0
        if plain and counts and (confidence is None or 0 < confidence < 1):
            return Entry(exponent, low, high, points, replicates, confidence)
    raise UserError(f"{json.dumps(record):.80} is no record of an exponent, its interval and its points")


def read(baseline: Path) -> dict[str, Entry]:
    """All records; none where there is no file."""
    if not baseline.exists():
        return {}
    advice = "mend it, take it from your last commit, or delete it and record again with --rate-update."
    try:
        return {key: as_entry(record) for key, record in read_data(baseline, BaselineError, advice).items()}
    except BaselineError:
        raise
    except (OSError, UserError) as error:
        raise BaselineError(f"{baseline} cannot be read as recorded exponents ({error}): {advice}") from error


def write(baseline: Path, entries: Mapping[str, Entry]) -> None:
    lines = [
        f"  {json.dumps(key, ensure_ascii=False)}: {json.dumps(as_record(entries[key]))}"
        for key in sorted(entries)
    ]
    write_text(baseline, "{\n" + ",\n".join(lines) + "\n}\n")
