"""PEPit's examples at a few settings each: its function with its arguments, and the same setting for a run of ours.

A setting holds a family's numbers so that the constants of the class are those of the arguments; numbers that are left,
such as the curvature that a run feels, are searched for the worst quadratic by tests/oracles/pep_numbers.py, and kept.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Values = Mapping[str, float]
CONVEX = "unconstrained_convex_minimization"
RANDOM = "stochastic_and_randomized_convex_minimization"
FLATTEST = 1e3  # L/mu where the class has no mu


@dataclass(frozen=True, kw_only=True)
class Example:
    """One statement of the library beside one function of PEPit.

    statement   its id
    function    in PEPit.examples, folder and name, or one of tests/oracles/pep_numbers.py
    arguments   of that function, setting by setting
    unit        what PEPit's number is a multiple of, from the values of the letters
    numbers     of the family, from the arguments
    family      its name
    letters     that the arguments give, beside those of the world
    documented  whether the function's own theoretical number is the statement
    """

    statement: str
    function: str
    arguments: tuple[dict[str, float], ...]
    unit: Callable[[Values], float]
    numbers: Callable[[Values], dict[str, float]]
    family: str = "quadratics"
    letters: tuple[str, ...] = ()
    documented: bool = True

    def run(self, arguments: Values) -> dict[str, Any]:
        """What is held at a setting: n is the number of iterations, unless it counts functions or there is none."""
        steps = 1 if self.function.startswith(RANDOM) else int(arguments.get("n", 1))
        letters = {name: float(arguments[name]) for name in self.letters}
        return {"run": {"K": 1, "T": steps}, "letters": letters, self.family: self.numbers(arguments)}


def curvatures(arguments: Values) -> dict[str, float]:
    """L and mu, the start one away."""
    L, mu = arguments["L"], arguments.get("mu", 0.0)
    return {"L": L, "spread": L / mu if mu else FLATTEST, "x_off": 1.0}


def _grid(**arguments: tuple[float, ...]) -> tuple[dict[str, float], ...]:
    """Settings side by side."""
    return tuple(
        dict(zip(arguments, values, strict=True)) for values in zip(*arguments.values(), strict=True)
    )


def squared(name: str) -> Callable[[Values], float]:
    return lambda values: values[name] ** 2


def itself(name: str) -> Callable[[Values], float]:
    return lambda values: values[name]


def _beta(L: float, mu: float, alpha: float) -> float:
    return math.sqrt((1 - alpha * mu) * (1 - L * alpha))


STEPS = _grid(L=(3.0, 1.0, 2.0), gamma=(1 / 3, 0.5, 0.05), n=(4, 2, 6))
WITH_MU = _grid(L=(1.0, 3.0, 1.0), mu=(0.1, 0.3, 0.5), gamma=(1.0, 0.5, 0.3), n=(1, 3, 5))
ENDS = _grid(L=(1.0, 1.0, 2.0), mu=(0.1, 0.01, 0.5), n=(2, 5, 4))
N_STEPS = _grid(L=(3.0, 1.0, 1.0), n=(4, 1, 7))
HEAVY = tuple(
    {"L": L, "mu": mu, "alpha": alpha, "beta": _beta(L, mu, alpha), "n": n}
    for L, mu, alpha, n in ((1.0, 0.1, 0.5, 2), (1.0, 0.01, 0.9, 4), (2.0, 1.0, 0.3, 6))
)
ROBUST = _grid(L=(1.0, 1.0, 2.0), mu=(0.1, 0.05, 1.0), lam=(0.2, 0.5, 0.8))
SHORT = _grid(n=(3, 1, 6), gamma=(0.75, 0.6, 0.9))
LONG = _grid(n=(1, 2, 3), gamma=(0.9, 0.95, 0.98))
LOJASIEWICZ = {
    "short": _grid(L=(1.0, 0.5, 4.0), mu=(0.2, 0.05, 1.0), gamma=(0.5, 0.4, 0.1), n=(1, 1, 1)),
    "middle": _grid(L=(1.0, 1.0), mu=(0.2, 0.5), gamma=(1.2, 1.5), n=(1, 2)),
    "long": _grid(L=(1.0, 1.0), mu=(0.2, 0.5), gamma=(1.8, 1.9), n=(1, 2)),
}


def _example(statement: str, function: str, arguments: Any, unit: Any, **more: Any) -> Example:
    return Example(
        statement=statement,
        function=function,
        arguments=arguments,
        unit=unit,
        numbers=more.pop("numbers", curvatures),
        **more,
    )


def _turned(_arguments: Values) -> dict[str, float]:
    return {"x_off": 1.0}


EXAMPLES = (
    _example(
        *(
            "pep-gradient-descent:contraction",
            "tutorials.wc_gradient_descent_contraction",
            WITH_MU,
            squared("R"),
        ),
        letters=("gamma",),
    ),
    _example(
        *("pep-gradient-descent:convex", f"{CONVEX}.wc_gradient_descent", STEPS, squared("R")),
        letters=("gamma",),
    ),
    _example(
        *(
            "pep-gradient-descent:quadratics",
            f"{CONVEX}.wc_gradient_descent_quadratics",
            WITH_MU,
            squared("R"),
        ),
        letters=("gamma",),
    ),
    _example(
        "pep-gradient-descent:inexact",
        f"{CONVEX}.wc_inexact_gradient_descent",
        _grid(L=(1.0, 2.0, 1.0), mu=(0.1, 0.5, 0.01), epsilon=(0.1, 0.3, 0.2), n=(2, 1, 3)),
        itself("Delta"),
        letters=("epsilon",),
        family="all_directions",
    ),
    _example(
        *("pep-momentum:heavy-ball", f"{CONVEX}.wc_heavy_ball_momentum", HEAVY, itself("Delta")),
        letters=("alpha",),
    ),
    _example(
        "pep-momentum:nesterov-strongly-convex",
        f"{CONVEX}.wc_accelerated_gradient_strongly_convex",
        ENDS,
        lambda values: values["Delta"] + values["mu"] / 2 * values["R"] ** 2,
    ),
    _example(
        "pep-momentum:nesterov-convex",
        f"{CONVEX}.wc_accelerated_gradient_convex",
        _grid(mu=(0.0, 0.0, 0.0), L=(1.0, 3.0, 1.0), n=(1, 4, 7)),
        squared("R"),
    ),
    _example(
        *("pep-momentum:triple-momentum", f"{CONVEX}.wc_triple_momentum", ENDS, squared("R")),
        documented=False,
    ),
    _example("pep-momentum:triple-momentum-code", f"{CONVEX}.wc_triple_momentum", ENDS, squared("R")),
    _example("pep-optimized:ogm", "ogm_at_x", N_STEPS, squared("R")),
    _example("pep-optimized:ogm-code", f"{CONVEX}.wc_optimized_gradient", N_STEPS, squared("R")),
    _example("pep-optimized:ogm-g", f"{CONVEX}.wc_optimized_gradient_for_gradient", N_STEPS, itself("Delta")),
    _example("pep-item:item", "late_item", ENDS, squared("R")),
    _example("pep-item:item-code", f"{CONVEX}.wc_information_theoretic", ENDS, squared("R")),
    _example(
        *("pep-robust-momentum:robust-momentum-mixed", "robust_by_docstring", ROBUST, itself("v")),
        letters=("lam",),
        family="two_points",
    ),
    _example(
        *("pep-robust-momentum:robust-momentum-code", f"{CONVEX}.wc_robust_momentum", ROBUST, itself("v")),
        letters=("lam",),
        family="two_points",
    ),
    _example(
        "pep-proximal-point:proximal-point",
        f"{CONVEX}.wc_proximal_point",
        _grid(gamma=(3.0, 1.0, 0.2), n=(4, 1, 9)),
        squared("R"),
        letters=("gamma",),
        numbers=lambda arguments: {"L": 10 / arguments["gamma"], "spread": FLATTEST, "x_off": 1.0},
    ),
    _example(
        "pep-nonconvex:smallest-gradient",
        "nonconvex_optimization.wc_gradient_descent",
        _grid(L=(1.0, 1.0, 2.0), gamma=(1.0, 0.5, 0.1), n=(5, 3, 2)),
        itself("D"),
        letters=("gamma",),
    ),
    *(
        _example(
            f"pep-nonconvex:lojasiewicz-{which}",
            f"nonconvex_optimization.wc_gradient_descent_quadratic_lojasiewicz_{told}",
            LOJASIEWICZ[which],
            itself("Delta"),
            letters=("gamma",),
        )
        for which in LOJASIEWICZ
        for told in ("naive", "intermediate", "expensive")
    ),
    _example(
        "pep-stochastic:sgd",
        f"{RANDOM}.wc_sgd",
        _grid(
            L=(1.0, 1.0, 2.0),
            mu=(0.1, 0.5, 0.2),
            gamma=(0.7, 0.3, 0.8),
            v=(1.0, 2.0, 0.5),
            R=(2.0, 1.0, 1.0),
            n=(2, 5, 2),
        ),
        lambda _values: 1.0,
        letters=("gamma",),
        family="mirrored",
        numbers=lambda arguments: {**curvatures(arguments), "x_off": arguments["R"], "v": arguments["v"]},
    ),
    _example(
        "pep-stochastic:sgd-overparametrized",
        f"{RANDOM}.wc_sgd_overparametrized",
        _grid(L=(1.0, 1.0, 2.0), mu=(0.1, 0.5, 0.2), gamma=(2.3, 0.3, 0.7), n=(2, 5, 2)),
        squared("R"),
        letters=("gamma",),
        family="without_noise",
    ),
    _example(
        "pep-stochastic:saga",
        f"{RANDOM}.wc_saga",
        _grid(L=(1.0, 1.0, 2.0), mu=(0.1, 0.5, 0.2), n=(2, 2, 2)),
        itself("V"),
        family="tables",
        numbers=lambda arguments: {**curvatures(arguments), "table": 0.0},
    ),
    _example(
        "pep-coordinate-descent:coordinate-descent",
        f"{RANDOM}.wc_randomized_coordinate_descent_smooth_strongly_convex",
        _grid(L=(1.0, 1.0, 2.0), mu=(0.1, 0.5, 0.2), gamma=(1.0, 0.5, 0.4), d=(3, 3, 3)),
        squared("R"),
        letters=("gamma",),
    ),
    *(
        _example(
            f"pep-fixed-point:{which}",
            "fixed_point_problems.wc_krasnoselskii_mann_constant_step_sizes",
            arguments,
            squared("R"),
            letters=("gamma",),
            family="rotations",
            numbers=_turned,
            documented=which != "long-steps",
        )
        for which, arguments in (("short-steps", SHORT), ("long-steps", LONG), ("long-steps-code", LONG))
    ),
    _example(
        "pep-fixed-point:halpern",
        "fixed_point_problems.wc_halpern_iteration",
        _grid(n=(3, 8, 25)),
        squared("R"),
        family="rotations",
        numbers=_turned,
    ),
)
