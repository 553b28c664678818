"""What is shown, from a link and back to it.

    show    a method, or PAPER:THEOREM
    world   one of its worlds
    bound   one of its bounds, or none
    view    average: the mean over t < T, as in theorems; now: at iteration t
    ...     a number for each control

What a link leaves out has its usual value. A name that is not in its list, a number out of its range and a key that
nobody asked for are refused with what is allowed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlencode

from ratecert.base.errors import UserError
from ratecert.base.words import near_to
from ratecert.explore.controls import Control, text_of
from ratecert.explore.methods import METHODS, MethodSubject
from ratecert.explore.point import Point
from ratecert.explore.theorems import TheoremSubject, theorems

Subject = MethodSubject | TheoremSubject
VIEWS = {"average": "averages over t < T", "now": "at iteration t"}
LONGEST = 4000  # characters of a link
MOST_KEYS = 60
FEW = 12  # names that a refusal lists


@dataclass(frozen=True)
class State:
    show: str
    world: str
    bound: str
    view: str
    numbers: Mapping[str, Any]

    @property
    def subject(self) -> Subject:
        return subject(self.show)

    @cached_property
    def point(self) -> Point:
        return self.subject.point(self.world, self.bound, self.numbers)

    @property
    def controls(self) -> list[Control]:
        """At the numbers of this state."""
        return [replace(each, at=self.numbers[each.name]) for each in self.subject.controls(self.world)]

    @property
    def query(self) -> str:
        """The link, without the question mark."""
        names = {"show": self.show, "world": self.world, "bound": self.bound, "view": self.view}
        numbers = {name: text_of(value) for name, value in self.numbers.items()}
        return urlencode({**names, **numbers}, safe=":^")


def subject(name: str) -> Subject:
    """By its name in the list."""
    found: Subject | None = METHODS.get(name) or theorems().get(name)
    if found is None:
        raise _unknown("show", name, [*METHODS, *theorems()])
    return found


def usual(show: str, **given: Any) -> State:
    """A subject with its usual numbers and names, but those that are given; numbers may be text, as in a link."""
    shown, names = subject(show), {}
    for what, allowed in (("world", shown.worlds), ("bound", shown.bounds), ("view", VIEWS)):
        names[what] = given.pop(what, next(iter(allowed)))
        _require(what, names[what], allowed)
    controls = {each.name: each for each in shown.controls(names["world"])}
    for name in given:
        _require("the control", name, controls)
    numbers = {name: each.number(given.get(name, each.at)) for name, each in controls.items()}
    return State(show, **names, numbers=numbers)


def read(query: str, show: str) -> State:
    """The state of a link; `show` is what is shown where it does not say."""
    if len(query) > LONGEST:
        raise UserError(f"a link has at most {LONGEST} characters, got {len(query)}; copy it again.")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=MOST_KEYS, errors="strict")
    except ValueError as error:
        raise UserError(f"the link cannot be read: {error}; copy it again.") from error
    given = dict(pairs)
    twice = [name for name in given if sum(name == other for other, _ in pairs) > 1]
    if twice:
        raise UserError(f"{twice[0][:40]!r} is given twice in the link; keep one of them.")
    return usual(given.pop("show", show), **given)


def _require(what: str, name: str, allowed: Mapping[str, Any]) -> None:
    if name not in allowed:
        raise _unknown(what, name, list(allowed))


def _unknown(what: str, name: str, allowed: list[str]) -> UserError:
    near = near_to(name, allowed) if len(allowed) > FEW else allowed
    listed = ", ".join(near or allowed[:FEW]) + ("" if near else ", ...")
    return UserError(f"{what} must be one of {listed}, got {name[:40]!r}; choose one on the page.")
