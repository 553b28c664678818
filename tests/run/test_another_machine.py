"""The kept results against those of a machine that rounds otherwise: nothing to tell; and against a real difference."""

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from ratecert.cli.main import main

KEPT = Path(__file__).parents[2] / "docs" / "results.json"
pytestmark = pytest.mark.skipif(not KEPT.is_file(), reason="the results are not part of the installed wheel")


@pytest.fixture
def results() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8"))
    del found["digest"]  # of these numbers, not of those that follow
    return found


def compared(results: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(results), encoding="utf-8")
    return main(["compare", str(KEPT), str(path)]), capsys.readouterr().out


def checks(results: dict[str, Any]) -> list[dict[str, Any]]:
    return [check for claim in results["claims"] for check in claim["checks"]]


def test_other_rounding_is_one_line(
    results: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(0)
    for check in checks(results):
        for name in ("measured", "predicted", "tolerance", "uncertainty"):
            if isinstance(check[name], float):
                check[name] *= 1 + rng.uniform(-1e-11, 1e-11)
    count = len(results["claims"])
    assert compared(results, tmp_path, capsys) == (0, f"Verdicts: all {count} as before.\n")


def test_a_real_difference_ends_with_1(
    results: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The twin: one of all checks fails, and its claim with it."""
    claim = next(c for c in results["claims"] if c["id"] == "linear-speedup.corollary-1")
    claim["checks"][0] |= {"measured": 0.5, "verdict": "fails"}
    claim |= {"verdict": "refuted", "reason": "the speedup is gone"}
    code, out = compared(results, tmp_path, capsys)
    name = claim["checks"][0]["name"]
    assert code == 1
    assert out.splitlines()[0].endswith("changed, 1 check gone or otherwise.")
    assert "linear-speedup.corollary-1: not refuted -> refuted (the speedup is gone)" in out
    assert f"the check {name!r}: passes -> fails" in out
    assert f"{name} moved, -0.5" in out


def test_names_of_checks_have_no_place_that_rounding_chooses(results: dict[str, Any]) -> None:
    """Where a number is largest is not part of a name; the names of one claim are all different."""
    chosen = re.compile(r"radius \d|worst K =|theta = 0\.\d{4}|attained of \d|, on \w+$|bends .*\de[+-]\d")
    assert not [check["name"] for check in checks(results) if chosen.search(check["name"])]
    assert chosen.search("leading constant over its closed form, worst K = 256")
    for claim in results["claims"]:
        names = [check["name"] for check in claim["checks"]]
        assert len(names) == len(set(names)), claim["id"]
