"""Parallel restarted SGD, devices that may differ (Yu, Yang and Zhu, AAAI 2019).

N devices take I steps x_i <- x_i - gamma G_i, G_i a sample of grad f_i(x_i), and all restart from their mean xbar.
Every f_i is L-smooth, samples have a variance of at most sigma^2 and a second moment of at most G^2 along the
iterates; f is the mean of the f_i.

Orders are in K and T, so that K is the name of N here. The corollary has no constants: with gamma of
order sqrt(N/T), devices may go on alone for I of order T^{1/4} N^{-3/4} steps.
"""

from sympy import Rational, sqrt

import ratecert as rc

PAPER = rc.about("Parallel Restarted SGD with Faster Convergence and Less Communication", certainty="memory")
K = rc.letter("K", latex="N")
T = rc.letter("T")
I = rc.letter("I", means="local steps between two averages")
gamma = rc.letter("gamma")
L = rc.letter("L", means="Lipschitz constant of every gradient", units="f x^-2", of="L")
sigma, G = rc.letters("sigma G")
Delta = rc.letter("Delta", latex=r"(f(\bar{x}_0)-f^*)")

SMOOTH = rc.statements.Assumption(
    id="smooth",
    title="Smoothness, noise, bounded second moments",
    source="asked by Theorem 1",
    sentence="Every f_i is L-smooth; E||G_i - grad f_i||^2 <= sigma^2 and E||G_i||^2 <= G^2 at the iterates.",
    constants={"L": 0.0, "sigma": 0.0, "G": 0.0},
)


def sgd(x, grad, *, gamma):
    return x - gamma * grad(x)


theorem_1 = rc.theorem(
    rc.local(sgd, every=I),
    steps="x_i <- x_i - gamma G_i; after every I steps all restart from the mean",
    measure=rc.measures.gradient(),
    bound={
        "start": 2 * Delta / (gamma * T),
        "drift": 4 * gamma**2 * I**2 * G**2 * L**2,
        "noise": L * gamma * sigma**2 / K,
    },
    where=[gamma <= 1 / L],
    assuming=[SMOOTH],
    worlds=("single_level", "federated"),
    title="Parallel restarted SGD",
    source="Theorem 1",
    blind="G is one bound for a whole run, and largest where it starts; a quadratic comes to rest where its "
    "gradients are small, so that the drift term is never needed in full",
)
corollary_1 = rc.corollary(
    theorem_1,
    along={gamma: sqrt(K / T), I: ("O", T ** Rational(1, 4) / K ** Rational(3, 4))},
    rate=1 / sqrt(K * T),
    window=[T >= K**3],
    title="Linear speedup of parallel restarted SGD",
    source="orders of the theorem's terms",
    printed=False,
)
