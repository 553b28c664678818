"""SGD under expected smoothness (Gower, Loizou, Qian, Sailanbayev, Shulgin and Richtarik 2019).

x <- x - gamma grad f_v(x), where E||grad f_v(x) - grad f_v(x*)||^2 <= 2 calL (f(x) - f*), and sigma^2 is
E||grad f_v(x*)||^2, the noise at the minimiser alone.
"""

import ratecert as rc

s = rc.statements
T, gamma, calL, mu, sigma, R = s.letters("T gamma calL mu sigma R")

NOTATION = s.table(
    s.Symbol("T", "k", "number of iterations", units="1", least=1),
    s.Symbol("gamma", r"\gamma", "step size", units="x^2 f^-1"),
    s.Symbol("calL", r"\mathcal{L}", "expected smoothness", units="f x^-2"),
    s.Symbol("mu", r"\mu", "strong convexity", units="f x^-2"),
    s.Symbol("sigma", r"\sigma", "noise at the minimiser", units="f x^-1"),
    s.Symbol("R", r"\|x_0-x^*\|", "distance of the start from the minimiser", units="x"),
)

SMOOTH = s.Assumption(
    id="smooth",
    title="Expected smoothness",
    source="Theorem 3.1",
    sentence="In the mean of squares samples at x and x* differ by at most 2 calL (f(x) - f*); f is mu-strongly "
    "convex.",
    constants={"calL": 0.0, "sigma": 0.0},
)

SGD = s.Algorithm(
    id="sgd",
    title="SGD with any sampling",
    source="Theorem 3.1",
    hyperparameters=("gamma",),
    starts_from=(),
    lines=(),
    updates={},
    requires="x <- x - gamma grad f_v(x), v drawn anew",
)

THEOREM = s.Theorem(
    id="theorem-3-1",
    title="SGD under expected smoothness",
    source="Theorem 3.1",
    algorithm="sgd",
    assumptions=("smooth",),
    measure=r"\mathbb{E}\|x_k-x^*\|^2",
    measure_units="x^2",
    conditions={"gamma": s.Condition(gamma, "<=", (1 / (2 * calL),))},
    terms={"start": (1 - gamma * mu) ** T * R**2, "noise": 2 * gamma * sigma**2 / mu},
)

PRINTED = s.Paper(
    key="expected-smoothness",
    title="SGD: General Analysis and Improved Rates",
    certainty="note",
    notation=NOTATION,
    statements=s.by_id(SMOOTH, SGD, THEOREM),
    bindings={},
)

RUNS = {
    "theorem-3-1": s.Binding(
        method=rc.methods.SGD,
        hyperparameters={"alpha": gamma},
        measure=rc.measures.distance().last(),
        constants={"calL": "calL", "mu": "mu", "sigma": "sigma_star", "R": "distance"},
        worlds=("single_level", "noisy_hessians", "finite_sum"),
        devices="",
        blind="The start alone attains its term as the step goes to 0. The noise alone comes to 1/3 of its own, on all "
        "quadratics in one direction: the factor 2 pays for a bad sample at x that is bad at x* too.",
    )
}
