"""Local SGD where all devices have the same data (Khaled, Mishchenko and Richtarik, AISTATS 2020).

M devices take H steps x_m <- x_m - gamma g_m(x_m) and average; f is L-smooth, samples have a variance of at most
sigma^2. The mean over devices is xhat_t, the mean of its first T values xbar_T.
"""

import ratecert as rc

PAPER = rc.about("Tighter Theory for Local SGD on Identical and Heterogeneous Data", certainty="memory")
M = rc.letter("M", means="number of devices")
T = rc.letter("T")
H = rc.letter("H", means="local steps between two averages")
gamma, L, mu, sigma, R = rc.letters("gamma L mu sigma R")

SMOOTH = rc.statements.Assumption(
    id="smooth",
    title="Smoothness and noise",
    source="Assumptions 1 and 2",
    sentence="f is L-smooth and mu-strongly convex (mu = 0: convex); samples have a variance of at most sigma^2.",
    constants={"L": 0.0, "sigma": 0.0},
)
ALGORITHM = rc.statements.Algorithm(
    id="local-sgd",
    title="Local SGD",
    source="Algorithm 1",
    requires="x_m <- x_m - gamma g_m(x_m); after every H steps all restart from the mean",
)
DRIFT = "where the gradient is affine and devices are alike, drift costs nothing: terms with H - 1 are never needed"


def sgd(x, grad, *, gamma):
    return x - gamma * grad(x)


theorem_1 = rc.theorem(
    rc.local(sgd, every=H),
    measure=rc.measures.distance().last(),
    bound={
        "start": (1 - gamma * mu) ** T * R**2,
        "noise": gamma * sigma**2 / (mu * M),
        "drift": 2 * L * gamma**2 * (H - 1) * sigma**2 / mu,
    },
    where=[gamma <= 1 / (4 * L)],
    assuming=[SMOOTH],
    algorithm=ALGORITHM,
    title="Local SGD, identical data, strongly convex",
    source="Theorem 1",
    blind=DRIFT,
)
theorem_2 = rc.theorem(
    rc.local(sgd, every=H),
    measure=rc.measures.gap().at_mean(),
    measure_latex=r"\mathbb{E}f(\bar{x}_T)-f^*",
    bound={
        "start": 2 * R**2 / (gamma * T),
        "noise": 2 * gamma * sigma**2 / M,
        "drift": 4 * gamma**2 * L * (H - 1) * sigma**2,
    },
    where=[gamma <= 1 / (4 * L)],
    assuming=[SMOOTH],
    algorithm=ALGORITHM,
    title="Local SGD, identical data, convex",
    source="Theorem 2",
    blind=f"{DRIFT}; the mean of a quadratic's iterates does better than that of functions that flatten",
)
