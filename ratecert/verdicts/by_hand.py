"""Claims that a paper's author writes: what is computed for them belongs to a version of the paper's files.

A worker loads the paper before it looks for the function, which may be in the paper's file or in one beside it.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module

from ratecert.base.errors import UserError
from ratecert.base.own_code import called, undecided_by_mistakes
from ratecert.catalogue.load import module_of
from ratecert.catalogue.version import require_version
from ratecert.claims.claim import Budget, Claim, Json, Piece

PAPER, CODE, MODULE, FUNCTION = (
    "the paper",
    "its version",
    "the module",
    "its function",
)  # no names of arguments


def computed(**given: Json) -> Json:
    """Call the function that a claim names, in the paper's own code."""
    key, code, module, name = (given.pop(what) for what in (PAPER, CODE, MODULE, FUNCTION))
    require_version(key, code)
    module_of(key)
    function: Callable[..., Json] = getattr(sys.modules.get(module) or import_module(module), name)
    with undecided_by_mistakes():
        return called(name, function, **given)


def bound(claim: Claim, key: str, code: str) -> Claim:
    """The same claim, its pieces bound to the version of the paper's code."""
    return replace(claim, pieces=partial(_pieces, claim, key, code))


def _pieces(claim: Claim, key: str, code: str, budget: Budget) -> list[Piece]:
    return [_bound(piece, claim.id, key, code) for piece in claim.pieces(budget)]


def _bound(piece: Piece, claim: str, key: str, code: str) -> Piece:
    module, name = (getattr(piece.function, what, "") for what in ("__module__", "__qualname__"))
    if not name.isidentifier():
        raise UserError(
            f"claim {claim} of {key}: the function of a piece must stand at the top of a module, where other "
            f"processes find it, got {piece.function!r:.80}."
        )
    if module.partition(".")[0] == "ratecert":
        return piece
    ours = {PAPER: key, CODE: code, MODULE: module, FUNCTION: name}
    return Piece(computed, {**piece.arguments, **ours}, piece.seconds)
