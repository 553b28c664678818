"""Where to begin: every stored counterexample, every theorem of the papers and of the library.

A preset is a link. Counterexamples without a run, such as those of a constant, have none.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from ratecert.base.asked import FIRST, full_id
from ratecert.base.errors import UserError
from ratecert.base.words import near_to
from ratecert.catalogue import cases, find
from ratecert.catalogue.load import is_outside, library
from ratecert.explore.answer import answer
from ratecert.explore.state import State, usual
from ratecert.explore.theorems import bring, theorems
from ratecert.report.library import read as read_records
from ratecert.search.witness import Witness
from ratecert.theory.statements import Corollary

COUNTEREXAMPLES, PAPER, LIBRARY = "counterexample", "usual numbers", "the world nearest to its bound"
SHOWN_FIRST = "theorem-1.printed-G.simple"
BEYOND = 16  # times the length at which a run breaks its bound, so that the page shows both sides of it


@dataclass(frozen=True)
class Preset:
    group: str
    title: str
    state: State
    names: tuple[str, ...]  # of a file, of claims; that of a statement stands for all that is said of it


@cache
def presets() -> tuple[Preset, ...]:
    """In the order of the page."""
    return (*_counterexamples(), *_of_papers(), *_of_library())


def _counterexamples() -> Iterator[Preset]:
    """Those of the first paper are known without its key, too."""
    for path in cases.stored():
        name = path.stem.removeprefix(f"{FIRST}.")
        if state := opened(cases.read(path)):
            yield Preset(COUNTEREXAMPLES, name.replace(".", ", "), state, (name, path.stem))


def _of_papers() -> Iterator[Preset]:
    """A theorem is opened by its own claims and by those of its corollaries."""
    for name, subject in theorems().items():
        if subject.key in find.KEYS:
            corollaries = find.paper(key=subject.key).of_kind(Corollary)
            own = (subject.id, *(each.id for each in corollaries if each.theorem == subject.id))
            names = (full_id(subject.key, id) for id in own)
            yield Preset(PAPER, name, usual(name), (*names, subject.key))


def _of_library() -> Iterator[Preset]:
    for record in read_records():
        id, variant = record["id"], record["variant"]
        if record["witness"] and id in theorems():
            state = _of_tables(id, variant, record["witness"])
            yield Preset(LIBRARY, f"{id}, {variant}", state, (id, f"{id}.{variant}"))


@cache
def first() -> State:
    """What the page shows when nothing is asked for."""
    return beyond(named(SHOWN_FIRST))


def beyond(state: State) -> State:
    """The same, with T long after the left side has first been above the bound, where it is and stays so."""
    found, controls = answer(state), {each.name: each for each in state.controls}
    if not (bound := found.get("bound") or {}).get("broken"):
        return state
    sides = zip(map(int, found["t"]), bound["left_curve"], bound["curve"], strict=True)
    above = (t for t, left, top in sides if t and None not in (left, top) and left > top)
    T = min(BEYOND * next(above, state.numbers["T"]), int(controls["T"].high))
    longer = replace(state, numbers={**state.numbers, "T": T})
    return longer if (answer(longer).get("bound") or {}).get("broken") else state


def named(name: str) -> State:
    """A paper of the user's own or a theorem of it, a witness by its path, or what comes with ratecert.

    That is a counterexample by its file, else one of the claim of this name, else one of its statement.
    """
    if found := _of_file(name) if name.endswith(".toml") else _of_own(name):
        return found
    ways: tuple[Callable[[str], bool], ...] = (
        lambda known: known == name,
        lambda known: known.startswith(f"{name}."),
        lambda known: name.startswith((f"{known}.", f"{known}:")),
    )
    for fits in ways:
        for preset in presets():
            if any(map(fits, preset.names)):
                return preset.state
    known = [each for preset in presets() for each in preset.names]
    near = " or ".join(near_to(name, known, 2) or known[:1])
    raise UserError(
        f"nothing to explore is called {name[:60]!r}; try {near}. A claim that is about no run cannot be opened."
    )


def _of_own(name: str) -> State | None:
    """Of a file or a module from outside: its theorem, or its first one."""
    key = name if name.endswith(".py") else name.rpartition(":")[0]
    if not key or key in (*find.KEYS, *library()) or not is_outside(key):
        return None
    brought = bring(key)
    if not brought:
        raise UserError(
            f"{key} binds no theorem to a run, so there is nothing to move; give it RUNS, as `ratecert new` does."
        )
    if name not in (key, *brought):
        raise UserError(f"{name} cannot be explored; of this paper, {' and '.join(brought)} can.")
    return usual(brought[0] if name == key else name)


def _of_file(name: str) -> State:
    """Of a witness that a search has written."""
    path = cases.file_of(name)
    found = cases.read(path)
    _of_own(found.statement)
    cases.case_of(found.statement, found.variant).require(found.instance)
    if state := opened(found):
        return state
    raise UserError(
        f"{path} is not about a run with a step, so there is nothing to move; `ratecert check {name}` tells it."
    )


def opened(found: Witness) -> State | None:
    """The point of a witness; None where it is not about a run, and in the limit of long ones."""
    if found.instance["run"]["T"] in (0, math.inf):
        return None
    return _of_tables(":".join(find.split(found.statement)), found.variant, found.instance)


def _of_tables(id: str, variant: str, tables: Mapping[str, Mapping[str, Any]]) -> State:
    """A run without an iteration is shown with one."""
    subject = theorems()[id]
    world = next(name for name in subject.worlds if name in tables)
    numbers = {**tables[world], **tables["run"], **tables.get("letters", {})}
    numbers["T"] = max(numbers["T"], 1)
    known = [control.name for control in subject.controls(world)]
    bound = variant if variant in subject.bounds else next(iter(subject.bounds))
    return usual(id, world=world, bound=bound, **{n: v for n, v in numbers.items() if n in known})
