"""Local SGD with falling steps (Stich, ICLR 2019): K devices with the same data average at least every H steps.

f is L-smooth and mu-strongly convex; samples have a variance of at most sigma^2, and a second moment of at most G^2
at the iterates. eta_t = 4/(mu (a + t)), and what is measured is xhat_T, the mean over devices and over t < T with
weights w_t = (a + t)^2, whose sum is S_T. Here devices average after exactly H steps.
"""

from sympy import Max

import ratecert as rc

s = rc.statements
K, T, H, a, L, mu, sigma, G, R, S_T = s.letters("K T H a L mu sigma G R S_T")

NOTATION = s.table(
    s.Symbol("K", "K", "number of devices", units="1", least=1),
    s.Symbol("T", "T", "number of iterations", units="1", least=1),
    s.Symbol("H", "H", "local steps between two averages", units="1", least=1),
    s.Symbol("a", "a", "how late the steps begin to fall", units="1"),
    s.Symbol("L", "L", "Lipschitz constant of the gradient", units="f x^-2"),
    s.Symbol("mu", r"\mu", "strong convexity", units="f x^-2"),
    s.Symbol("sigma", r"\sigma", "standard deviation of a sample", units="f x^-1"),
    s.Symbol("G", "G", "root of the largest second moment of a sample", units="f x^-1"),
    s.Symbol("R", r"\|x_0-x^*\|", "distance of the start from the minimiser", units="x"),
    s.Symbol("S_T", "S_T", "sum of the weights", units="1"),
)

CONVEX = s.Assumption(
    id="convex",
    title="Smoothness, strong convexity, noise",
    source="asked by Theorem 2.2",
    sentence="f is L-smooth and mu-strongly convex; samples have a variance of at most sigma^2 and a second moment of "
    "at most G^2 at the iterates.",
    constants={"L": 0.0, "mu": 0.0},
    strict=True,
)
WEIGHTS = s.Definition(
    id="weights",
    title="Sum of the weights (a + t)^2 over t < T",
    source="Theorem 2.2",
    left=S_T,
    right=T * a**2 + a * T * (T - 1) + T * (T - 1) * (2 * T - 1) / 6,
)
LOCAL_SGD = s.Algorithm(
    id="local-sgd",
    title="Local SGD",
    source="run by Theorem 2.2",
    hyperparameters=("H", "a"),
    starts_from=(),
    lines=(),
    updates={},
    requires="x_k <- x_k - eta_t grad f_i(x_k), eta_t = 4/(mu (a + t)); after every H steps all restart from the "
    "mean; xhat_T "
    "is the mean over devices and t < T with weights w_t = (a + t)^2, whose sum is S_T",
)
THEOREM = s.Theorem(
    id="theorem-2-2",
    title="Local SGD with falling steps",
    source="Theorem 2.2",
    algorithm="local-sgd",
    assumptions=("convex",),
    measure=r"\mathbb{E}f(\hat{x}_T)-f^*",
    measure_units="f",
    conditions={"a": s.Condition(a, ">", (16 * L / mu, H), of=Max)},
    terms={
        "start": mu * a**3 / (2 * S_T) * R**2,
        "noise": 4 * T * (T + 2 * a) / (mu * K * S_T) * sigma**2,
        "drift": 256 * T / (mu**2 * S_T) * G**2 * H**2 * L,
    },
)

PRINTED = s.Paper(
    key="stich-local-sgd",
    title="Local SGD Converges Fast and Communicates Little",
    certainty="memory",
    notation=NOTATION,
    statements=s.by_id(CONVEX, WEIGHTS, LOCAL_SGD, THEOREM),
    bindings={},
)

RUNS = {
    "theorem-2-2": s.Binding(
        method=rc.methods.SGD,
        hyperparameters={
            "alpha": lambda v: rc.contract.Power(scale=4 / v["mu"], offset=v["a"], exponent=1.0),
            "p": H,
        },
        measure=lambda v: rc.measures.gap().at_mean(lambda t: (v["a"] + t) ** 2),
        constants={name: name for name in ("L", "mu", "sigma")} | {"G": "largest_gradient", "R": "distance"},
        most_iterations=2**6,
        blind="where the gradient is affine and the devices are alike, drift costs nothing; weights are summed one by "
        "one, so that runs are short and the noise is not yet at its limit",
    )
}
