"""SGD and SAGA as PEPit 0.5.1 documents them: what is left after one step.

The sources are sgd, sgd_overparametrized and saga of stochastic_and_randomized_convex_minimization. SAGA's regulariser
h is zero here.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from sympy import Max, sqrt

import ratecert as rc
from ratecert.binding.families import QUADRATICS, START
from ratecert.papers.pep.page import SMOOTH, letters, paper, run, theorem

s = rc.statements
gamma, L, mu, R, v, N, V = s.letters("gamma L mu R v N V")
FOLDER = "stochastic_and_randomized_convex_minimization"

NOTATION = letters(
    "n gamma L mu R",
    s.Symbol("v", "v", "root of the mean squared gradient at x*", units="f x^-1"),
    s.Symbol("N", "n", "number of functions", units="1", least=1, text="n"),
    s.Symbol("V", "V^{(t)}", "the Lyapunov function before the step", units="f"),
)
SGD = theorem(
    *("sgd", "SGD, one step", f"{FOLDER}/sgd", r"\mathbb{E}\|x_1-x_\star\|^2", "x^2"),
    (gamma * (L - mu) / 2 * R + sqrt((1 - gamma * (L + mu) / 2) ** 2 * R**2 + gamma**2 * v**2)) ** 2,
)
OVER = theorem(
    *("sgd-overparametrized", "SGD, one step, without noise at x*", f"{FOLDER}/sgd_overparametrized"),
    *(r"\mathbb{E}\|x_1-x_\star\|^2", "x^2", Max(1 - gamma * mu, L * gamma - 1) ** 2 * R**2),
)
SAGA = theorem(
    *("saga", "SAGA, one step", f"{FOLDER}/saga", r"\mathbb{E}V^{(t+1)}", "f", (1 - gamma * mu) * V),
    conditions={"gamma": s.Condition(gamma, "=", (1 / (2 * (mu * N + L)),))},
)
PRINTED = paper(
    "pep-stochastic",
    "stochastic methods",
    NOTATION,
    SMOOTH,
    SGD,
    OVER,
    SAGA,
    steps={
        **dict.fromkeys(("sgd", "sgd-overparametrized"), "x_1 = x_0 - gamma grad f_i(x_0), i drawn"),
        "saga": "x moves by -gamma (grad f_j(x) - grad f_j(phi_j) + the mean of grad f_i(phi_i)), j drawn; then "
        "phi_j is the x before",
    },
)


def reflected(numbers: Mapping[str, float]) -> rc.worlds.FiniteSum:
    """Two terms with the eigenvalues L and mu, mirror images of one another, and gradients +-v e_2 at x* = 0.

    Each sends e_1 to (L + mu)/2 e_1 + (L - mu)/2 u, with u at the angle phi to either side of -e_1.
    """
    L, mu = numbers["L"], numbers["L"] / numbers["spread"]
    v, phi = numbers.get("v", 0.0), numbers["phi"]
    H = [
        (L + mu) / 2 * np.eye(2)
        + (L - mu) / 2 * np.array([[-math.cos(phi), w * math.sin(phi)], [w * math.sin(phi), math.cos(phi)]])
        for w in (-1, 1)
    ]
    return rc.worlds.FiniteSum(
        H=H, a=[np.linalg.solve(h, [0.0, w * v]) for h, w in zip(H, (1, -1), strict=True)]
    )


def along_first(_world: Any, numbers: Mapping[str, float]) -> dict[str, Any]:
    """The minimiser is the origin."""
    return {"x": np.array([numbers["x_off"], 0.0])}


LEVELS = (*QUADRATICS.levels[:2], START, s.Level(name="phi", low=1e-3, high=math.pi))
NOISE = s.Level(name="v", low=1e-3, high=1e3)
MIRRORED, CALM = (
    s.Family(name=name, levels=levels, world=reflected, start=along_first, held=held)
    for name, levels, held in (
        ("mirrored", (*LEVELS, NOISE), ({"spread": 1.0}, {})),
        ("without_noise", LEVELS, ({"phi": math.pi}, {"phi": 0.0}, {})),
    )
)


def table(_world: Any, numbers: Mapping[str, float]) -> dict[str, Any]:
    """x and the points of the table in the flattest direction."""
    x, phi = (np.array([0.0, numbers[name]]) for name in ("x_off", "table"))
    return {"x": x, "phi_0": phi, "phi_1": -phi}


TABLES = s.Family(
    name="tables",
    levels=(*QUADRATICS.levels[:2], START, s.Level(name="table", low=1e-3, high=1e3)),
    world=lambda numbers: rc.worlds.FiniteSum(
        H=[np.diag([numbers["L"], numbers["L"] / numbers["spread"]])] * 2, a=np.zeros((2, 2))
    ),
    start=table,
    held=({"table": 0.0}, {}),
)


def lyapunov(values: Mapping[str, float]) -> rc.measures.Measure:
    """V, for two equal terms: their gaps at the points of the table, and a squared distance."""
    step = values["gamma"]
    away = 1 / (2 * 2 * step * (1 - values["mu"] * step))
    return 0.5 * rc.measures.gap("phi_0") + 0.5 * rc.measures.gap("phi_1") + away * rc.measures.distance()


def of_terms(which: int) -> Any:
    """The largest eigenvalue of a term, or the smallest."""
    return lambda setting: np.linalg.eigvalsh(setting.world.H)[:, which].flat[0]


DISTANCE, STEP = rc.measures.distance().last(), {"alpha": gamma}
TERMS: dict[str, Any] = {"L": of_terms(-1), "mu": of_terms(0), "R": "distance"}
RUNS = {
    "sgd": run(
        *(rc.methods.SGD, STEP, DISTANCE, {**TERMS, "v": "sigma_star"}), worlds=(MIRRORED,), most_iterations=1
    ),
    "sgd-overparametrized": run(rc.methods.SGD, STEP, DISTANCE, TERMS, worlds=(CALM,), most_iterations=1),
    "saga": run(
        *(rc.methods.SAGA, {"alpha": gamma, "n": N}, lambda values: lyapunov(values).last()),
        {"L": "L", "mu": "mu", "N": lambda setting: setting.world.n},
        measured={"V": s.Measured(lyapunov)},
        worlds=(TABLES,),
        most_iterations=1,
    ),
}
