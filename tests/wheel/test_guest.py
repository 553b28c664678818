"""The guest's project, in this environment: with Dask where it is installed, which the wheel's own has not."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("guest.sh")
EDIT = "sed -i.bak 's/self.alpha "  # the line that changes the guest's algorithm

pytestmark = pytest.mark.nightly  # a minute on two cores, and one more on a cluster


def guest(script: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = ["bash", str(script), str(folder), str(Path(sys.executable).parent)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_guest_is_at_home(tmp_path: Path) -> None:
    done = guest(SCRIPT, tmp_path / "guest")
    assert done.returncode == 0, done.stderr
    pytest.importorskip("distributed", reason="Dask is not installed (extra `cluster`)")
    assert (tmp_path / "guest" / "on_dask" / "results.json").is_file()


def test_an_algorithm_that_nobody_has_changed_is_not_computed_again(tmp_path: Path) -> None:
    """Without the edit the third run finds all tasks stored, and the script says so by failing."""
    (tmp_path / "tools").symlink_to(SCRIPT.parents[2] / "tools")
    script = tmp_path / "tests" / "wheel" / "guest.sh"
    script.parent.mkdir(parents=True)
    lines = SCRIPT.read_text(encoding="utf-8").splitlines(keepends=True)
    assert sum(line.startswith(EDIT) for line in lines) == 1
    script.write_text("".join(line for line in lines if not line.startswith(EDIT)), encoding="utf-8")
    done = guest(script, tmp_path / "guest")
    assert done.returncode == 1
    assert "algorithm-1.one-step" in done.stderr
