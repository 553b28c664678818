"""Heavy ball with noise, as a paper might print it: a factor 1/(1 - beta) was lost on the way from the proof."""

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
