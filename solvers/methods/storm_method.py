"""STORM, the recursive momentum of the variance-reduced methods, for any number of variables.

Each variable z moves along a momentum m, which follows an estimator h sampled once for two points:

    z+ = z - rho eta_t m
    m+ = h(new point) + (1 - c eta_t^2) (m - h(old point))

and every p steps the `averaged` fields are averaged over devices, momenta already at their new points. At the start m
is the mean of B samples. A method is the list of its moves.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, cast

from ratecert.base.validation import require_fraction
from ratecert.solvers.contract.schedule import Schedule
from ratecert.solvers.contract.stage import Estimator, Oracle, Sampled, Stage, State
from ratecert.solvers.methods.method import Method


@dataclass(frozen=True)
class Move:
    variable: str  # z
    momentum: str  # m
    rho: float
    c: float
    estimator: Estimator
    point: tuple[str, ...] = ("x", "y")  # the fields at which it is evaluated


@dataclass(frozen=True, kw_only=True)
class StormMethod(Method):
    eta: Schedule | float
    B: int = 1  # batch of the start

    averaged: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        for f in fields(self):
            if f.name == "c" or f.name.startswith("c_"):
                weight = getattr(self, f.name) * self.schedule.largest**2
                require_fraction(f"{f.name} * eta^2", weight, f"make {f.name} or eta smaller")

    @property
    @abstractmethod
    def moves(self) -> tuple[Move, ...]:
        """Which variable follows which momentum, and what estimates it."""

    @property
    def schedule(self) -> Schedule:
        """eta as a function of t."""
        return cast(Schedule, self.eta)

    def step_size(self, t: int) -> float:
        return self.schedule(t)

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (Stage(self.step, repeats=self.period, averaged=self.averaged),)

    @property
    def period(self) -> int:
        """Steps between averages."""
        return 1

    def begin(self, s: State) -> State:
        """The variables before iteration 0, where there are more than x and y."""
        return s

    def start(self, s: State, oracle: Oracle) -> State:
        """Estimate every momentum at the start, with a batch of B."""
        s = self.begin(s)
        momenta = {}
        for move in self.moves:
            h = oracle.sample(move.estimator, 0, batch=self.B)
            momenta[move.momentum] = h(*_at(s, move))
        return s.but(**momenta)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """Move every variable along its momentum, and correct the momentum by one sample at both points."""
        eta = self.step_size(t)
        moved = {
            m.variable: getattr(s, m.variable) - (m.rho * eta) * getattr(s, m.momentum) for m in self.moves
        }
        new, momenta = s.but(**moved), {}
        for move in self.moves:
            h = oracle.sample(move.estimator, t + 1)
            error = getattr(s, move.momentum) - h(*_at(s, move))
            momenta[move.momentum] = h(*_at(new, move)) + (1 - move.c * eta**2) * error
        return new.but(**momenta)

    def to_coordinates(self, s: State, mean: Callable[[Estimator], Sampled]) -> State:
        """The momenta through their errors m - E h, which change by c eta^2 a step and not by eta."""
        errors = {m.momentum: getattr(s, m.momentum) - mean(m.estimator)(*_at(s, m)) for m in self.moves}
        return s.but(**errors)

    def from_coordinates(self, c: State, mean: Callable[[Estimator], Sampled]) -> State:
        """The inverse of to_coordinates."""
        momenta = {m.momentum: getattr(c, m.momentum) + mean(m.estimator)(*_at(c, m)) for m in self.moves}
        return c.but(**momenta)


@dataclass(frozen=True, kw_only=True)
class FederatedStormMethod(StormMethod):
    p: int = 1

    @property
    def period(self) -> int:
        return self.p


def _at(s: State, move: Move) -> list[Any]:
    return [getattr(s, name) for name in move.point]
