"""Any value in one line of an error message, shortened where it is long."""

from typing import Any

import numpy as np

LONGEST = 80


def shown(value: Any) -> str:
    text = " ".join(repr(_plain(value)).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 20]}…{text[-19:]}"


def _plain(value: Any) -> Any:
    """Arrays as lists: their own repr takes several lines."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value
