"""The numbers of a witness on one line, in the letters of its statement.

A run counts its iterations, T of them; a statement may call them m, or count iterates from 1. It has K devices, which a
statement may call N, and use K for something else; or it knows one machine only.
"""

from collections.abc import Mapping
from typing import Any

from ratecert.catalogue.find import bindings, split


def in_letters(id: str, instance: Mapping[str, Mapping[str, Any]]) -> str:
    """World, run and letters."""
    key, inside = split(id)
    run = bindings(key).get(inside)
    counts = dict(instance.get("run", {}))
    if run and "T" in counts:
        counts[run.iterations] = counts.pop("T") + run.counts_from
    if run and "K" in counts:
        devices = counts.pop("K")
        counts |= {run.devices: devices} if run.devices else {}
    worlds = [table for name, table in instance.items() if name not in ("run", "letters")]
    tables = [*worlds, counts, instance.get("letters", {})]
    found = {name: value for table in tables for name, value in table.items()}
    return ", ".join(f"{name} = {_short(value)}" for name, value in found.items())


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
