"""The average of squared gradients falls: parallel SGD, and its corollary along a scaling."""

from sympy import sqrt

import ratecert as rc

T, K, alpha, L, sigma, Delta = rc.letters("T K alpha L sigma Delta")


def parallel_sgd(x, grad, *, alpha):
    return x - alpha * grad(x)


theorem_1 = rc.theorem(
    parallel_sgd,
    measure=rc.measures.gradient(),
    bound=2 * Delta / (alpha * T) + alpha * L * sigma**2 / K,
    where=[alpha <= 1 / L],
)
corollary_1 = rc.corollary(theorem_1, along={alpha: sqrt(K / T)}, rate=1 / sqrt(K * T), window=[T >= K])
