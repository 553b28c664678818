"""STORM, the recursive momentum of the variance-reduced methods, for any number of variables; and VRBO.

Each variable z moves along a momentum m, which follows an estimator h sampled once for two points:

    z+ = z - rho eta_t m
    m+ = h(new point) + (1 - c eta_t^2) (m - h(old point))

and every p steps the `averaged` fields are averaged over devices, momenta already at their new points. At the start m
is the mean of B samples. A method is the list of its moves.

h is the hypergradient by the full Neumann sum with Q samples (E2), or by a series of N terms cut at random (E1), both
of step theta; g is the sampled grad_y g.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ratecert.base.errors import UserError
from ratecert.solvers.contract.problem import Problem, has_devices
from ratecert.solvers.contract.schedule import Schedule
from ratecert.solvers.contract.signs import Silent
from ratecert.solvers.contract.stage import Estimator, Oracle, Sampled, Stage, State
from ratecert.solvers.estimators.auxiliary import AuxiliaryGradient, HypergradientThrough, UpperGradient
from ratecert.solvers.estimators.gradient import Gradient
from ratecert.solvers.estimators.hypergradient import LowerGradient, StochasticNeumann
from ratecert.solvers.estimators.random_truncation import RandomTruncation
from ratecert.solvers.methods.base import Method, require_weights


@dataclass(frozen=True)
class Move:
    variable: str  # z
    momentum: str  # m
    rho: float
    c: float
    estimator: Estimator
    point: tuple[str, ...] = ("x", "y")  # the fields at which it is evaluated


@dataclass(frozen=True, kw_only=True)
class StormMethod(Method, ABC):
    eta: Schedule | float
    B: int = 1  # batch of the start

    def __post_init__(self) -> None:
        super().__post_init__()
        weights = (f.name for f in fields(self) if f.name == "c" or f.name.startswith("c_"))
        require_weights(self, tuple(weights), 2)

    @property
    @abstractmethod
    def moves(self) -> tuple[Move, ...]:
        """Which variable follows which momentum, and what estimates it."""

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


def _at(s: State, move: Move) -> list[Any]:
    return [getattr(s, name) for name in move.point]


@dataclass(frozen=True, kw_only=True)
class STORM(StormMethod):
    """Recursive momentum on one level (Cutkosky and Orabona 2019), with step sizes that are given beforehand.

    x+ = x - eta_t d
    d+ = g(x+) + (1 - a) (d - g(x)),    a = c eta_t^2          g: one sample, the same at both points
    every p steps x and d are averaged over devices

    The paper's eta_t = k/(w + sum of G_i^2)^{1/3} looks at the gradients G_i that it has seen. With sigma^2 in their
    place it is k/(w + sigma^2 t)^{1/3}, which is CubeRoot(scale=k/sigma^{2/3}, offset=w/sigma^2).
    """

    p: int = 1
    c: float

    levels = 1
    averaged = ("x", "d")

    @property
    def moves(self) -> tuple[Move, ...]:
        return (Move("x", "d", 1, self.c, Gradient(), point=("x",)),)


@dataclass(frozen=True, kw_only=True)
class STEM(StormMethod):
    """Recursive momentum (STORM) for problems of one level, on many devices (Khanduri et al., 2021).

    x_k+ = x_k - rho eta_t u_k        u_k+ = grad_x f(x_k+) + (1 - c_u eta_t^2)(u_k - grad_x f(x_k))
    every p steps x and u are averaged over devices

    The template of Theorem 3. y stays where it starts, so this is for problems whose upper level does not feel the
    lower one: grad_xy g = 0.
    """

    p: int = 1
    rho: float
    c_u: float

    averaged = ("x", "u")

    @property
    def moves(self) -> tuple[Move, ...]:
        return (Move("x", "u", self.rho, self.c_u, UpperGradient(label="xi_hat")),)

    def check(self, problem: Problem) -> None:
        super().check(problem)
        for device in problem.devices if has_devices(problem) else (problem,):
            zeta = device.sample_jacobian(Silent())
            x, y = np.zeros((problem.d_x, problem.d_y)), np.zeros((problem.d_y, problem.d_y))
            if np.any(device.jacobian_g(zeta, x, y, np.eye(problem.d_y))):
                raise UserError(
                    "STEM is for a single level: grad_xy g must be zero, so that the upper level does not feel the "
                    "lower one; choose a world with B = 0."
                )


@dataclass(frozen=True, kw_only=True)
class MRBO(StormMethod):
    """Recursive momentum (STORM) on both levels, the full Neumann sum, on one machine (Yang, Ji and Liang, 2021).

    x+ = x - gamma eta_t u        u+ = h(x+, y+) + (1 - c_u eta_t^2)(u - h(x, y))        h: the full sum (E2)
    y+ = y - lam eta_t v          v+ = g(x+, y+) + (1 - c_v eta_t^2)(v - g(x, y))

    with eta_t = d/(m + t)^{1/3}, CubeRoot(scale=d, offset=m).
    """

    gamma: float
    lam: float
    c_u: float
    c_v: float
    theta: float
    Q: int

    one_machine = True

    @property
    def moves(self) -> tuple[Move, ...]:
        h = StochasticNeumann(theta=self.theta, Q=self.Q)
        return Move("x", "u", self.gamma, self.c_u, h), Move("y", "v", self.lam, self.c_v, LowerGradient())


@dataclass(frozen=True, kw_only=True)
class SUSTAIN(StormMethod):
    """Recursive momentum (STORM) on both levels, the series cut at random, on one machine (Khanduri et al., 2021).

    x+ = x - gamma eta_t u        u+ = h(x+, y+) + (1 - c_u eta_t^2)(u - h(x, y))        h: cut at random (E1)
    y+ = y - lam eta_t v          v+ = g(x+, y+) + (1 - c_v eta_t^2)(v - g(x, y))

    with eta_t = (w + t)^{-1/3}. Both points of a difference share the draw of where to cut the N terms.
    """

    gamma: float
    lam: float
    c_u: float
    c_v: float
    theta: float
    N: int

    one_machine = True

    @property
    def moves(self) -> tuple[Move, ...]:
        h = RandomTruncation(theta=self.theta, N=self.N)
        return Move("x", "u", self.gamma, self.c_u, h), Move("y", "v", self.lam, self.c_v, LowerGradient())


@dataclass(frozen=True, kw_only=True)
class FedBiOAcc(StormMethod):
    """Recursive momentum (STORM) on both levels, with a lower level of its own on each device; reconstructed.

    x_k+ = x_k - lam eta_t nu_k        nu_k+ = h_k(new) + (1 - c_nu eta_t^2)(nu_k - h_k(old))     h: the full sum (E2)
    y_k+ = y_k - gamma eta_t w_k       w_k+ = g_k(new) + (1 - c_w eta_t^2)(w_k - g_k(old))
    every p steps x and nu are averaged over devices; y and w stay with their device

    with eta_t = delta/(u_0 + t)^{1/3} (Li, Huang and Huang, 2022, first version). Each device solves its own lower
    level: where these differ, the method goes to the minimiser of the mean of the devices' own Phi_k, which is that of
    another problem.
    """

    p: int = 1
    lam: float
    gamma: float
    c_nu: float
    c_w: float
    theta: float
    Q: int

    reconstructed = True
    averaged = ("x", "nu")

    @property
    def moves(self) -> tuple[Move, ...]:
        h = StochasticNeumann(theta=self.theta, Q=self.Q)
        return Move("x", "nu", self.lam, self.c_nu, h), Move("y", "w", self.gamma, self.c_w, LowerGradient())


@dataclass(frozen=True, kw_only=True)
class FedBiOAccGlobal(StormMethod):
    """Recursive momentum (STORM) on x, y and the linear system, with one lower level for all devices; reconstructed.

    x_k+ = x_k - lam eta_t nu_k          nu_k follows grad_x f - grad_xy g_k r_k        all three momenta by STORM,
    y_k+ = y_k - gamma eta_t w_k         w_k follows grad_y g_k                         with weights c_nu, c_w, c_q
    r_k+ = r_k - tau eta_t q_k           q_k follows grad_yy g_k r_k - grad_y f
    every p steps x, y, r and their momenta are averaged over devices

    The successor of FedBiOAcc (2023): the auxiliary variable r (E3) takes the place of the Neumann sum. With p = 1 all
    devices share it, so at rest the mean over devices of grad_yy g_k r equals grad_y f: the inverse is that of the mean
    Hessian, and so is the limit.
    """

    p: int = 1
    lam: float
    gamma: float
    tau: float
    c_nu: float
    c_w: float
    c_q: float

    reconstructed = True
    averaged = ("x", "y", "r", "nu", "w", "q")

    @property
    def moves(self) -> tuple[Move, ...]:
        here = ("x", "y", "r")
        return (
            Move("x", "nu", self.lam, self.c_nu, HypergradientThrough(), here),
            Move("y", "w", self.gamma, self.c_w, LowerGradient()),
            Move("r", "q", self.tau, self.c_q, AuxiliaryGradient(), here),
        )

    def begin(self, s: State) -> State:
        """r_0 = 0."""
        return s.but(r=0.0 * s.y)


@dataclass(frozen=True, kw_only=True)
class VRBO(Method):
    """SPIDER on both levels, restarted from large batches, on one machine (Yang, Ji and Liang, 2021); reconstructed.

    restart        u = h(x, y),  v = g(x, y)                    means of S samples
    q times        x <- x - alpha u,  then T_in times  y <- y - beta v

    and after every move both follow it by differences on one batch of S_2 samples,

    u <- u + h(new) - h(old),        v <- v + g(new) - g(old)        h: the full Neumann sum (E2)

    What is reconstructed is how the inner steps and the differences interleave.
    """

    alpha: float
    beta: float
    q: int
    T_in: int
    S: int
    S_2: int
    theta: float
    Q: int

    one_machine = True
    step_letter = "alpha"
    reconstructed = True

    @property
    def stages(self) -> tuple[Stage, ...]:
        outer = Stage(self.outer, repeats=1, averaged=()), Stage(self.inner, repeats=self.T_in, averaged=())
        return Stage(self.restart, repeats=1, averaged=()), *(outer * self.q)

    @property
    def hypergradient(self) -> StochasticNeumann:
        """The estimator of the hypergradient: a Neumann sum with Q Hessian samples."""
        return StochasticNeumann(theta=self.theta, Q=self.Q)

    def restart(self, t: int, s: State, oracle: Oracle) -> State:
        """Estimate both gradients anew, with a batch of S."""
        h = oracle.sample(self.hypergradient, t, batch=self.S)
        g = oracle.sample(LowerGradient(), t, batch=self.S)
        return s.but(u=h(s.x, s.y), v=g(s.x, s.y))

    def outer(self, t: int, s: State, oracle: Oracle) -> State:
        """One step of x along u; both estimates follow by a difference of samples."""
        return self._follow(t, s, s.but(x=s.x - self.alpha * s.u), oracle)

    def inner(self, t: int, s: State, oracle: Oracle) -> State:
        """One step of y along v; both estimates follow by a difference of samples."""
        return self._follow(t, s, s.but(y=s.y - self.beta * s.v), oracle)

    def _follow(self, t: int, old: State, new: State, oracle: Oracle) -> State:
        h = oracle.sample(self.hypergradient, t, batch=self.S_2)
        g = oracle.sample(LowerGradient(), t, batch=self.S_2)
        u = old.u + (h(new.x, new.y) - h(old.x, old.y))
        v = old.v + (g(new.x, new.y) - g(old.x, old.y))
        return new.but(u=u, v=v)
