"""All claims of a paper, those that follow from its data and those that a person wrote; and claims by name.

What is computed for a claim that a person wrote belongs to a version of the paper's files. A worker loads the paper
before it looks for the function, which may be in the paper's file or in one beside it.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib import import_module

from ratecert.base.asked import FIRST, VARIANTS, full_id
from ratecert.base.errors import UserError
from ratecert.base.own_code import called, undecided_by_mistakes
from ratecert.base.words import FAINTLY, did_you_mean
from ratecert.catalogue import find
from ratecert.catalogue.load import LIBRARY, is_outside, library, module_of, part, require_version, version_of
from ratecert.claims.claim import Budget, Claim, Json, Task
from ratecert.theory.statements import Corollary, Counts, Factor, Theorem
from ratecert.verdicts import corollary, counts, mistakes, orders, statement, theorem
from ratecert.verdicts.corollary_runs import measurable
from ratecert.verdicts.exponents import same_powers
from ratecert.verdicts.statement import Variant, errata_of


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
    in_full = (  # inside a paper's files ids are bare
        replace(claim, id=full_id(key, claim.id), of=tuple(full_id(key, id) for id in claim.of))
        for claim in found
    )
    return {claim.id: claim for claim in in_full}


# Those that follow from the paper's data.


def _derived(key: str) -> Iterator[Claim]:
    if part(key, "RUNS") is not None:
        printed, repaired = (Variant(key, name, version_of(key)) for name in VARIANTS)
        yield from _of_theorems(printed, repaired)
        yield from _of_corollaries(printed, repaired)
        yield from _of_counts(printed, repaired)
        for each in printed.paper.of_kind(Factor):
            yield from orders.claims_of(printed, each)


def _of_theorems(printed: Variant, repaired: Variant) -> Iterator[Claim]:
    """Those on mistakes say more than that the print is wrong; the library's record has its own search's witnesses."""
    runs = find.bindings(printed.key)
    for variant in (printed, repaired):
        for each in variant.paper.of_kind(Theorem):
            own = variant is printed and printed.key in find.KEYS
            shown = list(mistakes.claims_of(printed, each)) if own else []
            yield from shown
            if errata_of(printed.key, each.id) if variant is repaired else not shown:
                yield (
                    theorem.claim_of(variant, each) if each.id in runs else statement.claim_of(variant, each)
                )


def _of_corollaries(printed: Variant, repaired: Variant) -> Iterator[Claim]:
    runs = find.bindings(printed.key)
    for each in printed.paper.of_kind(Corollary):
        bound = each.theorem in runs
        measured = bound and measurable(each)
        claim_of = corollary.claim_of if measured else statement.corollary_of
        yield claim_of(printed, each)
        if (measured or not bound) and errata_of(printed.key, each.id):
            cured = repaired.paper.the(Corollary, each.id)
            if measured and same_powers(each.claim.order, cured.claim.order):
                yield corollary.exponents_of(printed, each)
            yield claim_of(repaired, cured)


def _of_counts(printed: Variant, repaired: Variant) -> Iterator[Claim]:
    for each in printed.paper.of_kind(Counts):
        if counts.bound_costs(printed.key, each):
            yield counts.claim_of(printed, each)
            if errata_of(printed.key, each.id):
                cured = repaired.paper.the(Counts, each.id)
                if counts.lacks_logs(printed.key, each, cured):
                    yield counts.exponents_of(printed, each)
                yield counts.claim_of(repaired, cured)
        elif any(cost.corollary for cost in each.costs):
            yield statement.claim_of(printed, each)


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
    code = version_of(key)

    def tasks(claim: Claim, budget: Budget) -> list[Task]:
        return [_in_its_code(task, claim.id, key, code) for task in claim.tasks(budget)]

    return [replace(claim, tasks=partial(tasks, claim)) for claim in found]


PAPER, CODE, MODULE, FUNCTION = (
    "the paper",
    "its version",
    "the module",
    "its function",
)  # no names of arguments


def _in_its_code(task: Task, claim: str, key: str, code: str) -> Task:
    """A task of a claim, bound to this version of the paper's code."""
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


def computed(**given: Json) -> Json:
    """Call the function that a claim names, in the paper's own code."""
    key, code, module, name = (given.pop(what) for what in (PAPER, CODE, MODULE, FUNCTION))
    require_version(key, code)
    module_of(key)
    function: Callable[..., Json] = getattr(sys.modules.get(module) or import_module(module), name)
    with undecided_by_mistakes():
        return called(name, function, **given)


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
    return [found.pop(id) for id in own if id in found] + list(found.values())


def _named(name: str) -> Iterable[Claim]:
    if name == LIBRARY:
        return [claim for key in library() for claim in claims_of(key).values()]
    if name in find.KEYS:
        return of_package(name).values()
    if is_outside(name):
        return claims_of(name).values()
    find.require_no_data(name)
    bare, ids = name.removeprefix(f"{FIRST}:"), list[str]()
    for among in _where(bare):
        found = [claim for id, claim in among.items() if bare in (id, _before_dot(id))]
        if found:
            return found
        ids = list(among)
    parts = dict.fromkeys(part for id in ids for part in (_before_dot(id), id))
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
