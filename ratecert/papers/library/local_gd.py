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
from sympy import Rational, solve, sqrt

import ratecert as rc
from ratecert.claims import Budget, Check, Claim, Json, Rows, Task
from ratecert.claims.check import equal


def before(measure: rc.measures.Measure, power: float = 1.0) -> rc.statements.Measured:
    return rc.statements.Measured(measure.last(), power=power, before=1)


PAPER = rc.about("First Analysis of Local GD on Heterogeneous Data", certainty="text")
PERIOD: dict[str, Any] = {"means": "local steps between two averages", "units": "1", "least": 1}
GAP: dict[str, Any] = {"means": "f(xhat_t) - f*", "units": "f", "latex": r"D_f(\hat{x}_t,x^*)"}
K, T = rc.letter("K", latex="M"), rc.letter("T")
H, H_1 = rc.letter("H", **PERIOD), rc.letter("H", **PERIOD, of="iterations")  # the second in one round
gamma = rc.letter("gamma")
L = rc.letter("L", means="Lipschitz constant of every gradient", units="f x^-2", of="L")
ROOT = "root of the mean square of the devices' gradients at x*"
sigma = rc.letter("sigma", means=ROOT, units="f x^-1", of="heterogeneity")
R = rc.letter("R")
r = rc.letter(
    "r",
    means="distance of the mean over devices from the minimiser",
    units="x",
    of=before(rc.measures.distance(), 0.5),
    latex=r"\|r_t\|",
)
V = rc.letter(
    "V",
    means="mean squared distance of devices from their mean",
    units="x^2",
    of=before(rc.measures.drift("x")),
    latex="V_t",
)
D = rc.letter("D", **GAP, of=before(rc.measures.gap()))
D_1 = rc.letter("D", **GAP, of=rc.statements.Measured(rc.measures.gap()))  # the mean over one round
eps = rc.letter("eps", units="f", latex=r"\varepsilon")
BEST = sqrt(eps * L / (3 * sigma**2))
H_min = rc.define(
    "H_min",
    rc.Min(1, BEST),
    means="the smallest H with the fewest rounds",
    units="1",
    latex=r"H_{\min}",
    id="section-2-3",
    source="Section 2.3",
)
LARGER = rc.statements.Erratum(
    place="section-2-3.right",
    printed=rc.Min(1, BEST),
    read=rc.Max(1, BEST),
    reason="the smaller of the two numbers is never more than one step, with which there are more rounds",
    evidence="with half of eps for each term of Theorem 1 the rounds are 4 ||x_0 - x*||^2/(gamma H eps), "
    "fewest where gamma H is at its most, sqrt(eps/(48 L sigma^2)); gamma = 1/(4L) reaches that first, at "
    "H = sqrt(eps L/(3 sigma^2)), and at least one step is made; with the theorem's own gamma <= 1/(4LH), "
    "which Section 2.3 does not ask for, one step would always be enough",
)

CONVEX = rc.statements.Assumption(
    id="convex",
    title="Convexity and smoothness",
    source="asked by Theorem 1",
    sentence="Every f_m is convex and L-smooth, and f has a minimiser x*.",
    constants={"L": 0.0, "sigma": 0.0},
)


def one_and_others(numbers: Any) -> rc.worlds.Federated:
    """Minimisers on either side; all devices but the first are curved less."""
    line, a = rc.worlds.SingleLevel, np.full(2, numbers["apart"])
    own = np.diag([numbers["L"], numbers["L"] / numbers["spread"]])
    others = [line(H=own / numbers["uneven"], a=-a)] * (int(numbers["devices"]) - 1)
    return rc.worlds.Federated(devices=[line(H=own, a=a), *others])


AT_REST, ONE_MINIMISER = {"x_off": 0.0}, {"apart": 0.0, "spread": 1.0, "L": 1.0, "x_off": 1.0}
DEVICES = rc.statements.Family(
    name="one_and_others",
    levels=(
        rc.statements.Level(name="devices", low=2.0, high=6.0, whole=True),
        *(rc.statements.Level(name=name, low=1.0, high=1e3) for name in ("spread", "uneven")),
        *(rc.statements.Level(name=name, low=1e-3, high=1e3) for name in ("L", "apart", "x_off")),
    ),
    world=one_and_others,
    held=({**AT_REST, "spread": 1.0}, AT_REST, ONE_MINIMISER, {}),
    usual={"L": 2.0, "spread": 4.0, "x_off": 1.0, "uneven": 2.0, "apart": 0.5, "devices": 2},
    devices="devices",
)


def gd(x, grad, *, gamma):
    return x - gamma * grad.full(x)


def statement(
    title: str, measure: rc.measures.Measure, latex: str, source: str, most: int, **said: Any
) -> Any:
    return rc.theorem(
        rc.local(gd, every=H),
        steps="x_m <- x_m - gamma grad f_m(x_m); after every H steps all restart from the mean",
        measure=measure,
        measure_latex=latex,
        assuming=[CONVEX],
        worlds=(DEVICES,),
        title=title,
        source=source,
        most_iterations=most,
        **said,
    )


