"""The proximal step of a quadratic: argmin_w F(w) + ||w - v||^2 / (2 step), for grad F(w) = H w - pull.

w = (I + step H)^{-1} (v + step pull)
"""

from typing import Any

import numpy as np
from flint import arb

from ratecert.base.arrays import Balls, Rationals, like, solve
from ratecert.base.validation import Array


def beside(v: Array, x: Array) -> Array:
    """The vector v in the kind of numbers of x, shaped for addition to it: a point, or a row of columns."""
    same: Array = like(v, x)
    return same if np.ndim(x) == 1 else same[:, None]


def resolvent(H: Array, pull: Array, step: Any, v: Any) -> Any:
    """At columns v of doubles, or at a vector of an engine's own kind: then the inverse is exact, or a ball."""
    if isinstance(v, np.ndarray):
        return np.linalg.solve(np.eye(len(H)) + float(step) * H, v + float(step) * pull[:, None])
    kind = Balls if isinstance(step, arb) else Rationals
    size, identity = kind.number(step), kind.identity(len(H))
    inverse = solve(identity + size * kind.of(H), identity)
    return inverse @ v + inverse @ (size * kind.of(pull))[:, None]
