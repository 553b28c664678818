"""One expectation, computed three ways: exact moments, the solver on all outcomes, the printed lines on all outcomes.

    exact moments   `expect`, enclosed: second moments of random affine maps; no outcome is ever seen
    all outcomes    `enumerate_outcomes`: the solver's own steps, on every outcome of the signs
    printed         transcription/pseudocode.py: the lines as they are printed, which know no solver

All four measures are compared at every t = 0, ..., T and as averages over t < T; the gap is the largest difference
relative to the larger value. Values are of order one, so one below 1e-15 is a zero that was rounded, and differences
between such are relative to 1e-15.

A comparison is worth what it would notice. So each case also tells by how much the measures move if a coefficient
grows by 1 %, or a whole number by 1.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratecert.base.errors import RatecertError
from ratecert.claim.claim import Json
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.transcription.pseudocode import local_bsgm, local_bsgvrm
from ratecert.solvers import CubeRoot, LocalBSGM, LocalBSGVRM, enumerate_outcomes, expect
from ratecert.solvers.contract.result import MEASURES, Result
from ratecert.solvers.methods.local_method import LocalMethod

ZERO = 1e-15
COEFFICIENTS = ("eta", "alpha", "beta", "rho_1", "rho_2", "theta")
WHOLE_NUMBERS = ("p", "Q", "B")
LEVELS = {"sigma_H": 0.3, "sigma_J": 0.3, "s_f": 0.5, "s_g": 0.6}  # of every source of noise, where it is on
SOLVERS: dict[str, type[LocalMethod]] = {"algorithm-1": LocalBSGM, "algorithm-2": LocalBSGVRM}
PRINTED: dict[str, Callable[..., Any]] = {"algorithm-1": local_bsgm, "algorithm-2": local_bsgvrm}
ENGINES: dict[str, Callable[..., Any]] = {
    "exact moments": partial(expect, certified=True),
    "all outcomes": enumerate_outcomes,
}

Array = NDArray[np.float64]


def world(d_x: int, d_y: int, *sources: str) -> Json:
    """A small world with these sources of noise. The more of them, the more outcomes: 2 per sign."""
    levels = {name: LEVELS[name] for name in sources}
    return {"world": "random_quadratic", "d_x": d_x, "d_y": d_y, "mu": 1.0, "L_1": 2.0, "seed": 1, **levels}


def case(algorithm: str, on: Json, *, K: int, T: int, **solver: Any) -> Json:
    """A run from a point far from the solution."""
    start = {"x0": [1.0, -0.8][: on["d_x"]], "y0": [-0.7, 0.4][: on["d_y"]]}
    return {"algorithm": algorithm, "world": on, "solver": solver, "K": K, "T": T, **start}


def compare(*, number: int, case: Json) -> list[Json]:
    """The measures at every time, three ways; what an engine refuses; and the effect of each change.

    An engine may refuse a solver, say because that draws too many signs. Then its column is missing.
    """
    printed = printed_numbers(case)
    found = {way: _attempt(engine, case) for way, engine in ENGINES.items()}
    exact = found["exact moments"][0]
    precision = 0.0 if exact is None else max(exact.precision, exact.curve_precision)
    ways = {"printed": printed, **{way: numbers(r) for way, (r, _) in found.items() if r is not None}}
    rows: list[Json] = [{"refused": f"{way}: {refusal}"} for way, (_, refusal) in found.items() if refusal]
    for i, measure in enumerate(MEASURES):
        for j, t in enumerate([None, *range(case["T"] + 1)]):  # None: the average over t < T
            at = {"number": number, "measure": measure, "t": t, "precision": precision}
            rows.append({**at, **{way: float(values[i, j]) for way, values in ways.items()}})
    for name, other in changes(case).items():
        result, _ = _attempt(expect, other)
        rows.append({"change": name, "effect": 0.0 if result is None else gap(numbers(result), printed)})
    return rows


def _attempt(engine: Callable[..., Any], case: Mapping[str, Any]) -> tuple[Any, str]:
    """The engine's result, or its refusal."""
    try:
        run = {**_run(case), "times": range(case["T"] + 1)}
        return engine(build(case["world"]), solver_of(case), **run), ""
    except RatecertError as error:
        return None, str(error)


def solver_of(case: Mapping[str, Any]) -> LocalMethod:
    eta = case["solver"]["eta"]
    schedule = CubeRoot(**eta) if isinstance(eta, Mapping) else eta
    return SOLVERS[case["algorithm"]](**{**case["solver"], "eta": schedule})


def printed_numbers(case: Mapping[str, Any]) -> Array:
    eta = case["solver"]["eta"]

    def schedule(t: int) -> float:
        if isinstance(eta, Mapping):
            return float(eta["scale"] / max(eta["offset"] + t, eta["floor"]) ** (1 / 3))
        return float(eta)

    lines = PRINTED[case["algorithm"]]
    found = lines(build(case["world"]), **_run(case), **{**case["solver"], "eta": schedule})
    return np.array([[found["averages"][name], *found["curves"][name]] for name in MEASURES])


def numbers(result: Result) -> Array:
    """[measures, T + 2]: the average over t < T, then the values at t = 0, ..., T."""
    return np.array([[getattr(result, name), *getattr(result.curves, name)] for name in MEASURES])


def gap(one: ArrayLike, other: ArrayLike) -> float:
    """The largest relative difference."""
    larger = np.maximum(np.maximum(np.abs(one), np.abs(other)), ZERO)
    return float(np.max(np.abs(np.subtract(one, other)) / larger))


def changes(case: Mapping[str, Any]) -> dict[str, Json]:
    """The same case with one thing changed, by the name of that thing."""
    solver: Mapping[str, Any] = case["solver"]
    changed = {name: _one_percent_more(solver[name]) for name in COEFFICIENTS}
    changed |= {name: solver[name] + 1 for name in WHOLE_NUMBERS if name in solver}
    return {name: {**case, "solver": {**solver, name: value}} for name, value in changed.items()}


def _one_percent_more(value: Any) -> Any:
    return {**value, "scale": 1.01 * value["scale"]} if isinstance(value, Mapping) else 1.01 * value


def _run(case: Mapping[str, Any]) -> dict[str, Any]:
    return {name: case[name] for name in ("K", "T", "x0", "y0")}
