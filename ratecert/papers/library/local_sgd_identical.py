"""Local SGD where all devices have the same data (Khaled, Mishchenko and Richtarik, AISTATS 2020).

M devices take H steps x_m <- x_m - gamma g_m(x_m) and average; f is L-smooth, samples have a variance of at most
sigma^2. The mean over devices is xhat_t, the mean of its first T values xbar_T.
"""

import ratecert as rc

s = rc.statements
M, T, H, gamma, L, mu, sigma, R = s.letters("M T H gamma L mu sigma R")

NOTATION = s.table(
    s.Symbol("M", "M", "number of devices", units="1", least=1),
    s.Symbol("T", "T", "number of iterations", units="1", least=1),
    s.Symbol("H", "H", "local steps between two averages", units="1", least=1),
    s.Symbol("gamma", r"\gamma", "step size", units="x^2 f^-1"),
    s.Symbol("L", "L", "Lipschitz constant of the gradient", units="f x^-2"),
    s.Symbol("mu", r"\mu", "strong convexity", units="f x^-2"),
    s.Symbol("sigma", r"\sigma", "standard deviation of a sample", units="f x^-1"),
    s.Symbol("R", r"\|x_0-x^*\|", "distance of the start from the minimiser", units="x"),
)

SMOOTH = s.Assumption(
    id="smooth",
    title="Smoothness and noise",
    source="Assumptions 1 and 2",
    sentence="f is L-smooth and mu-strongly convex (mu = 0: convex); samples have a variance of at most sigma^2.",
    constants={"L": 0.0, "sigma": 0.0},
)

LOCAL_SGD = s.Algorithm(
    id="local-sgd",
    title="Local SGD",
    source="Algorithm 1",
    hyperparameters=("gamma", "H"),
    starts_from=(),
    lines=(),
    updates={},
    requires="x_m <- x_m - gamma g_m(x_m); after every H steps all restart from the mean",
)

STRONGLY_CONVEX = s.Theorem(
    id="theorem-1",
    title="Local SGD, identical data, strongly convex",
    source="Theorem 1",
    algorithm="local-sgd",
    assumptions=("smooth",),
    measure=r"\mathbb{E}\|\hat{x}_T-x^*\|^2",
    measure_units="x^2",
    conditions={"gamma": s.Condition(gamma, "<=", (1 / (4 * L),))},
    terms={
        "start": (1 - gamma * mu) ** T * R**2,
        "noise": gamma * sigma**2 / (mu * M),
        "drift": 2 * L * gamma**2 * (H - 1) * sigma**2 / mu,
    },
)

CONVEX = s.Theorem(
    id="theorem-2",
    title="Local SGD, identical data, convex",
    source="Theorem 2",
    algorithm="local-sgd",
    assumptions=("smooth",),
    measure=r"\mathbb{E}f(\bar{x}_T)-f^*",
    measure_units="f",
    conditions={"gamma": s.Condition(gamma, "<=", (1 / (4 * L),))},
    terms={
        "start": 2 * R**2 / (gamma * T),
        "noise": 2 * gamma * sigma**2 / M,
        "drift": 4 * gamma**2 * L * (H - 1) * sigma**2,
    },
)

PRINTED = s.Paper(
    key="local-sgd-identical",
    title="Tighter Theory for Local SGD on Identical and Heterogeneous Data",
    certainty="memory",
    notation=NOTATION,
    statements=s.by_id(SMOOTH, LOCAL_SGD, STRONGLY_CONVEX, CONVEX),
    bindings={},
)


DRIFT = "where the gradient is affine and devices are alike, drift costs nothing: terms with H - 1 are never needed"


def local_sgd(measure: rc.measures.Measure, constants: dict[str, str], blind: str) -> s.Binding:
    """Local SGD with a step gamma, an average every H steps."""
    return s.Binding(
        method=rc.methods.SGD,
        hyperparameters={"alpha": gamma, "p": H},
        measure=measure,
        constants={"L": "L", "sigma": "sigma", "R": "distance", **constants},
        devices="M",
        blind=blind,
    )


OF_THE_MEAN = "the mean of a quadratic's iterates does better than that of functions that flatten"
RUNS = {
    "theorem-1": local_sgd(rc.measures.distance().last(), {"mu": "mu"}, DRIFT),
    "theorem-2": local_sgd(rc.measures.gap().at_mean(), {}, f"{DRIFT}; {OF_THE_MEAN}"),
}
