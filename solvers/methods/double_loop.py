"""Double loops on one machine: T_in steps of stochastic gradient descent on y, then one step on x.

    y <- y - beta g(x, y)      T_in times, from where y was
    x <- x - alpha h(x, y)     once

with batches of S samples. The two methods differ in the hypergradient estimate h.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from ratecert.solvers.contract.stage import Estimator, Oracle, Stage, State
from ratecert.solvers.estimators.hypergradient import LowerGradient
from ratecert.solvers.methods.method import Method


@dataclass(frozen=True, kw_only=True)
class DoubleLoop(Method):
    alpha: float
    beta: float
    T_in: int
    theta: float
    S: int = 1

    unrolled: ClassVar[tuple[str, ...]] = ("Q", "N")  # the T_in steps are one stage, however many they are
    one_machine = True
    step_letter = "alpha"

    @property
    @abstractmethod
    def hypergradient(self) -> Estimator:
        """The estimator of the hypergradient, at the y that the inner loop has come to."""

    @property
    def stages(self) -> tuple[Stage, ...]:
        return Stage(self.inner, repeats=self.T_in, averaged=()), Stage(self.outer, repeats=1, averaged=())

    def inner(self, t: int, s: State, oracle: Oracle) -> State:
        """One step of y, with x fixed."""
        g = oracle.sample(LowerGradient(), t, batch=self.S)
        return s.but(y=s.y - self.beta * g(s.x, s.y))

    def outer(self, t: int, s: State, oracle: Oracle) -> State:
        """One step of x, with y fixed."""
        h = oracle.sample(self.hypergradient, t, batch=self.S)
        return s.but(x=s.x - self.alpha * h(s.x, s.y))

    def step_size(self, t: int) -> float:
        return self.alpha
