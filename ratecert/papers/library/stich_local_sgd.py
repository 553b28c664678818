"""Local SGD with falling steps (Stich, ICLR 2019): K devices with the same data average at least every H steps.

f is L-smooth and mu-strongly convex; samples have a variance of at most sigma^2, and a second moment of at most G^2
at the iterates. eta_t = 4/(mu (a + t)), and what is measured is xhat_T, the mean over devices and over t < T with
weights w_t = (a + t)^2, whose sum is S_T. Here devices average after exactly H steps.
"""

import ratecert as rc

PAPER = rc.about("Local SGD Converges Fast and Communicates Little", certainty="memory")
K, T = rc.letters("K T")
H = rc.letter("H", means="local steps between two averages")
a = rc.letter("a", means="how late the steps begin to fall", units="1")
L, mu, sigma, G, R = rc.letters("L mu sigma G R")
S_T = rc.define(
    "S_T",
    T * a**2 + a * T * (T - 1) + T * (T - 1) * (2 * T - 1) / 6,
    means="sum of the weights",
    units="1",
    latex="S_T",
    id="weights",
    title="Sum of the weights (a + t)^2 over t < T",
    source="Theorem 2.2",
)

CONVEX = rc.statements.Assumption(
    id="convex",
    title="Smoothness, strong convexity, noise",
    source="asked by Theorem 2.2",
    sentence="f is L-smooth and mu-strongly convex; samples have a variance of at most sigma^2 and a second moment of "
    "at most G^2 at the iterates.",
    constants={"L": 0.0, "mu": 0.0},
    strict=True,
)


def sgd(x, grad, *, eta):
    return x - eta * grad(x)


theorem_2_2 = rc.theorem(
    rc.local(sgd, every=H),
    hyperparameters={"eta": lambda v: rc.contract.Power(scale=4 / v["mu"], offset=v["a"], exponent=1.0)},
    steps="x_k <- x_k - eta_t grad f_i(x_k), eta_t = 4/(mu (a + t)); after every H steps all restart from the "
    "mean; xhat_T "
    "is the mean over devices and t < T with weights w_t = (a + t)^2, whose sum is S_T",
    measure=lambda v: rc.measures.gap().at_mean(lambda t: (v["a"] + t) ** 2),
    measure_latex=r"\mathbb{E}f(\hat{x}_T)-f^*",
    measure_units="f",
    bound={
        "start": mu * a**3 / (2 * S_T) * R**2,
        "noise": 4 * T * (T + 2 * a) / (mu * K * S_T) * sigma**2,
        "drift": 256 * T / (mu**2 * S_T) * G**2 * H**2 * L,
    },
    where=[a > rc.Max(16 * L / mu, H)],
    assuming=[CONVEX],
    title="Local SGD with falling steps",
    source="Theorem 2.2",
    most_iterations=2**6,
    blind="where the gradient is affine and the devices are alike, drift costs nothing; weights are summed one by "
    "one, so that runs are short and the noise is not yet at its limit",
)
