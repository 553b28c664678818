"""What the README shows runs as it stands, and its numbers are those of docs/results.json."""

import json
import re
from pathlib import Path

import pytest

from ratecert.from_data.claims import claims

README = Path(__file__).parents[2] / "README.md"
RESULTS = README.parent / "docs" / "results.json"


@pytest.mark.skipif(not README.is_file(), reason="the README is not part of the installed wheel")
def test_every_python_block_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(
        r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert blocks
    for block in blocks:
        exec(compile(block, str(README), "exec"), {})
    assert capsys.readouterr().out


@pytest.mark.skipif(not README.is_file(), reason="the README is not part of the installed wheel")
def test_every_number_of_the_table_is_that_of_the_results() -> None:
    kept = json.loads(RESULTS.read_text(encoding="utf-8"))
    checks = {(claim["id"], check["name"]): check for claim in kept["claims"] for check in claim["checks"]}
    row = re.compile(r"^\| `([^`]+)` \| ([^|]+) \| (\S+) \| ([=≤≥]) \| (\S+) \| ", re.MULTILINE)
    rows = row.findall(README.read_text(encoding="utf-8"))
    assert len(rows) >= 10
    for id, name, measured, _, predicted in rows:
        known = [check for claim, check in checks if claim == id and name.startswith(check)]
        check = checks[
            id, max(known, key=len)
        ]  # after the name of the check a row may say where it was measured
        assert (measured, predicted) == (f"{check['measured']:.4g}", f"{check['predicted']:.4g}"), (id, name)


@pytest.mark.skipif(not RESULTS.is_file(), reason="the results are not part of the installed wheel")
def test_the_kept_results_are_those_of_the_claims() -> None:
    kept = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert kept["budget"] == "standard"
    assert {claim["id"]: claim["verdict"] for claim in kept["claims"]} == {
        id: claim.expected for id, claim in claims().items()
    }
