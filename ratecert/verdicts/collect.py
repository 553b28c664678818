"""All claims of a paper, those that follow from its data and those that a person wrote; and claims by name.

What is computed for a claim that a person wrote belongs to a version of the paper's files. A worker loads the paper
before it looks for the function, which may be in the paper's file or in one beside it.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib import import_module

from ratecert.base.asked import FIRST, VARIANTS, full_id
from ratecert.base.errors import UserError
from ratecert.base.own_code import called, undecided_by_mistakes
from ratecert.base.words import FAINTLY, did_you_mean
from ratecert.catalogue import find
from ratecert.catalogue.load import LIBRARY, is_outside, library, module_of, part
from ratecert.catalogue.version import require_version, version_of
from ratecert.claims.claim import Budget, Claim, Json, Task
from ratecert.theory.language.statements import Corollary, Counts, Factor, Theorem
from ratecert.verdicts import corollary, counts, mistakes, orders, statement, theorem
from ratecert.verdicts.corollary_runs import measurable
from ratecert.verdicts.statement import errata_of


@cache
def claims() -> dict[str, Claim]:
    """Every claim of every paper of the package, the library aside, by id."""
    return {id: claim for key in find.KEYS for id, claim in of_package(key).items()}


@cache
def of_package(key: str) -> dict[str, Claim]:
    """Those of one paper of the package, made once."""
    return claims_of(key)


def claims_of(key: str) -> dict[str, Claim]:
    """Of its theorems that are bound to runs, of their corollaries and counts, and those it brings, by id.

    Those that a person wrote replace the one that follows, if they have the same id.
    """
    written = _written(key)
    ids = {claim.id for claim in written}
    found = [*(claim for claim in _derived(key) if claim.id not in ids), *written]
    if not found:
        raise UserError(f"{key} has nothing to verify: no theorem in RUNS, and no CLAIMS.")
    return {claim.id: claim for bare in found for claim in [_in_full(key, bare)]}


def _in_full(key: str, claim: Claim) -> Claim:
    """Inside a paper's files ids are bare."""
    of = tuple(full_id(key, id) for id in claim.of)
    return replace(claim, id=full_id(key, claim.id), of=of)


# Those that follow from the paper's data.


def _derived(key: str) -> Iterator[Claim]:
    if part(key, "RUNS") is not None:
        code = version_of(key)
        yield from _of_theorems(key, code)
        yield from _of_corollaries(key, code)
        yield from _of_counts(key, code)
        for each in find.paper("printed", key).of_kind(Factor):
            yield from orders.claims_of(key, each, code)


def _of_theorems(key: str, code: str) -> Iterator[Claim]:
    runs = find.bindings(key)
    for variant in VARIANTS:
        for each in find.paper(variant, key).of_kind(Theorem):
            shown = _of_mistakes(key, each, code) if variant == "printed" else []
            yield from shown
            if errata_of(key, each.id) if variant == "repaired" else not shown:
                claim_of = theorem.claim_of if each.id in runs else statement.claim_of
                yield claim_of(key, each, variant, code)


def _of_mistakes(key: str, each: Theorem, code: str) -> list[Claim]:
    """They say more than that the print is wrong; the library's record has the witnesses of its own search."""
    return list(mistakes.claims_of(key, each, code)) if key in find.KEYS else []


def _of_corollaries(key: str, code: str) -> Iterator[Claim]:
    runs, repaired = find.bindings(key), find.paper("repaired", key)
    for each in find.paper("printed", key).of_kind(Corollary):
        bound = each.theorem in runs and measurable(each)
        claim_of = corollary.claim_of if bound else statement.corollary_of
        yield claim_of(key, each, code)
        if (bound or each.theorem not in runs) and errata_of(key, each.id):
            cured = repaired.the(Corollary, each.id)
            if bound and corollary.same_powers(each.claim.order, cured.claim.order):
                yield corollary.exponents_of(key, each, code)
            yield claim_of(key, cured, code, "repaired")


