"""Keys that papers give themselves: no two papers may have the same.

A paper of the package or of its library is asked for by its key, a file by its path. A file whose PRINTED has the key
of one of the others could be taken for it in messages and reports.
"""

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from ratecert.base.asked import resolved
from ratecert.base.errors import UserError
from ratecert.outside import library, module_of, paper_of


def require_own_key(key: str, module: ModuleType, package: Mapping[str, str]) -> None:
    """Refuse a paper that has the key of another one; `package` has the modules of the package's own papers."""
    given = paper_of(module, "printed").key
    other = package.get(given) or library().get(given)
    if other is not None and not _is(module, other):
        raise UserError(_sentence(key, other, given))


def require_different(keys: Iterable[str]) -> None:
    """Refuse two papers in one command that have the same key."""
    places: dict[str, str] = {}
    for key in keys:
        given = paper_of(module_of(key), "printed").key
        if resolved(places.setdefault(given, key)) != resolved(key):
            raise UserError(_sentence(places[given], key, given))


def _sentence(one: str, other: str, key: str) -> str:
    return f"{one} and {other} are two papers with the key {key!r}; give one of them another."


def _is(module: ModuleType, name: str) -> bool:
    """Whether a module is the one of this name, however it was loaded."""
    spec = find_spec(name)
    here = str(module.__file__)
    return (
        spec is not None and spec.origin is not None and Path(spec.origin).resolve() == Path(here).resolve()
    )
