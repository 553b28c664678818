"""A world in plain English, read off its matrices: what F is, what a sample is, and the run on it."""

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ratecert.binding.setting import Setting
from ratecert.synthetic.devices import Federated
from ratecert.synthetic.one_level import Regularised, SingleLevel
from ratecert.synthetic.quadratic import Quadratic
from ratecert.synthetic.sums import FiniteSum

MOST = 4  # outcomes, or devices, that a sentence lists


def in_words(setting: Setting) -> str:
    """The world, and the run on it; what no class of rc.worlds is has the run alone."""
    start = ", ".join(f"{name} = {shown(value)}" for name, value in setting.start.items())
    devices = "one device" if setting.K == 1 else f"{setting.K} devices"
    steps = "without end" if math.inf == setting.T else f"for {setting.T} iteration{'s' * (setting.T != 1)}"
    return "; ".join(filter(None, (_world(setting.world), f"a run from {start} on {devices}, {steps}")))


def _world(world: Any) -> str:
    match world:
        case SingleLevel():
            return f"F has {_shape(world.H, world.a)}; {_signs(world)}"
        case FiniteSum():
            return f"F has {_shape(world.H.mean(axis=0), world.x_star)}; {_outcomes(world)}"
        case Federated():
            each = [
                f"device {k} of weight {shown(p)}: {_world(own)}"
                for k, (p, own) in enumerate(zip(world.weights, world.devices, strict=True), start=1)
            ]
            return "; ".join([f"F has {_shape(world.H, world.x_star)}", *each[:MOST]])
        case Regularised():
            return f"{_world(world.smooth)}; to F comes {shown(world.lam / 2)} ||x - {shown(world.c)}||^2"
        case Quadratic():
            parts = {name: getattr(world, name) for name in ("A", "B", "c", "P", "a", "D", "b", "E", "F")}
            return (
                "g(x, y) = y'Ay/2 - y'(Bx + c) and f(x, y) = (x - a)'P(x - a)/2 + (y - b)'D(y - b)/2 with "
                + ", ".join(f"{name} = {shown(value)}" for name, value in parts.items() if value.any())
                + " and all else 0"
                + f"; gradients of g have the noise +-{shown(world.s_g)} and those of f +-{shown(world.s_f)} in every "
                "coordinate, of either sign with probability 1/2"
            )
    return ""


def _shape(H: ArrayLike, at: ArrayLike) -> str:
    return f"the Hessian {shown(H)} and its minimum at {shown(at)}"


def _signs(world: SingleLevel) -> str:
    """The independent signs of a sample."""
    pairs = zip(world.E, world.c, strict=True)
    parts = [f"+-({shown(E)} (x - x*) + {shown(c)})" for E, c in pairs if E.any() or c.any()]
    parts += [f"+-{shown(world.s)} in every coordinate"] * (world.s > 0)
    if not parts:
        return "gradients are exact"
    return f"a sampled gradient is grad F(x) {' '.join(parts)}, every sign with probability 1/2"


def _outcomes(world: FiniteSum) -> str:
    """The terms, those that are the same together."""
    gradients = [
        (shown(H), shown(g - H @ a)) for H, a, g in zip(world.H, world.a, world.g, strict=True)
    ]  # of x: slope, and the rest
    kinds = Counter(gradients)
    if len(kinds) == 1:
        return "gradients are exact"
    if len(kinds) > MOST:
        return f"a sample is one of {world.n} terms"
    said = (f"{H} x + {rest} with probability {Fraction(m, world.n)}" for (H, rest), m in kinds.items())
    return f"a sampled gradient is {', or '.join(said)}"


def shown(value: Any) -> str:
    """A number; a vector as (1, 2), as its number where all are the same in one dimension; a matrix as diag(1, 2)."""
    array = np.asarray(value, dtype=float) + 0.0  # no -0
    if array.size == 1:
        return f"{array.item():.4g}"
    if array.ndim == 1:
        return f"({', '.join(f'{each:.4g}' for each in array)})"
    if array.ndim == 2 and array.shape[0] == array.shape[1] and not (array - np.diag(np.diag(array))).any():
        return f"diag{shown(np.diag(array))}"
    return f"[{', '.join(map(shown, array))}]"
