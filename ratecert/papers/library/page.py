"""PAGE (Li, Bao, Zhang and Richtarik 2021) on a finite sum: a gradient estimate that is now and then the full gradient.

x <- x - eta g; then g is the full gradient with probability p, else g + the mean of b' differences
grad f_i(x_new) - grad f_i(x_old), each i drawn anew. The f_i are smooth on average.
"""

from sympy import sqrt

import ratecert as rc
from ratecert.papers.library.svrg import ONE_HOT, TWO_TERMS

s = rc.statements
T, p, b, eta, L, Delta = s.letters("T p b eta L Delta")

NOTATION = s.table(
    s.Symbol("T", "T", "number of iterations", units="1", least=1),
    s.Symbol("b", "b'", "differences in a mean", units="1", least=1),
    s.Symbol("p", "p", "probability of a full gradient", units="1"),
    s.Symbol("eta", r"\eta", "step size", units="x^2 f^-1"),
    s.Symbol("L", "L", "average Lipschitz constant of the gradients", units="f x^-2"),
    s.Symbol("Delta", r"\Delta_0", "f(x_0) - f*", units="f"),
)

SMOOTH = s.Assumption(
    id="smooth",
    title="Average smoothness",
    source="Li and others (2021)",
    sentence="The mean over i of ||grad f_i(x) - grad f_i(y)||^2 is at most L^2 ||x - y||^2.",
    constants={"L": 0.0},
    strict=True,
)

PAGE = s.Algorithm(
    id="page",
    title="PAGE",
    source="Li and others (2021)",
    hyperparameters=("eta", "p", "b"),
    starts_from=(),
    lines=(),
    updates={},
    requires="x <- x - eta g; then g is the full gradient with probability p, else g + the mean of b differences "
    "grad f_i(x_new) - grad f_i(x_old)",
)

THEOREM = s.Theorem(
    id="theorem-1",
    title="PAGE, finite sums",
    source="Li and others (2021)",
    algorithm="page",
    assumptions=("smooth",),
    measure=r"\frac{1}{T}\sum_{t<T}\mathbb{E}\|\nabla f(x_t)\|^2",
    measure_units="f^2 x^-2",
    conditions={
        "p": s.Condition(p, "<=", (1,)),
        "eta": s.Condition(eta, "<=", (1 / (L * (1 + sqrt((1 - p) / (p * b)))),)),
    },
    terms={"start": 2 * Delta / (eta * T)},
)

PRINTED = s.Paper(
    key="page",
    title="PAGE: A Simple and Optimal Probabilistic Gradient Estimator for Nonconvex Optimization",
    certainty="text",
    notation=NOTATION,
    statements=s.by_id(SMOOTH, PAGE, THEOREM),
    bindings={},
)

RUNS = {
    "theorem-1": s.Binding(
        method=rc.methods.PAGE,
        hyperparameters={"alpha": eta, "p": p, "b": b},
        measure=rc.measures.gradient(),
        constants={"L": "L_average", "Delta": "gap"},
        worlds=(TWO_TERMS, ONE_HOT),
        devices="",
        blind="The bound is attained by gradient descent, p = 1. With p < 1 these sums come to 0.66 to 0.78 of it; "
        "quadratics that are bounded below are convex, and the class is not.",
    )
}
