"""Local SGD on K devices that are alike: they take p steps, and then average."""

import ratecert as rc

T, K, p, gamma, L, mu, sigma, R = rc.letters("T K p gamma L mu sigma R")


def sgd(x, grad, *, gamma):
    return x - gamma * grad(x)


theorem_1 = rc.theorem(
    rc.local(sgd, every=p),
    measure=rc.measures.distance().last(),
    bound=(1 - gamma * mu) ** T * R**2
    + gamma * sigma**2 / (mu * K)
    + 2 * L * gamma**2 * (p - 1) * sigma**2 / mu,
    where=[gamma <= 1 / (4 * L)],
    source="Khaled, Mishchenko and Richtarik (2020), Theorem 1",
)
