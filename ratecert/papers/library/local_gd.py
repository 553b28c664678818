"""Local gradient descent on devices that differ (Khaled, Mishchenko and Richtarik 2019, "First analysis of local GD").

M devices take gradient steps on their own f_m, convex and L-smooth, and average after at most H of them; here after
every H. f is the mean of the f_m, sigma^2 = (1/M) sum_m ||grad f_m(x*)||^2, xhat_t the mean over devices, V_t their
mean squared distance from it, and D_f(xhat_t, x*) = f(xhat_t) - f*.

Orders are in K and T, so that K is the name of M here. Lemma 1 is about one step, with what is before it measured;
Lemma 2 sums over one round, here the first, and both of its sides are divided by H. Corollary 1 has constants, so it
is a theorem here, and its order a corollary. Section 2.3 minimises the rounds T/H that lead to eps. With half of eps
for each term they do not depend on gamma, which is asked to be at most 1/(4L), although the theorem asks for 1/(4LH);
the smallest H is said to be min{1, sqrt(eps L/(3 sigma^2))}, which is never more than one step.
"""

from typing import Any

import numpy as np
from sympy import Ge, Min, Rational, sqrt

import ratecert as rc

s = rc.statements
K, T, H, gamma, L, sigma, R, r, V, D, eps, H_min = s.letters("K T H gamma L sigma R r V D eps H_min")

NOTATION = s.table(
    s.Symbol("K", "M", "number of devices", units="1", least=1),
    s.Symbol("T", "T", "number of iterations", units="1", least=1),
    s.Symbol("H", "H", "local steps between two averages", units="1", least=1),
    s.Symbol("gamma", r"\gamma", "step size", units="x^2 f^-1"),
    s.Symbol("L", "L", "Lipschitz constant of every gradient", units="f x^-2"),
    s.Symbol("sigma", r"\sigma", "root of the mean square of the devices' gradients at x*", units="f x^-1"),
    s.Symbol("R", r"\|x_0-x^*\|", "distance of the start from the minimiser", units="x"),
    s.Symbol("r", r"\|r_t\|", "distance of the mean over devices from the minimiser", units="x"),
    s.Symbol("V", "V_t", "mean squared distance of devices from their mean", units="x^2"),
    s.Symbol("D", r"D_f(\hat{x}_t,x^*)", "f(xhat_t) - f*", units="f"),
    s.Symbol("eps", r"\varepsilon", "accuracy to be reached", units="f"),
    s.Symbol("H_min", r"H_{\min}", "the smallest H with the fewest rounds", units="1"),
)

CONVEX = s.Assumption(
    id="convex",
    title="Convexity and smoothness",
    source="asked by Theorem 1",
    sentence="Every f_m is convex and L-smooth, and f has a minimiser x*.",
    constants={"L": 0.0, "sigma": 0.0},
)
LOCAL_GD = s.Algorithm(
    id="local-gd",
    title="Local gradient descent",
    source="run by Theorem 1",
    hyperparameters=("gamma", "H"),
    starts_from=(),
    lines=(),
    updates={},
)


def statement(id: str, title: str, measure: str, units: str, conditions: Any, terms: Any) -> s.Theorem:
    return s.Theorem(
        id=id,
        title=title,
        source=id.replace("-", " ").capitalize(),
        algorithm="local-gd",
        assumptions=("convex",),
        measure=measure,
        measure_units=units,
        conditions=conditions,
        terms=terms,
    )


