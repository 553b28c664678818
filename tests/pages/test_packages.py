"""The four packages are importable and one runs, and they come from the wheel when the wheel is what is tested."""

import importlib
import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest

import ratecert

PACKAGES = ("theory", "synthetic", "solvers", "ratecert")


@pytest.mark.smoke
@pytest.mark.parametrize("name", PACKAGES)
def test_package_is_where_it_should_be(name: str) -> None:
    package = importlib.import_module(name)
    folder = Path(package.__file__).resolve().parent
    assert (folder / "py.typed").is_file()
    expected = os.environ.get("RATECERT_EXPECT_PREFIX")
    if expected:
        assert folder.is_relative_to(Path(expected).resolve())


@pytest.mark.smoke
def test_the_package_runs_as_a_module(tmp_path: Path) -> None:
    folder = Path(ratecert.__file__).resolve().parents[1]
    run = subprocess.run(
        [sys.executable, "-m", "ratecert", "--version"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, f"ratecert {ratecert.__version__}\n", "")
    if os.environ.get("RATECERT_EXPECT_PREFIX"):
        assert importlib.metadata.version("ratecert") == ratecert.__version__
