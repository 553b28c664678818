"""Local gradient descent on devices that differ (Khaled, Mishchenko and Richtarik 2019, "First analysis of local GD").

M devices take gradient steps on their own f_m, convex and L-smooth, and average after at most H of them; here after
every H. f is the mean of the f_m, sigma^2 = (1/M) sum_m ||grad f_m(x*)||^2, xhat_t the mean over devices, V_t their
mean squared distance from it, and D_f(xhat_t, x*) = f(xhat_t) - f*.

Orders are in K and T, so that K is the name of M here. Lemma 1 is about one step, with what is before it measured;
Lemma 2 sums over one round, here the first, and both of its sides are divided by H. Corollary 1 has constants, so it
is a theorem here, and its order a corollary. Runs are on two
to six devices. Section 2.3 minimises the rounds T/H that lead to eps, with half of eps
for each term. They depend on gamma H alone; gamma is asked to be at most 1/(4L), although the theorem asks for
1/(4LH), with which one step is always enough. The smallest H is said to be min{1, sqrt(eps L/(3 sigma^2))}, which is
never more than one step either; the H at which the rounds become fewest is the larger of the two numbers.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sympy import Ge, Max, Min, Rational, solve, sqrt

import ratecert as rc
from ratecert.claims import Budget, Check, Claim, Json, Rows, Task
from ratecert.claims.check import equal

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
    requires="x_m <- x_m - gamma grad f_m(x_m); after every H steps all restart from the mean",
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
REPAIRED = PRINTED.repaired(
    (
        s.Erratum(
            place="section-2-3.right",
            printed=Min(1, BEST, evaluate=False),
            read=Max(1, BEST, evaluate=False),
            reason="the smaller of the two numbers is never more than one step, with which there are more rounds",
            evidence="with half of eps for each term of Theorem 1 the rounds are 4 ||x_0 - x*||^2/(gamma H eps), "
            "fewest where gamma H is at its most, sqrt(eps/(48 L sigma^2)); gamma = 1/(4L) reaches that first, at "
            "H = sqrt(eps L/(3 sigma^2)), and at least one step is made; with the theorem's own gamma <= 1/(4LH), "
            "which Section 2.3 does not ask for, one step would always be enough",
        ),
    )
)


def one_and_others(numbers: Any) -> rc.worlds.Federated:
    """Minimisers on either side; all devices but the first are curved less."""
    line, a = rc.worlds.SingleLevel, np.full(2, numbers["apart"])
    own = np.diag([numbers["L"], numbers["L"] / numbers["spread"]])
    others = [line(H=own / numbers["uneven"], a=-a)] * (int(numbers["devices"]) - 1)
    return rc.worlds.Federated(devices=[line(H=own, a=a), *others])


AT_REST = {"x_off": 0.0}
DEVICES = s.Family(
    name="one_and_others",
    levels=(
        s.Level(name="devices", low=2.0, high=6.0, whole=True),
        *(s.Level(name=name, low=1.0, high=1e3) for name in ("spread", "uneven")),
        *(s.Level(name=name, low=1e-3, high=1e3) for name in ("L", "apart", "x_off")),
    ),
    world=one_and_others,
    held=({**AT_REST, "spread": 1.0}, AT_REST, {"apart": 0.0, "spread": 1.0}, {}),
    usual={"L": 2.0, "spread": 4.0, "x_off": 1.0, "uneven": 2.0, "apart": 0.5, "devices": 2},
    devices="devices",
)


def run(
    measure: rc.measures.Measure, *, most: int, iterations: str = "T", devices: str = "", **more: Any
) -> Any:
    start = {} if "measured" in more else {"R": "distance"}
    return s.Binding(
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


# Section 2.3, by the terms of Theorem 1, each half of eps; L = eps = R = 1, so that sigma^2 decides.

LARGEST = 1 / (4 * L)  # gamma in Section 2.3
SQUARES = ("1/100", "1/4", "1", "4", "100")  # of sqrt(eps L/(3 sigma^2))


def rounds_of(values: dict[Any, Any], steps: Any) -> Any:
    """The fewest rounds with these local steps: the largest gamma for which the drift is at most eps/2."""
    start, drift = (THEOREM.terms[name].subs(values) for name in ("start", "drift"))
    (most,) = solve(drift.subs(H, steps) - eps.subs(values) / 2, gamma)
    (iterations,) = solve(start.subs(gamma, min(most, LARGEST.subs(values))) - eps.subs(values) / 2, T)
    return iterations / steps


def smallest_steps(variant: str, squares: tuple[str, ...]) -> list[Json]:
    """The stated H, made at least one step, and its rounds over those of so many steps that more do not help."""
    stated = (PRINTED if variant == "printed" else REPAIRED).constants["H_min"]
    rows = []
    for square in squares:
        values = {L: 1, eps: 1, R: 1, sigma: 1 / sqrt(3 * Rational(square))}
        steps = max(Rational(1), stated.subs(values).doit())
        fewest = rounds_of(values, 1000 * steps)
        less = rounds_of(values, steps * Rational(99, 100)) if steps > 1 else None
        rows.append(
            {
                "square": square,
                "H": float(steps),
                "too many": float(rounds_of(values, steps) / fewest - 1),
                "with less": None if less is None else float(less / fewest - 1),
            }
        )
    return rows


def tasks_of(variant: str) -> Any:
    def tasks(_: Budget) -> list[Task]:
        return [Task(smallest_steps, {"variant": variant, "squares": SQUARES})]

    return tasks


def checks(rows: Rows) -> Iterator[Check]:
    """Rounds cannot be fewer with any H, and are more with less, where less is possible."""
    for row in rows:
        at = f"eps L/(3 sigma^2) = {row['square']}"
        yield equal(f"rounds at the stated H over the fewest, less 1; {at}", row["too many"], 0.0, 0.0)
        if row["with less"] is not None:
            yield equal(f"so few with 1 % less; {at}", float(row["with less"] <= 0), 0.0, 0.0)


def smallest(variant: str, because: str = "") -> Claim:
    return Claim(
        id=f"section-2-3.{variant}",
        of=("section-2-3",),
        sentence="The stated H is the smallest with the fewest rounds to eps by Theorem 1, where gamma <= 1/(4L).",
        tasks=tasks_of(variant),
        checks=checks,
        regime="L = eps = ||x_0 - x*|| = 1, half of eps for each term, at least one step between two averages",
        method="the terms of the theorem, in fractions",
        evidence=("derivation", "bound in numbers"),
        settings={"eps L/(3 sigma^2)": list(SQUARES)},
        table=("square", "H", "too many", "with less"),
        notes=[f"Why: {because}."] if because else [],
        because=because,
    )


CLAIMS = (smallest("printed", REPAIRED.errata[0].reason), smallest("repaired"))
