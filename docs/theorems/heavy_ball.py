"""Heavy ball with noise, as a paper might print it: a factor 1/(1 - beta) was lost on the way from the proof.

z_t = x_t + beta/(1 - beta) (x_t - x_{t-1}) moves by -a g_t, a = alpha/(1 - beta). Where a <= 1/L, E||z_t - x*||^2 falls
by 2 a (F(x_t) - F*) + 2 a beta/(1 - beta) (F(x_t) - F(x_{t-1})), and noise adds a^2 sigma^2/K. The sum over t < T, with
F(x_0) - F* <= L R^2/2, has a and not alpha in its last term.
"""

import ratecert as rc

K, T, beta, alpha, L, sigma, R = rc.letters("K T beta alpha L sigma R")


def heavy_ball(x, m=0, *, grad, alpha, beta):
    m = beta * m + grad(x)
    return x - alpha * m, m


gap, inside = rc.measures.gap(), [beta <= 0.9, alpha <= (1 - beta) / L]
start = (1 - beta) * R**2 / (2 * alpha * T) + beta * L * R**2 / (2 * (1 - beta) * T)
theorem_1 = rc.theorem(heavy_ball, measure=gap, bound=start + alpha * sigma**2 / (2 * K), where=inside)
cure = start + alpha * sigma**2 / (2 * (1 - beta) * K)
cured = rc.theorem(
    heavy_ball, measure=gap, bound=cure, where=inside, repairs=theorem_1, because="1/(1 - beta) is lost"
)
