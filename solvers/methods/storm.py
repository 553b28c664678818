"""STORM (Cutkosky and Orabona 2019) on one level, with step sizes that are given beforehand.

x+ = x - eta_t d
d+ = g(x+) + (1 - a) (d - g(x)),    a = c eta_t^2          g: one sample, the same at both points
every p steps x and d are averaged over devices

The paper's eta_t = k/(w + sum of G_i^2)^{1/3} looks at the gradients G_i that it has seen. With sigma^2 in their place
it is k/(w + sigma^2 t)^{1/3}, which is CubeRoot(scale=k/sigma^{2/3}, offset=w/sigma^2).
"""

from dataclasses import dataclass
from typing import ClassVar

from ratecert.solvers.contract.problem import Problem
from ratecert.solvers.estimators.gradient import Gradient
from ratecert.solvers.methods.one_level import require_one_level
from ratecert.solvers.methods.storm_method import FederatedStormMethod, Move


@dataclass(frozen=True, kw_only=True)
class STORM(FederatedStormMethod):
    """Recursive momentum on one level; devices average every p steps."""

    c: float

    levels: ClassVar[int] = 1
    averaged: ClassVar[tuple[str, ...]] = ("x", "d")

    @property
    def moves(self) -> tuple[Move, ...]:
        return (Move("x", "d", 1, self.c, Gradient(), point=("x",)),)

    def check(self, problem: Problem) -> None:
        """Refuse a problem with a lower level."""
        require_one_level(self, problem)
