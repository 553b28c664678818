"""Periodic averaging SGD where all devices have the same data (Wang and Joshi 2018, "Cooperative SGD").

m devices take steps w_j <- w_j - eta g_j(w_j), g_j the mean of b samples, and average every tau steps. F is L-smooth
and bounded below, a sample has a variance of at most sigma^2. What is measured is the mean over devices, after t
steps.

Orders are in K and T, so that these are the names of m and t here. The corollary has no constants: with the step of
order sqrt(m/t), the last term is no larger than the others as long as tau is at most of order t^{1/2} m^{-3/2}.
"""

from sympy import sqrt

import ratecert as rc

PAPER = rc.about(
    "Cooperative SGD: A Unified Framework for the Design and Analysis of Communication-Efficient SGD",
    certainty="note",
)
K = rc.letter("K", latex="m")
T = rc.letter("T", latex="t")
tau = rc.letter("tau", means="local steps between two averages")
b = rc.letter("b", means="samples in a batch", units="1", least=1)
eta, L, sigma = rc.letters("eta L sigma")
Delta = rc.letter("Delta", means="gap at the start", latex=r"(F(w_0)-F_{\inf})")

SMOOTH = rc.statements.Assumption(
    id="smooth",
    title="Smoothness and noise",
    source="asked by the theorem",
    sentence="F is L-smooth and bounded below; a batch has no bias and a variance of at most sigma^2/b.",
    constants={"L": 0.0, "sigma": 0.0},
)


def pasgd(x, grad, *, eta, b):
    return x - eta * grad(x, batch=b)


theorem_1 = rc.theorem(
    rc.local(pasgd, every=tau),
    steps="w_j <- w_j - eta g_j(w_j), g_j the mean of b samples; after every tau steps all restart from the mean",
    measure=rc.measures.gradient(),
    measure_latex=r"\frac{1}{t}\sum_{k<t}\mathbb{E}\|\nabla F(\bar{w}_k)\|^2",
    bound={
        "start": 2 * Delta / (eta * T),
        "noise": eta * L * sigma**2 / (K * b),
        "drift": eta**2 * L**2 * sigma**2 * (tau - 1) / b,
    },
    where={"eta": eta * L + eta**2 * L**2 * tau * (tau - 1) <= 1},
    assuming=[SMOOTH],
    title="Periodic averaging SGD, identical data",
    source="as lecture notes quote it",
    blind="where the gradient is affine and the devices are alike, the mean gradient is the gradient at the mean: "
    "devices that drift apart cost nothing, so that the term with tau is never needed here",
)
corollary_1 = rc.corollary(
    theorem_1,
    along={eta: sqrt(K / T), tau: ("O", sqrt(T / K**3)), b: ("O", 1)},
    rate=1 / sqrt(K * T),
    window=[T >= K**3],
    title="Linear speedup of periodic averaging SGD",
    source="orders of the theorem's terms",
    printed=False,
)
