"""Coefficients that a recursion defines, one whole t after the other, such as the momenta of accelerated methods.

A `Recursive` schedule has states theta_0, theta_1, ..., each made of the one before, and its value at t is made of
theta_t and theta_{t+1}. States are doubles, computed once and kept; proofs run the same recursion in letters. Between
whole t it has no values, so that exact moments go through it iteration by iteration and interpolate nothing.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

from ratecert.base.errors import UserError
from ratecert.base.exact import root
from ratecert.base.validation import shown


@dataclass(frozen=True)
class Recursive(ABC):
    """A base for schedules that are defined at whole t only."""

    _states: list[float] = field(default_factory=list, init=False, repr=False, compare=False)

    only_whole: ClassVar[bool] = True
    first: ClassVar[float] = 1.0  # theta_0

    @abstractmethod
    def after(self, theta: float) -> float:
        """theta_{t+1} from theta_t."""

    @abstractmethod
    def value(self, theta: float, following: float) -> float:
        """The coefficient of iteration t from theta_t and theta_{t+1}."""

    def __call__(self, t: float) -> float:
        return self.value(self.state(t), self.state(t + 1))

    def state(self, t: float) -> float:
        """theta_t."""
        if t < 0 or t != int(t):
            raise UserError(f"{type(self).__name__} is defined at whole t >= 0 only, got t = {shown(t)}.")
        if not self._states:
            self._states.append(self.first)
        while len(self._states) <= t:
            self._states.append(self.after(self._states[-1]))
        return self._states[int(t)]

    @property
    def largest(self) -> float:
        """A bound on the coefficients of all t >= 0."""
        return 1.0

    @property
    def constant_until(self) -> float:
        """The last t (possibly inf) up to which the coefficient equals the first one."""
        return 0.0


def accelerated(theta: float) -> float:
    """The theta_{t+1} > theta_t with theta_{t+1}^2 - theta_{t+1} = theta_t^2."""
    following: float = (1 + root(1 + 4 * theta**2)) / 2
    return following
