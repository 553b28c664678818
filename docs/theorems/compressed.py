"""Gradient descent in which one coordinate of two is sent, drawn at random and doubled."""

from dataclasses import dataclass

import numpy as np

import ratecert as rc

T, gamma, L, mu, R = rc.letters("T gamma L mu R")


@dataclass(frozen=True)
class OneCoordinate:
    """The full gradient times 2 in one coordinate, and 0 in the other."""

    label: str = "coordinate"

    def sample(self, problem, bits):
        return bits.whole(2)

    def evaluate(self, problem, i, x):
        g = problem.full_gradient(x)
        return (i == 0) * (np.diag([2.0, 0.0]) @ g) + (i == 1) * (np.diag([0.0, 2.0]) @ g)


def compressed(x, grad, *, gamma):
    return x - gamma * grad.by(OneCoordinate(), x)


plane = rc.statements.Family(
    name="plane",
    levels=tuple(rc.statements.Level(name=name, low=1e-3, high=1e3) for name in ("h", "k", "x_off")),
    world=lambda n: rc.worlds.SingleLevel(H=np.diag([n["h"], n["k"]])),
)
contraction = rc.theorem(
    compressed,
    measure=rc.measures.distance().last(),
    bound=(1 - gamma * mu) ** T * R**2,
    where=[gamma <= 1 / (2 * L)],
    worlds=[plane],
)
