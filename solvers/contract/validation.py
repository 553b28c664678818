"""Refusals: one sentence with the name, the value and the range, before any work is done."""

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.exact import is_exact

FAR = 10**300  # beyond it a whole number has no float


def shown(value: Any) -> str:
    """A value on one line, cut where it is long."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python writes no number of more than 4300 digits
        text = "a number of thousands of digits"
    return text if len(text) <= 80 else text[:77] + "..."


def is_letter(value: Any) -> bool:
    """Whether a value stands for the numbers of many settings, which have been checked one by one."""
    return getattr(value, "is_letter", False)


def require_positive(name: str, value: Any) -> None:
    """A float, an int or an exact number of an engine; not a fraction, which arrays of floats do not take."""
    if is_letter(value):
        return
    fraction = isinstance(value, numbers.Rational) and not isinstance(value, numbers.Integral)
    number = isinstance(value, numbers.Real) and not isinstance(value, bool) and not fraction
    far = isinstance(value, int) and abs(value) > FAR
    if not (number or is_exact(value)) or far or not 0 < float(value) < math.inf:
        advice = f"; write it as a float, float({name})" if fraction else ""
        raise UserError(f"{name} must be a finite number > 0, got {shown(value)}{advice}.")


def require_number(name: str, value: Any, *, least: float = -math.inf) -> None:
    """Any real number from `least` on, infinite ones included; nan is none."""
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not number or not float(value) >= least:
        limit = "" if least == -math.inf else f" >= {least:g}"
        raise UserError(f"{name} must be a number{limit}, got {shown(value)}.")


def require_whole(name: str, value: Any, *, least: int, most: int | None = None) -> int:
    """The value as a plain int; a letter as it is."""
    if is_letter(value):
        return value  # type: ignore[no-any-return]
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or not least <= value <= (FAR if most is None else most):
        limit = f">= {least}" if most is None else f"from {least} to {most}"
        raise UserError(f"{name} must be a whole number {limit}, got {shown(value)}.")
    return int(value)


def require_fraction(name: str, value: Any, advice: str) -> None:
    if not is_letter(value) and not 0 < float(value) <= 1:  # in rationals the float 0.1 times 10 exceeds 1
        raise UserError(f"{name} must lie in (0, 1], got {float(value):.6g}; {advice}.")


def require_choice(name: str, value: Any, allowed: Sequence[Any]) -> None:
    if not any(type(value) is type(choice) and value == choice for choice in allowed):
        raise UserError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {shown(value)}.")


def require_point(name: str, value: Any, d: int) -> NDArray[np.float64]:
    """d finite numbers as a vector; a plain number where d = 1."""
    try:
        point = np.atleast_1d(np.asarray(value))
        fits = point.dtype.kind in "iuf" and point.shape == (d,)
        point = point.astype(np.float64) if fits else point
    except (TypeError, ValueError, OverflowError):
        fits = False
    if not fits or not np.isfinite(point).all():
        raise UserError(f"{name} must be {d} finite number{'s' if d > 1 else ''}, got {shown(value)}.")
    return point


def require_instance(role: str, value: Any) -> None:
    if isinstance(value, type):
        raise UserTypeError(
            f"{value.__name__} is a class; make one of it, {value.__name__}(...), to use it as the {role}."
        )