def _of_counts(key: str, code: str) -> Iterator[Claim]:
    for each in find.paper("printed", key).of_kind(Counts):
        if counts.bound_costs(key, each):
            yield counts.claim_of(key, each, code)
            if errata_of(key, each.id):
                cured = find.paper("repaired", key).the(Counts, each.id)
                if counts.lacks_logs(key, each, cured):
                    yield counts.exponents_of(key, each, code)
                yield counts.claim_of(key, cured, code, "repaired")
        elif any(cost.corollary for cost in each.costs):
            yield statement.counts_of(key, each, code)


# Those that a person wrote.


def _written(key: str) -> list[Claim]:
    """What is computed for those of a paper from outside belongs to a version of its files."""
    found = part(key, "CLAIMS") or ()
    if not isinstance(found, tuple | list):
        raise UserError(f"CLAIMS of {key} must be a tuple of claims, got {found!r:.60}.")
    wrong = [each for each in found if not isinstance(each, Claim)]
    if wrong:
        raise UserError(f"CLAIMS of {key} must hold claims of ratecert.claims, got {wrong[0]!r:.60}.")
    ids = [claim.id for claim in found]
    twice = next((id for id in ids if ids.count(id) > 1), None)
    if twice:
        raise UserError(f"CLAIMS of {key} has two claims with the id {twice!r}.")
    if key in find.KEYS:
        return list(found)
    for id in (full_id(key, id) for claim in found for id in claim.of):
        find.statement(id)
    return [of_version(claim, key, version_of(key)) for claim in found]


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


def of_version(claim: Claim, key: str, code: str) -> Claim:
    """The same claim, its tasks bound to this version of the paper's code."""
    return replace(claim, tasks=partial(_tasks, claim, key, code))


def _tasks(claim: Claim, key: str, code: str, budget: Budget) -> list[Task]:
    return [_of_version(task, claim.id, key, code) for task in claim.tasks(budget)]


def _of_version(task: Task, claim: str, key: str, code: str) -> Task:
    module, name = (getattr(task.function, what, "") for what in ("__module__", "__qualname__"))
    if not name.isidentifier():
        raise UserError(
            f"claim {claim} of {key}: the function of a task must stand at the top of a module, where other "
            f"processes find it, got {task.function!r:.80}."
        )
    if module.partition(".")[0] == "ratecert":
        return task
    ours = {PAPER: key, CODE: code, MODULE: module, FUNCTION: name}
    return Task(computed, {**task.arguments, **ours}, task.seconds)


# By name: all, those of a paper, of the library, of a statement, or one.


def select(names: Sequence[str]) -> list[Claim]:
    """All claims of the package's papers; of the library; of a paper; one, or those before its dot.

    Each once, those of the package in the order of its list, then the others in that of their names. No other paper
    than those named is read.
    """
    if not names:
        return list(claims().values())
    found = {claim.id: claim for name in names for claim in _named(name)}
    keys = {find.split(claim.of[0])[0] for claim in found.values()}
    own = [id for key in find.KEYS if key in keys for id in of_package(key)]
    order = {id: i for i, id in enumerate(own)}
    return sorted(found.values(), key=lambda claim: order.get(claim.id, len(order)))


def _named(name: str) -> list[Claim]:
    if name == LIBRARY:
        return [claim for key in library() for claim in claims_of(key).values()]
    if name in find.KEYS:
        return list(of_package(name).values())
    if is_outside(name):
        return list(claims_of(name).values())
    bare = name.removeprefix(f"{FIRST}:")
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
        yield claims_of(key)
        return
    yield of_package(key if key in find.KEYS else FIRST)
    yield claims()


def _before_dot(id: str) -> str:
    """Of the statement's part of an id: the paper's may be a file."""
    key, colon, inside = id.rpartition(":")
    return f"{key}{colon}{inside.partition('.')[0]}"
