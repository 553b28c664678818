"""Claims by name: all, those of a paper, of the library, of a statement, or one."""

from collections.abc import Sequence
from difflib import get_close_matches

from ratecert import registry
from ratecert.base.errors import UserError
from ratecert.claims.claim import Claim
from ratecert.from_data import claims as known
from ratecert.outside import LIBRARY, is_outside, library


def select(names: Sequence[str]) -> list[Claim]:
    """All claims of the package's papers; of the library; of a paper; one, or those before its dot.

    Each once, those of the package in the order of its list, then the others in that of their names.
    """
    if not names:
        return list(known.claims().values())
    found = {claim.id: claim for name in names for claim in _named(name)}
    if not any(registry.split(id)[0] in registry.KEYS for id in found):
        return list(found.values())  # of papers from outside alone: the others need not be read
    order = {id: i for i, id in enumerate(known.claims())}
    return sorted(found.values(), key=lambda claim: order.get(claim.id, len(order)))


def _named(name: str) -> list[Claim]:
    if name == LIBRARY:
        return [claim for key in library() for claim in known.claims_of(key).values()]
    if name in registry.KEYS or is_outside(name):
        return list(known.claims_of(name).values())
    key, colon, _ = name.rpartition(":")
    own = known.claims_of(key) if colon and is_outside(key) else known.claims()
    name = name.removeprefix(f"{registry.FIRST}:")
    parts = list(dict.fromkeys(part for id in own for part in (_before_dot(id), id)))
    if name not in parts:
        near = nearest(name, [*parts, *library()])
        hint = f"did you mean {' or '.join(near)}?" if near else "`ratecert verify --list` lists them all."
        raise UserError(f"no claim is called {name!r}; {hint}")
    return [claim for id, claim in own.items() if name in (id, _before_dot(id))]


def _before_dot(id: str) -> str:
    """Of the statement's part of an id: the paper's may be a file."""
    key, colon, inside = id.rpartition(":")
    return f"{key}{colon}{inside.partition('.')[0]}"


def nearest(name: str, known: Sequence[str]) -> list[str]:
    """Up to three of the known names, whatever the case of the letters."""
    by_lower = {other.lower(): other for other in known}
    return [by_lower[found] for found in get_close_matches(name.lower(), by_lower, n=3, cutoff=0.4)]
