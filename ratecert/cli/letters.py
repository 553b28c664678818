"""LETTER=VALUE on a command line: read as the values of the face, and refused where nothing takes them.

A value is a whole number (also 2^20 and 1e6), a number, a fraction such as 1/3, True or False, a word such as fresh, a
list 1,2,4, or a matrix with its rows apart by semicolons, 2,0;0,3.
"""

import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from ratecert.base.errors import UserError

LARGEST = 2**64  # of a power: larger whole numbers are no K, T or seed
LONGEST = 300  # characters of a value
SUCH_AS = {
    "spectrum": "1,4",
    "d_x": "2",
    "d_y": "2",
    "seed": "1",
    "H": "1,2",
    "a": "0,1",
    "M": "0.5",
}


def read(option: str, texts: Sequence[str]) -> dict[str, Any]:
    """Letter -> value; a letter that is given twice is refused."""
    values: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier() or not value:
            raise UserError(f"{option} takes LETTER=VALUE, such as {option} p=4, got {text!r}.")
        if name in values:
            raise UserError(f"{option} gives {name} twice; give it once.")
        values[name] = value_of(name, value)
    return values


def value_of(name: str, text: str) -> Any:
    """The value that a text stands for."""
    if ";" in text:
        return [value_of(name, row) if "," in row else [_single(name, row)] for row in text.split(";")]
    return [_single(name, part) for part in text.split(",")] if "," in text else _single(name, text)


def _single(name: str, text: str) -> Any:
    if len(text) > LONGEST:
        raise UserError(f"{name} must have at most {LONGEST} characters, got {len(text)} of them.")
    if text in ("True", "False"):
        return text == "True"
    if power := re.fullmatch(r"(\d+)(?:\^|\*\*)(\d+)", text):
        return _power(name, text, *map(int, power.groups()))
    if fraction := re.fullmatch(r"([+-]?\d+)/(\d+)", text):
        top, bottom = map(int, fraction.groups())
        if not bottom:
            raise UserError(f"{name} must be a number, got {text!r}, which divides by 0.")
        return top / bottom
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    try:
        number = float(text)
    except ValueError:
        return text  # a word; whoever takes the letter says whether it is one of its own
    whole = "e" in text.lower() and math.isfinite(number) and number.is_integer()
    return int(number) if whole and abs(number) <= LARGEST else number


def _power(name: str, text: str, base: int, exponent: int) -> int:
    if base > 1 and exponent * math.log2(base) > math.log2(LARGEST):
        raise UserError(f"{name} must be at most 2^64, got {text}.")
    return int(base**exponent)


def fitting(
    what: str, option: str, make: Callable[..., Any], given: Mapping[str, Any], example: Mapping[str, Any]
) -> dict[str, Any]:
    """What is given, if `make` takes it and lacks nothing."""
    taken = inspect.signature(make).parameters
    for name in given:
        if name not in taken:
            near = get_close_matches(name, taken, n=2)
            hint = f"did you mean {' or '.join(near)}? " if near else ""
            raise UserError(f"{what} has no letter {name!r}; {hint}It has {', '.join(taken)}.")
    missing = [n for n, p in taken.items() if p.default is p.empty and n not in given]
    if missing:
        such = " ".join(f"{n}={example.get(n, SUCH_AS.get(n, '1'))}" for n in missing)
        raise UserError(f"{what} needs {', '.join(missing)}; such as {option} {such}.")
    return dict(given)


def named(what: str, name: str, known: Mapping[str, Any]) -> Any:
    """What has this name; names that come near it are told."""
    if name in known:
        return known[name]
    lower = {other.lower(): other for other in known}
    near = [lower[found] for found in get_close_matches(name.lower(), lower, n=3, cutoff=0.5)]
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}."
    raise UserError(f"no {what} is called {name!r}; {hint}")
