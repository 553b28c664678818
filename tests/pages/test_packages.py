"""The package is one name, its parts are where they should be, and it runs; a checkout without links says so."""

import importlib
import importlib.metadata
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ratecert

PARTS = ("theory", "synthetic", "solvers")
PACKAGE = Path(ratecert.__file__).resolve().parent


@pytest.mark.smoke
@pytest.mark.parametrize("name", ["ratecert", *(f"ratecert.{part}" for part in PARTS)])
def test_package_is_where_it_should_be(name: str) -> None:
    package = importlib.import_module(name)
    folder = Path(str(package.__file__)).resolve().parent
    assert (folder / "py.typed").is_file()
    expected = os.environ.get("RATECERT_EXPECT_PREFIX")
    if expected:
        assert folder.is_relative_to(Path(expected).resolve())


def in_a_new_process(
    code: str, folder: Path, path: Path = PACKAGE.parent
) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "COV"))}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


EVERYTHING = """
import importlib, pkgutil, sys, ratecert

for module in pkgutil.walk_packages(ratecert.__path__, "ratecert."):
    if module.name != "ratecert.__main__":
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as missing:
            assert missing.name.split(".")[0] in ("numba", "llvmlite", "distributed", "dask"), missing
"""
LOADED = """
print(len([name for name in sys.modules if name.startswith("ratecert.")]))
print([name for name in ("theory", "synthetic", "solvers") if name in sys.modules])
"""


@pytest.mark.nightly
@pytest.mark.smoke
def test_its_parts_are_imported_under_one_name(tmp_path: Path) -> None:
    """All modules, and then no second copy of any; a script that imports one is seen."""
    done = in_a_new_process(EVERYTHING + LOADED, tmp_path)
    assert done.returncode == 0, done.stderr
    modules, copies = done.stdout.splitlines()
    assert int(modules) > 200
    assert copies == "[]"
    for part in PARTS:
        (tmp_path / part).mkdir()
        (tmp_path / part / "__init__.py").touch()
    second = in_a_new_process("import sys, solvers, ratecert.solvers\n" + LOADED, tmp_path)
    assert second.stdout.splitlines()[-1] == "['solvers']"


@pytest.mark.smoke
def test_the_package_runs_as_a_module(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "ratecert", "--version"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, f"ratecert {ratecert.__version__}\n", "")
    if os.environ.get("RATECERT_EXPECT_PREFIX"):
        assert importlib.metadata.version("ratecert") == ratecert.__version__


@pytest.mark.parametrize("broken", PARTS)
def test_a_checkout_without_links_says_what_to_do(broken: str, tmp_path: Path) -> None:
    """As git writes it where the system has no symbolic links: a plain file that holds the target."""
    package = tmp_path / "ratecert"
    package.mkdir()
    for path in PACKAGE.glob("*.py"):
        (package / path.name).write_bytes(path.read_bytes())
    for part in PARTS:
        (package / part).mkdir()
    sound = in_a_new_process("import ratecert", tmp_path, tmp_path)
    assert (sound.returncode, sound.stderr) == (0, "")
    (package / broken).rmdir()
    (package / broken).write_text(f"../{broken}", encoding="utf-8")
    done = in_a_new_process("import ratecert", tmp_path, tmp_path)
    assert done.returncode == 1
    message = done.stderr.splitlines()[-1]
    assert message.startswith("ImportError: ")
    assert str(package / broken) in message
    for advice in ("is a plain file", "git config core.symlinks true", "git checkout", "only after that"):
        assert advice in message


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_what_it_says_brings_the_links_back_and_keeps_edits(tmp_path: Path) -> None:
    """The commands between backticks, run where git wrote plain files and a module has a line of the user's."""
    whole, plain = tmp_path / "whole", tmp_path / "plain"
    (whole / "ratecert").mkdir(parents=True)
    for path in PACKAGE.glob("*.py"):
        (whole / "ratecert" / path.name).write_bytes(path.read_bytes())
    for part in PARTS:
        (whole / part).mkdir()
        (whole / part / "__init__.py").touch()
        (whole / "ratecert" / part).symlink_to(f"../{part}")
    me = ("-c", "user.name=me", "-c", "user.email=me@localhost")
    subprocess.run(["git", "init", "--quiet", whole], check=True)
    subprocess.run(["git", "-C", whole, "add", "."], check=True)
    subprocess.run(["git", "-C", whole, *me, "commit", "--quiet", "-m", "whole"], check=True)
    subprocess.run(["git", "clone", "--quiet", "-c", "core.symlinks=false", whole, plain], check=True)
    edited = (plain / "ratecert" / "errors.py").read_text(encoding="utf-8") + "# mine\n"
    (plain / "ratecert" / "errors.py").write_text(edited, encoding="utf-8")
    told = in_a_new_process("import ratecert", tmp_path, plain).stderr.splitlines()[-1]
    for command in re.findall("`(.*?)`", told):
        subprocess.run(shlex.split(command), cwd=plain, check=True)
    assert all((plain / "ratecert" / part).is_symlink() for part in PARTS)
    assert (plain / "ratecert" / "errors.py").read_text(encoding="utf-8") == edited
    done = in_a_new_process("import ratecert", tmp_path, plain)
    assert (done.returncode, done.stderr) == (0, "")
