"""The version of a paper's code: what is kept of an earlier run belongs to the same text of the same files."""

import ast
import hashlib
from pathlib import Path
from types import ModuleType

from ratecert import registry
from ratecert.errors import UndecidedError
from ratecert.in_memory import version_held
from ratecert.outside import module_of


def version_of(key: str) -> str:
    """A digest of the module with the paper, and of every file beside it that it imports, directly or not.

    A registered paper is in no file, and has a version of its own.
    """
    registered = version_held(key)
    if registered:
        return registered
    module = _module(key)
    digest = hashlib.sha256()
    for file in sorted(_with_imports(module)):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _module(key: str) -> ModuleType:
    found: ModuleType = registry.part(key, "paper") if key in registry.KEYS else module_of(key)
    return found


def require_version(key: str, code: str) -> None:
    """Refuse to compute with another text than was asked for, as where a file is changed while it runs."""
    if version_of(key) != code:
        raise UndecidedError(f"{key} has changed since this run began; run it again.")


def _with_imports(module: ModuleType) -> set[Path]:
    path = Path(str(module.__file__))
    found: set[Path] = set()
    waiting = [path]
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += _beside(file, path.parent, f"{module.__package__}.")
    return found


def _beside(file: Path, folder: Path, package: str) -> list[Path]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            names |= {base, *(f"{base}.{alias.name}".lstrip(".") for alias in node.names)}
    parts = (name.removeprefix(package).split(".") for name in names if name)
    candidates = [
        path
        for p in parts
        for path in (folder.joinpath(*p).with_suffix(".py"), folder.joinpath(*p, "__init__.py"))
    ]
    return [path for path in candidates if path.is_file()]
