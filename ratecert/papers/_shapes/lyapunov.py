"""A Lyapunov function falls: Nesterov's accelerated gradients for a strongly convex function."""

from sympy import sqrt

import ratecert as rc

T, L, mu, R, Delta = rc.letters("T L mu R Delta")
theta = rc.define("theta", sqrt(mu / L), means="root of mu/L", units="1")


def nesterov(x, z="x", *, grad, L, mu, theta):
    y = 1 / (1 + theta) * (x + theta * z)
    g = grad(y)
    return y - 1 / L * g, (1 - theta) * z + theta * y - theta / mu * g


theorem_1 = rc.theorem(
    nesterov,
    measure=(rc.measures.gap() + mu / 2 * rc.measures.distance("z")).last(),
    bound=(1 - theta) ** T * (Delta + mu / 2 * R**2),
)
