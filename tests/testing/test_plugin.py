"""The pytest plugin in scratch projects: records, regressions, updates, and what a failing test prints."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ratecert.base.drawing  # noqa: F401  # a run inside this process must not be the first to import it
from ratecert import pytest_plugin as plugin

pytest_plugins = ["pytester"]
PAGE = Path(__file__).parents[2] / "docs" / "pytest_plugin.md"
Run = Callable[..., Any]

ONE = "def test_one(rate_regression):\n    rate_regression(([1, 2, 4], [4.0, 2.0, 1.0]))\n"
TWO = "def test_two(rate_regression):\n    rate_regression(([1, 2, 4], [1.0, 1.0, 1.0]))\n"
KEY, OTHER = "test_it.py::test_one", "test_it.py::test_two"
OLD = {"exponent": -0.5, "interval": [-0.51, -0.49], "points": 3}


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Write test_it.py, run pytest with the plugin, and return (passed, failed, output)."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setattr("sys.dont_write_bytecode", True)  # a file is changed within a second

    def outcome(text: str, *options: str) -> Any:
        (pytester.path / "test_it.py").write_text(text, encoding="utf-8")
        result = pytester.runpytest_inprocess("-W", "error", *options, plugins=[plugin])
        counts = result.parseoutcomes()
        return counts.get("passed", 0), counts.get("failed", 0), result.stdout.str()

    return outcome


def records(folder: Path, name: str = "rate_baseline.json") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / name).read_text(encoding="utf-8"))
    return found


def keep(folder: Path, *keys: str) -> None:
    (folder / "rate_baseline.json").write_text(json.dumps(dict.fromkeys(keys, OLD)), encoding="utf-8")


# Recording.


def test_without_a_record_a_test_fails_and_nothing_is_written(run: Run, pytester: pytest.Pytester) -> None:
    passed, failed, output = run(ONE)
    assert (passed, failed) == (0, 1)
    assert f"{KEY} has no record in " in output
    assert "measured is -1 in [-1, -1] (3 points, exact); record it with --rate-update." in output
    assert not (pytester.path / "rate_baseline.json").exists()


def test_a_recorded_exponent_passes_and_a_moved_one_fails(run: Run, pytester: pytest.Pytester) -> None:
    """-1 is recorded; 4, 2, 0.9 has the slope log2(0.9/4)/2 = -1.076002."""
    _, failed, output = run(ONE, "--rate-update")
    assert failed == 0
    assert f"recorded   {KEY}: -1 in [-1, -1] (3 points, exact)" in output
    assert records(pytester.path) == {KEY: {"exponent": -1.0, "interval": [-1.0, -1.0], "points": 3}}
    assert run(ONE)[:2] == (1, 0)
    before = (pytester.path / "rate_baseline.json").read_bytes()
    passed, failed, output = run(ONE.replace("1.0]", "0.9]"))
    assert (passed, failed) == (0, 1)
    assert "the exponent has moved by -0.076, out of [-1, -1]" in output
    assert "recorded  -1 in [-1, -1] (3 points, exact)" in output
    assert "measured  -1.07600154" in output
    assert re.search(r"^x +y +fit +y/fit - 1$", output, re.MULTILINE)
    figure = re.search(r"^figure +(\S+)$", output, re.MULTILINE)
    assert figure is not None
    assert "<svg" in (pytester.path / figure[1]).read_text(encoding="utf-8")
    assert figure[1].startswith(".rate_figures/test_it.py-test_one-")
    assert (pytester.path / "rate_baseline.json").read_bytes() == before
    assert run(ONE.replace("1.0]))", "0.9]), tolerance=0.2)"))[:2] == (1, 0)


def test_an_update_says_what_has_changed(run: Run, pytester: pytest.Pytester) -> None:
    keep(pytester.path, KEY)
    output = run(ONE + TWO, "--rate-update")[2]
    arrow = "-0.5 in [-0.51, -0.49] (3 points, exact) -> -1 in [-1, -1] (3 points, exact)"
    assert f"changed    {KEY}: {arrow}" in output
    assert f"recorded   {OTHER}: 0 in [0, 0]" in output
    assert set(records(pytester.path)) == {KEY, OTHER}
    output = run(ONE + TWO, "--rate-update")[2]
    assert f"unchanged  {KEY}" in output
    assert "changed    " not in output.replace("unchanged  ", "")


def test_sampled_slopes_are_recorded_with_their_confidence(run: Run, pytester: pytest.Pytester) -> None:
    text = (
        "from ratecert import fit_slope\n"
        "def test_one(rate_regression):\n"
        "    slope = fit_slope([1, 2, 4], [4, 2, 1], standard_error=0.1, replicates=64, confidence=0.9)\n"
        "    assert rate_regression(slope, points=([1, 2, 4], [4, 2, 1])) == slope\n"
    )
    assert run(text, "--rate-update")[0] == 1
    assert records(pytester.path)[KEY].items() >= {"replicates": 64, "confidence": 0.9}.items()
    assert run(text)[0] == 1
    assert "different things are not compared" in run(text.replace("0.9)", "0.95)"))[2]


def test_names_parameters_and_classes_have_records_of_their_own(run: Run, pytester: pytest.Pytester) -> None:
    text = (
        "import pytest\n"
        "class TestSGD:\n"
        "    @pytest.mark.parametrize('a', [1, 2])\n"
        "    def test_one(self, a, rate_regression):\n"
        "        for name in ('x', 'y'):\n"
        "            rate_regression(([1, 2, 4], [1, 2**a, 4**a]), name)\n"
    )
    assert run(text, "--rate-update")[0] == 2
    expected = {f"test_it.py::TestSGD::test_one[{a}]: {name}": a for a in (1, 2) for name in "xy"}
    assert {key: record["exponent"] for key, record in records(pytester.path).items()} == expected
    assert run(text)[:2] == (2, 0)
    assert "is measured twice in one test; give each call a name" in run(text.replace("'y'", "'x'"))[2]


BAD = {
    "two points": ("([1, 2], [1.0, 2.0])", "two points cannot show a bend; measure at three or more."),
    "tolerance": ("([1, 2, 4], [1, 2, 4]), tolerance=-1", "tolerance must be a finite number >= 0, got -1."),
    "name": ("([1, 2, 4], [1, 2, 4]), name=''", "name must be a few words on one line, got ''."),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD)
def test_a_wrong_call_fails_and_is_not_recorded(
    run: Run, pytester: pytest.Pytester, call: str, message: str
) -> None:
    text = f"def test_one(rate_regression):\n    rate_regression({call})"
    passed, failed, output = run(text, "--rate-update")
    assert (passed, failed) == (0, 1)
    assert message in output
    assert not (pytester.path / "rate_baseline.json").exists()


def test_the_calls_of_the_page(run: Run, pytester: pytest.Pytester) -> None:
    (block,) = re.findall(r"(?ms)^```python\n# test_calls.py\n(.*?)^```", PAGE.read_text("utf-8"))
    for options, outcome in (((), (0, 1)), (("--rate-update",), (1, 0)), ((), (1, 0))):
        assert run(block, *options)[:2] == outcome
    assert set(records(pytester.path)) == {f"test_it.py::test_several: {name}" for name in ("loss", "error")}


def test_one_file_for_all_records_has_the_path_in_its_keys(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nrate_baseline = kept/rates.json\n")
    run(ONE, "--rate-update")
    assert set(records(pytester.path, "kept/rates.json")) == {f"../{KEY}"}
    assert run(ONE)[:2] == (1, 0)
    assert not (pytester.path / "rate_baseline.json").exists()


# What must not be lost.


def test_a_corrupt_file_fails_the_test_and_stays(run: Run, pytester: pytest.Pytester) -> None:
    file = pytester.path / "rate_baseline.json"
    file.write_text("<<<<<<< ours", encoding="utf-8")
    for options in ([], ["--rate-update"]):
        passed, failed, output = run(ONE, *options)
        assert (passed, failed) == (0, 1)
        assert f"'{file}' cannot be read as JSON: Expecting value: line 1 column 1" in output
        assert file.read_text(encoding="utf-8") == "<<<<<<< ours"
    assert "not recorded: " in output


def test_what_cannot_be_written_is_an_error_of_the_run(run: Run, pytester: pytest.Pytester) -> None:
    (pytester.path / "file").touch()
    pytester.makeini("[pytest]\nrate_baseline = file/rates.json\n")
    (pytester.path / "test_it.py").write_text(ONE, encoding="utf-8")
    result = pytester.runpytest_inprocess("--rate-update", plugins=[plugin])
    assert result.ret == 1
    result.stdout.fnmatch_lines(["not recorded: *file*", "*1 passed*"])


STALE = ("test_it.py::test_gone", f"{KEY}: old name", "test_removed.py::test_x")


def test_an_update_of_the_whole_removes_what_no_test_measures(run: Run, pytester: pytest.Pytester) -> None:
    keep(pytester.path, KEY, *STALE)
    for options in ((), ("--rate-update", "--collect-only")):
        assert "removed" not in run(ONE, *options)[2]
        assert set(records(pytester.path)) == {KEY, *STALE}
    output = run(ONE, "--rate-update")[2]
    assert set(records(pytester.path)) == {KEY}
    assert all(f"removed    {key}: -0.5 in [-0.51, -0.49]" in output for key in STALE)


SKIP = "import pytest\n" + TWO.replace("    rate", "    pytest.skip()\n    rate")
PARTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "-k": (ONE + TWO, ("-k", "one")),
    "id": (ONE + TWO, ("test_it.py::test_one",)),
    "skipped": (ONE + SKIP, ()),
    "failed": (ONE + TWO + "    assert False\n", ()),
}


@pytest.mark.parametrize(("text", "options"), PARTS.values(), ids=PARTS)
def test_tests_that_did_not_pass_keep_their_records(
    run: Run, pytester: pytest.Pytester, text: str, options: tuple[str, ...]
) -> None:
    keep(pytester.path, KEY, OTHER)
    run(text, "--rate-update", *options)
    assert records(pytester.path)[OTHER] == OLD
    assert records(pytester.path)[KEY]["exponent"] == -1.0


# Assertions in any test.

ASSERTIONS = """
from ratecert import assert_bound, assert_slope
def test_slope():
    assert_slope(([1, 2, 4], [4, 2, 1]), -0.5, 0.1)
def test_bound():
    assert_bound([1, 2], [3, 1.5], at=[10, 20])
def test_plain():
    assert 1 == 2
"""


def test_a_failed_assertion_shows_its_points(run: Run, pytester: pytest.Pytester) -> None:
    _, failed, output = run(ASSERTIONS, "--rate-figures", "drawn")
    assert failed == 3
    slope, bound, plain = re.split(r"^_+ test_\w+ _+$", output, flags=re.MULTILINE)[1:]
    assert "expected   -0.5" in slope
    assert re.search(r"^ *2 +2 +2 +", slope, re.MULTILINE)
    assert re.search(r"^20 +2 +0 +1\.5 +-0\.5$", bound, re.MULTILINE)
    assert "figure" not in plain
    assert sorted(path.name[:21] for path in (pytester.path / "drawn").iterdir()) == [
        "test_it.py-test_bound",
        "test_it.py-test_slope",
    ]
    assert "asserting.py" not in output.replace("testing/asserting", "")
