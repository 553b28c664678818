"""Stochastic gradients with a constant step: what is left of the start, and a floor that stays."""

import ratecert as rc

T, gamma, L, mu, sigma, R = rc.letters("T gamma L mu sigma R")


def sgd(x, grad, *, gamma):
    return x - gamma * grad(x)


floor = rc.theorem(
    sgd,
    measure=rc.measures.distance().last(),
    bound=(1 - gamma * mu) ** T * R**2 + gamma * sigma**2 / mu,
    where=[gamma <= 1 / L],
)
