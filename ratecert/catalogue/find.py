"""Papers by key, statements by id, and what each paper brings.

The key of a paper of the package or of its library is its name, that of another one the path of its file or the name
of its module (load.py). An id is `paper:statement`; a bare one means the first paper. No two papers may have the same
key: a file whose PRINTED has the key of another paper could be taken for it in messages and reports.
"""

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ratecert.base.asked import FIRST, VARIANTS, files_asked, full_id, meant_by, parted, resolved
from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.words import did_you_mean
from ratecert.catalogue.load import is_outside, library, module_of, own, paper_of, part, registered
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Statement, Theorem

KEYS = tuple(own())


def paper(variant: str = "printed", key: str = FIRST) -> Paper:
    require_key(key)
    if variant not in VARIANTS:
        raise UserError(f"variant must be one of {', '.join(VARIANTS)}, got {variant!r}.")
    found = paper_of(module_of(key), variant)
    if key not in KEYS:
        _require_own_key(key, found.key)
    return found


def require_key(key: str) -> None:
    """Refuse what is neither a paper of the package nor one from outside."""
    if not isinstance(key, str):
        raise UserTypeError(f"the key of a paper must be a text such as {FIRST!r}, got {key!r:.60}.")
    require_no_data(key)
    if key not in KEYS and not is_outside(key):
        hint = did_you_mean(key, [*KEYS, *library()])
        raise UserError(
            f"paper must be one of {', '.join(KEYS)}, of the library (`ratecert library`), the path of a file such as "
            f"my_paper.py, or a module, got {key!r}" + (f"; {hint}" if hint else ".")
        )


def require_no_data(name: str) -> None:
    """Refuse a witness or a conjecture in the place of a paper or a statement."""
    if name.endswith(".toml"):
        raise UserError(
            f"{name} is a file of data, no paper and no statement; `ratecert check {name}` computes a witness again, "
            f"and `ratecert falsify {name}` goes on with a conjecture."
        )


def bindings(key: str) -> Mapping[str, Any]:
    """Theorem -> what is run and measured."""
    from ratecert.binding.binding import Binding  # loads the engines, which few commands need

    found = part(key, "RUNS") or {}
    if not isinstance(found, Mapping):
        raise UserError(f"RUNS of {key} must be a mapping, theorem -> Binding, got {found!r:.60}.")
    known = [statement.id for statement in paper("printed", key).of_kind(Theorem)]
    for name, run in found.items():
        if not isinstance(run, Binding):
            raise UserError(f"RUNS of {key}: {name!r} must be a Binding of rc.statements, got {run!r:.60}.")
        if name not in known:
            raise UserError(
                f"RUNS of {key} names {name!r}, which is no theorem of it; those are {', '.join(known)}."
            )
    return found


def require_bound(key: str) -> None:
    """Refuse RUNS of a paper from outside that bind a letter to nothing, or name what is not there."""
    for variant in VARIANTS if key not in KEYS else ():
        source = paper(variant, key)
        for name, run in bindings(key).items():
            run.require(source, source.the(Theorem, name))


def _require_own_key(key: str, given: str) -> None:
    """Refuse a paper that has the key of one that comes with ratecert, unless it is that one."""
    other = own().get(given) or library().get(given)
    spec = find_spec(other) if other else None
    here = Path(str(module_of(key).__file__)).resolve()
    if other is not None and not (spec and spec.origin and Path(spec.origin).resolve() == here):
        raise _same_key(key, other, given)


def require_different(keys: Iterable[str]) -> None:
    """Refuse two papers in one command that have the same key."""
    places: dict[str, str] = {}
    for key in keys:
        given = paper_of(module_of(key), "printed").key
        if resolved(places.setdefault(given, key)) != resolved(key):
            raise _same_key(places[given], key, given)


def _same_key(one: str, other: str, key: str) -> UserError:
    return UserError(f"{one} and {other} are two papers with the key {key!r}; give one of them another.")


# Statements.


def split(id: str) -> tuple[str, str]:
    """The paper's key and the id inside the paper, of "paper:statement"; a bare id means the first paper."""
    if not isinstance(id, str):
        raise UserTypeError(f"an id must be a text such as 'theorem-1', got {id!r}.")
    key, inside = parted(id)
    require_key(key)
    require_no_data(inside)
    return key, inside


def is_own(id: str) -> bool:
    """Whether a statement is of a user's paper, of which nobody has expected anything unless its file says so."""
    return split(id)[0] not in (*KEYS, *library())


def meant(id: str, source: object) -> str:
    """The id of the statement that a file of data names: of a paper that comes with ratecert, or that the user named.

    Every reader of data goes through here. Nothing is run for it: what the file names is only compared.
    """
    key, colon, inside = id.rpartition(":")
    if not colon or key in KEYS or key in library() or registered(key):
        return id
    found = meant_by(key)
    if len(found) == 1:
        return f"{found[0]}:{inside}"
    named = [own if Path(own).is_file() else f"{own}, where there is no file" for own in files_asked()]
    which = "you have not named" + (f" (you have named {' and '.join(named)})" if named else "")
    raise UserError(
        f"{source}: the statement {id!r:.120} is of a paper that "
        + ("could be any of " + " and ".join(found) if found else which)
        + "; nothing that a file of data names is run, so if you trust that paper, add --paper with its path, such as "
        f"--paper {key:.80} (in Python call rc.paper(key=...) first)."
    )


def statement(id: str, variant: str = "printed") -> Statement:
    """The statement with this id; if there is none, the refusal names those that come near it."""
    key, inside = split(id)
    found = paper(variant, key)
    if inside not in found.statements:
        if inside in (*KEYS, *library()) or inside.endswith(".py"):
            such = next((f", such as {full_id(inside, name)}" for name in bindings(inside)), "")
            raise UserError(
                f"{inside} is a paper; of its statements, which `ratecert explain {inside}` lists, name one{such}."
            )
        if Path(f"{inside}.py").is_file():
            raise UserError(f"{found.key} has no statement {inside!r}; did you mean the paper {inside}.py?")
        elsewhere = [full_id(k, inside) for k in KEYS[1:] if inside in paper(key=k).statements]
        if elsewhere and ":" not in id:  # a bare id may be meant for another paper of the package
            raise UserError(
                f"{found.key} has no statement {inside!r}; did you mean {' or '.join(elsewhere)}?"
            )
    return found[inside]


def holding(id: str, variant: str = "printed") -> Paper:
    """The paper with this statement."""
    statement(id)
    return paper(variant, split(id)[0])
