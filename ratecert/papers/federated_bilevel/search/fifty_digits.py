"""What a constant has to bound, at one point of a world with d = 1, in 50 digits and from the definitions alone.

All outcomes of all signs are taken one by one, quotients have steps of 1e-15, and Phi is f at y*(x).
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import mpmath

from ratecert.counterexamples.falsifiable import Instance
from ratecert.papers.federated_bilevel.search.attained import Attained

DIGITS = mpmath.MPContext()
DIGITS.dps = 50
STEP = 1e-15  # in units of the radius


def signs_of(instance: Instance) -> list[str]:
    """Their names; those of a noise that is off are left out."""
    Q = instance.get("sample", {}).get("Q", 0)
    by_noise = {"s_f": ["m_x", "m_y"], "F": ["e_F"], "E": [f"e_{j}" for j in range(Q)]}
    return [sign for noise, names in by_noise.items() if instance["world"].get(noise, 0) for sign in names]


class World:
    """A world with d = 1 in 50 digits, from its definition alone."""

    def __init__(self, instance: Instance) -> None:
        tables = {"P": 0.0, "E": 0.0, "F": 0.0, "s_f": 0.0, "dial": 0.0, "omega": 1.0, **instance["world"]}
        self.of = {name: DIGITS.mpf(value) for name, value in tables.items() if name != "kind"}
        sample = instance.get("sample", {"theta": 0.0, "Q": 0})
        self.theta, self.Q = DIGITS.mpf(sample["theta"]), sample["Q"]
        self.step = DIGITS.mpf(instance["ball"]["radius"]) * STEP

    def size(self, constant: str, where: Attained, signs: Sequence[str]) -> float:
        """What the constant bounds, at the point and along the direction of the first way."""
        x, y = (DIGITS.mpf(float(value)) for value in where.z)
        t = self.step
        match constant:
            case "L_Phi":
                value = abs(self.Phi(x + t) - 2 * self.Phi(x) + self.Phi(x - t)) / t**2
            case "L_tilde":
                slope = (self.Phi(x + t) - self.Phi(x - t)) / (2 * t)
                value = abs(slope - self.tilde(x, self.y_star(x) + 1))
            case "Delta_Q":
                value = abs(DIGITS.fsum(self.samples(x, y, signs)) / 2 ** len(signs) - self.tilde(x, y))
            case "G":
                value = self.root_mean_square(self.samples(x, y, signs))
            case _:
                dx, dy = (t * DIGITS.mpf(float(value)) for value in where.along)
                ends = zip(self.samples(x + dx, y + dy, signs), self.samples(x, y, signs), strict=True)
                length = DIGITS.sqrt(dx**2 + dy**2)
                value = self.root_mean_square([(there - here) / length for there, here in ends])
        return float(value)

    def root_mean_square(self, values: Sequence[Any]) -> Any:
        return DIGITS.sqrt(DIGITS.fsum(value**2 for value in values) / len(values))

    def slope_of_w(self, x: Any) -> Any:
        return 1 + self.of["dial"] * DIGITS.cos(self.of["omega"] * x)

    def y_star(self, x: Any) -> Any:
        w = x + self.of["dial"] / self.of["omega"] * DIGITS.sin(self.of["omega"] * x)
        return self.of["B"] * w / self.of["A"]

    def Phi(self, x: Any) -> Any:
        return (self.of["P"] * x**2 + self.of["D"] * self.y_star(x) ** 2) / 2

    def tilde(self, x: Any, y: Any) -> Any:
        return self.of["P"] * x + self.slope_of_w(x) * self.of["B"] / self.of["A"] * self.of["D"] * y

    def samples(self, x: Any, y: Any, signs: Sequence[str]) -> list[Any]:
        """h of every outcome."""
        outcomes = (dict(zip(signs, values, strict=True)) for values in product((1, -1), repeat=len(signs)))
        return [self.sample(x, y, outcome) for outcome in outcomes]

    def sample(self, x: Any, y: Any, sign: Mapping[str, int]) -> Any:
        of = self.of
        r = total = self.theta * (of["D"] * y + of["s_f"] * sign.get("m_y", 0))
        for j in range(self.Q):
            r -= self.theta * (of["A"] + sign.get(f"e_{j}", 0) * of["E"]) * r
            total += r
        coupling = self.slope_of_w(x) * (of["B"] + sign.get("e_F", 0) * of["F"])
        return of["P"] * x + of["s_f"] * sign.get("m_x", 0) + coupling * total
