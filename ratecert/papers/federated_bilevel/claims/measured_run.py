"""One run by exact moments as a row, and the powers that a corollary prints: what the four measured pages share.

The measure is that of the theorems, averaged over all t < T, xbar and ybar being means over devices:

    1/T sum_{t<T} E||grad Phi(xbar_t)||^2 + L_tilde^2 E||ybar_t - y*(xbar_t)||^2
"""

from typing import Any

from ratecert.papers.federated_bilevel.paper import paper
from ratecert.solvers import expect
from ratecert.theory.language.statements import Corollary
from ratecert.theory.numbers.evaluation import number, with_constants
from ratecert.theory.orders.derivation import as_monomial


def measured_run(
    world: Any, method: Any, *, K: int, T: int, x0: Any, y0: Any, **options: Any
) -> dict[str, Any]:
    """Run a method on K devices for T iterations; `options` are those of `rc.expect`.

    x0 and y0 may be numbers, which then stand for every coordinate.
    """
    start = {"x0": _point(x0, world.d_x), "y0": _point(y0, world.d_y)}
    result = expect(world, method, K=K, T=T, **start, **{"times": [], **options})
    return {
        "K": K,
        "T": T,
        "p": getattr(method, "p", 1),
        "eta": method.step_size(0),
        "measure": result.measure(L_tilde(world))[0],
        "gradient": result.gradient,
        "precision": result.precision,
        "drift_x": result.drift_x,
        "drift_y": result.drift_y,
        "rounds": int(result.counts.rounds),
        "samples_f": int(result.counts.samples_f),
        "samples_g": int(result.counts.samples_g),
    }


def run_near(world: Any, method: Any, *, offset: float = 0.0, **options: Any) -> dict[str, Any]:
    """Run from x0 = x_star + offset and y0 = y*(x0): from the solution itself, where nothing else is asked for."""
    x0 = world.x_star + offset
    return measured_run(world, method, x0=x0, y0=world.y_star(x0), **options)


def _point(value: Any, d: int) -> Any:
    return [value] * d if isinstance(value, int | float) else value


def L_tilde(world: Any, radius: float = 1.0) -> float:
    """The weight of the lower level's error, with the constants of this ball; on quadratic worlds any ball will do."""
    return with_constants(paper("repaired"), world.constants(radius=radius))["L_tilde"]


def claimed(corollary: str, letter: str) -> float:
    """The exponent of T, K or eps in the printed rate, without its logarithms."""
    return float(as_monomial(paper("printed").the(Corollary, corollary).claim.order).exponent(letter))


def orders(corollary: str, **at: float) -> dict[str, float]:
    """Every scaling of a corollary at K and T, or at K and eps: units are 1, and nothing is rounded."""
    scalings = paper("printed").the(Corollary, corollary).scalings
    return {name: number(scaling.order, at) for name, scaling in scalings.items()}
