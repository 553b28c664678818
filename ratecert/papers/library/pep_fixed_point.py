"""Fixed points of nonexpansive maps as PEPit 0.5.1 documents them: Krasnoselskii-Mann and Halpern.

The sources are krasnoselskii_mann_constant_step_sizes and halpern_iteration of fixed_point_problems. For long steps the
docstring has (gamma - 1)^(2n) where the code has (2 gamma - 1)^(2n). The maps here are rotations.
"""

import math

import numpy as np
from sympy import Rational, sqrt

import ratecert as rc
from ratecert.papers.pep import R, n
from ratecert.papers.pep.table import pepit

s = rc.statements
PAPER = rc.about("PEPit 0.5.1: fixed points", certainty="note", edition="here that of PEPit 0.5.1")
gamma = rc.letter("gamma", means="weight of the map in a step", units="1")
NONEXPANSIVE = s.Assumption(
    id="nonexpansive",
    title="Nonexpansive",
    source="first lines of the docstrings",
    sentence="||Ax - Ay|| <= ||x - y|| for all x and y, and A has a fixed point.",
    constants={},
)


def rotation(numbers):
    """By an angle in (0, pi]."""
    c, sine = math.cos(numbers["angle"]), math.sin(numbers["angle"])
    return rc.worlds.LinearMap(M=[[c, -sine], [sine, c]])


def from_origin(_world, numbers):
    """The fixed point is the origin."""
    return {"x": np.array([numbers["x_off"], 0.0])}


ROTATIONS = s.Family(
    name="rotations",
    levels=(s.Level(name="angle", low=1e-2, high=math.pi), s.Level(name="x_off", low=1e-3, high=1e3)),
    world=rotation,
    start=from_origin,
    held=({"angle": math.pi}, {}),
    usual={"angle": 1.0, "x_off": 1.0},
)
AWAY = {"unit": R**2, "numbers": lambda _: {"x_off": 1.0}}
RESIDUAL = rc.measures.gradient().last()  # of a map ||x - Ax||^2


def krasnoselskii_mann(x, grad, *, gamma):
    return x - gamma * grad(x)


EDGE = (1 + sqrt(n / (n + 1))) / 2
FILE = "fixed_point_problems/krasnoselskii_mann_constant_step_sizes"
LONG = {"n": (1, 2, 3), "gamma": (0.9, 0.95, 0.98), **AWAY}
short_steps = rc.theorem(
    krasnoselskii_mann,
    measure=0.25 * RESIDUAL,
    measure_units="x^2",
    measure_latex=r"\frac{1}{4}\|x_n-Ax_n\|^2",
    bound=1 / (n + 1) * (n / (n + 1)) ** n / (4 * gamma * (1 - gamma)) * R**2,
    where={"least": gamma >= Rational(1, 2), "gamma": gamma <= EDGE},
    assuming=[NONEXPANSIVE],
    worlds=[ROTATIONS],
    title="Krasnoselskii-Mann with steps up to (1 + sqrt(n/(n + 1)))/2",
    steps="x_{t+1} = (1 - gamma) x_t + gamma A x_t",
    **pepit(FILE, n=(3, 1, 6), gamma=(0.75, 0.6, 0.9), **AWAY),
)
long_steps = short_steps.restated(
    bound=(gamma - 1) ** (2 * n) * R**2,
    where={"least": gamma > EDGE, "gamma": gamma <= 1},
    title="Krasnoselskii-Mann with longer steps, as the docstring has it",
    **pepit(FILE, documented=False, **LONG),
)
long_steps_code = long_steps.restated(
    bound=(2 * gamma - 1) ** (2 * n) * R**2,
    title="Krasnoselskii-Mann with longer steps, as the code has it",
    **pepit(FILE, **LONG),
)
A_FACTOR_LOST = s.Erratum(
    place="long-steps.term.start",
    printed=gamma - 1,
    read=2 * gamma - 1,
    reason="the code beside the docstring has 2 gamma - 1, and A x = -x attains that with every n",
    evidence="falsify pep-fixed-point:long-steps refutes the print and not the repair; PEPit's own number is "
    "the repaired bound",
)
halpern = rc.theorem(
    rc.methods.Halpern,
    measure=RESIDUAL,
    measure_units="x^2",
    measure_latex=r"\|x_n-Ax_n\|^2",
    bound=(2 / (n + 1)) ** 2 * R**2,
    title="Halpern's iteration",
    steps="x_{t+1} = x_0/(t + 2) + (1 - 1/(t + 2)) A x_t",
    assuming=[NONEXPANSIVE],
    worlds=[ROTATIONS],
    **pepit("fixed_point_problems/halpern_iteration", n=(3, 8, 25), **AWAY),
)
