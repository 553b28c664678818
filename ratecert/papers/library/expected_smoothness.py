"""SGD under expected smoothness (Gower, Loizou, Qian, Sailanbayev, Shulgin and Richtarik 2019).

x <- x - gamma grad f_v(x), where E||grad f_v(x) - grad f_v(x*)||^2 <= 2 calL (f(x) - f*), and sigma^2 is
E||grad f_v(x*)||^2, the noise at the minimiser alone.
"""

import ratecert as rc

PAPER = rc.about("SGD: General Analysis and Improved Rates", certainty="note")
T = rc.letter("T", latex="k")
gamma, calL, mu = rc.letters("gamma calL mu")
sigma = rc.letter("sigma", means="standard deviation of a sample at the minimiser")
R = rc.letter("R")

SMOOTH = rc.statements.Assumption(
    id="smooth",
    title="Expected smoothness",
    source="Theorem 3.1",
    sentence="In the mean of squares samples at x and x* differ by at most 2 calL (f(x) - f*); f is mu-strongly "
    "convex.",
    constants={"calL": 0.0, "sigma": 0.0},
)


def sgd(x, grad, *, gamma):
    return x - gamma * grad(x)


theorem_3_1 = rc.theorem(
    sgd,
    steps="x <- x - gamma grad f_v(x), v drawn anew",
    measure=rc.measures.distance().last(),
    bound={"start": (1 - gamma * mu) ** T * R**2, "noise": 2 * gamma * sigma**2 / mu},
    where=[gamma <= 1 / (2 * calL)],
    assuming=[SMOOTH],
    worlds=("single_level", "noisy_hessians", "finite_sum"),
    title="SGD under expected smoothness",
    source="Theorem 3.1",
    blind="The start alone attains its term as the step goes to 0. The noise alone comes to 1/3 of its own, on all "
    "quadratics in one direction: the factor 2 pays for a bad sample at x that is bad at x* too.",
)
