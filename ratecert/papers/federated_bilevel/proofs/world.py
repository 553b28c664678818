"""The worlds in which proofs are written: x and y are numbers, the levels do not see each other, f alone is noisy.

    g(x, y) = A y^2/2                                 y*(x) = 0
    f(x, y) = P huber(x) + s m x + s n y              with fair signs m and n
    huber(x) = x^2/2 for |x| <= R, R |x| - R^2/2 beyond

huber' clips x to [-R, R], so it is bounded by R and 1-Lipschitz, and all assumptions hold on the whole plane with

    mu = A,    L_1 = max(A, P),    L_0^2 >= (P R + s)^2 + s^2,    sigma = L_21 = L_22 = 0

It is `huberised(Quadratic(A, B=0, P, D=0, s_f=s), radius=R)`. The Jacobian of g is 0, so that the stochastic
hypergradient is P clip(x) + s m whatever the Neumann sum is, and y stays at 0 if it begins there.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ratecert.base.errors import NotExactError
from ratecert.proofs.exact_numbers import exact, root_from_above
from ratecert.solvers.contract.stage import Sampled

ESTIMATES = {"xi_hat": "h", "zeta": "g"}  # the estimators of both algorithms, by the label of their signs
SILENT = ("B", "D", "a", "b", "c", "s_g")  # of a quadratic world, zero here
DIGITS = 3  # of L_0


@dataclass(frozen=True)
class World:
    A: Fraction
    P: Fraction
    s: Fraction
    R: Fraction

    def gradient(self, x: Fraction) -> Fraction:
        """Of Phi."""
        return self.P * max(-self.R, min(x, self.R))

    def estimate(self, label: str, m: Fraction) -> Sampled:
        """Of the hypergradient, and of grad_y g."""
        if ESTIMATES[label] == "h":
            return lambda x, _: self.gradient(x) + self.s * m
        return lambda _, y: self.A * y

    @property
    def slope_squared(self) -> Fraction:
        """Of the steepest sample of f."""
        return (self.P * self.R + self.s) ** 2 + self.s**2

    @property
    def constants(self) -> dict[str, Fraction]:
        zero = dict.fromkeys(("sigma", "sigma_H", "L_21", "L_22"), Fraction(0))
        L_0 = root_from_above(self.slope_squared, DIGITS)
        return {"mu": self.A, "L_1": max(self.A, self.P), "L_0": L_0, **zero}


def numbers_of(world: Mapping[str, Any]) -> dict[str, Fraction]:
    """A, P and s of a witness whose world is of this kind."""
    given = {name: exact(f"world.{name}", value) for name, value in world.items() if name != "kind"}
    if loud := [name for name in SILENT if given.get(name)]:
        raise NotExactError(f"world.{loud[0]} is not 0")
    return {"A": given["A"], "P": given["P"], "s": given.get("s_f", Fraction(0))}
