"""Worlds as JSON: {"world": "scalar", "mu": 1.0, ...}, the name of a constructor and its arguments.

So a piece names its world by what makes it, and settings in results.json can be typed in again. "quadratic" takes the
matrices of the base world themselves.
"""

from collections.abc import Mapping
from typing import Any

from ratecert.base.errors import UserError
from ratecert.synthetic import CONSTRUCTORS, Quadratic

MAKERS = {**CONSTRUCTORS, "quadratic": Quadratic}


def build(spec: Mapping[str, Any]) -> Any:
    """The world of a specification; `of` is the specification of the world inside a huberised one."""
    arguments = dict(spec)
    name = arguments.pop("world", None)
    if name not in MAKERS:
        raise UserError(f"world must be one of {', '.join(MAKERS)}, got {name!r}.")
    inside = [build(arguments.pop("of"))] if "of" in arguments else []
    return MAKERS[name](*inside, **arguments)
