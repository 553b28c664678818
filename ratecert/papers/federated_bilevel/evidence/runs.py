"""One run of an algorithm on a world by exact moments, as a row. The measure is that of the theorems,

1/T sum_{t<T} E||grad Phi(xbar_t)||^2 + L_tilde^2 E||ybar_t - y*(xbar_t)||^2.
"""

from typing import Any

from ratecert.papers.federated_bilevel.paper import paper
from ratecert.solvers import expect
from ratecert.theory.numbers.evaluation import with_constants


def run_row(world: Any, solver: Any, *, K: int, T: int, x0: Any, y0: Any, **options: Any) -> dict[str, Any]:
    """The run from x0 and y0, which may be numbers for all coordinates; `options` are those of `expect`."""
    start = {"x0": _point(x0, world.d_x), "y0": _point(y0, world.d_y)}
    result = expect(world, solver, K=K, T=T, **start, **{"times": [], **options})
    return {
        "K": K,
        "T": T,
        "p": getattr(solver, "p", 1),
        "eta": solver.step_size(0),
        "measure": result.measure(L_tilde(world))[0],
        "gradient": result.gradient,
        "precision": result.precision,
        "drift_x": result.drift_x,
        "drift_y": result.drift_y,
        "rounds": int(result.counts.rounds),
        "samples_f": int(result.counts.samples_f),
        "samples_g": int(result.counts.samples_g),
    }


def L_tilde(world: Any, radius: float = 1.0) -> float:
    """The weight of the lower level's error, on this ball; on quadratic worlds the ball plays no part in it."""
    return with_constants(paper("repaired"), world.constants(radius=radius))["L_tilde"]


def _point(value: Any, d: int) -> Any:
    return [value] * d if isinstance(value, int | float) else value
