"""What methods share: hyperparameters checked by their types, and what engines ask that follows from the fields.

A method has a step, and averages its `averaged` fields over devices every p steps; one that moves otherwise says so by
`stages`. Its step size is the field that `step_letter` names. A field's type says what it may be: a float is > 0, an
int is >= 1 (Q >= 0), a Schedule may be given as a number, a Literal is one of its values.
"""

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, get_args, get_origin

from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.validation import require_choice, require_fraction, require_positive, require_whole
from ratecert.solvers.contract.draws import Drawn, Switch
from ratecert.solvers.contract.problem import Problem
from ratecert.solvers.contract.schedule import Schedule, as_schedule
from ratecert.solvers.contract.stage import Oracle, Stage, State, name_of
from ratecert.solvers.estimators.hypergradient import require_contraction


@dataclass(frozen=True, kw_only=True)
class Method:
    """A base for algorithms: checks the hyperparameters by their types, and the Neumann step on the problem."""

    levels: ClassVar[int] = 2  # of the problems that it is for
    one_machine: ClassVar[bool] = False  # it knows no devices: K = 1
    step_letter: ClassVar[str] = "eta"  # of what step_size gives
    reconstructed: ClassVar[bool] = False  # its exact statement could not be had; shown with its name
    averaged: ClassVar[tuple[str, ...]] = ()  # fields that are averaged over devices every p steps
    fractions: ClassVar[tuple[str, ...]] = ()  # hyperparameters that lie in (0, 1]

    def __post_init__(self) -> None:
        for f in (f for f in fields(self) if f.init):
            value = getattr(self, f.name)
            if f.type == Schedule | float:
                object.__setattr__(self, f.name, as_schedule(value, f.name))
            elif f.type is int or (f.type == int | None and value is not None):
                require_whole(f.name, value, least=0 if f.name == "Q" else 1)
            elif f.type is float:
                require_positive(f.name, value)
            elif get_origin(f.type) is Literal:
                require_choice(f.name, value, get_args(f.type))
        for name in self.fractions:
            require_fraction(name, getattr(self, name), f"make {name} smaller")

    @property
    def stages(self) -> tuple[Stage | Switch, ...]:
        """The steps between one average and the next, in the order in which a cycle goes through them."""
        return (Stage(self.step, repeats=getattr(self, "p", 1), averaged=self.averaged, drawn=self.drawn),)

    @property
    def drawn(self) -> Drawn | None:
        """Which devices an average is over; None: all of them."""
        return None

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """Iteration t on one device."""
        raise UserError(f"{name_of(self)} must have step(t, s, oracle), or stages.")

    @property
    def schedule(self) -> Schedule:
        """The step size as a function of t."""
        if not hasattr(self, self.step_letter):
            raise UserTypeError(
                f"{name_of(self)} must have step_size(t), or a step_letter that names its step size: it has no field "
                f"{self.step_letter}."
            )
        return as_schedule(getattr(self, self.step_letter), self.step_letter)

    def step_size(self, t: int) -> float:
        """The step size of iteration t, for messages."""
        return self.schedule(t)

    def start(self, s: State, oracle: Oracle) -> State:
        """Make the state at t = 0: x_0 and y_0 alone, unless the method carries more along."""
        return s

    def check(self, problem: Problem) -> None:
        """Refuse a problem with another number of levels; methods with a Neumann series have its step theta."""
        if self.levels == 1:
            require_one_level(self, problem)
        elif not hasattr(problem, "d_y"):
            raise UserError(
                f"{name_of(self)} is a method for two levels, and {type(problem).__name__} has one; one of your own "
                f"for one level says levels = 1."
            )
        elif hasattr(self, "theta"):
            require_contraction(self.theta, problem)


def require_one_level(method: Method, problem: Problem) -> None:
    """Refuse a problem with a lower level."""
    if hasattr(problem, "d_y"):
        raise UserError(
            f"{name_of(method)} is a method for one level, and this problem has two; use rc.worlds.single_level."
        )


def require_weights(method: Any, names: tuple[str, ...], power: int) -> None:
    """Refuse momenta whose new samples would weigh more than 1: weights are these fields times eta^power."""
    for name in names:
        weight = getattr(method, name) * method.schedule.largest**power
        times = f"eta^{power}" if power > 1 else "eta"
        require_fraction(f"{name} * {times}", weight, f"make {name} or eta smaller")


@dataclass(frozen=True, kw_only=True)
class OneLevel(Method):
    """A base for methods on one level that have one step size, alpha."""

    alpha: Schedule | float  # step size; a number means constant

    levels: ClassVar[int] = 1
    step_letter: ClassVar[str] = "alpha"
    averaged: ClassVar[tuple[str, ...]] = ("x",)
