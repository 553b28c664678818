"""Finds names of reconstructed methods without their mark: `reconstructed` is shown wherever the name is shown."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

NAMES = ("FedBiOAcc", "FedBiOAccGlobal", "LFedNest", "StocBiO", "VRBO")
UNMARKED = re.compile(rf"\b({'|'.join(NAMES)})\b(?! \(reconstructed\))")


def unmarked(text: str) -> list[str]:
    """The names that occur as whole words without the mark right behind them, as often as they do."""
    return UNMARKED.findall(text)


def unmarked_in(entry: Any) -> list[str]:
    """The same for all texts of an entry of results.json, keys included."""
    return [name for text in _texts(entry) for name in unmarked(text)]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield key
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
