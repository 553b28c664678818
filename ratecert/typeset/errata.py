"""A correction in words: every part that it changes, with what is printed there and what is to be read."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

import sympy

from ratecert.theory.paper import Erratum
from ratecert.theory.statements import Cost, Line, Scaling, Statement

NOTHING = "nothing"
_POWERS = str.maketrans("23", "²³")


def changes(erratum: Erratum) -> Iterator[tuple[str, str, str]]:
    """(place, printed, read); of a whole statement every part that differs."""
    printed, read = (dict(_parts(each, erratum.place)) for each in (erratum.printed, erratum.read))
    for place in dict.fromkeys([*printed, *read]):
        old, new = printed.get(place, NOTHING), read.get(place, NOTHING)
        if old != new:
            yield place, old, new


def _parts(value: Any, place: str) -> Iterator[tuple[str, str]]:
    """The parts of a statement as text, by their place; lines of pseudocode are numbered, costs have a name."""
    inside: Iterable[tuple[Any, Any]] = ()
    match value:
        case Statement() | Cost():
            inside = ((each.name, getattr(value, each.name)) for each in fields(value))
        case Mapping():
            inside = value.items()
        case tuple() if any(isinstance(part, Line | Cost) for part in value):
            inside = ((getattr(part, "method", i), part) for i, part in enumerate(value, start=1))
        case _:
            yield place, formula(value)
    for name, part in inside:
        yield from _parts(part, f"{place}.{name}")


def formula(value: Any) -> str:
    """In the names of the code on one line, with blanks for products: 6 L_tilde²/(mu (4 L_hat²/alpha² + ...))."""
    match value:
        case Line(text=text, when=when):
            return text if when == "always" else f"{when}: {text}"
        case Scaling(order=order, kind=kind):
            return f"{kind}({formula(order)})"
        case (str(name), int(index)):  # a variable of another iteration
            return f"{name}_{index}"
        case tuple():
            return ", ".join(map(formula, value)) or NOTHING
        case sympy.Basic():
            text = re.sub(r"\*\*([23])\b", lambda power: power.group(1).translate(_POWERS), str(value))
            return text.replace("**", "^").replace("*", " ")
    return str(value) or NOTHING
