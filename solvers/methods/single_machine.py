"""Methods of one loop on two levels, on one machine: both levels move together.

h is a hypergradient estimate with a Neumann series of step theta: the full sum with Q samples (E2), or N terms cut at
random (E1). g is the sampled grad_y g. SOBA and SABA have the solution of the linear system as a variable (E3), and no
series.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, cast

from ratecert.base.errors import UserError
from ratecert.solvers.contract.draws import Choice
from ratecert.solvers.contract.problem import Problem
from ratecert.solvers.contract.schedule import Schedule
from ratecert.solvers.contract.stage import Oracle, Stage, State, Vector
from ratecert.solvers.estimators.auxiliary import AuxiliaryGradient, HypergradientThrough
from ratecert.solvers.estimators.hypergradient import LowerGradient, StochasticNeumann
from ratecert.solvers.estimators.random_truncation import RandomTruncation
from ratecert.solvers.estimators.terms import HessianTerm, JacobianTerm, LowerTerm, UpperTerm
from ratecert.solvers.methods.base import Method


@dataclass(frozen=True, kw_only=True)
class TTSA(Method):
    """Both levels move together on two time scales, on one machine (Hong, Wai, Wang and Yang, 2020).

    x+ = x - alpha_t h(x, y)        h: the series of N terms cut at random (E1)
    y+ = y - beta_t g(x, y)

    with alpha_t of order t^{-3/5} and beta_t of order t^{-2/5}: Power(scale, offset, exponent=3/5) and 2/5.
    """

    alpha: Schedule | float
    beta: Schedule | float
    theta: float
    N: int

    one_machine = True
    step_letter = "alpha"

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One step of x of size alpha_t and one of y of size beta_t."""
        h = oracle.sample(RandomTruncation(theta=self.theta, N=self.N), t)
        g = oracle.sample(LowerGradient(), t)
        x = s.x - self.step_size(t) * h(s.x, s.y)
        y = s.y - cast(Schedule, self.beta)(t) * g(s.x, s.y)
        return State(x=x, y=y)


@dataclass(frozen=True, kw_only=True)
class SMB(Method):
    """Momentum on the upper level only, on one machine.

    z+ = (1 - b) z + b h(x, y)        h: the full Neumann sum (E2); z = h at t = 0
    x+ = x - eta z+
    y+ = y - tau eta g(x, y)

    LocalBSGM with K = 1, beta eta = 1, alpha eta = b.
    """

    eta: float
    tau: float
    b: float  # weight of the new sample
    theta: float
    Q: int

    one_machine = True
    fractions = ("b",)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One step of x along the moving average z, and of y along a sample."""
        h = oracle.sample(StochasticNeumann(theta=self.theta, Q=self.Q), t)
        g = oracle.sample(LowerGradient(), t)
        z = h(s.x, s.y) if t == 0 else (1 - self.b) * s.z + self.b * h(s.x, s.y)
        return State(x=s.x - self.eta * z, y=s.y - (self.tau * self.eta) * g(s.x, s.y), z=z)


@dataclass(frozen=True, kw_only=True)
class SOBA(Method):
    """Both levels and the linear system move together, on one machine (Dagreou, Ablin, Vaiter and Moreau, 2022).

    z+ = z - rho_t D_z          D_z = grad_1 G(z, x)                             z is y here, G is g and F is f
    v+ = v - rho_t D_v          D_v = grad_11 G(z, x) v + grad_1 F(z, x)         v_0 = 0
    x+ = x - gamma_t D_x        D_x = grad_21 G(z, x) v + grad_2 F(z, x)

    All three directions are taken at (z, v, x), each with samples of its own; the paper has one sample of G and one of
    F for all three. Where x is fixed v goes to v* = -[grad_11 G]^{-1} grad_1 F, so v is minus the r of (E3), and no
    series is cut. Theorem 1 has rho of order T^{-2/5} and gamma of order T^{-3/5}.
    """

    rho: Schedule | float
    gamma: Schedule | float

    one_machine = True
    step_letter = "gamma"

    def start(self, s: State, oracle: Oracle) -> State:
        """v_0 = 0."""
        return s.but(v=0.0 * s.y)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One step of y and v of size rho_t and one of x of size gamma_t, all from the old point."""
        rho, gamma, r = cast(Schedule, self.rho)(t), self.step_size(t), -1.0 * s.v
        D_y = oracle.sample(LowerGradient(), t)(s.x, s.y)
        minus_D_v = oracle.sample(AuxiliaryGradient(), t)(s.x, s.y, r)
        D_x = oracle.sample(HypergradientThrough(), t)(s.x, s.y, r)
        return State(x=s.x - gamma * D_x, y=s.y - rho * D_y, v=s.v + rho * minus_D_v)


