"""VRBO (Yang, Ji and Liang, 2021): SPIDER on both levels, restarted from large batches, on one machine: reconstructed.

    restart        u = h(x, y),  v = g(x, y)                    means of S samples
    q times        x <- x - alpha u,  then T_in times  y <- y - beta v

and after every move both follow it by differences on one batch of S_2 samples,

    u <- u + h(new) - h(old),        v <- v + g(new) - g(old)        h: the full Neumann sum (E2), g: grad_y g

What is reconstructed is how the inner steps and the differences interleave.
"""

from dataclasses import dataclass

from ratecert.solvers.contract.stage import Oracle, Stage, State
from ratecert.solvers.estimators.hypergradient import LowerGradient, StochasticNeumann
from ratecert.solvers.methods.method import Method


@dataclass(frozen=True, kw_only=True)
class VRBO(Method):
    """SPIDER on both levels, restarted from large batches, on one machine (Yang, Ji and Liang, 2021); reconstructed."""

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

    def step_size(self, t: int) -> float:
        return self.alpha
