"""Fixed points of nonexpansive maps as PEPit 0.5.1 documents them: Krasnoselskii-Mann and Halpern.

The sources are krasnoselskii_mann_constant_step_sizes and halpern_iteration of fixed_point_problems. For long steps the
docstring has (gamma - 1)^(2n) where the code has (2 gamma - 1)^(2n). The maps here are rotations.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from sympy import Integer, sqrt

import ratecert as rc
from ratecert.papers.pep.page import letters, paper, run, theorem

s = rc.statements
n, gamma, R = s.letters("n gamma R")

NOTATION = letters("n R", s.Symbol("gamma", r"\gamma", "weight of the map in a step", units="1"))
NONEXPANSIVE = s.Assumption(
    id="nonexpansive",
    title="Nonexpansive",
    source="first lines of the docstrings",
    sentence="||Ax - Ay|| <= ||x - y|| for all x and y, and A has a fixed point.",
    constants={},
)
HALF, EDGE = Integer(1) / 2, (1 + sqrt(n / (n + 1))) / 2
SHORT, LONG, LONG_CODE = (
    theorem(
        *(id, title, "fixed_point_problems/krasnoselskii_mann_constant_step_sizes"),
        *(r"\frac{1}{4}\|x_n-Ax_n\|^2", "x^2", bound * R**2),
        assumptions=(NONEXPANSIVE.id,),
        conditions={
            "least": s.Condition(gamma, ">=" if least == HALF else ">", (least,)),
            "gamma": s.Condition(gamma, "<=", (most,)),
        },
    )
    for id, title, bound, least, most in (
        (
            *("short-steps", "Krasnoselskii-Mann with steps up to (1 + sqrt(n/(n + 1)))/2"),
            *(1 / (n + 1) * (n / (n + 1)) ** n / (4 * gamma * (1 - gamma)), HALF, EDGE),
        ),
        (
            *("long-steps", "Krasnoselskii-Mann with longer steps, as the docstring has it"),
            *((gamma - 1) ** (2 * n), EDGE, 1),
        ),
        (
            *("long-steps-code", "Krasnoselskii-Mann with longer steps, as the code has it"),
            *((2 * gamma - 1) ** (2 * n), EDGE, 1),
        ),
    )
)
HALPERN = theorem(
    *("halpern", "Halpern's iteration", "fixed_point_problems/halpern_iteration"),
    *(r"\|x_n-Ax_n\|^2", "x^2", (2 / (n + 1)) ** 2 * R**2),
    assumptions=(NONEXPANSIVE.id,),
)
PRINTED = paper(
    "pep-fixed-point",
    "fixed points",
    NOTATION,
    NONEXPANSIVE,
    SHORT,
    LONG,
    LONG_CODE,
    HALPERN,
    steps={
        **dict.fromkeys(
            ("short-steps", "long-steps", "long-steps-code"), "x_{t+1} = (1 - gamma) x_t + gamma A x_t"
        ),
        "halpern": "x_{t+1} = x_0/(t + 2) + (1 - 1/(t + 2)) A x_t",
    },
)
REPAIRED = PRINTED.repaired(
    (
        s.Erratum(
            place="long-steps.term.start",
            printed=gamma - 1,
            read=2 * gamma - 1,
            reason="the code beside the docstring has 2 gamma - 1, and A x = -x attains that with every n",
            evidence="falsify pep-fixed-point:long-steps refutes the print and not the repair; PEPit's own number is "
            "the repaired bound",
        ),
    )
)


def rotation(numbers: Mapping[str, float]) -> rc.worlds.LinearMap:
    """By an angle in (0, pi]."""
    c, sine = math.cos(numbers["angle"]), math.sin(numbers["angle"])
    return rc.worlds.LinearMap(M=[[c, -sine], [sine, c]])


def from_origin(_world: Any, numbers: Mapping[str, float]) -> dict[str, Any]:
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
AWAY = {"R": "distance"}
RESIDUAL = rc.measures.gradient().last()
RUNS = {
    **{
        id: run(rc.methods.SGD, {"alpha": gamma}, 0.25 * RESIDUAL, AWAY, worlds=(ROTATIONS,))
        for id in ("short-steps", "long-steps", "long-steps-code")
    },
    "halpern": run(rc.methods.Halpern, {}, RESIDUAL, AWAY, worlds=(ROTATIONS,)),
}
