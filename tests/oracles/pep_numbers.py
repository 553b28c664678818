"""ratecert/papers/pep/numbers.json: PEPit's own worst cases, and where our quadratics are worst.

pip install 'ratecert[pep]' && PYTHONPATH=tests python -m oracles.pep_numbers [FILE]

Needs PEPit and a solver (CLARABEL comes with cvxpy); reading what is written needs neither.
"""

import importlib
import json
import math
import sys
import warnings
from collections.abc import Callable, Mapping
from importlib.metadata import version
from itertools import product
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from ratecert.base.files import write_text
from ratecert.binding.families import Family
from ratecert.catalogue.find import bindings
from ratecert.papers.pep.table import NUMBERS, Examples, sides
from ratecert.papers.pep.table import examples as of_library

SOLVER = "CLARABEL"
TAKES_NONE = ("wc_gradient_descent_quadratics",)  # of its arguments solver and wrapper: cvxpy chooses
POINTS = (0, 33, 13)  # of a grid over each number, by how many are free
DIGITS = 10


def pepit(function: str, arguments: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """Its number, or None where that is infinite, and what its own code takes for the theory."""
    *folder, name = function.split(".")
    whole = {key: int(value) if key in ("n", "d") else value for key, value in arguments.items()}
    if not folder:
        return _finite(OWN[name](**whole)), None
    run = getattr(importlib.import_module(f"PEPit.examples.{folder[0]}"), name)
    if name.endswith("lojasiewicz_intermediate"):
        whole["alpha"] = 2 * whole["mu"] / (2 * whole["L"] + whole["mu"])
    found, theory = run(**whole, wrapper="cvxpy", solver=SOLVER, verbose=-1)
    return _finite(found), float(theory)


def _solved(problem: Any) -> float:
    """The worst case of its class; infinite where the solver says that there is none."""
    found = problem.solve(solver=SOLVER, verbose=0)
    unbounded = found is None and problem.wrapper.prob.status.startswith("unbounded")
    return math.inf if unbounded else float(found)


def ogm_at_x(L: float, n: int) -> float:
    """OGM as PEPit's docstring has it: its promise is about x_n, not about y_n."""
    from PEPit import PEP
    from PEPit.functions import SmoothConvexFunction

    problem = PEP()
    f = problem.declare_function(SmoothConvexFunction, L=L)
    x_star = f.stationary_point()
    x = y = problem.set_initial_point()
    problem.set_initial_condition((x - x_star) ** 2 <= 1)
    theta = 1.0
    for i in range(n):
        before, x = x, y - f.gradient(y) / L
        following = (1 + sqrt((4 if i < n - 1 else 8) * theta**2 + 1)) / 2
        y = x + (theta - 1) / following * (x - before) + theta / following * (x - y)
        theta = following
    problem.set_performance_metric(f(x) - f(x_star))
    return _solved(problem)


def late_item(L: float, mu: float, n: int) -> float:
    """ITEM with the indices of PEPit's docstring: coefficients of the iteration before, the first ones twice."""
    from PEPit import PEP
    from PEPit.functions import SmoothStronglyConvexFunction

    problem = PEP()
    f = problem.declare_function(SmoothStronglyConvexFunction, L=L, mu=mu)
    x_star = f.stationary_point()
    x = z = problem.set_initial_point()
    problem.set_initial_condition((z - x_star) ** 2 <= 1)
    A, q, coefficients = 0.0, mu / L, []
    for _ in range(n):
        following = ((1 + q) * A + 2 * (1 + sqrt((1 + A) * (1 + q * A)))) / (1 - q) ** 2
        delta = ((1 - q) ** 2 * following - (1 + q) * A) / (1 + q + q * A) / 2
        coefficients.append((A / (1 - q) / following, delta))
        A = following
    for i in range(n):
        beta, delta = coefficients[max(i - 1, 0)]
        y = (1 - beta) * z + beta * x
        g = f.gradient(y)
        x, z = y - g / L, (1 - q * delta) * z + q * delta * y - delta / L * g
    problem.set_performance_metric((z - x_star) ** 2)
    return _solved(problem)


def robust_by_docstring(L: float, mu: float, lam: float) -> float:
    """Robust momentum with alpha and gamma of PEPit's docstring, and the Lyapunov function of its code."""
    from PEPit import PEP
    from PEPit.functions import SmoothStronglyConvexFunction

    problem = PEP()
    f = problem.declare_function(SmoothStronglyConvexFunction, L=L, mu=mu)
    x_star = f.stationary_point()
    kappa = L / mu
    rho = lam * (1 - 1 / kappa) + (1 - lam) * (1 - 1 / sqrt(kappa))
    alpha, beta = kappa * (1 - rho**2) * (1 + rho) / L, kappa * rho**3 / (kappa - 1)
    gamma = rho**2 / ((kappa - 1) * (1 - rho) ** 2 * (1 + rho))
    weight = mu**2 * (kappa - kappa * rho**2 - 1) / (2 * rho * (1 - rho))

    def stepped(before: Any, x: Any) -> tuple[Any, Any]:
        """The next point, and v before the step."""
        y = x + gamma * (x - before)
        g, value = f.oracle(y)
        following = x + beta * (x - before) - alpha * g
        z = (following - rho**2 * x) / (1 - rho**2)
        above = value - f(x_star) - mu / 2 * (y - x_star) ** 2
        q = (L - mu) * above - (g - mu * (y - x_star)) ** 2 / 2
        return following, weight * (z - x_star) ** 2 + q

    before, x = problem.set_initial_point(), problem.set_initial_point()
    following, v = stepped(before, x)
    problem.set_initial_condition(v <= 1)
    problem.set_performance_metric(stepped(x, following)[1])
    return _solved(problem)


OWN: dict[str, Callable[..., float]] = {
    "ogm_at_x": ogm_at_x,
    "late_item": late_item,
    "robust_by_docstring": robust_by_docstring,
}


def worst(statement: str, example: Examples, arguments: Mapping[str, float]) -> dict[str, float]:
    """The free numbers of the family at which a run has most: on a grid with both ends, then by descent."""
    key, _, theorem = statement.partition(":")
    family: Family = bindings(key)[theorem].families[0]
    held = example.numbers(arguments)
    free = [level for level in family.levels if level.name not in held]

    def missing(point: Any) -> float:
        numbers = {
            level.name: level.value(float(np.clip(u, 0, 1))) for level, u in zip(free, point, strict=True)
        }
        printed, quadratic = sides(statement, example, arguments, numbers)
        return -quadratic / printed

    if not free:
        return {}
    grid = list(product(np.linspace(0, 1, POINTS[len(free)]), repeat=len(free)))
    start = min(grid, key=missing)
    found = minimize(
        missing, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12, "maxfev": 200}
    )
    best = found.x if found.fun < missing(start) else start
    return {level.name: level.value(float(np.clip(u, 0, 1))) for level, u in zip(free, best, strict=True)}


def _finite(value: Any) -> float | None:
    return float(f"{value:.{DIGITS}g}") if value is not None and math.isfinite(value) else None


def main(path: Path) -> None:
    """Everything anew; the file is replaced when all of it is there."""
    examples: dict[str, list[dict[str, Any]]] = {}
    for statement, function, example in of_library():
        name = f"{statement} {function}"
        found = examples[name] = []
        for arguments in example.arguments:
            number, theory = pepit(function, arguments)
            found.append(
                {
                    "arguments": dict(arguments),
                    "pepit": number,
                    "theory": theory,
                    "worst": worst(statement, example, arguments),
                }
            )
        print(name, [each["pepit"] for each in found], flush=True)
    made_with = {name: version(name) for name in ("PEPit", "cvxpy", SOLVER.lower())}
    kept = {"made_with": made_with, "solver": SOLVER, "not_by_it": list(TAKES_NONE), "examples": examples}
    write_text(path, json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else NUMBERS)
