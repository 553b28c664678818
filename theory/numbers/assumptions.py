"""The assumptions of a paper as checks on the constants that a world computes for itself.

An assumption holds if its constants exist: finite, and positive where it says so. A world whose constants are infinite
on the whole space may still satisfy it on a ball; the verdict says which.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ratecert.base.errors import UserTypeError
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Assumption

Array = NDArray[np.float64]


class WithConstants(Protocol):
    """A world whose constants are known."""

    def constants(self, *, radius: float, reading: Any) -> Mapping[str, float]:
        """Those of the assumptions on the ball of this radius around (a, b)."""


class WithMinimiser(WithConstants, Protocol):
    """A world whose centre (a, b), minimiser and objective are known, too."""

    @property
    def a(self) -> Array:
        """The x of the centre."""

    @property
    def b(self) -> Array:
        """The y of the centre."""

    @property
    def x_star(self) -> Array:
        """The minimiser of Phi."""

    def y_star(self, x: Any, /) -> Any:
        """Solve the lower level at x."""

    def objective(self, x: Any, /) -> Any:
        """Compute Phi(x)."""


@dataclass(frozen=True)
class Standing:
    """Whether an assumption holds: "everywhere", "on the ball", or "no", and why."""

    assumption: str
    holds: str
    because: str


def constants_of(
    world: WithConstants | Mapping[str, float], *, radius: float, reading: str
) -> dict[str, float]:
    """Those of a world, or the mapping itself; refused where it is neither."""
    if isinstance(world, Mapping):
        return dict(world)
    if isinstance(world, type) or not hasattr(world, "constants"):
        raise UserTypeError(f"world must be a world or a mapping of its constants, got {world!r:.60}.")
    if not hasattr(world, "d_y"):
        raise UserTypeError(
            f"{type(world).__name__} has one level, and its constants are world.constants(); the paper is on two."
        )
    return dict(world.constants(radius=radius, reading=reading))


def check_assumptions(
    paper: Paper, world: WithConstants, *, radius: float = math.inf, reading: str = "joint"
) -> tuple[Standing, ...]:
    """One verdict per assumption, and one on the problem where devices differ; `world` has `constants`."""
    everywhere = world.constants(radius=math.inf, reading=reading)
    on_ball = world.constants(radius=radius, reading=reading)
    standings = tuple(_standing(a, everywhere, on_ball, radius) for a in paper.of_kind(Assumption))
    if "problem" in paper.statements and hasattr(world, "devices"):
        differ = Standing("problem", "no", "the devices differ, and the paper takes them to be alike")
        return (differ, *standings)
    return standings


def _standing(
    assumption: Assumption, everywhere: Mapping[str, float], on_ball: Mapping[str, float], radius: float
) -> Standing:
    wrong = _wrong(assumption, everywhere)
    if not wrong:
        return Standing(assumption.id, "everywhere", _shown(assumption, everywhere))
    if math.isfinite(radius) and not _wrong(assumption, on_ball):
        because = f"{_shown(assumption, on_ball)} within {radius:g} of the centre; {wrong} on the whole space"
        return Standing(assumption.id, "on the ball", because)
    advice = "; give a finite radius" if math.isinf(radius) else f" within {radius:g} of the centre"
    return Standing(assumption.id, "no", (_wrong(assumption, on_ball) or wrong) + advice)


def _wrong(assumption: Assumption, constants: Mapping[str, float]) -> str:
    """The constants that are missing, infinite or too small, as text."""
    bad = []
    for name, least in assumption.constants.items():
        value = constants.get(name, math.nan)
        enough = value > least if assumption.strict else value >= least
        if not (enough and math.isfinite(value)):
            bad.append(f"{name} = {value:g}" if not math.isnan(value) else f"{name} is not known")
    return ", ".join(bad)


def _shown(assumption: Assumption, constants: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {constants[name]:.6g}" for name in assumption.constants)
