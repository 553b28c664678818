"""Families of worlds that a theorem may speak of, each a few numbers: what a search for a counterexample varies.

A world has its minimiser at the origin, or near it, two curvatures L and L/spread, and noise; a run starts x_off away
from the minimiser in every direction. Where theorems are tight some of these are zero or one, so a search holds them
there first.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ratecert.errors import UserError
from ratecert.executable.search_space import Level
from ratecert.synthetic.worlds.federated import Federated
from ratecert.synthetic.worlds.finite_sum import FiniteSum
from ratecert.synthetic.worlds.single_level import SingleLevel

Numbers = Mapping[str, float]
CURVATURES = (Level(name="L", low=1e-3, high=1e3), Level(name="spread", low=1.0, high=1e3))
START = Level(name="x_off", low=1e-3, high=1e3)
NOISE = Level(name="s", low=1e-3, high=1e3)  # of the gradient, in every coordinate


@dataclass(frozen=True)
class Family:
    """Worlds by numbers: which ones, and which of them are held where."""

    name: str
    levels: tuple[Level, ...]
    held: tuple[Numbers, ...]  # one subspace after the other
    world: Callable[[Numbers], Any]
    K: int | None = None  # where the number of devices is part of the world


def _single_level(numbers: Numbers) -> SingleLevel:
    return SingleLevel(H=np.diag([numbers["L"], numbers["L"] / numbers["spread"]]), s=numbers["s"])


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


FAMILIES = {
    family.name: family
    for family in (
        Family(
            "single_level",
            (*CURVATURES, START, NOISE),
            (
                {"x_off": 0.0, "spread": 1.0},
                {"s": 0.0, "spread": 1.0},
                {"x_off": 0.0},
                {"s": 0.0},
                {},
            ),
            _single_level,
        ),
        Family(
            "noisy_hessians",
            (*CURVATURES, START, NOISE, Level(name="noise_H", low=1e-3, high=1.0)),
            ({"s": 0.0, "spread": 1.0}, {"s": 0.0}, {}),
            _noisy_hessians,
        ),
        Family(
            "finite_sum",
            (
                *CURVATURES,
                START,
                Level(name="uneven", low=1e-3, high=1.0),
                Level(name="apart", low=1e-3, high=1e3),
            ),
            ({"apart": 0.0}, {"x_off": 0.0}, {"spread": 1.0}, {}),
            _finite_sum,
        ),
        Family(
            "federated",
            (
                *(*CURVATURES, START, NOISE),
                *(Level(name="uneven", low=1.0, high=1e3), Level(name="apart", low=1e-3, high=1e3)),
            ),
            ({"s": 0.0, "x_off": 0.0}, {"s": 0.0}, {"apart": 0.0}, {"x_off": 0.0}, {}),
            _federated,
            K=2,
        ),
    )
}


def family(name: str) -> Family:
    if name not in FAMILIES:
        raise UserError(f"worlds must be among {', '.join(FAMILIES)}, got {name!r}.")
    return FAMILIES[name]
