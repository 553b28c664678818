"""When a measured exponent is still the recorded one, and the file in which it is recorded."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ratecert.errors import BaselineError
from ratecert.pytest_plugin.records import (
    Entry,
    belongs,
    digits,
    disagreement,
    read,
    write,
)

EXACT = Entry(exponent=-0.5, low=-0.51, high=-0.48, points=5)
SAMPLED = Entry(exponent=-0.5, low=-0.53, high=-0.47, points=5, replicates=64, confidence=0.9)
LINE = Entry(exponent=-0.5, low=-0.5, high=-0.5, points=3)
WIDER = replace(SAMPLED, low=-0.54, high=-0.46)
VAGUE = replace(EXACT, low=-0.55, high=-0.48)


def moved(entry: Entry, by: float) -> Entry:
    return replace(entry, exponent=entry.exponent + by, low=entry.low + by, high=entry.high + by)


@pytest.mark.parametrize(
    ("recorded", "measured", "tolerance", "said"),
    [
        (EXACT, moved(EXACT, -0.01), 0.0, ""),  # [-0.51, -0.48] is not symmetric
        (EXACT, moved(EXACT, 0.02), 0.0, ""),
        (EXACT, moved(EXACT, -0.011), 0.0, "moved by -0.011, out of [-0.51, -0.48]"),
        (EXACT, moved(EXACT, 0.021), 0.0, "moved by +0.021"),
        (EXACT, moved(EXACT, 0.021), 0.002, ""),
        (EXACT, moved(EXACT, 0.023), 0.002, "moved by"),
        (LINE, moved(LINE, 1e-12), 0.0, ""),  # room for its last digits only
        (LINE, moved(LINE, 1e-8), 0.0, "moved by"),
        (SAMPLED, moved(WIDER, 0.0499), 0.0, ""),  # half-widths 0.03 and 0.04: 0.05 by Pythagoras
        (SAMPLED, moved(WIDER, -0.0501), 0.0, "moved by"),
        (EXACT, VAGUE, 0.0, "is 0.07 wide, more than 0.06"),
        (EXACT, replace(EXACT, low=-0.54), 0.0, ""),
        (EXACT, VAGUE, 0.01, ""),
        (EXACT, SAMPLED, 0.0, "not compared"),
        (SAMPLED, EXACT, 0.0, "not compared"),
        (SAMPLED, replace(SAMPLED, confidence=0.95), 0.0, "not compared"),
        (SAMPLED, replace(SAMPLED, replicates=99), 0.0, ""),
    ],
)
def test_the_rule(recorded: Entry, measured: Entry, tolerance: float, said: str) -> None:
    found = disagreement(recorded, measured, tolerance)
    assert said in str(found)
    assert (found is None) == (said == "")


def test_two_honest_runs_disagree_as_often_as_the_confidence_says() -> None:
    """At 90 %, 1.644854 standard errors; the recorded interval alone would with 2 P(N > 1.644854/sqrt 2)."""
    rng, trials, q = np.random.default_rng(0), 4000, 1.644854
    alarms = alone = 0
    for s, e in rng.normal(size=(trials, 2)).tolist():
        first, second = (
            Entry(exponent=m, low=m - q, high=m + q, points=5, replicates=64, confidence=0.9) for m in (s, e)
        )
        alarms += disagreement(first, second) is not None
        alone += not first.low <= second.exponent <= first.high
    assert abs(alarms / trials - 0.1) < 4 * math.sqrt(0.1 * 0.9 / trials)
    assert abs(alone / trials - math.erfc(q / 2)) < 4 * math.sqrt(0.25 * 0.75 / trials)
    assert math.erfc(q / 2) > 0.2


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -0.4])
@pytest.mark.parametrize("field", ["exponent", "low", "high"])
def test_what_is_not_finite_or_not_in_its_interval_is_refused(field: str, value: float) -> None:
    wrong = {"exponent": value, "low": value, "high": value if value != -0.4 else -0.6}[field]
    with pytest.raises(ValueError, match="an exponent must be finite and lie in a finite interval, got"):
        replace(EXACT, **{field: wrong})


def test_numbers_are_written_as_they_are_recorded() -> None:
    wanted = ["-0.5", "0", "3", "-0.333333333", "100"]
    assert [digits(v) for v in (-0.5, -1e-12, 3.0, -1 / 3, 100.0)] == wanted


def test_records_come_back_one_line_each_and_sorted(tmp_path: Path) -> None:
    file = tmp_path / "rate_baseline.json"
    entries = {"b.py::test": EXACT, "a.py::test: in T": SAMPLED}
    write(file, entries)
    assert read(file) == entries
    assert read(tmp_path / "other.json") == {}
    lines = file.read_text(encoding="utf-8").splitlines()
    assert [line[3:7] for line in lines[1:-1]] == ["a.py", "b.py"]
    assert "b.py::test" in json.loads(file.read_text(encoding="utf-8"))
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


RECORD = '{"exponent": -0.5, "interval": [-0.51, -0.49], "points": 3}'
CORRUPT = {
    "cut": '{"a.py::test": {"expon',
    "merge": "<<<<<<< ours\n{}\n",
    "list": "[]",
    "twice": f'{{"a.py::test": {RECORD}, "a.py::test": {RECORD}}}',
    "bytes": b"\xff\xfe",
} | {
    name: f'{{"a.py::test": {record}}}'
    for name, record in {
        "nan": RECORD.replace("-0.5,", "NaN,"),
        "huge": RECORD.replace("-0.51", "-1e999"),
        "outside": RECORD.replace("-0.5,", "-0.6,"),
        "words": RECORD.replace("-0.49", "null"),
        "fields": '{"exponent": -0.5}',
        "number": "-0.5",
        "deep": "[" * 5000 + "]" * 5000,
        "digits": RECORD.replace("-0.5,", f"1{'0' * 400},"),
        "text": f'"{"x" * 3000}"',
        "one end": RECORD.replace(", -0.49", ""),
        "half a point": RECORD.replace("3}", "2.5}"),
        "truth values": '{"exponent": true, "interval": [false, true], "points": 3}',
        "replicates": RECORD.replace("3}", '3, "replicates": -4, "confidence": 0.9}'),
        "confidence": RECORD.replace("3}", '3, "replicates": 4, "confidence": 2}'),
    }.items()
}


@pytest.mark.parametrize("text", CORRUPT.values(), ids=CORRUPT)
def test_a_corrupt_file_is_one_sentence(text: str | bytes, tmp_path: Path) -> None:
    file = tmp_path / "rate_baseline.json"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(BaselineError, match=r"cannot be read .*--rate-update") as error:
        read(file)
    assert str(file) in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 600
    file.write_text(f'{{"a.py::test": {RECORD}}}', encoding="utf-8")
    assert read(file)["a.py::test"].points == 3


@pytest.mark.parametrize(("key", "own"), [("", True), (": in T", True), ("[1]", False), ("_more", False)])
def test_records_belong_to_their_test_alone(key: str, own: bool) -> None:
    assert belongs(f"a.py::test{key}", "a.py::test") is own
