"""What it costs to reach eps: parallel SGD, whose average of squared gradients falls."""

import ratecert as rc

T, K, alpha, L, sigma, Delta, eps = rc.letters("T K alpha L sigma Delta eps")


def parallel_sgd(x, grad, *, alpha):
    return x - alpha * grad(x)


theorem_1 = rc.theorem(
    parallel_sgd,
    measure=rc.measures.gradient(),
    bound=2 * Delta / (alpha * T) + alpha * L * sigma**2 / K,
    where=[alpha <= 1 / L],
)
corollary_1 = rc.corollary(
    theorem_1, along={T: 1 / (K * eps**2), alpha: K * eps}, rate=eps, window=[eps <= 1 / K]
)
costs = rc.cost(corollary_1, iterations=1 / (K * eps**2), samples=1 / (K * eps**2), linear_speedup=True)
