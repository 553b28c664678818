"""What the methods beside the paper's two share.

A field's type says what it may be: a float is > 0, an int is >= 1 (Q >= 0), a Schedule may be given as a number.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import ClassVar

from ratecert.base.errors import UserError
from ratecert.base.validation import require_positive, require_whole
from ratecert.solvers.contract.draws import Switch
from ratecert.solvers.contract.problem import Problem
from ratecert.solvers.contract.schedule import Schedule, as_schedule
from ratecert.solvers.contract.stage import Oracle, Stage, State, name_of
from ratecert.solvers.estimators.hypergradient import require_contraction


@dataclass(frozen=True, kw_only=True)
class Method(ABC):
    """A base for algorithms: checks the hyperparameters by their types, and the Neumann step on the problem."""

    levels: ClassVar[int] = 2  # of the problems that it is for
    one_machine: ClassVar[bool] = False  # it knows no devices: K = 1
    step_letter: ClassVar[str] = "eta"  # of what step_size gives
    reconstructed: ClassVar[bool] = False  # its exact statement could not be had; shown with its name

    def __post_init__(self) -> None:
        for f in (f for f in fields(self) if f.init):
            value = getattr(self, f.name)
            if f.type == Schedule | float:
                object.__setattr__(self, f.name, as_schedule(value, f.name))
            elif f.type is int:
                require_whole(f.name, value, least=0 if f.name == "Q" else 1)
            elif f.type is float:
                require_positive(f.name, value)

    @property
    @abstractmethod
    def stages(self) -> tuple[Stage | Switch, ...]:
        """The steps between one average and the next, in the order in which a cycle goes through them."""

    @abstractmethod
    def step_size(self, t: int) -> float:
        """The step size of iteration t, for messages."""

    def start(self, s: State, oracle: Oracle) -> State:
        """Make the state at t = 0: x_0 and y_0 alone, unless the method carries more along."""
        return s

    def check(self, problem: Problem) -> None:
        """Refuse a problem of one level where there must be two; methods with a Neumann series have its step theta."""
        if self.levels == 2 and not hasattr(problem, "d_y"):
            raise UserError(
                f"{name_of(self)} is a method for two levels, and {type(problem).__name__} has one; one of your own "
                f"for one level says levels = 1."
            )
        theta = getattr(self, "theta", None)
        if theta is not None:
            require_contraction(theta, problem)
