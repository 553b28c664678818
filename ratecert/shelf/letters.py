"""The numbers of a witness on one line, in the letters of its statement.

A run counts its iterations, T of them; a statement may call them m, or count iterates from 1.
"""

from collections.abc import Mapping
from typing import Any

from ratecert.registry import executables, split


def in_letters(id: str, instance: Mapping[str, Mapping[str, Any]]) -> str:
    """World, run and letters."""
    key, inside = split(id)
    run = executables(key).get(inside)
    found = {name: value for table in instance.values() for name, value in table.items()}
    if run and "T" in found:
        count = found.pop("T") + run.counts_from
        found[run.iterations] = count
    return ", ".join(f"{name} = {_short(value)}" for name, value in found.items())


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
