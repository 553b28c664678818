"""What tests take from the package is there, in files that run at night, too, which are not imported by day."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


def missing(source: str) -> Iterator[str]:
    """What is imported from ratecert, tools or oracles, and is not there."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("ratecert", "oracles"):
            module = importlib.import_module(str(node.module))
            for name in (alias.name for alias in node.names):
                if not hasattr(module, name) and not _is_module(f"{node.module}.{name}"):
                    yield f"{node.module}.{name}"


def _is_module(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        return False
    return True


FOLDERS = sorted(each.name for each in TESTS.iterdir() if each.is_dir() and each.name[0] != "_")


@pytest.mark.parametrize("folder", [name for name in FOLDERS if name not in ("flower", "browser")])
def test_what_tests_import_is_there(folder: str) -> None:
    for path in sorted((TESTS / folder).rglob("*.py")):
        assert list(missing(path.read_text(encoding="utf-8"))) == [], path.name


def test_what_is_gone_is_found() -> None:
    gone = "from ratecert.errors import UserError, Lost\nfrom ratecert.theory import lint, sorrow"
    assert list(missing(gone)) == ["ratecert.errors.Lost", "ratecert.theory.sorrow"]
