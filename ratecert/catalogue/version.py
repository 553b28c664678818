"""The version of a paper's code: what is stored of an earlier run belongs to the same text of the same files."""

import hashlib
import sys
import sysconfig
from modulefinder import ModuleFinder
from pathlib import Path

from ratecert.base.asked import is_file
from ratecert.base.errors import UndecidedError
from ratecert.catalogue.load import module_of, registered


def version_of(key: str) -> str:
    """A digest of the module with the paper, and of every file of its user that it imports, directly or not.

    A registered paper is in no file, and has a version of its own.
    """
    if module := registered(key):
        return str(module.VERSION)
    digest = hashlib.sha256()
    for file in sorted(_files_of(key)):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def require_version(key: str, code: str) -> None:
    """Refuse to compute with another text than was asked for, as where a file is changed while it runs."""
    if version_of(key) != code:
        raise UndecidedError(f"{key} has changed since this run began; run it again.")


def _files_of(key: str) -> set[Path]:
    """Those of a user are neither Python's, nor installed, nor our own, whose version the store knows."""
    module = module_of(key)
    path = Path(str(module.__file__))
    if module.__name__.startswith("ratecert."):
        return {path}
    foreign = [Path(sysconfig.get_path(kind)) for kind in ("stdlib", "platstdlib", "purelib", "platlib")]
    places = [each for each in sys.path if Path(each).name not in ("site-packages", "dist-packages")]
    users = [each for each in places if not {Path(each), *Path(each).parents}.intersection(foreign)]
    found = ModuleFinder(users, excludes=["ratecert"])
    if is_file(key):
        found.run_script(str(path))
    else:
        found.import_hook(key)
    files = (getattr(each, "__file__", None) for each in found.modules.values())
    return {path, *(Path(file) for file in files if file)}
