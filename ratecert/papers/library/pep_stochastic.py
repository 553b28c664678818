"""SGD and SAGA as PEPit 0.5.1 documents them: what is left after one step.

The sources are sgd, sgd_overparametrized and saga of stochastic_and_randomized_convex_minimization. SAGA's regulariser
h is zero here.
"""

import math

import numpy as np
from sympy import Max, sqrt

import ratecert as rc
from ratecert.binding.families import QUADRATICS, START
from ratecert.papers.pep import SMOOTH, R, gamma, n  # noqa: F401  n counts the iterations
from ratecert.papers.pep.table import curvatures, pepit

s = rc.statements
PAPER = rc.about("PEPit 0.5.1: stochastic methods", certainty="note", edition="here that of PEPit 0.5.1")
FOLDER = "stochastic_and_randomized_convex_minimization"
DISTANCE = rc.measures.distance().last()


def reflected(numbers):
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


def along_first(_world, numbers):
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


def of_terms(which):
    """The largest eigenvalue of a term, or the smallest."""
    return lambda setting: np.linalg.eigvalsh(setting.world.H)[:, which].flat[0]


L = rc.letter("L", means="Lipschitz constant of the gradient", of=of_terms(-1))
mu = rc.letter("mu", means="strong convexity", of=of_terms(0))
v = rc.letter("v", means="root of the mean squared gradient at x*", units="f x^-1", of="sigma_star")
STEPS = "x_1 = x_0 - gamma grad f_i(x_0), i drawn"
ENDS = {"L": (1.0, 1.0, 2.0), "mu": (0.1, 0.5, 0.2)}
CALMLY = {"gamma": (2.3, 0.3, 0.7), "n": (2, 5, 2), **ENDS}
NOISY = {"gamma": (0.7, 0.3, 0.8), "v": (1.0, 2.0, 0.5), "R": (2.0, 1.0, 1.0), "n": (2, 5, 2), **ENDS}


def stochastic_gradient(x, grad, *, gamma):
    return x - gamma * grad(x)


ROOT = sqrt((1 - gamma * (L + mu) / 2) ** 2 * R**2 + gamma**2 * v**2)
sgd = rc.theorem(
    stochastic_gradient,
    measure=DISTANCE,
    bound={"start": (gamma * (L - mu) / 2 * R + ROOT) ** 2},
    assuming=[SMOOTH],
    worlds=[MIRRORED],
    title="SGD, one step",
    steps=STEPS,
    **pepit(
        f"{FOLDER}/sgd",
        unit=1,
        most_iterations=1,
        numbers=lambda at: {**curvatures(at), "x_off": at["R"], "v": at["v"]},
        **NOISY,
    ),
)
sgd_overparametrized = sgd.restated(
    bound=Max(1 - gamma * mu, L * gamma - 1) ** 2 * R**2,
    worlds=[CALM],
    title="SGD, one step, without noise at x*",
    **pepit(f"{FOLDER}/sgd_overparametrized", unit=R**2, most_iterations=1, **CALMLY),
)


def table(_world, numbers):
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


def lyapunov(values):
    """V, for two equal terms: their gaps at the points of the table, and a squared distance."""
    step = values["gamma"]
    away = 1 / (2 * 2 * step * (1 - values["mu"] * step))
    return 0.5 * rc.measures.gap("phi_0") + 0.5 * rc.measures.gap("phi_1") + away * rc.measures.distance()


N = rc.letter(
    "N", means="number of functions", units="1", least=1, of=lambda setting: setting.world.n, latex="n"
)
V = rc.letter(
    "V", means="the Lyapunov function before the step", units="f", of=s.Measured(lyapunov), latex="V^{(t)}"
)
saga = rc.theorem(
    rc.methods.SAGA,
    hyperparameters={"alpha": gamma, "n": N},
    measure=lambda values: lyapunov(values).last(),
    measure_units="f",
    measure_latex=r"\mathbb{E}V^{(t+1)}",
    bound={"start": (1 - gamma * mu) * V},
    where=[rc.equal(gamma, 1 / (2 * (mu * N + L)))],
    assuming=[SMOOTH],
    worlds=[TABLES],
    title="SAGA, one step",
    steps="x moves by -gamma (grad f_j(x) - grad f_j(phi_j) + the mean of grad f_i(phi_i)), j drawn; then phi_j is the "
    "x before",
    **pepit(
        f"{FOLDER}/saga",
        unit=V,
        most_iterations=1,
        numbers=lambda at: {**curvatures(at), "table": 0.0},
        **ENDS | {"n": (2, 2, 2)},
    ),
)
