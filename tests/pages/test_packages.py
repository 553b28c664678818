"""The package is one name, its parts are where they should be, and it runs; a checkout without links says so."""

import importlib
import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest

import ratecert

PARTS = ("theory", "synthetic", "solvers")
PACKAGE = Path(ratecert.__file__).resolve().parent
PREFIX = os.environ.get("RATECERT_EXPECT_PREFIX")


@pytest.mark.smoke
@pytest.mark.parametrize("name", ["ratecert", *(f"ratecert.{part}" for part in PARTS)])
def test_package_is_where_it_should_be(name: str) -> None:
    folder = Path(str(importlib.import_module(name).__file__)).resolve().parent
    assert (folder / "py.typed").is_file()
    assert not PREFIX or folder.is_relative_to(Path(PREFIX).resolve())


def python(*arguments: str, folder: Path, path: Path = PACKAGE.parent) -> tuple[int, str, str]:
    """Exit code, standard output and error of a new process."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "COV"))}
    environment = {**inherited, "PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


EVERYTHING = """
import importlib, pkgutil, sys, ratecert

for module in pkgutil.walk_packages(ratecert.__path__, "ratecert."):
    if module.name != "ratecert.__main__":
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as missing:
            assert missing.name.split(".")[0] in ("distributed", "dask", "jax"), missing
"""
LOADED = """
print(len([name for name in sys.modules if name.startswith("ratecert.")]))
print([name for name in ("theory", "synthetic", "solvers") if name in sys.modules])
"""


@pytest.mark.nightly
@pytest.mark.smoke
def test_its_parts_are_imported_under_one_name(tmp_path: Path) -> None:
    """All modules, and then no second copy of any; a script that imports one is seen."""
    code, told, error = python("-c", EVERYTHING + LOADED, folder=tmp_path)
    assert code == 0, error
    modules, copies = told.splitlines()
    assert int(modules) > 200
    assert copies == "[]"
    for part in PARTS:
        (tmp_path / part).mkdir()
        (tmp_path / part / "__init__.py").touch()
    _, told, _ = python("-c", f"import sys, solvers, ratecert.solvers\n{LOADED}", folder=tmp_path)
    assert told.splitlines()[-1] == "['solvers']"


@pytest.mark.smoke
def test_the_package_runs_as_a_module(tmp_path: Path) -> None:
    done = python("-m", "ratecert", "--version", folder=tmp_path)
    assert done == (0, f"ratecert {ratecert.__version__}\n", "")
    assert not PREFIX or importlib.metadata.version("ratecert") == ratecert.__version__


def imported(folder: Path) -> tuple[int, str]:
    """Exit code of `import ratecert` from this folder, and the last line of its error."""
    code, _, error = python("-c", "import ratecert", folder=folder, path=folder)
    return code, (error.splitlines() or [""])[-1]


def checkout(folder: Path) -> Path:
    """The modules at the top of the package, and its parts, which are empty, through links."""
    (folder / "ratecert").mkdir(parents=True)
    for path in PACKAGE.glob("*.py"):
        (folder / "ratecert" / path.name).write_bytes(path.read_bytes())
    for part in PARTS:
        (folder / part).mkdir()
        (folder / part / "__init__.py").touch()
        (folder / "ratecert" / part).symlink_to(f"../{part}")
    return folder


@pytest.mark.parametrize("broken", PARTS)
def test_a_checkout_without_links_says_what_to_do(broken: str, tmp_path: Path) -> None:
    """As git writes it where the system has no symbolic links: a plain file that holds the target."""
    link = checkout(tmp_path) / "ratecert" / broken
    assert imported(tmp_path) == (0, "")
    link.unlink()
    link.write_text(f"../{broken}", encoding="utf-8")
    code, message = imported(tmp_path)
    assert code == 1
    assert message.startswith(f"ImportError: {link} is a plain file")
