"""LocalBSGM (Algorithm 1): a moving average of the sampled gradients of both levels.

    u_t = (1 - alpha eta) u_{t-1} + alpha eta h_t(x_t, y_t)         h_t: the stochastic hypergradient
    v_t = (1 - beta eta) v_{t-1} + beta eta g_t(x_t, y_t)           g_t: the sampled grad_y g

with u_0 = h_0 and v_0 = g_0. The steps along u and v and the averages over devices are in local_method.py.
"""

from dataclasses import dataclass

from ratecert.solvers.contract.stage import Oracle, State, Vector
from ratecert.solvers.estimators.hypergradient import LowerGradient
from ratecert.solvers.methods.local_method import LocalMethod


@dataclass(frozen=True, kw_only=True)
class LocalBSGM(LocalMethod):
    """Both levels move along moving averages of their sampled gradients; devices average every p steps."""

    weight_power = 1

    def momentum(self, t: int, s: State, oracle: Oracle) -> tuple[Vector, Vector]:
        h, g = oracle.sample(self.hypergradient, t), oracle.sample(LowerGradient(), t)
        if t == 0:
            return h(s.x, s.y), g(s.x, s.y)
        eta = self.step_size(t)
        u = (1 - self.alpha * eta) * s.u + (self.alpha * eta) * h(s.x, s.y)
        v = (1 - self.beta * eta) * s.v + (self.beta * eta) * g(s.x, s.y)
        return u, v
