"""The modules that papers are: of the package, of its library, a Python file, a module by its name, or in memory.

A paper's module has PRINTED, a `Paper`, and where there is something to tell REPAIRED, the same with its errata; RUNS,
theorem -> `Binding`; CLAIMS; and `along`, an algorithm along the orders of a corollary. A folder has them in modules of
fixed names, of which all but paper.py are imported when they are asked for. Nothing imports papers: they are found by
the names of their files.

A file is Python that its user chose to run (ratecert/base/asked.py). Workers load the same files by the same keys. A
notebook has no file: it makes a paper known by a call, in one process alone (`register`).
"""

import hashlib
import importlib
import importlib.util
import sys
import sysconfig
import uuid
from functools import cache
from modulefinder import ModuleFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from ratecert.base.asked import FIRST, is_file, registered_only, require_asked
from ratecert.base.errors import RatecertError, UndecidedError, UserError
from ratecert.base.own_code import own_lines
from ratecert.short.paper import complete
from ratecert.theory.paper import Paper

LIBRARY = "library"  # the folder of papers whose verdicts are asked for by name
HERE = Path(__file__).parents[1] / "papers"
MODULES = {"RUNS": "runs", "CLAIMS": "claims", "along": "scalings"}  # of a folder
_REGISTERED: dict[str, ModuleType] = {}


@cache
def own() -> dict[str, str]:
    """Key -> module with PRINTED, of the papers of the package, the first one first; the key is its name with hyphens.

    A paper is a file, or a folder with a file paper.py.
    """
    found = {each.stem: f"ratecert.papers.{each.stem}" for each in HERE.glob("[!_]*.py")}
    found |= {
        each.parent.name: f"ratecert.papers.{each.parent.name}.paper" for each in HERE.glob("*/paper.py")
    }
    keys = {name.replace("_", "-"): module for name, module in found.items()}
    return {key: keys[key] for key in sorted(keys, key=lambda key: (key != FIRST, key))}


@cache
def library() -> dict[str, str]:
    """Key -> module, of the papers in the library."""
    names = sorted(each.stem for each in (HERE / LIBRARY).glob("[!_]*.py"))
    return {name.replace("_", "-"): f"ratecert.papers.{LIBRARY}.{name}" for name in names}


def register(key: str, **parts: Any) -> None:
    """Keep the parts of a paper in memory, with a version that nothing stored has; a second call replaces it."""
    module = ModuleType(key)
    module.__file__ = f"<registered as {key}>"
    vars(module).update(parts, VERSION=uuid.uuid4().hex[:16])
    _REGISTERED[key] = module


def registered(key: str) -> ModuleType | None:
    """The paper in memory that has a key."""
    return _REGISTERED.get(key)


def is_outside(key: str) -> bool:
    """Whether a key looks like a file or a module, is one of the library, or was registered."""
    return registered(key) is not None or key in library() or is_file(key) or _is_module(key)


def module_of(key: str) -> ModuleType:
    """The module with the paper; a mistake in it is shown with its place."""
    known = own().get(key) or library().get(key)
    if not (registered(key) or known):
        require_asked(key)
    if is_file(key):
        path = Path(key).resolve()
        if not path.is_file():
            raise UserError(
                f"{key}: there is no such file, seen from {Path.cwd().name or '/'}; go to its folder, or name it whole."
            )
        return _from_file(str(path), path.stat().st_mtime_ns)
    return registered(key) or _from_name(known or key)


def part(key: str, name: str) -> Any:
    """RUNS, CLAIMS or along of a paper; None where it has none."""
    module = module_of(key)
    if key in own() and module.__name__.endswith(".paper"):
        there = f"{module.__package__}.{MODULES[name]}"
        return getattr(importlib.import_module(there), name) if importlib.util.find_spec(there) else None
    return getattr(module, name, None)


def require_for_workers(key: str, jobs: int) -> None:
    """Refuse to share the work on a paper that other processes cannot load."""
    if jobs != 1 and registered(key):
        raise registered_only(key, jobs)


def paper_of(module: ModuleType, variant: str) -> Paper:
    """PRINTED or REPAIRED; without errata they are the same."""
    printed, repaired = (getattr(module, name, None) for name in ("PRINTED", "REPAIRED"))
    if printed is None:
        raise UserError(
            f"{module.__file__} states no theorem: give one of rc.theorem a name of its own, theorem_1 = "
            f"rc.theorem(...), as `ratecert new my_paper` shows, or write PRINTED, a Paper of rc.statements."
        )
    if not isinstance(printed, Paper):
        raise UserError(
            f"{module.__file__} has no PRINTED that is a Paper of rc.statements, got {printed!r:.60}; a theorem of "
            "rc.theorem needs a name of its own: theorem_1 = rc.theorem(...)."
        )
    if not isinstance(repaired, Paper | None):
        raise UserError(
            f"{module.__file__} has a REPAIRED that is no Paper of rc.statements, got {repaired!r:.60}."
        )
    return printed if variant == "printed" else repaired or _without_errata(printed)


@cache
def _without_errata(printed: Paper) -> Paper:
    return printed.repaired(())


def _is_module(key: str) -> bool:
    """A dotted name whose first part can be imported: constant.G is none."""
    top, dot, _ = key.partition(".")
    named = bool(dot) and key.replace(".", "_").isidentifier()
    if named and "" not in sys.path and (here := str(Path.cwd())) not in sys.path:
        # last, so that nothing there is taken for another module; but before a checkout of ours, which has a solvers/
        checkout = str(Path(__file__).resolve().parents[2])
        sys.path.insert(sys.path.index(checkout) if checkout in sys.path else len(sys.path), here)
    return named and importlib.util.find_spec(top) is not None


@cache
def _from_file(path: str, _changed: int) -> ModuleType:
    """Under a name that no other file has; what lies beside the file can be imported by it."""
    name = f"ratecert_paper_{Path(path).stem}_{hashlib.sha256(path.encode()).hexdigest()[:12]}"
    folder = str(Path(path).parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        complete(module)
    except BaseException as error:
        del sys.modules[name]
        raise _mistake(path, error) from error
    return module


@cache
def _from_name(name: str) -> ModuleType:
    try:
        module = importlib.import_module(name)
        complete(module)
        return module
    except BaseException as error:
        if isinstance(error, ModuleNotFoundError) and error.name and name.startswith(error.name):
            raise UserError(f"{name} is neither a paper of ratecert nor a file nor a module.") from None
        raise _mistake(name, error) from error


def _mistake(where: str, error: BaseException) -> BaseException:
    """The user's own lines of the traceback, and what went wrong: sys.exit is a mistake there like any other."""
    if isinstance(error, KeyboardInterrupt):
        return error
    lines = own_lines(error)
    if isinstance(error, SyntaxError) and error.lineno:
        lines = [f"line {error.lineno}: {(error.text or '').strip()}"]
    ours = isinstance(error, RatecertError)
    says = str(error) if ours else f"{type(error).__name__}: {error}"
    said = "; ".join([*(line for line in lines if not says.startswith(line)), says])
    return UserError(f"{where} does not import; {said}")


# The version of a paper's code: what is stored of an earlier run belongs to the same text of the same files.


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
