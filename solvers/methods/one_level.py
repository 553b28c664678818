"""What methods for one level share: a step size and, most of them, an average over devices every p steps."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, cast

from ratecert.base.errors import UserError
from ratecert.base.validation import require_fraction
from ratecert.solvers.contract.problem import Problem
from ratecert.solvers.contract.schedule import Schedule
from ratecert.solvers.contract.stage import Oracle, Stage, State, name_of
from ratecert.solvers.methods.method import Method


def require_one_level(solver: Method, problem: Problem) -> None:
    """Refuse a problem with a lower level."""
    if hasattr(problem, "d_y"):
        raise UserError(
            f"{name_of(solver)} is a method for one level, and this problem has two; use rc.worlds.single_level."
        )


@dataclass(frozen=True, kw_only=True)
class ForOneLevel(Method):
    """A base for methods that minimise F(x), with step sizes of their own."""

    levels: ClassVar[int] = 1
    fractions: ClassVar[tuple[str, ...]] = ()  # hyperparameters that lie in (0, 1]

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.fractions:
            require_fraction(name, getattr(self, name), f"make {name} smaller")

    def check(self, problem: Problem) -> None:
        """Refuse a problem with a lower level."""
        require_one_level(self, problem)


@dataclass(frozen=True, kw_only=True)
class OneLevelMethod(ForOneLevel):
    """A base for methods with one step size, alpha."""

    alpha: Schedule | float  # step size; a number means constant

    step_letter: ClassVar[str] = "alpha"

    def step_size(self, t: int) -> float:
        return cast(Schedule, self.alpha)(t)


@dataclass(frozen=True, kw_only=True)
class AveragingMethod(OneLevelMethod):
    """A base for methods with p local steps, then the average of all fields over devices."""

    p: int = 1  # communication period

    averaged: ClassVar[tuple[str, ...]] = ("x",)

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (Stage(self.step, repeats=self.p, averaged=self.averaged),)

    @abstractmethod
    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """Iteration t on one device."""
