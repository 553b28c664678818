"""Papers by key, and what each of them brings.

A paper is a package in ratecert/papers, or a module for a short one; its key is the name with hyphens. Its parts are
modules of fixed names, imported when they are asked for, so that nothing outside a paper has to name it:

    paper          PRINTED and REPAIRED, the paper to its letter and with its errata
    claims         CLAIMS, in the order in which they are listed
    search         FALSIFIABLE, a mapping from statements to what `ratecert falsify` tries
    wrong          MISTAKES and what else `ratecert power` tries on the claims
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ratecert.claim.claim import Claim
from ratecert.errors import UserError
from ratecert.papers import PAPERS
from ratecert.theory.language.paper import Paper

KEYS = tuple(name.replace("_", "-") for name in PAPERS)
FIRST = KEYS[0]
VARIANTS = ("printed", "repaired")


def paper(variant: str = "printed", key: str = FIRST) -> Paper:
    if key not in KEYS:
        raise UserError(f"paper must be one of {', '.join(KEYS)}, got {key!r}.")
    if variant not in VARIANTS:
        raise UserError(f"variant must be one of {', '.join(VARIANTS)}, got {variant!r}.")
    found: Paper = getattr(part(key, "paper"), variant.upper())
    return found


@cache
def part(key: str, name: str) -> Any:
    """The module of this name; None if the paper has no such part."""
    module = f"ratecert.papers.{key.replace('-', '_')}.{name}"
    return import_module(module) if find_spec(module) else None


def key_of(statement: str) -> str:
    """The paper that has a statement with this id; ids are unique over all papers."""
    for key in KEYS:
        if statement in paper(key=key).statements:
            return key
    paper()[statement]  # refuses, with what it might have meant
    raise AssertionError("unreachable")


def holding(statement: str, variant: str = "printed") -> Paper:
    """The paper with this statement."""
    return paper(variant, key_of(statement))


@cache
def claims() -> dict[str, Claim]:
    """Every claim of every paper, by id."""
    parts = (part(key, "claims") for key in KEYS)
    return {claim.id: claim for module in parts for claim in getattr(module, "CLAIMS", ())}
