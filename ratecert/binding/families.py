"""Families of worlds that a theorem may speak of, each a few numbers: what a search for a counterexample varies.

Those here have their minimiser at the origin, or near it, two curvatures L and L/spread, and noise; a run starts x_off
away from the minimiser in every direction. In `quadratics` there is no noise, and a run starts in one direction, whose
curvature is anything between mu and L: there deterministic methods have their worst quadratics. Where theorems are
tight some of these are zero or one, so a search holds them there first. Worlds of two levels are in two_levels.py. A
paper may bring families of its own.
"""

from typing import Any

import numpy as np

from ratecert.base.errors import UserError
from ratecert.binding.family import Family, Numbers
from ratecert.binding.search_space import Level
from ratecert.binding.two_levels import TWO_LEVEL
from ratecert.synthetic.worlds.federated import Federated
from ratecert.synthetic.worlds.finite_sum import FiniteSum
from ratecert.synthetic.worlds.single_level import SingleLevel

CURVATURES = (Level(name="L", low=1e-3, high=1e3), Level(name="spread", low=1.0, high=1e6, says="L/mu"))
START = Level(name="x_off", low=1e-3, high=1e3)
NOISE = Level(name="s", low=1e-3, high=1e3)  # of the gradient, in every coordinate


def _single_level(numbers: Numbers) -> SingleLevel:
    return SingleLevel(H=np.diag([numbers["L"], numbers["L"] / numbers["spread"]]), s=numbers["s"])


def _quadratics(numbers: Numbers) -> SingleLevel:
    """L and mu = L/spread are the ends of the spectrum; the curvature between them is what a run feels."""
    L, spread = numbers["L"], numbers["spread"]
    return SingleLevel(H=np.diag([L, L / min(numbers["depth"], spread), L / spread]))


def along_middle(world: Any, numbers: Numbers) -> dict[str, Any]:
    """Start x_off away from x* in the second of three directions."""
    return {"x": world.x_star + np.array([0.0, numbers["x_off"], 0.0])}


def _noisy_hessians(numbers: Numbers) -> SingleLevel:
    """The noise grows with the gradient: its variance has no bound, but M + M_V ||grad F||^2."""
    H = np.diag([numbers["L"], numbers["L"] / numbers["spread"]])
    return SingleLevel(H=H, E=[numbers["noise_H"] * H], s=numbers["s"])


def _finite_sum(numbers: Numbers) -> FiniteSum:
    """Two terms that share the curvature unevenly, with minimisers on either side."""
    L, uneven = numbers["L"], numbers["uneven"]
    H = np.diag([L, L / numbers["spread"]])
    return FiniteSum(
        H=[(1 + uneven) * H, (1 - uneven) * H],
        a=[np.full(2, numbers["apart"]), np.full(2, -numbers["apart"])],
    )


def _federated(numbers: Numbers) -> Federated:
    """Two devices whose minimisers lie on either side, of which one is curved less."""
    H = np.diag([numbers["L"], numbers["L"] / numbers["spread"]])
    own = (H, H / numbers["uneven"])
    centres = (np.full(2, numbers["apart"]), np.full(2, -numbers["apart"]))
    return Federated(
        devices=[SingleLevel(H=h, a=a, s=numbers["s"]) for h, a in zip(own, centres, strict=True)]
    )


USUAL = {
    "L": 2.0,
    "spread": 4.0,
    "x_off": 1.0,
    "s": 0.5,
    "noise_H": 0.25,
    "uneven": 0.5,
    "apart": 0.5,
    "depth": 2.0,
}
APART = Level(name="apart", low=1e-3, high=1e3)  # minimisers, of terms or of devices
ONE_DIRECTION, NO_NOISE, AT_REST = {"spread": 1.0}, {"s": 0.0}, {"x_off": 0.0}
DEEPEST = 1e6
AT_L, AT_MU = {"depth": 1.0}, {"depth": DEEPEST}  # where a run feels one end of the spectrum alone

SINGLE_LEVEL = Family(
    name="single_level",
    levels=(*CURVATURES, START, NOISE),
    world=_single_level,
    held=({**AT_REST, **ONE_DIRECTION}, {**NO_NOISE, **ONE_DIRECTION}, AT_REST, NO_NOISE, {}),
    usual=USUAL,
)
QUADRATICS = Family(
    name="quadratics",
    levels=(*CURVATURES, Level(name="depth", low=1.0, high=DEEPEST), START),
    world=_quadratics,
    start=along_middle,
    held=(AT_L, AT_MU, {}),
    usual=USUAL,
)
NOISY_HESSIANS = Family(
    name="noisy_hessians",
    levels=(*CURVATURES, START, NOISE, Level(name="noise_H", low=1e-3, high=1.0)),
    world=_noisy_hessians,
    held=({**NO_NOISE, **ONE_DIRECTION}, NO_NOISE, {}),
    usual=USUAL,
)
FINITE_SUM = Family(
    name="finite_sum",
    levels=(*CURVATURES, START, Level(name="uneven", low=1e-3, high=1.0), APART),
    world=_finite_sum,
    held=({"apart": 0.0}, AT_REST, ONE_DIRECTION, {}),
    usual=USUAL,
)
FEDERATED = Family(
    name="federated",
    levels=(*CURVATURES, START, NOISE, Level(name="uneven", low=1.0, high=1e3), APART),
    world=_federated,
    held=({**NO_NOISE, **AT_REST}, NO_NOISE, {"apart": 0.0}, AT_REST, {}),
    usual=USUAL,
    devices=2,
)
EVERY = (SINGLE_LEVEL, QUADRATICS, NOISY_HESSIANS, FINITE_SUM, FEDERATED, TWO_LEVEL)
FAMILIES = {each.name: each for each in EVERY}


def family(which: str | Family) -> Family:
    """By its name, or a paper's own."""
    if isinstance(which, Family):
        return which
    if which not in FAMILIES:
        raise UserError(f"worlds must be among {', '.join(FAMILIES)}, or a Family, got {which!r:.60}.")
    return FAMILIES[which]
