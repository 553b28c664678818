"""Settings in which both sides of a theorem are computed: a world, K, p, T, steps and a start, all of it JSON.

The grid is a factorial of which every n-th setting is run; where n shares no factor with the numbers of levels, all
levels of a factor come up about equally often.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from itertools import islice, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.claims.claim import Json, build
from ratecert.synthetic import Quadratic

Array = NDArray[np.float64]
World = Mapping[str, Any]  # as ratecert/claims/claim.py reads it


def scalar(**arguments: float) -> dict[str, Any]:
    return {"world": "scalar", **arguments}


def plane(**arguments: float) -> dict[str, Any]:
    return {"world": "random_quadratic", "d_x": 2, **arguments}


WORLDS: dict[str, World] = {
    "quiet": scalar(),
    "noisy": scalar(s_f=0.5, s_g=0.5),
    "noisy f": scalar(mu=1.0, L_1=1.25, s_f=1.0),
    "noisy g": scalar(mu=0.5, L_1=1.0, s_g=1.0),
    "small f": scalar(P=1e-4, D=1e-4, s_f=1e-4, s_g=0.1),
    "large f": scalar(mu=20.0, L_1=100.0, P=100.0, D=100.0, s_f=100.0, s_g=0.01, b=1.0),
    "stiff": scalar(mu=0.01, L_1=1.0, s_f=0.1, s_g=0.1),
    "noisy Hessian": scalar(sigma_H=0.2, sigma_J=0.3, s_f=0.1, c=0.5),
    "plane": plane(d_y=2, L_1=8.0, s_f=0.5, s_g=0.5, seed=1),
    "noisy plane": plane(d_y=3, sigma_H=0.2, sigma_J=0.2, s_f=0.1, s_g=0.1, seed=2),
}
"""Noise in f, in g, in both and in neither; Hessian and coupling noise; condition numbers; scales of f."""

# sigma = 0; with L_1 near mu few Neumann terms make Delta_Q small
NOISY_F = scalar(mu=1.0, L_1=1.001, s_f=1.0)
NOISY_G = scalar(mu=1.0, L_1=1.001, s_g=1.0, P=1e-6, D=1e-6)  # f is small, and so are the terms with G
STILL = scalar(mu=1.0, L_1=1.001, P=1e-6, D=1e-6)
SMALL_F = scalar(mu=1.0, L_1=1.01, P=1e-8, D=1e-8, s_f=1e-8)  # a world in which f is 1e-8 as large
BIASED = scalar(mu=1.0, L_1=1.2, b=1.0)  # grad_y f is not zero at the solution, and nothing is noisy

NEARLY = 1 - 2.0**-20  # Theorem 1's bound on eta is strict, and 1 - alpha eta is not to be lost to rounding
FRACTIONS = ({"eta": NEARLY}, {"rho_1": 0.1, "eta": 1e-3}, {"rho_2": 1e-3, "eta": NEARLY})


@dataclass(frozen=True, kw_only=True)
class TheoremSetting:
    """One run. `fractions` are of the largest admissible steps; `fixed` sets steps by value."""

    world: World
    K: int
    p: int
    T: float  # whole, or infinite: the limit
    Q: int | None = None  # without it, the smallest with (1 - theta mu)^(2Q+2) <= 1/(KT)
    B: int = 1
    x_off: float = 0.0  # how far every coordinate of x0 is from x_star
    y_off: float = 0.0  # how far every coordinate of y0 is from y*(x0)
    fixed: Mapping[str, float] = field(default_factory=dict)
    fractions: Mapping[str, float] = field(default_factory=dict)
    name: str = "world"

    def __str__(self) -> str:
        return f"{self.name}, K={self.K}, p={self.p}, T={self.T:.0e}"

    def problem(self) -> Quadratic:
        problem: Quadratic = build(self.world)
        return problem

    def start(self, world: Quadratic) -> tuple[Array, Array]:
        """(x_0, y_0)."""
        x0 = world.x_star + self.x_off
        return x0, world.y_star(x0) + self.y_off

    def as_json(self) -> dict[str, Json]:
        """What TheoremSetting(**...) takes; what is zero, empty or left open is left out."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {n: dict(v) if isinstance(v, Mapping) else v for n, v in values.items() if v}


def grid(every: int = 37) -> list[TheoremSetting]:
    """Every n-th setting of all worlds, starts, steps, K, p and T."""
    levels = product(WORLDS.items(), (0.0, 1.0), FRACTIONS, (1, 8, 1000), (1, 16), (0, 3, 6, 12))
    return [
        TheoremSetting(
            world=world, name=name, K=K, p=p, T=10**power, fractions=fractions, x_off=off, y_off=off
        )
        for (name, world), off, fractions, K, p, power in islice(levels, 0, None, every)
    ]
