"""Refusals: one sentence with the name, the value and the range, before any work is done."""

import math
import numbers
from collections.abc import Sequence
from typing import Any


def require_positive(name: str, value: Any) -> None:
    if not isinstance(value, numbers.Real) or not 0 < float(value) < math.inf:
        raise ValueError(f"{name} must be a finite number > 0, got {value!r}.")


def require_whole(name: str, value: Any, *, least: int, most: int | None = None) -> None:
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        limit = f">= {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} must be a whole number {limit}, got {value!r}.")


def require_fraction(name: str, value: Any, advice: str) -> None:
    if not 0 < value <= 1:
        raise ValueError(f"{name} must lie in (0, 1], got {float(value):.6g}; {advice}.")


def require_choice(name: str, value: Any, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}.")
