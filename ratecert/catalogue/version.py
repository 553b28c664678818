"""The version of a paper's code: what is kept of an earlier run belongs to the same text of the same files."""

import ast
import hashlib
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

from ratecert.base.errors import UndecidedError
from ratecert.catalogue.load import module_of, version_held


def version_of(key: str) -> str:
    """A digest of the module with the paper, and of every file of its user that it imports, directly or not.

    A registered paper is in no file, and has a version of its own.
    """
    registered = version_held(key)
    if registered:
        return registered
    module = module_of(key)
    digest = hashlib.sha256()
    for file in sorted(_with_imports(module)):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


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
    """The files of a user that a file imports: beside it, in its own package, or wherever Python found them."""
    found: list[Path] = []
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            found += [path for alias in node.names for path in _absolute(alias.name, folder, package)]
        elif isinstance(node, ast.ImportFrom) and node.level:
            parts = node.module.split(".") if node.module else []
            around = file.parents[node.level - 1]
            found += [path for alias in node.names for path in _on_the_way(around, [*parts, alias.name])]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
            found += [path for name in names for path in _absolute(name, folder, package)]
    return [path for path in found if path.is_file()]


def _absolute(name: str, folder: Path, package: str) -> list[Path]:
    """Where a name may lie beside the paper, with the packages around it, or the file that it was loaded from."""
    beside = _on_the_way(folder, name.removeprefix(package).split("."))
    loaded = getattr(sys.modules.get(name), "__file__", None)
    return beside + ([Path(loaded)] if loaded and _is_of_user(name, Path(loaded)) else [])


def _on_the_way(folder: Path, parts: list[str]) -> list[Path]:
    """The module of this name, and all packages that it is in."""
    places = [folder.joinpath(*parts[: n + 1]) for n in range(len(parts))]
    return [path for each in places for path in (each.with_name(f"{each.name}.py"), each / "__init__.py")]


def _is_of_user(name: str, file: Path) -> bool:
    """Neither of Python, nor installed, nor our own."""
    foreign = [Path(sysconfig.get_path(kind)) for kind in ("stdlib", "platstdlib", "purelib", "platlib")]
    own = name.partition(".")[0] == "ratecert"
    return file.suffix == ".py" and not own and not any(place in file.parents for place in foreign)
