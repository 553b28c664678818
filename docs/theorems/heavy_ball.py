"""Heavy ball with noise, as a paper might print it: a factor 1/(1 - beta) was lost on the way from the proof.

With x_{-1} = x_0 the point z_t = x_t + beta/(1 - beta) (x_t - x_{t-1}) moves by -a g_t, a = alpha/(1 - beta). So
E||z_t - x*||^2 changes by at most

    -2 a (F(x_t) - F*) - 2 a beta/(1 - beta) (F(x_t) - F(x_{t-1})) + a^2 sigma^2/K,

since a^2 ||grad F||^2 is no more than what convexity and smoothness leave of the first term where a <= 1/L. Summed over
t < T, with F(x_0) - F* <= L R^2/2, this is the theorem with a in the place of alpha in its last term.
"""

import ratecert as rc

K, T, beta, alpha, L, sigma, R = rc.letters("K T beta alpha L sigma R")


def heavy_ball(x, m=0, *, grad, alpha, beta):
    m = beta * m + grad(x)
    return x - alpha * m, m


gap, inside = rc.measures.gap(), [beta <= 0.9, alpha <= (1 - beta) / L]
start = (1 - beta) * R**2 / (2 * alpha * T) + beta * L * R**2 / (2 * (1 - beta) * T)
theorem_1 = rc.theorem(heavy_ball, measure=gap, bound=start + alpha * sigma**2 / (2 * K), where=inside)
cured = rc.theorem(
    heavy_ball,
    measure=gap,
    bound=start + alpha * sigma**2 / (2 * (1 - beta) * K),
    where=inside,
    repairs=theorem_1,
    because="the factor 1/(1 - beta) is lost",
)
