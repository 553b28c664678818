"""PAGE (Li, Bao, Zhang and Richtarik 2021) on a finite sum: a gradient estimate that is now and then the full gradient.

x <- x - eta g; then g is the full gradient with probability p, else g + the mean of b' differences
grad f_i(x_new) - grad f_i(x_old), each i drawn anew. The f_i are smooth on average.
"""

from sympy import sqrt

import ratecert as rc

PAPER = rc.about(
    "PAGE: A Simple and Optimal Probabilistic Gradient Estimator for Nonconvex Optimization", certainty="text"
)
T = rc.letter("T")
b = rc.letter("b", means="differences in a mean", units="1", least=1, latex="b'")
p = rc.letter("p", means="probability of a full gradient", units="1")
eta = rc.letter("eta")
L = rc.letter("L", means="average Lipschitz constant of the gradients")
Delta = rc.letter("Delta", latex=r"\Delta_0")

SMOOTH = rc.statements.Assumption(
    id="smooth",
    title="Average smoothness",
    source="Li and others (2021)",
    sentence="The mean over i of ||grad f_i(x) - grad f_i(y)||^2 is at most L^2 ||x - y||^2.",
    constants={"L": 0.0},
    strict=True,
)

theorem_1 = rc.theorem(
    rc.methods.PAGE,
    hyperparameters={"alpha": eta},
    steps="x <- x - eta g; then g is the full gradient with probability p, else g + the mean of b differences "
    "grad f_i(x_new) - grad f_i(x_old)",
    measure=rc.measures.gradient(),
    bound={"start": 2 * Delta / (eta * T)},
    where=[p <= 1, eta <= 1 / (L * (1 + sqrt((1 - p) / (p * b))))],
    assuming=[SMOOTH],
    worlds=("finite_sum", "convex_outcomes", "convex_outcomes_in_plane"),
    title="PAGE, finite sums",
    source="Li and others (2021)",
    blind="The bound is attained by gradient descent, p = 1. With p < 1 these sums come to 0.66 to 0.78 of it; "
    "quadratics that are bounded below are convex, and the class is not.",
)
