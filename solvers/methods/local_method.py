"""What Algorithms 1 and 2 share: both levels move along momenta, and everything is averaged every p steps.

    x_{t+1} = x_t - rho_1 eta_t u_t
    y_{t+1} = y_t - rho_2 eta_t v_t
    if p divides t + 1: x_{t+1}, y_{t+1} and the momenta are replaced by their means over devices

How u_t and v_t come about is what the two algorithms differ in.

The printed text averages "u_{t+1}, v_{t+1}" at a moment when they do not exist yet. `momenta` says what is
meant: `carry` averages the u_t, v_t that iteration t + 1 will use; `fresh` computes u_{t+1}, v_{t+1} at the
local points first and averages those.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal, cast

from ratecert.base.validation import require_choice, require_fraction, require_positive, require_whole
from ratecert.solvers.contract.problem import Problem, require_two_levels
from ratecert.solvers.contract.schedule import Schedule, as_schedule
from ratecert.solvers.contract.stage import Oracle, Stage, State, Vector, name_of
from ratecert.solvers.estimators.hypergradient import StochasticNeumann


@dataclass(frozen=True, kw_only=True)
class LocalMethod(ABC):
    eta: Schedule | float  # step size; a number means constant
    alpha: float  # momentum of u
    beta: float  # momentum of v
    rho_1: float  # step of x, in units of eta
    rho_2: float  # step of y, in units of eta
    p: int  # communication period
    theta: float  # step of the Neumann sum
    Q: int  # its number of Hessian samples
    momenta: Literal["carry", "fresh"] = "carry"

    averaged: ClassVar[tuple[str, ...]] = ("x", "y", "u", "v")
    weight_power: ClassVar[int]  # the momentum weights are alpha eta^power and beta eta^power

    def __post_init__(self) -> None:
        object.__setattr__(self, "eta", as_schedule(self.eta))
        for name in ("alpha", "beta", "rho_1", "rho_2"):
            require_positive(name, getattr(self, name))
        require_whole("p", self.p, least=1)
        require_choice("momenta", self.momenta, ("carry", "fresh"))
        StochasticNeumann(theta=self.theta, Q=self.Q)
        power = f"^{self.weight_power}" if self.weight_power > 1 else ""
        for name in ("alpha", "beta"):
            weight = getattr(self, name) * self.schedule.largest**self.weight_power
            require_fraction(f"{name} * eta{power}", weight, f"make {name} or eta smaller")

    def check(self, problem: Problem) -> None:
        """Refuse a problem on which the Neumann sum does not contract, or which has no lower level."""
        require_two_levels(name_of(self), problem)
        self.hypergradient.check(problem)

    @property
    def schedule(self) -> Schedule:
        """eta as a function of t."""
        return cast(Schedule, self.eta)

    def step_size(self, t: int) -> float:
        """eta_t."""
        return self.schedule(t)

    @property
    def hypergradient(self) -> StochasticNeumann:
        """The estimator of the hypergradient: a Neumann sum with Q Hessian samples."""
        return StochasticNeumann(theta=self.theta, Q=self.Q)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """p local steps, then the average: one round."""
        step = self.carry if self.momenta == "carry" else self.fresh
        return (Stage(step, repeats=self.p, averaged=self.averaged),)

    def start(self, s: State, oracle: Oracle) -> State:
        """With `fresh` momenta the state at t = 0 has u_0 and v_0 already."""
        if self.momenta == "carry":
            return s
        u, v = self.momentum(0, s, oracle)
        return State(x=s.x, y=s.y, u=u, v=v)

    @abstractmethod
    def momentum(self, t: int, s: State, oracle: Oracle) -> tuple[Vector, Vector]:
        """u_t and v_t at the point (x_t, y_t) of s."""

    def move(self, t: int, s: State, u: Vector, v: Vector) -> State:
        """Take a step of size rho_1 eta_t along u and of size rho_2 eta_t along v."""
        eta = self.step_size(t)
        return State(x=s.x - (self.rho_1 * eta) * u, y=s.y - (self.rho_2 * eta) * v, u=u, v=v)

    def carry(self, t: int, s: State, oracle: Oracle) -> State:
        """From (x_t, y_t, u_{t-1}, v_{t-1}) to (x_{t+1}, y_{t+1}, u_t, v_t)."""
        return self.move(t, s, *self.momentum(t, s, oracle))

    def fresh(self, t: int, s: State, oracle: Oracle) -> State:
        """From (x_t, y_t, u_t, v_t) to (x_{t+1}, y_{t+1}, u_{t+1}, v_{t+1})."""
        moved = self.move(t, s, s.u, s.v)
        u, v = self.momentum(t + 1, moved, oracle)
        return State(x=moved.x, y=moved.y, u=u, v=v)
