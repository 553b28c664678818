"""Parallel restarted SGD, devices that may differ (Yu, Yang and Zhu, AAAI 2019).

N devices take I steps x_i <- x_i - gamma G_i, G_i a sample of grad f_i(x_i), and all restart from their mean xbar.
Every f_i is L-smooth, samples have a variance of at most sigma^2 and a second moment of at most G^2 along the
iterates; f is the mean of the f_i.

Orders are in K and T, so that K is the name of N here. The corollary has no constants: with gamma of
order sqrt(N/T), devices may go on alone for I of order T^{1/4} N^{-3/4} steps.
"""

from sympy import Ge, Rational, sqrt

import ratecert as rc

s = rc.statements
K, T, I, gamma, L, sigma, G, Delta = s.letters("K T I gamma L sigma G Delta")

NOTATION = s.table(
    s.Symbol("K", "N", "number of devices", units="1", least=1),
    s.Symbol("T", "T", "number of iterations", units="1", least=1),
    s.Symbol("I", "I", "local steps between two averages", units="1", least=1),
    s.Symbol("gamma", r"\gamma", "step size", units="x^2 f^-1"),
    s.Symbol("L", "L", "Lipschitz constant of every gradient", units="f x^-2"),
    s.Symbol("sigma", r"\sigma", "standard deviation of a sample", units="f x^-1"),
    s.Symbol("G", "G", "root of the largest second moment of a sample", units="f x^-1"),
    s.Symbol("Delta", r"(f(\bar{x}_0)-f^*)", "how far f can fall from the start", units="f"),
)

SMOOTH = s.Assumption(
    id="smooth",
    title="Smoothness, noise, bounded second moments",
    source="asked by Theorem 1",
    sentence="Every f_i is L-smooth; E||G_i - grad f_i||^2 <= sigma^2 and E||G_i||^2 <= G^2 at the iterates.",
    constants={"L": 0.0, "sigma": 0.0, "G": 0.0},
)

PRSGD = s.Algorithm(
    id="prsgd",
    title="Parallel restarted SGD",
    source="run by Theorem 1",
    hyperparameters=("gamma", "I"),
    starts_from=(),
    lines=(),
    updates={},
    requires="x_i <- x_i - gamma G_i; after every I steps all restart from the mean",
)

THEOREM = s.Theorem(
    id="theorem-1",
    title="Parallel restarted SGD",
    source="Theorem 1",
    algorithm="prsgd",
    assumptions=("smooth",),
    measure=r"\frac{1}{T}\sum_{t<T}\mathbb{E}\|\nabla f(\bar{x}_t)\|^2",
    measure_units="f^2 x^-2",
    conditions={"gamma": s.Condition(gamma, "<=", (1 / L,))},
    terms={
        "start": 2 * Delta / (gamma * T),
        "drift": 4 * gamma**2 * I**2 * G**2 * L**2,
        "noise": L * gamma * sigma**2 / K,
    },
)

SPEEDUP = s.Corollary(
    id="corollary-1",
    title="Linear speedup of parallel restarted SGD",
    source="orders of the theorem's terms",
    printed=False,
    theorem="theorem-1",
    scalings={
        "gamma": s.Scaling(sqrt(K) / sqrt(T), "Theta"),
        "I": s.Scaling(T ** Rational(1, 4) / K ** Rational(3, 4)),
    },
    claim=s.Scaling(1 / sqrt(K * T)),
    window=(Ge(T, K**3),),
)

PRINTED = s.Paper(
    key="restarted-sgd",
    title="Parallel Restarted SGD with Faster Convergence and Less Communication",
    certainty="memory",
    notation=NOTATION,
    statements=s.by_id(SMOOTH, PRSGD, THEOREM, SPEEDUP),
    bindings={},
)

RUNS = {
    "theorem-1": s.Binding(
        method=rc.methods.SGD,
        hyperparameters={"alpha": gamma, "p": I},
        measure=rc.measures.gradient(),
        constants={"L": "L", "sigma": "sigma", "G": "largest_gradient", "Delta": "gap"},
        worlds=("single_level", "federated"),
        blind="G is one bound for a whole run, and largest where it starts; a quadratic comes to rest where its "
        "gradients are small, so that the drift term is never needed in full",
    )
}
