"""SAGA (Defazio, Bach, Lacoste-Julien 2014): sampled gradients of a finite sum, corrected by a table of points.

j uniform on {0, ..., n - 1}, drawn by each device for itself
x+     = x - alpha_t (g_j(x) - g_j(phi_j) + (1/n) sum_i g_i(phi_i))
phi_j+ = x                                                           the other points of the table stay
every p steps x and the table are averaged over devices

g_i is the gradient of term i. At the start all points of the table are the first x. The gradients at the table are
kept, so that a step costs one term, and the start all n.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from ratecert.base.errors import UserError
from ratecert.solvers.contract.draws import Choice
from ratecert.solvers.contract.problem import Problem
from ratecert.solvers.contract.stage import Oracle, Stage, State, name_of
from ratecert.solvers.estimators.gradient import FullGradient, TableGradient, TermGradient
from ratecert.solvers.methods.one_level import OneLevelMethod


@dataclass(frozen=True, kw_only=True)
class SAGA(OneLevelMethod):
    """Variance-reduced gradients with a table of n points; devices average x and the table every p steps."""

    n: int  # terms of the sum
    p: int = 1  # communication period

    @property
    def table(self) -> tuple[str, ...]:
        """The names of the points phi_0, ..., phi_{n-1}."""
        return tuple(f"phi_{i}" for i in range(self.n))

    @property
    def stages(self) -> tuple[Stage, ...]:
        steps: list[Callable[[int, State, Oracle], State]] = [partial(self.step, j) for j in range(self.n)]
        drawn = Choice(*((Fraction(1, self.n), step) for step in steps), label="term")
        return (Stage(drawn, repeats=self.p, averaged=("x", *self.table)),)

    def start(self, s: State, oracle: Oracle) -> State:
        """The first point n times; the gradients there are computed once."""
        oracle.sample(FullGradient(), 0)(s.x)
        return State(x=s.x, **dict.fromkeys(self.table, s.x))

    def step(self, j: int, t: int, s: State, oracle: Oracle) -> State:
        """One step along the corrected gradient of term j."""
        g, phi = oracle.sample(TermGradient(j), t), [getattr(s, name) for name in self.table]
        mean = oracle.sample(TableGradient(), t)(*phi)
        return s.but(x=s.x - self.step_size(t) * (g(s.x) - g(phi[j]) + mean), **{f"phi_{j}": s.x})

    def check(self, problem: Problem) -> None:
        """Refuse a problem that is not a sum of n terms."""
        super().check(problem)
        for device in getattr(problem, "devices", (problem,)):
            terms = getattr(device, "n", None)
            if terms is None:
                raise UserError(
                    f"{name_of(self)} is a method for finite sums, and {type(device).__name__} has no terms; use "
                    f"rc.worlds.FiniteSum."
                )
            if terms != self.n:
                raise UserError(f"n must be {terms}, the number of terms of this problem, got {self.n}.")