GAP = r"f(\bar{x}_T)-f^*"
SHORT = {"gamma": s.Condition(gamma, "<=", (1 / (4 * L * H),))}
THEOREM = statement(
    "theorem-1",
    "Local gradient descent",
    GAP,
    "f",
    SHORT,
    {"start": 2 * R**2 / (gamma * T), "drift": 24 * gamma**2 * sigma**2 * H**2 * L},
)
ONE_STEP = statement(
    "lemma-1",
    "One step of local gradient descent",
    r"\|r_{t+1}\|^2",
    "x^2",
    {},
    {
        "distance": r**2,
        "drift": gamma * L * (1 + 2 * gamma * L) * V,
        "descent": -2 * gamma * (1 - 2 * gamma * L) * D,
    },
)
ONE_ROUND = statement(
    "lemma-2",
    "Drift in one round of local gradient descent",
    r"\frac{1}{H}\sum_{t}V_t",
    "x^2",
    SHORT,
    {"gap": 5 * L * gamma**2 * H**2 * D, "heterogeneity": 8 * gamma**2 * H**2 * sigma**2},
)
IN_NUMBERS = statement(
    "corollary-1",
    "Local gradient descent after T iterations",
    GAP,
    "f",
    {
        "gamma": s.Condition(gamma, "=", (sqrt(K) / (4 * L * sqrt(T)),)),
        "H": s.Condition(H, "<=", (sqrt(T / K),)),
    },
    {"start": 8 * L * R**2 / sqrt(K * T), "drift": 3 * K * sigma**2 * H**2 / (2 * L * T)},
)
IN_ORDERS = s.Corollary(
    id="corollary-1-orders",
    title="Communication period of local gradient descent",
    source="with Corollary 1",
    theorem="theorem-1",
    scalings={
        "gamma": s.Scaling(sqrt(K) / sqrt(T), "Theta"),
        "H": s.Scaling(T ** Rational(1, 4) / K ** Rational(3, 4)),
    },
    claim=s.Scaling(1 / sqrt(K * T)),
    window=(Ge(T, K**3),),
)
BEST = sqrt(eps * L / (3 * sigma**2))
REMARK = s.Definition(
    id="section-2-3",
    title="The smallest H with the fewest rounds",
    source="Section 2.3",
    left=H_min,
    right=Min(1, BEST, evaluate=False),
)

PRINTED = s.Paper(
    key="local-gd",
    title="First Analysis of Local GD on Heterogeneous Data",
    certainty="text",
    notation=NOTATION,
    statements=s.by_id(CONVEX, LOCAL_GD, THEOREM, ONE_STEP, ONE_ROUND, IN_NUMBERS, IN_ORDERS, REMARK),
    bindings={},
)


def two_devices(numbers: Any) -> rc.worlds.Federated:
    """Minimisers on either side; the second device is curved less."""
    line, a = rc.worlds.SingleLevel, np.full(2, numbers["apart"])
    own = np.diag([numbers["L"], numbers["L"] / numbers["spread"]])
    return rc.worlds.Federated(devices=[line(H=own, a=a), line(H=own / numbers["uneven"], a=-a)])


AT_REST = {"x_off": 0.0}
DEVICES = s.Family(
    name="two_devices",
    levels=(
        *(s.Level(name=name, low=1.0, high=1e3) for name in ("spread", "uneven")),
        *(s.Level(name=name, low=1e-3, high=1e3) for name in ("L", "apart", "x_off")),
    ),
    world=two_devices,
    held=({**AT_REST, "spread": 1.0}, AT_REST, {"apart": 0.0, "spread": 1.0}, {}),
    usual={"L": 2.0, "spread": 4.0, "x_off": 1.0, "uneven": 2.0, "apart": 0.5},
    devices=2,
)


def run(
    measure: rc.measures.Measure, *, most: int, iterations: str = "T", devices: str = "", **more: Any
) -> Any:
    start = {} if "measured" in more else {"R": "distance"}
    return s.Executable(
        method=rc.methods.LocalGD,
        hyperparameters={"alpha": gamma, "p": H},
        measure=measure,
        constants={"L": "L", "sigma": "heterogeneity", **start},
        worlds=(DEVICES,),
        devices=devices,
        iterations=iterations,
        most_iterations=most,
        **more,
    )


def before(measure: rc.measures.Measure, power: float = 1.0) -> s.Measured:
    return s.Measured(measure.last(), power=power, before=1)


OF_THE_MEAN = "the mean of a quadratic's iterates does better than that of functions that flatten"
RUNS = {
    "theorem-1": run(rc.measures.gap().at_mean(), most=2**20, blind=OF_THE_MEAN),
    "lemma-1": run(
        rc.measures.distance().last(),
        most=2**5,
        measured={
            "r": before(rc.measures.distance(), 0.5),
            "V": before(rc.measures.drift("x")),
            "D": before(rc.measures.gap()),
        },
    ),
    "lemma-2": run(
        rc.measures.drift("x"), most=2**10, iterations="H", measured={"D": s.Measured(rc.measures.gap())}
    ),
    "corollary-1": run(rc.measures.gap().at_mean(), most=2**20, blind=OF_THE_MEAN, devices="K"),
}
