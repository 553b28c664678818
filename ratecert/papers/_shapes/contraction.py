"""The last iterate contracts: gradient descent."""

import ratecert as rc

T, gamma, L, mu, R = rc.letters("T gamma L mu R")


def gradient_descent(x, grad, *, gamma):
    return x - gamma * grad(x)


theorem_1 = rc.theorem(
    gradient_descent,
    measure=rc.measures.distance().last(),
    bound=(1 - gamma * mu) ** (2 * T) * R**2,
    where=[gamma <= 1 / L],
)
