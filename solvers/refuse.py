"""Refusals: one sentence with the name, the value and the range, before any work is done."""

import math
import numbers
from collections.abc import Sequence
from typing import Any


def require_positive(name: str, value: Any) -> None:
    if not isinstance(value, numbers.Real) or not (value > 0 and math.isfinite(value)):
        raise ValueError(f"{name} must be a finite number > 0, got {value!r}.")


def require_whole(name: str, value: Any, *, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise ValueError(f"{name} must be a whole number >= {least}, got {value!r}.")


def require_fraction(name: str, value: Any, advice: str) -> None:
    if not 0 < value <= 1:
        raise ValueError(f"{name} must lie in (0, 1], got {float(value):.6g}; {advice}.")


def require_choice(name: str, value: Any, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}.")
