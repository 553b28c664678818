"""SAGA (Defazio, Bach and Lacoste-Julien 2014): sampled gradients, corrected by a table of points.

F is the mean of f_1, ..., f_n, each mu-strongly convex and L-smooth. A step draws j, moves x along
grad f_j(x) - grad f_j(phi_j) + (1/n) sum_i grad f_i(phi_i), and puts the x before the step in the place of phi_j. The
theorem is about one step from any x and any table, so that runs start from tables of their own.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

import ratecert as rc


def lyapunov(values: Mapping[str, float]) -> rc.measures.Measure:
    """V = (1/n) sum_i 1/2 (phi_i - x*)'H_i (phi_i - x*) + ||x - x*||^2 / (2 n gamma (1 - mu gamma)), at the end."""
    count, step = round(values["n"]), values["gamma"]

    def entry(i: int) -> rc.measures.Measure:
        return rc.measures.form(
            lambda problem, state: getattr(state, f"phi_{i}") - problem.x_star[:, None],
            weight=lambda problem: problem.H[i] / (2 * count),
            reads=f"phi_{i}",
        )

    found = 1 / (2 * count * step * (1 - values["mu"] * step)) * rc.measures.distance()
    for i in range(count):
        found = found + entry(i)
    return found.last()


def strong_convexity(setting: rc.statements.Setting) -> float:
    """Of all terms: the smallest eigenvalue of their Hessians."""
    return float(np.linalg.eigvalsh(setting.world.H).min())


PAPER = rc.about(
    "SAGA: A Fast Incremental Gradient Method With Support for Non-Strongly Convex Composite Objectives",
    certainty="text",
)
T = rc.letter("T", latex="t")
n, gamma = rc.letters("n gamma")
L = rc.letter("L", means="Lipschitz constant of every term's gradient")
mu = rc.letter("mu", means="strong convexity of every f_i", units="f x^-2", of=strong_convexity, latex=r"\mu")
BEFORE = rc.statements.Measured(lyapunov, before=1)
V = rc.letter("V", means="Lyapunov function before the step", units="f", of=BEFORE, latex=r"\mathbb{E}V_t")

SMOOTH = rc.statements.Assumption(
    id="smooth",
    title="Smooth, strongly convex terms",
    source="Defazio and others (2014)",
    sentence="Every f_i is mu-strongly convex and L-smooth.",
    constants={"L": 0.0, "mu": 0.0},
    strict=True,
)


def _line(numbers: Any) -> rc.worlds.FiniteSum:
    """Two terms on a line, of which one is curved less; their minimisers cancel, and are 0."""
    return rc.worlds.FiniteSum(H=[numbers["L"], numbers["L"] / numbers["spread"]], a=[0.0, 0.0])


def _tables(_world: Any, numbers: Any) -> dict[str, Any]:
    """Any x and any two points of the table; the second is on the other side."""
    return {"x": [numbers["x_off"]], "phi_0": [numbers["first"]], "phi_1": [-numbers["second"]]}


LEVELS = (
    rc.statements.Level(name="L", low=1e-3, high=1e3),
    rc.statements.Level(name="spread", low=1.0, high=1e3),
    rc.statements.Level(name="x_off", low=1e-3, high=1e3),
)
LINE = rc.statements.Family(name="line", levels=LEVELS, world=_line, held=({"spread": 1.0}, {}))
TABLES = rc.statements.Family(
    name="tables",
    levels=(*LEVELS, *(rc.statements.Level(name=name, low=1e-3, high=1e3) for name in ("first", "second"))),
    world=_line,
    start=_tables,
    held=(
        {"spread": 1.0},
        {"first": 0.0, "second": 0.0},
        {"x_off": 0.0},
        {"second": 0.0},
        {"first": 0.0},
        {},
    ),
)

theorem_1 = rc.theorem(
    rc.methods.SAGA,
    hyperparameters={"alpha": gamma},
    steps="x moves by -gamma (grad f_j(x) - grad f_j(phi_j) + the mean of grad f_i(phi_i)), j drawn; then phi_j "
    "is the x before",
    measure=lyapunov,
    measure_latex=r"\mathbb{E}V_{t+1}",
    measure_units="f",
    bound={"before": (1 - gamma * mu) * V},
    where=[rc.equal(gamma, 1 / (2 * (mu * n + L)))],
    assuming=[SMOOTH],
    worlds=(TABLES,),
    title="SAGA, one step",
    source="Defazio and others (2014)",
    most_iterations=4,
)
