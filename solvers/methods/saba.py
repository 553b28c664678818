"""SABA (Dagreou, Ablin, Vaiter and Moreau, 2022): SOBA with the memory of SAGA, on finite sums, on one machine.

    G = (1/n) sum_i G_i,    F = (1/m) sum_j F_j;    w_i is (z, x, v) where G_i was evaluated last, w'_j the same for F_j

    S[phi]_i = phi_i(z, x, v) - phi_i(w_i) + (1/n) sum_k phi_k(w_k)                             z is y here

    D_z = S[grad_1 G]_i
    D_v = S[grad_11 G v]_i + S[grad_1 F]_j
    D_x = S[grad_21 G v]_i + S[grad_2 F]_j
    z+ = z - rho_t D_z,    v+ = v - rho_t D_v,    x+ = x - gamma_t D_x,    w_i+ = w'_j+ = (z, x, v)

i and j are drawn anew in every iteration, independently and uniformly, and are the same for all directions; v_0 = 0 and
all w are (z_0, x_0, v_0). The tables keep what the terms gave, not the points:

    g_i = grad_1 G_i,   h_i = grad_11 G_i v,   c_i = grad_21 G_i v;      p_j = grad_1 F_j,   q_j = grad_2 F_j
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
from ratecert.solvers.estimators.terms import HessianTerm, JacobianTerm, LowerTerm, UpperTerm
from ratecert.solvers.methods.method import Method


@dataclass(frozen=True, kw_only=True)
class SABA(Method):
    """SOBA with a memory of every term of two finite sums, on one machine (Dagreou, Ablin, Vaiter and Moreau, 2022)."""

    rho: Schedule | float
    gamma: Schedule | float
    n: int  # terms of g
    m: int  # terms of f

    one_machine = True
    step_letter = "gamma"

    @property
    def stages(self) -> tuple[Stage, ...]:
        share = Fraction(1, self.n * self.m)
        steps = [partial(self.step, i, j) for i in range(self.n) for j in range(self.m)]
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

    def step(self, i: int, j: int, t: int, s: State, oracle: Oracle) -> State:
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

    def step_size(self, t: int) -> float:
        return cast(Schedule, self.gamma)(t)
