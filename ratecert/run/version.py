"""The version of everything that numbers depend on: Python, the libraries that compute, and the sources of ratecert.

A task that is stored belongs to one version, and a worker elsewhere must have the same. All sources count, also those
that a task never runs: which of them it runs cannot be read off their text.
"""

import hashlib
import os
import platform
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

LIBRARIES = ("numpy", "scipy", "sympy", "mpmath", "python-flint")
OPTIONAL = ("numba",)  # which may compute numbers too
SOURCES = "the sources of ratecert"


@cache
def about() -> dict[str, str]:
    """What -> its version, as it was when this process first looked."""
    found = {"Python": platform.python_version()} | {library: version(library) for library in LIBRARIES}
    found |= {library: version(library) if find_spec(library) else "none" for library in OPTIONAL}
    return found | {SOURCES: _digest(sources())}


@cache
def digest() -> str:
    """One text for all of it."""
    return hashlib.sha256(repr(sorted(about().items())).encode()).hexdigest()


def sources() -> dict[str, Path]:
    """Every source of the package, by its path inside; links to folders are followed."""
    root = Path(__file__).parents[1]
    files = (Path(folder) / name for folder, _, names in os.walk(root, followlinks=True) for name in names)
    return {p.relative_to(root).as_posix(): p for p in sorted(files) if p.suffix == ".py"}


def _digest(files: dict[str, Path]) -> str:
    found = hashlib.sha256()
    for name, path in files.items():
        text = path.read_bytes()
        found.update(f"{name} {len(text)}\0".encode() + text)
    return found.hexdigest()[:12]
