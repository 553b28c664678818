"""Claims by name: all, those of a paper, of the library, of a statement, or one."""

from collections.abc import Iterator, Mapping, Sequence

from ratecert.base.errors import UserError
from ratecert.base.words import FAINTLY, did_you_mean
from ratecert.catalogue import find
from ratecert.catalogue.load import LIBRARY, is_outside, library
from ratecert.claims.claim import Claim
from ratecert.verdicts import claims as known


def select(names: Sequence[str]) -> list[Claim]:
    """All claims of the package's papers; of the library; of a paper; one, or those before its dot.

    Each once, those of the package in the order of its list, then the others in that of their names. No other paper
    than those named is read.
    """
    if not names:
        return list(known.claims().values())
    found = {claim.id: claim for name in names for claim in _named(name)}
    keys = {find.split(claim.of[0])[0] for claim in found.values()}
    own = [id for key in find.KEYS if key in keys for id in known.of_package(key)]
    order = {id: i for i, id in enumerate(own)}
    return sorted(found.values(), key=lambda claim: order.get(claim.id, len(order)))


def _named(name: str) -> list[Claim]:
    if name == LIBRARY:
        return [claim for key in library() for claim in known.claims_of(key).values()]
    if name in find.KEYS:
        return list(known.of_package(name).values())
    if is_outside(name):
        return list(known.claims_of(name).values())
    bare = name.removeprefix(f"{find.FIRST}:")
    for among in _where(bare):
        found = [claim for id, claim in among.items() if bare in (id, _before_dot(id))]
        if found:
            return found
    parts = list(dict.fromkeys(part for id in among for part in (_before_dot(id), id)))
    hint = did_you_mean(bare, [*parts, *library()], "`ratecert verify --list` lists them all.", alike=FAINTLY)
    raise UserError(f"no claim is called {bare!r}; {hint}")


def _where(name: str) -> Iterator[Mapping[str, Claim]]:
    """Where the claim of a name may be: in the paper that it names, or else in the first one; then anywhere."""
    key, colon, _ = name.rpartition(":")
    if colon and key not in find.KEYS and is_outside(key):
        yield known.claims_of(key)
        return
    yield known.of_package(key if key in find.KEYS else find.FIRST)
    yield known.claims()


def _before_dot(id: str) -> str:
    """Of the statement's part of an id: the paper's may be a file."""
    key, colon, inside = id.rpartition(":")
    return f"{key}{colon}{inside.partition('.')[0]}"
