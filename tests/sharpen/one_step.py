"""One step of SGD in one dimension: three terms, each attained where the others vanish, multiplied by 2, 3 and 10.

E(x_1 - x*)^2 = (1 - alpha h)^2 R^2 + alpha^2 v^2 R^2 + alpha^2 s^2, for samples (h +- v)(x - x*) +- s of the gradient.
"""

import ratecert as rc

s = rc.statements
T, alpha, h, v, sigma, R = s.letters("T alpha h v sigma R")

LINE = s.Family(
    name="line",
    levels=tuple(s.Level(name=name, low=1e-3, high=1e3) for name in ("h", "v", "s", "x_off")),
    world=lambda n: rc.worlds.SingleLevel(H=n["h"], E=[[[n["v"]]]], s=n["s"]),
    held=({"x_off": 0.0}, {"s": 0.0, "v": 0.0}, {"s": 0.0}, {}),
)
SGD = s.Algorithm(
    id="sgd",
    title="SGD",
    source="everywhere",
    hyperparameters=("alpha",),
    starts_from=(("x", 0),),
    lines=(s.Line("x_{t+1} = x_t - alpha g", (("x", 0),), (("x", 1),)),),
    updates={},
)
STEP = s.Theorem(
    id="one-step",
    title="One step",
    source="an identity",
    algorithm="sgd",
    assumptions=(),
    measure=r"\mathbb{E}\|x_1-x^*\|^2",
    measure_units="x^2",
    conditions={"alpha": s.Condition(alpha, "<=", (1 / h,))},
    terms={
        "contraction": 2 * (1 - alpha * h) ** 2 * R**2,
        "curvature": 3 * alpha**2 * v**2 * R**2,
        "noise": 10 * alpha**2 * sigma**2,
    },
)
PRINTED = s.Paper(
    key="one-step",
    title="One step of SGD",
    notation=s.table(
        s.Symbol("T", "T", "iterations, one", units="1", least=1),
        s.Symbol("alpha", r"\alpha", "step", units="x^2 f^-1"),
        s.Symbol("h", "h", "curvature", units="f x^-2"),
        s.Symbol("v", "v", "deviation of the curvature", units="f x^-2"),
        s.Symbol("sigma", r"\sigma", "deviation of the gradient", units="f x^-1"),
        s.Symbol("R", "R", "distance of the start", units="x"),
    ),
    statements=s.by_id(SGD, STEP),
    bindings={},
)
RUNS = {
    "one-step": s.Binding(
        method=rc.methods.SGD,
        hyperparameters={"alpha": alpha},
        measure=rc.measures.distance().last(),
        constants={
            "h": "L",
            "v": lambda setting: float(setting.world.E[0][0, 0]),
            "sigma": lambda setting: float(setting.world.s),
            "R": "distance",
        },
        worlds=(LINE,),
        devices="",
        most_iterations=1,
    )
}
