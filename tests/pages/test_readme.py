"""What the README shows runs as it stands, and its numbers are those of docs/results.json."""

import json
import re
from pathlib import Path

import pytest

from ratecert.verdicts.collect import claims

README = Path(__file__).parents[2] / "README.md"
RESULTS = README.parent / "docs" / "results.json"


@pytest.mark.skipif(not README.is_file(), reason="the README is not part of the installed wheel")
def test_the_python_of_the_readme_prints_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    text = README.read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    (shown,) = re.findall(r"^```text\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    exec(compile(block, str(README), "exec"), {})
    assert capsys.readouterr().out == shown


@pytest.mark.skipif(not README.is_file(), reason="the README is not part of the installed wheel")
def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 130


@pytest.mark.parametrize(("page", "least"), [("README.md", 5), ("docs/found.md", 19)])
def test_every_number_of_the_table_is_that_of_the_results(page: str, least: int) -> None:
    path = README.parent / page
    if not path.is_file():
        pytest.skip("pages are not part of the installed wheel")
    kept = json.loads(RESULTS.read_text(encoding="utf-8"))
    checks = {(claim["id"], check["name"]): check for claim in kept["claims"] for check in claim["checks"]}
    row = re.compile(r"^\| `([^`]+)` \| ([^|]+) \| (\S+) \| ([=≤≥]) \| (\S+) \| ", re.MULTILINE)
    rows = row.findall(path.read_text(encoding="utf-8"))
    assert len(rows) >= least
    for id, name, measured, _, predicted in rows:
        check = checks[id, name]
        assert (measured, predicted) == (f"{check['measured']:.4g}", f"{check['predicted']:.4g}"), (id, name)


@pytest.mark.skipif(not RESULTS.is_file(), reason="the results are not part of the installed wheel")
def test_the_kept_results_are_those_of_the_claims() -> None:
    kept = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert kept["budget"] == "standard"
    assert {claim["id"]: claim["verdict"] for claim in kept["claims"]} == {
        id: claim.expected for id, claim in claims().items()
    }