OF_THE_MEAN: Any = {
    "measure": rc.measures.gap().at_mean(),
    "latex": r"f(\bar{x}_T)-f^*",
    "most": 2**20,
    "blind": "the mean of a quadratic's iterates does better than that of functions that flatten",
}
theorem_1 = statement(
    "Local gradient descent",
    source="Theorem 1",
    **OF_THE_MEAN,
    bound={"start": 2 * R**2 / (gamma * T), "drift": 24 * gamma**2 * sigma**2 * H**2 * L},
    where=[gamma <= 1 / (4 * L * H)],
)
lemma_1 = statement(
    "One step of local gradient descent",
    rc.measures.distance().last(),
    r"\|r_{t+1}\|^2",
    "Lemma 1",
    2**5,
    bound={
        "distance": r**2,
        "drift": gamma * L * (1 + 2 * gamma * L) * V,
        "descent": -2 * gamma * (1 - 2 * gamma * L) * D,
    },
)
lemma_2 = statement(
    "Drift in one round of local gradient descent",
    rc.measures.drift("x"),
    r"\frac{1}{H}\sum_{t}V_t",
    "Lemma 2",
    2**10,
    bound={"gap": 5 * L * gamma**2 * H_1**2 * D_1, "heterogeneity": 8 * gamma**2 * H_1**2 * sigma**2},
    where=[gamma <= 1 / (4 * L * H_1)],
)
corollary_1 = statement(
    "Local gradient descent after T iterations",
    source="Corollary 1",
    **OF_THE_MEAN,
    bound={"start": 8 * L * R**2 / sqrt(K * T), "drift": 3 * K * sigma**2 * H**2 / (2 * L * T)},
    where=[rc.equal(gamma, sqrt(K) / (4 * L * sqrt(T))), sqrt(T / K) >= H],
)
corollary_1_orders = rc.corollary(
    theorem_1,
    along={gamma: sqrt(K / T), H: ("O", T ** Rational(1, 4) / K ** Rational(3, 4))},
    rate=1 / sqrt(K * T),
    window=[T >= K**3],
    title="Communication period of local gradient descent",
    source="with Corollary 1",
)


# Section 2.3, by the terms of Theorem 1, each half of eps; L = eps = R = 1, so that sigma^2 decides.

SQUARES = ("1/100", "1/4", "1", "4", "100")  # of sqrt(eps L/(3 sigma^2))
KNOWN: dict[str, Any] = {"L": 1, "eps": 1, "R": 1}
LARGEST, HALF = Rational(1, 4), Rational(1, 2)  # gamma in Section 2.3, and eps/2


def at(expression: Any, **values: Any) -> Any:
    """An expression with these letters as numbers, and with L = eps = R = 1."""
    return expression.subs({rc.statements.letter(name): value for name, value in {**KNOWN, **values}.items()})


def rounds_of(sigma: Any, steps: Any) -> Any:
    """The fewest rounds with these local steps: the largest gamma for which the drift is at most eps/2."""
    gamma, T = rc.statements.letters("gamma T")
    start, drift = (at(theorem_1.theorem.terms[name], sigma=sigma, H=steps) for name in ("start", "drift"))
    (most,) = solve(drift - HALF, gamma)
    (iterations,) = solve(start.subs(gamma, min(most, LARGEST)) - HALF, T)
    return iterations / steps


def smallest_steps(variant: str, squares: tuple[str, ...]) -> list[Json]:
    """The stated H, made at least one step, and its rounds over those of so many steps that more do not help."""
    stated = rc.paper(variant, "local-gd").constants["H_min"]
    rows = []
    for square in squares:
        sigma = 1 / sqrt(3 * Rational(square))
        steps = max(Rational(1), at(stated, sigma=sigma).doit())
        fewest = rounds_of(sigma, 1000 * steps)
        less = rounds_of(sigma, steps * Rational(99, 100)) if steps > 1 else None
        rows.append(
            {
                "square": square,
                "H": float(steps),
                "too many": float(rounds_of(sigma, steps) / fewest - 1),
                "with less": None if less is None else float(less / fewest - 1),
            }
        )
    return rows


def checks(rows: Rows) -> Iterator[Check]:
    """Rounds cannot be fewer with any H, and are more with less, where less is possible."""
    for row in rows:
        where = f"eps L/(3 sigma^2) = {row['square']}"
        yield equal(f"rounds at the stated H over the fewest, less 1; {where}", row["too many"], 0.0, 0.0)
        if row["with less"] is not None:
            yield equal(f"so few with 1 % less; {where}", float(row["with less"] <= 0), 0.0, 0.0)


def smallest(variant: str, because: str = "") -> Claim:
    def tasks(_: Budget) -> list[Task]:
        return [Task(smallest_steps, {"variant": variant, "squares": SQUARES})]

    return Claim(
        id=f"section-2-3.{variant}",
        of=("section-2-3",),
        sentence="The stated H is the smallest with the fewest rounds to eps by Theorem 1, where gamma <= 1/(4L).",
        tasks=tasks,
        checks=checks,
        regime="L = eps = ||x_0 - x*|| = 1, half of eps for each term, at least one step between two averages",
        method="the terms of the theorem, in fractions",
        evidence=("derivation", "bound in numbers"),
        settings={"eps L/(3 sigma^2)": list(SQUARES)},
        table=("square", "H", "too many", "with less"),
        notes=[f"Why: {because}."] if because else [],
        because=because,
    )


CLAIMS = (smallest("printed", LARGER.reason), smallest("repaired"))
