"""The pytest plugin as a user has it: started by its entry point, light, in several processes, as its page shows."""

import json
import math
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import ratecert

pytestmark = pytest.mark.nightly

PAGE = Path(__file__).parents[2] / "docs" / "pytest_plugin.md"
SOURCE = Path(ratecert.__file__).resolve().parents[1]
PLUGIN = ("-p", "ratecert.pytest_plugin")
UNSET = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "CI", "BUILD_NUMBER", "PY_COLORS", "FORCE_COLOR")


SET = {"COLUMNS": "100", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(SOURCE)}
SET["PYTHONDONTWRITEBYTECODE"] = "1"  # files are changed within a second


def run(folder: Path, *options: str, **environment: str) -> tuple[int, str]:
    inherited = {name: value for name, value in os.environ.items() if name not in UNSET}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
    env = {**inherited, **SET, **environment}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


LIGHT = """
import sys
HEAVY = {"numpy", "scipy", "matplotlib", "sympy", "ratecert.solvers", "ratecert.theory", "ratecert.testing"}
def test_nothing_is_imported(pytestconfig):
    assert pytestconfig.pluginmanager.hasplugin("ratecert")
    assert not HEAVY & set(sys.modules)
    assert {name for name in sys.modules if name.startswith("ratecert.")} == {
        "ratecert.base", "ratecert.base.errors", "ratecert.base.files",
        "ratecert.pytest_plugin", "ratecert.pytest_plugin.fixture",
        "ratecert.pytest_plugin.records", "ratecert.pytest_plugin.update",
    }
def test_one(rate_regression):
    rate_regression(([1, 2, 4], [4, 2, 1]))
    assert "numpy" in sys.modules
"""


@pytest.mark.smoke
def test_the_entry_point_starts_a_light_plugin(tmp_path: Path) -> None:
    """From the wheel the real one; from the sources one that says what pyproject.toml says."""
    environment = {}
    if not os.environ.get("RATECERT_EXPECT_PREFIX"):
        entry = tmp_path / "site" / "entry-1.0.dist-info"
        entry.mkdir(parents=True)
        (entry / "METADATA").write_text("Metadata-Version: 2.1\nName: entry\nVersion: 1.0\n", "utf-8")
        (entry / "entry_points.txt").write_text("[pytest11]\nratecert = ratecert.pytest_plugin\n", "utf-8")
        environment["PYTHONPATH"] = os.pathsep.join((str(SOURCE), str(entry.parent)))
    (tmp_path / "test_light.py").write_text(LIGHT, encoding="utf-8")
    code, output = run(tmp_path, "--rate-update", **environment)
    assert code == 0, output
    assert "2 passed" in output
    assert "recorded   test_light.py::test_one: -1 in [-1, -1]" in output


MANY = """
import os, time
import pytest
@pytest.mark.parametrize("a", range(8))
def test_many(a, rate_regression):
    time.sleep(0.05)  # both workers get their share
    rate_regression(([1, 2, 4], [1, 2.0**a, 4.0**a]))
    with open(os.environ["PYTEST_XDIST_WORKER"], "w"):
        pass
"""


def test_workers_lose_no_update(tmp_path: Path) -> None:
    """Two processes measure, one line each is there in the end, and what was stale is gone."""
    pytest.importorskip("xdist")
    (tmp_path / "test_many.py").write_text(MANY, encoding="utf-8")
    file = tmp_path / "rate_baseline.json"
    old = {"exponent": 9.0, "interval": [9.0, 9.0], "points": 3}
    file.write_text(json.dumps({"test_many.py::test_gone": old}), encoding="utf-8")
    two = ("-p", "xdist", "-n", "2")
    code, output = run(tmp_path, *PLUGIN, *two, "--rate-update", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    assert code == 0, output
    assert {path.name for path in tmp_path.glob("gw*")} == {"gw0", "gw1"}
    found = {key: record["exponent"] for key, record in json.loads(file.read_text(encoding="utf-8")).items()}
    assert found == {f"test_many.py::test_many[{a}]": a for a in range(8)}
    assert "removed    test_many.py::test_gone: 9 in [9, 9]" in output
    assert output.count("recorded   test_many.py::test_many[") == 8


def normalised(output: str) -> str:
    return re.sub(r" in \d+\.\d\ds", " in 0.00s", output).strip()


def test_the_page_shows_what_is_printed(tmp_path: Path) -> None:
    """Its project is run as it stands; one passes and one fails. Negative: one digit of the page changed."""
    blocks = re.findall(r"(?ms)^```(python|text|json)\n(.*?)^```", PAGE.read_text(encoding="utf-8"))
    kinds, printed = [kind for kind, _ in blocks], []
    assert kinds == ["python", "python", "text", "json", "python", "text", "python"]
    for kind, block in blocks[:-1]:
        first, _, rest = block.partition("\n")
        if kind == "python":
            (tmp_path / first.removeprefix("# ")).write_text(block, encoding="utf-8")
        elif kind == "json":
            assert (tmp_path / "rate_baseline.json").read_text(encoding="utf-8") == block
        else:
            command, *options = shlex.split(first.removeprefix("$ "))
            assert command == "pytest"
            code, output = run(tmp_path, *PLUGIN, *options, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
            printed.append((code, normalised(output)))
            assert normalised(output) == rest.strip()
            assert normalised(output) != rest.strip().replace("-1", "-2", 1)
    assert [code for code, _ in printed] == [0, 1]
    by_hand = math.log(0.9 / 64 + 0.1) / math.log(64)  # of three points in equal steps only the ends count
    assert f"measured  {by_hand:.9f} in [" in printed[1][1]
    assert printed[1][1].endswith("1 failed, 1 passed in 0.00s")
    assert len(list((tmp_path / ".rate_figures").iterdir())) == 1
