"""The shape of what a witness file holds: which tables, which keys, numbers that are numbers."""

import math
from collections.abc import Mapping
from typing import Any

from ratecert.base.errors import WitnessError
from ratecert.search.falsifiable import Instance

LARGEST = 1e75  # products of four such numbers have a float


def require_tables(instance: Instance, wanted: Mapping[str, Mapping[str, bool]]) -> None:
    """Exactly these tables with these keys; a key with False may be left out."""
    for table, keys in wanted.items():
        if table not in instance:
            raise WitnessError(f"the table [{table}] is missing.")
        missing = [key for key, needed in keys.items() if needed and key not in instance[table]]
        if missing:
            raise WitnessError(f"{table}.{missing[0]} is missing.")
    for table, entries in instance.items():
        if table not in wanted:
            raise WitnessError(f"{table!r:.60} is no table of this witness; known are {', '.join(wanted)}.")
        unknown = [key for key in entries if key not in wanted[table]]
        if unknown:
            raise WitnessError(
                f"{table}.{unknown[0]:.60} is no key here; known are {', '.join(wanted[table])}."
            )


def require_numbers(name: str, value: Any, *, infinite: bool = False, lists: bool = False) -> None:
    """A finite number, or lists of them; infinite only where that means something."""
    if lists and isinstance(value, list):
        for entry in value:
            require_numbers(name, entry, lists=True)
        return
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and infinite and value == math.inf:
        return
    if not is_number or not abs(value) <= LARGEST:
        raise WitnessError(
            f"{name} must be a finite number{' or inf' if infinite else ''}, of size at most {LARGEST:g}, got "
            f"{value!r:.60}."
        )
