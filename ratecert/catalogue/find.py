"""Papers by key, statements by id, and what each paper brings.

The key of a paper of the package or of its library is its name, that of another one the path of its file or the name
of its module (load.py). An id is `paper:statement`; a bare one means the first paper. No two papers may have the same
key: a file whose PRINTED has the key of another paper could be taken for it in messages and reports.

A paper in one file has all its parts in it. The parts of a folder are modules of fixed names, imported when they are
asked for:

    paper          PRINTED and REPAIRED, the paper to its letter and with its errata
    runs           RUNS, a mapping from theorems to what is run and measured, from which the rest follows
    claims         CLAIMS, in the order in which they are listed
    scalings       along, an algorithm along the orders of a corollary
"""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from ratecert.base.asked import FIRST, VARIANTS, full_id, meant_by, parted, resolved
from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.words import did_you_mean
from ratecert.catalogue.load import held, is_outside, library, module_of, own, paper_of
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Statement, Theorem

KEYS = tuple(own())
PARTS = {  # what a module has to have for a part to be in it
    "paper": "PRINTED",
    "claims": "CLAIMS",
    "runs": "RUNS",
    "scalings": "along",
}


def paper(variant: str = "printed", key: str = FIRST) -> Paper:
    require_key(key)
    if variant not in VARIANTS:
        raise UserError(f"variant must be one of {', '.join(VARIANTS)}, got {variant!r}.")
    module = module_of(key)
    if key not in KEYS:
        require_own_key(key, module)
    return paper_of(module, variant)


def require_key(key: str) -> None:
    """Refuse what is neither a paper of the package nor one from outside."""
    if not isinstance(key, str):
        raise UserTypeError(f"the key of a paper must be a text such as {FIRST!r}, got {key!r:.60}.")
    if key not in KEYS and not is_outside(key):
        hint = did_you_mean(key, [*KEYS, *library()])
        raise UserError(
            f"paper must be one of {', '.join(KEYS)}, of the library (`ratecert library`), the path of a file such as "
            f"my_paper.py, or a module, got {key!r}" + (f"; {hint}" if hint else ".")
        )


def bindings(key: str) -> Mapping[str, Any]:
    """Theorem -> what is run and measured."""
    from ratecert.binding.binding import Binding  # loads the engines, which few commands need

    found: Mapping[str, Any] = getattr(part(key, "runs"), "RUNS", {})
    if not isinstance(found, Mapping):
        raise UserError(f"RUNS of {key} must be a mapping, theorem -> Binding, got {found!r:.60}.")
    for name, run in found.items():
        if not isinstance(run, Binding):
            raise UserError(f"RUNS of {key}: {name!r} must be an Binding of rc.statements, got {run!r:.60}.")
    known = [statement.id for statement in paper("printed", key).of_kind(Theorem)]
    unknown = [name for name in found if name not in known]
    if unknown:
        raise UserError(
            f"RUNS of {key} names {unknown[0]!r}, which is no theorem of it; those are {', '.join(known)}."
        )
    return found


def require_bound(key: str) -> None:
    """Refuse RUNS of a paper from outside that bind a letter to nothing, or name what is not there."""
    if key in KEYS:
        return
    for variant in VARIANTS:
        source = paper(variant, key)
        for name, run in bindings(key).items():
            run.require(source, source.the(Theorem, name))


def part(key: str, name: str) -> Any:
    """The module of this name; None if the paper has no such part."""
    return _own_part(key, name) if key in KEYS else _part_of_file(module_of(key), name)


@cache
def _own_part(key: str, name: str) -> Any:
    own = import_module(f"ratecert.papers.{key.replace('-', '_')}")
    if not hasattr(own, "__path__"):
        return _part_of_file(own, name)
    module = f"{own.__name__}.{name}"
    return import_module(module) if find_spec(module) else None


def _part_of_file(module: ModuleType, name: str) -> Any:
    return module if hasattr(module, PARTS[name]) else None


def part_with(name: str, key: str | None = None) -> Any:
    """The module of this name; without a key that of the first paper that has one."""
    having = [k for k in KEYS if part(k, name)]
    if key is not None and key not in having:
        raise UserError(
            f"paper must be one of {', '.join(having)}, which {'has' if len(having) == 1 else 'have'} the part "
            f"{name}, got {key!r}."
        )
    return part(key or having[0], name)


def require_own_key(key: str, module: ModuleType) -> None:
    """Refuse a paper that has the key of another one."""
    given = paper_of(module, "printed").key
    other = own().get(given) or library().get(given)
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


def split(id: str) -> tuple[str, str]:
    """The paper's key and the id inside the paper, of "paper:statement"; a bare id means the first paper."""
    if not isinstance(id, str):
        raise UserTypeError(f"an id must be a text such as 'theorem-1', got {id!r}.")
    key, inside = parted(id)
    require_key(key)
    return key, inside


def meant(id: str, source: object) -> str:
    """The id of the statement that a file of data names: of a paper that comes with ratecert, or that the user named.

    Every reader of data goes through here. Nothing is run for it: what the file names is only compared.
    """
    key, colon, inside = id.rpartition(":")
    if not colon or key in KEYS or key in library() or held(key):
        return id
    found = meant_by(key)
    if len(found) == 1:
        return f"{found[0]}:{inside}"
    raise UserError(
        f"{source}: the statement {id!r:.120} is of a paper that "
        + ("could be any of " + " and ".join(found) if found else "you have not named")
        + ", and nothing that a file of data names is run; if you trust that paper, add --paper FILE with its path (in "
        "Python call rc.paper(key=FILE) first)."
    )


def statement(id: str, variant: str = "printed") -> Statement:
    """The statement with this id; if there is none, the refusal names those that come near it."""
    key, inside = split(id)
    found = paper(variant, key)
    if (inside in (*KEYS, *library()) or inside.endswith(".py")) and inside not in found.statements:
        raise UserError(
            f"{inside} is a paper; of its statements, which `ratecert explain {inside}` lists, name one."
        )
    if inside not in found.statements and ":" not in id and (elsewhere := _elsewhere(inside)):
        raise UserError(f"{found.key} has no statement {inside!r}; did you mean {' or '.join(elsewhere)}?")
    return found[inside]


def _elsewhere(inside: str) -> list[str]:
    """Where a bare id is meant for another paper of the package; an id with its paper is meant for that one."""
    return [full_id(k, inside) for k in KEYS[1:] if inside in paper(key=k).statements]


def holding(id: str, variant: str = "printed") -> Paper:
    """The paper with this statement."""
    statement(id)
    return paper(variant, split(id)[0])