@dataclass(frozen=True, kw_only=True)
class SABA(Method):
    """SOBA with a memory of every term of two finite sums, on one machine (Dagreou, Ablin, Vaiter and Moreau, 2022).

    G = (1/n) sum_i G_i,    F = (1/m) sum_j F_j;    w_i is (z, x, v) where G_i was evaluated last, w'_j the same for F_j

    S[phi]_i = phi_i(z, x, v) - phi_i(w_i) + (1/n) sum_k phi_k(w_k)                             z is y here

    D_z = S[grad_1 G]_i
    D_v = S[grad_11 G v]_i + S[grad_1 F]_j
    D_x = S[grad_21 G v]_i + S[grad_2 F]_j
    z+ = z - rho_t D_z,    v+ = v - rho_t D_v,    x+ = x - gamma_t D_x,    w_i+ = w'_j+ = (z, x, v)

    i and j are drawn anew in every iteration, independently and uniformly, and are the same for all directions; v_0 = 0
    and all w are (z_0, x_0, v_0). The tables keep what the terms gave, not the points:

    g_i = grad_1 G_i,   h_i = grad_11 G_i v,   c_i = grad_21 G_i v;      p_j = grad_1 F_j,   q_j = grad_2 F_j
    """

    rho: Schedule | float
    gamma: Schedule | float
    n: int  # terms of g
    m: int  # terms of f

    one_machine = True
    step_letter = "gamma"

    @property
    def stages(self) -> tuple[Stage, ...]:
        share = Fraction(1, self.n * self.m)
        steps = [partial(self.terms, i, j) for i in range(self.n) for j in range(self.m)]
        return (Stage(Choice(*((share, step) for step in steps), label="terms"), repeats=1, averaged=()),)

    def start(self, s: State, oracle: Oracle) -> State:
        """v_0 = 0, and all tables are filled there."""
        s = s.but(v=0.0 * s.y)
        for i in range(self.n):
            s = s.but(**self.lower(i, 0, s, oracle))
        for j in range(self.m):
            s = s.but(**self.upper(j, 0, s, oracle))
        return s

    def lower(self, i: int, t: int, s: State, oracle: Oracle) -> dict[str, Vector]:
        """What term i of g gives at (x, y, v), by its place in the tables."""
        return {
            f"g_{i}": oracle.sample(LowerTerm(i), t)(s.x, s.y),
            f"h_{i}": oracle.sample(HessianTerm(i), t)(s.x, s.y, s.v),
            f"c_{i}": oracle.sample(JacobianTerm(i), t)(s.x, s.y, s.v),
        }

    def upper(self, j: int, t: int, s: State, oracle: Oracle) -> dict[str, Vector]:
        """What term j of f gives at (x, y), by its place in the tables."""
        return {
            f"p_{j}": oracle.sample(UpperTerm(j, "y"), t)(s.x, s.y),
            f"q_{j}": oracle.sample(UpperTerm(j, "x"), t)(s.x, s.y),
        }

    def terms(self, i: int, j: int, t: int, s: State, oracle: Oracle) -> State:
        """The step with term i of g and term j of f."""
        new = {**self.lower(i, t, s, oracle), **self.upper(j, t, s, oracle)}
        rho, gamma = cast(Schedule, self.rho)(t), self.step_size(t)

        def moved(step: Any, letter: str, number: int, terms: int) -> Vector:
            """step S[phi]_i, with 1/n in the step: phi_i counts n times."""
            table = [getattr(s, f"{letter}_{k}") for k in range(terms)]
            change = terms * (new[f"{letter}_{number}"] - table[number]) + sum(table[1:], table[0])
            return (step / terms) * change

        G, F = (i, self.n), (j, self.m)
        return s.but(
            x=s.x - moved(gamma, "c", *G) - moved(gamma, "q", *F),
            y=s.y - moved(rho, "g", *G),
            v=s.v - moved(rho, "h", *G) - moved(rho, "p", *F),
            **new,
        )

    def check(self, problem: Problem) -> None:
        """The tables have a place for every term, and no other."""
        super().check(problem)
        for letter, level in (("n", "g"), ("m", "f")):
            kept = getattr(self, letter)
            found = getattr(problem, letter, None) if hasattr(problem, f"term_{level}") else None
            if found != kept:
                has = "is no finite sum" if found is None else f"has {found}"
                raise UserError(
                    f"SABA has a memory for {letter} = {kept} terms of {level}, and this problem {has}."
                )
