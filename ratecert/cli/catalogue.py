"""Methods and worlds by the names that the face has for them."""

from collections.abc import Callable
from typing import Any

from ratecert import synthetic
from ratecert.entry_points import METHODS, WORLDS, loaded, points
from ratecert.solvers import ALGORITHMS, ONE_LEVEL, SABA

OF_MATRICES = ("Quadratic", "SingleLevel", "FiniteSum", "BilevelSum", "LinearMap")


def methods() -> dict[str, Callable[..., Any]]:
    """Those of the package, and those that installed packages bring."""
    own = {**ALGORITHMS, "SABA": SABA, **ONE_LEVEL}
    return {**own, **{name: loaded(METHODS, name) for name in points(METHODS)}}


def worlds() -> dict[str, Callable[..., Any]]:
    """The same of worlds."""
    own = {**synthetic.CONSTRUCTORS, **synthetic.ONE_LEVEL}
    own |= {name: getattr(synthetic, name) for name in OF_MATRICES}
    return {**own, **{name: loaded(WORLDS, name) for name in points(WORLDS)}}
