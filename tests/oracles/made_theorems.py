"""Theorems on one level that are true, or false on a known share of a box: what a search must acquit, and accuse.

Three forms, all true with `scale` = 1 and the step condition gamma <= 1/L, on every quadratic with curvatures between
mu and L, and gradients with noise s in each of d coordinates:

    contraction   E||x_T - x*||^2 <= scale (1 - gamma mu)^(2 T) R^2                        without noise
    floor         E||x_T - x*||^2 <= (1 - gamma mu)^(2 T) R^2 + scale gamma sigma^2/(mu (2 - gamma mu))
    descent       (1/T) sum_t ||grad F(x_t)||^2 <= scale 2 Delta/(gamma T)                 without noise

False ones have a smaller scale, or heavy ball for gradient descent, and the share of the box where they fail is that of
this file's own recursion: second moments of the modes of a diagonal quadratic, run beside one another. Inside the box
alone fail those whose bound is multiplied by scale + log(gamma L/c)^2/10: they hold at both ends of every step's range.
It knows nothing of ratecert but how a paper is made.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

import ratecert as rc
from oracles.small_papers import small_paper

Array = NDArray[np.float64]
s = rc.statements
gamma, L, mu, R2, Delta, T, sigma = s.letters("gamma L mu R2 Delta T sigma")
TERMS: Mapping[str, Any] = {
    "contraction": lambda scale: {"start": scale * (1 - gamma * mu) ** (2 * T) * R2},
    "floor": lambda scale: {
        "start": (1 - gamma * mu) ** (2 * T) * R2,
        "noise": scale * gamma * sigma**2 / (mu * (2 - gamma * mu)),
    },
    "descent": lambda scale: {"start": scale * 2 * Delta / (gamma * T)},
}
CONSTANTS = {
    "contraction": {"L": "L", "mu": "mu", "R2": "squared_distance"},
    "floor": {"L": "L", "mu": "mu", "R2": "squared_distance", "sigma": "sigma"},
    "descent": {"L": "L", "Delta": "gap"},
}
LEVELS = (
    s.Level(name="L", low=1e-3, high=1e3),
    s.Level(name="spread", low=1.0, high=1e4),
    s.Level(name="x_off", low=1e-3, high=1e3),
)
MIDDLE = sympy.Rational(1, 30)  # gamma L, around which a statement fails that fails inside the box
NOISE = s.Level(name="s", low=1e-3, high=1e3)
LONGEST = 64


@dataclass(frozen=True)
class Made:
    form: str
    d: int
    scale: float = 1.0
    beta: float = 0.0  # of heavy ball; without it gradient descent
    inside: bool = False  # it fails inside the box alone
    seed: int | None = None  # of the rotation of worlds; diagonal without one
    longest: int = LONGEST

    @property
    def noisy(self) -> bool:
        return self.form == "floor"

    def paper(self, key: str) -> Any:
        return small_paper(
            key,
            terms={name: self.more(term) for name, term in TERMS[self.form](self.given).items()},
            conditions={"gamma": s.Condition(gamma, "<=", (1 / L,))},
            letters=" ".join([*CONSTANTS[self.form], "gamma T"]),
        )

    @property
    def given(self) -> float:
        """The scale, where it multiplies one term."""
        return 1.0 if self.inside else self.scale

    def more(self, bound: Any) -> Any:
        return bound * (self.scale + sympy.log(gamma * L / MIDDLE) ** 2 / 10) if self.inside else bound

    def binding(self) -> Any:
        last = rc.measures.gradient() if self.form == "descent" else rc.measures.distance().last()
        family = s.Family(
            name="made", levels=(*LEVELS, *([NOISE] if self.noisy else [])), world=self.world, devices=1
        )
        return s.Binding(
            method=rc.methods.HeavyBall if self.beta else rc.methods.SGD,
            hyperparameters={"alpha": gamma} | ({"beta": self.beta} if self.beta else {}),
            measure=last,
            constants=CONSTANTS[self.form],
            worlds=(family,),
            devices="",
            most_iterations=self.longest,
        )

    def world(self, numbers: Any) -> Any:
        spectrum = np.geomspace(numbers["L"], numbers["L"] / numbers["spread"], self.d).tolist()
        return rc.worlds.single_level(spectrum, seed=self.seed, s=numbers.get("s", 0.0))

    def broken(self, n: int, seed: int = 0) -> float:
        """The share of the box, evenly in logarithms, where the statement fails, of n points."""
        rng = np.random.default_rng(seed)
        top, spread, off, noise = (
            level.low * (level.high / level.low) ** rng.random(n) for level in (*LEVELS, NOISE)
        )
        steps = np.round(LONGEST ** rng.random(n))
        step = 1e-6 ** rng.random(n) / top
        shape = np.linspace(0.0, 1.0, self.d)[:, None] if self.d > 1 else np.zeros((1, 1))
        h = top * spread**-shape
        stays, kept, variance = 1 - step * h, self.beta, step**2 * noise**2 * self.noisy
        x2 = np.repeat(off[None] ** 2, self.d, axis=0)
        xm, m2 = 0 * x2, 0 * x2  # m is the last step
        gradient, bound_start = np.zeros(n), (off**2 * self.d, 0.5 * (h * off**2).sum(axis=0))
        for t in range(LONGEST):
            going = t < steps
            gradient += going * (h**2 * x2).sum(axis=0) / steps
            moved = [
                one * other * x2 + (one + other) * kept * xm + kept**2 * m2 + variance
                for one, other in ((stays, stays), (stays, stays - 1), (stays - 1, stays - 1))
            ]
            x2, xm, m2 = (np.where(going, new, old) for new, old in zip(moved, (x2, xm, m2), strict=True))
        least = h[-1]
        with np.errstate(under="ignore"):
            start = (1 - step * least) ** (2 * steps) * bound_start[0]
        sigma2 = self.d * noise**2
        left, right = {
            "contraction": (x2.sum(axis=0), self.given * start),
            "floor": (x2.sum(axis=0), start + self.given * step * sigma2 / (least * (2 - step * least))),
            "descent": (gradient, self.given * 2 * bound_start[1] / (step * steps)),
        }[self.form]
        if self.inside:
            right = right * (self.scale + np.log(step * top / float(MIDDLE)) ** 2 / 10)
        return float((left > right * (1 + 1e-9)).mean())


def failing_on(share: float, made: Made, n: int = 10**5) -> Made:
    """With the scale at which it fails on about this share of the box; less where no scale has as much."""
    low, high = 1e-3, 10.0
    for _ in range(24):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if replace(made, scale=middle).broken(n) > share else (low, middle)
    return replace(made, scale=high)
