"""How far devices drift apart between averages, in the form in which Theorem 1 charges for it.

Its terms with p^4 are 48 alpha^2 eta^4 p^4 (rho_1^2 + rho_2^2) G^2 times squared Lipschitz constants: what x and y may
drift, carried into the gradient. Taken alone, for x on devices that are alike, with s the deviation of a sample of the
hypergradient, that is the second term of

    1/T sum_{t<T} 1/K sum_k E||x_k - xbar||^2  <=  48 eta^2 p^3 rho_1^2 s^2/T + 48 alpha^2 eta^4 p^4 rho_1^2 s^2

for alpha eta p <= 1; the first one is for the first round, in which a momentum is a whole sample.

    ratecert sharpen docs/device_drift.py:drift-of-x

finds p^3: a momentum that has collected j samples of noise moves x by alpha eta s sqrt(j) times rho_1 eta, and j such
moves in a row come to j^3, not to j^4.
"""

import ratecert as rc

s = rc.statements
K, T, p, eta, alpha, rho_1, L, sigma = s.letters("K T p eta alpha rho_1 L sigma")

NOTATION = s.table(
    s.Symbol("K", "K", "number of devices", units="1", least=1),
    s.Symbol("T", "T", "number of iterations", units="1", least=1),
    s.Symbol("p", "p", "communication period", units="1", least=1),
    s.Symbol("eta", r"\eta", "step size", units="1"),
    s.Symbol("alpha", r"\alpha", "momentum parameter", units="1"),
    s.Symbol("rho_1", r"\rho_1", "step of x in units of eta", units="x^2 f^-1"),
    s.Symbol("L", "L", "curvature of the upper level", units="f x^-2"),
    s.Symbol("sigma", "s", "standard deviation of a sample of the hypergradient", units="f x^-1"),
)
LOCAL = s.Algorithm(
    id="algorithm-1",
    title="LocalBSGM",
    source="the first paper, Algorithm 1",
    hyperparameters=("eta", "alpha", "rho_1", "p"),
    starts_from=(("x", 0),),
    lines=(),
    updates={},
)
DRIFT = s.Theorem(
    id="drift-of-x",
    title="Drift of devices",
    source="Theorem 1's terms with p^4, their Lipschitz constants taken off",
    algorithm="algorithm-1",
    assumptions=(),
    measure=r"\frac{1}{T}\sum_{t<T}\frac{1}{K}\sum_k\mathbb{E}\|x_{k,t}-\bar x_t\|^2",
    measure_units="x^2",
    conditions={
        "eta": s.Condition(eta, "<=", (1 / (alpha * p),)),
        "rho_1": s.Condition(rho_1, "<=", (1 / (L * eta * p),)),
    },
    terms={
        "first_round": 48 * eta**2 * p**3 * rho_1**2 * sigma**2 / T,
        "drift": 48 * alpha**2 * eta**4 * p**4 * rho_1**2 * sigma**2,
    },
)


def plain(numbers):
    """A lower level at rest that nothing depends on, and an upper one whose samples are noisy."""
    return rc.worlds.Quadratic(A=1.0, B=0.0, P=numbers["P"], D=0.0, s_f=numbers["s"])


WORLDS = s.Family(
    name="plain",
    levels=tuple(s.Level(name=name, low=1e-3, high=1e3) for name in ("P", "s", "x_off")),
    world=plain,
    start=lambda _, numbers: {"x": numbers["x_off"], "y": 0.0},
    held=({"x_off": 0.0}, {}),
)
PRINTED = s.Paper(
    key="device-drift",
    title="Drift of devices in LocalBSGM",
    notation=NOTATION,
    statements=s.by_id(LOCAL, DRIFT),
    bindings={},
)
RUNS = {
    "drift-of-x": s.Binding(
        method=lambda **fields: rc.methods.LocalBSGM(beta=1.0, rho_2=1.0, theta=0.5, Q=0, **fields),
        hyperparameters={"eta": eta, "alpha": alpha, "rho_1": rho_1, "p": p},
        measure=rc.measures.drift("x"),
        constants={
            "L": lambda setting: float(setting.world.P[0, 0]),
            "sigma": lambda setting: float(setting.world.s_f),
        },
        worlds=(WORLDS,),
        blind="devices that differ, where drift does not need noise.",
    )
}
