"""Single numbers: levels, dimensions and seeds. A wrong one is refused with its name, value and range."""

from operator import index
from typing import Any

from ratecert.base.errors import UserError
from ratecert.synthetic.validation.arrays import as_finite
from ratecert.synthetic.validation.messages import shown


def as_number(name: str, value: Any) -> float:
    array = as_finite(name, value)
    if array.ndim != 0:
        raise UserError(f"{name} must be one number, got {shown(value)}.")
    return float(array)


def as_level(name: str, value: Any) -> float:
    number = as_number(name, value)
    if number < 0:
        raise UserError(f"{name} must be >= 0, got {name} = {number}.")
    return number


def as_integer(name: str, value: Any, *, least: int) -> int:
    try:
        number = least - 1 if isinstance(value, bool) else index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise UserError(f"{name} must be an integer >= {least}, got {name} = {shown(value)}.")
    return number
