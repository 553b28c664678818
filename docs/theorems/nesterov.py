"""Nesterov's accelerated gradients for a strongly convex function, with the Lyapunov function of their proof."""

from sympy import sqrt

import ratecert as rc

T, L, mu, R, Delta = rc.letters("T L mu R Delta")
theta = rc.define("theta", sqrt(mu / L), means="root of the inverse condition number", units="1")


def nesterov(x, z="x", *, grad, L, mu, theta):
    y = 1 / (1 + theta) * (x + theta * z)
    g = grad(y)
    return y - 1 / L * g, (1 - theta) * z + theta * y - theta / mu * g


accelerated = rc.theorem(
    nesterov, measure=rc.measures.gap().last(), bound=(1 - theta) ** T * (Delta + mu / 2 * R**2)
)
lyapunov = rc.theorem(
    nesterov,
    measure=(rc.measures.gap() + mu / 2 * rc.measures.distance("z")).last(),
    bound=(1 - theta) ** T * (Delta + mu / 2 * R**2),
)
