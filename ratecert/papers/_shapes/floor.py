"""What is left of the start, and a floor that stays: stochastic gradients with a constant step."""

import ratecert as rc

T, gamma, L, mu, sigma, R = rc.letters("T gamma L mu sigma R")


def sgd(x, grad, *, gamma):
    return x - gamma * grad(x)


theorem_1 = rc.theorem(
    sgd,
    measure=rc.measures.distance().last(),
    bound={"start": (1 - gamma * mu) ** T * R**2, "floor": gamma * sigma**2 / mu},
    where=[gamma <= 1 / L],
)
