"""The version of the code that matters for a function: a digest of its module and of all it imports from this project.

Imports are read from the source, those inside functions included, so nothing has to run; a string that is the name of a
module counts as an import of it. A change in any of these files gives another version, a change elsewhere does not. The
libraries that compute numbers count with their version.
"""

import ast
import hashlib
import os
import platform
import re
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "ratecert"
_DOTTED = re.compile(r"\w+(\.\w+)+")
LIBRARIES = ("numpy", "scipy", "sympy", "mpmath")
OPTIONAL = ("numba",)  # which may compute numbers too


@cache
def code_version(module: str) -> str:
    """Hexadecimal; the same for the same sources and libraries."""
    digest = hashlib.sha256(f"python {platform.python_version()}".encode())
    for library, number in versions().items():
        digest.update(f"{library} {number}".encode())
    for name in sorted(reachable(module)):
        digest.update(name.encode() + b"\0" + _source(name) + b"\0")
    return digest.hexdigest()


def versions() -> dict[str, str]:
    """Of the libraries that compute numbers; an optional one that is not there is "none"."""
    found = {library: version(library) for library in LIBRARIES}
    return found | {library: version(library) if find_spec(library) else "none" for library in OPTIONAL}


def reachable(module: str) -> set[str]:
    """The module and every module of this project that it imports, directly or not."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += imported(name)
    return found


def sources() -> dict[str, Path]:
    """Every file of the package, by its place inside; links to folders are followed."""
    root = Path(__file__).parents[1]
    files = (Path(folder) / name for folder, _, names in os.walk(root, followlinks=True) for name in names)
    return {p.relative_to(root).as_posix(): p for p in sorted(files) if p.suffix == ".py"}


@cache
def imported(module: str) -> tuple[str, ...]:
    """Modules of this project that one module names in its imports."""
    return tuple(name for name in _names(ast.parse(_source(module))) if _path(name))


def _names(tree: ast.AST) -> Iterator[str]:
    """`from a.b import c` names a.b, and a.b.c in case that is a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _DOTTED.fullmatch(node.value):
            yield node.value


@cache
def _path(module: str) -> Path | None:
    """The file of a module of this project; None for a name that is no such module."""
    if module.partition(".")[0] != PACKAGE:
        return None
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:  # a.b.c where a.b is no package: c is a name inside it
        return None
    return Path(spec.origin) if spec and spec.origin else None


@cache
def _source(module: str) -> bytes:
    path = _path(module)
    return path.read_bytes() if path else b""
