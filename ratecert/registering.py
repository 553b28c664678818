"""A paper made known by a call, where there is no file to name: in a notebook."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ratecert.base.errors import UserError, UserTypeError
from ratecert.binding.binding import Binding
from ratecert.catalogue.load import hold, library, own
from ratecert.claims.claim import Claim
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Theorem

KEY = re.compile(r"[A-Za-z0-9][\w-]*")


def register(
    printed: Paper,
    runs: Mapping[str, Binding] | None = None,
    *,
    repaired: Paper | None = None,
    claims: Sequence[Claim] = (),
) -> str:
    """Make a paper known in this process under its own key, and return that key; a second call replaces it.

    printed    a `Paper` of `rc.statements`, to the letter of the print
    runs       theorem -> `rc.statements.Binding`, what is run and measured: the RUNS of a paper's file
    repaired   the same paper with its errata, `printed.repaired(...)`
    claims     claims by hand

    Then `rc.lint(key)`, `rc.paper(key=key)` and, with jobs=1, `rc.falsify(f"{key}:theorem-1")` take it. Workers cannot
    load what is in no file.

    >>> from dataclasses import replace
    >>> import ratecert as rc
    >>> run = rc.statements.Binding(
    ...     method=rc.methods.SGD, hyperparameters={"alpha": rc.statements.letter("eta")},
    ...     measure=rc.measures.gradient(), constants={"L": "L", "sigma": "sigma", "Phi_gap": "gap"})
    >>> key = rc.register(replace(rc.paper(key="parallel-sgd"), key="my-sgd"), {"sgd-descent": run})
    >>> rc.falsify(f"{key}:sgd-descent", budget=40).falsified
    False
    """
    _require_paper("printed", printed)
    _require_free(printed.key)
    if repaired is not None:
        _require_paper("repaired", repaired)
        if repaired.key != printed.key:
            raise UserError(
                f"repaired must be the same paper with its errata, printed.repaired(...), got the key {repaired.key!r} "
                f"beside {printed.key!r}."
            )
    bound = {} if runs is None else runs
    if not isinstance(bound, Mapping):
        raise UserTypeError(
            f"runs must be a mapping from theorems to rc.statements.Binding, got {runs!r:.60}."
        )
    for id, run in bound.items():
        printed.the(Theorem, id)
        if not isinstance(run, Binding):
            raise UserTypeError(f"runs[{id!r}] must be an rc.statements.Binding, got {run!r:.60}.")
    if not isinstance(claims, tuple | list):
        raise UserTypeError(f"claims must be a tuple of claims, got {claims!r:.60}.")
    hold(printed.key, PRINTED=printed, REPAIRED=repaired, RUNS=dict(bound), CLAIMS=tuple(claims))
    return printed.key


def _require_paper(name: str, value: Any) -> None:
    if not isinstance(value, Paper):
        raise UserTypeError(f"{name} must be a Paper of rc.statements, got {value!r:.60}.")


def _require_free(key: str) -> None:
    """Refuse a key that is another paper's, or that could be taken for a file, a module or an id."""
    if not KEY.fullmatch(key):
        raise UserError(f"the key of a paper must be a name such as my-paper, got {key!r}.")
    other = own().get(key) or library().get(key)
    if other:
        raise UserError(f"{key} is the key of {other}; give the paper another.")
