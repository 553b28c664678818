"""SABA on sums of quadratics: exact moments against its pseudocode on all outcomes, and the limit zero."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.errors import UserError

SCALAR = rc.worlds.BilevelSum(
    A=[1.0, 3.0], B=[1.0, -0.5], c=[0.3, -0.2], P=[1.0, 0.5], D=[1.0, 2.0], a=[1.0, -1.0], b=[0.5, 2.0]
)
THREE = rc.worlds.BilevelSum(
    A=[1.0, 2.0, 1.5],
    B=[1.0, -0.5, 0.3],
    c=[0.3, -0.2, 0.7],
    P=[1.0, 0.5],
    D=[1.0, 0.5],
    a=[1.0, -1.0],
    b=[0.5, 2.0],
)
STEPS: dict[str, Any] = {"rho": 0.1, "gamma": 0.05}


def saba(world: Any, **changes: Any) -> Any:
    return rc.methods.SABA(**{**STEPS, "n": world.n, "m": world.m} | changes)


def paths(
    world: Any, T: int, rho: float, gamma: float, *, changed: str = ""
) -> Iterator[tuple[float, float, float]]:
    """(z, v, x) at T of every path: SABA as it is printed, with tables of points; or with one line changed."""
    A, B, c, P, D, a, b = (np.ravel(getattr(world, name)) for name in ("A", "B", "c", "P", "D", "a", "b"))
    n, m = len(A), len(P)

    def S(phi: Any, table: list[Any], i: int, point: Any) -> float:
        old = [phi(k, *table[k]) for k in range(len(table))]
        mean = 0.0 if changed == "no mean" else sum(old) / len(old)
        return float(phi(i, *point) - old[i] + mean)

    for draws in product(product(range(n), range(m)), repeat=T):
        z, x, v = 0.8, 1.4, 0.0
        w, w_F = [(z, x, v)] * n, [(z, x, v)] * m
        for i, j in draws:
            point = (z, x, v)
            D_z = S(lambda k, z, x, v: A[k] * z - B[k] * x - c[k], w, i, point)
            D_v = S(lambda k, z, x, v: A[k] * v, w, i, point)
            D_v += S(lambda k, z, x, v: D[k] * (z - b[k]), w_F, j, point)
            D_x = S(lambda k, z, x, v: -B[k] * v, w, i, point)
            D_x += S(lambda k, z, x, v: P[k] * (x - a[k]), w_F, j, point)
            z, v, x = z - rho * D_z, v - rho * D_v, x - gamma * D_x
            w[i] = (z, x, v) if changed == "the new point" else point
            w_F[j] = w_F[j] if changed == "no memory of F" else point
        yield z, v, x


@pytest.mark.parametrize("world", [SCALAR, THREE], ids=["n = m = 2", "n = 3, m = 2"])
@pytest.mark.parametrize("certified", [True, False])
def test_it_is_the_printed_method(world: Any, certified: bool) -> None:
    measures = {f: rc.measures.form(lambda _, s, f=f: getattr(s, f)).last() for f in "yvx"}
    run: dict[str, Any] = {"K": 1, "T": 3, "x0": 1.4, "y0": 0.8, "measures": measures, "times": []}
    found = [rc.expect(world, saba(world), **run, certified=certified).values[f] for f in "yvx"]

    def printed(changed: str = "") -> Any:
        return np.mean(np.square(list(paths(world, 3, **STEPS, changed=changed))), axis=0)

    np.testing.assert_allclose(found, printed(), rtol=1e-12)
    for changed in ("no mean", "the new point", "no memory of F"):
        assert np.max(np.abs(found - printed(changed))) > 1e-6


@pytest.mark.parametrize("world", [SCALAR, THREE], ids=["n = m = 2", "n = 3, m = 2"])
def test_its_noise_vanishes_at_the_solution_and_that_of_soba_does_not(world: Any) -> None:
    limit = rc.stationary(world, saba(world), K=1)
    assert max(limit.gradient, limit.tracking) < 1e-25
    assert rc.stationary(world, rc.methods.SOBA(**STEPS), K=1).gradient > 1e-3
    rest = rc.fixed_point(world, saba(world))
    np.testing.assert_allclose(rest.x, world.x_star, rtol=1e-12)
    np.testing.assert_allclose(rest.y, world.y_star(world.x_star), rtol=1e-12)


@pytest.mark.parametrize("T", [0, 1, 7])
def test_costs_by_hand(T: int) -> None:
    """All terms at the start; then one of g and one of f, with a Hessian and a Jacobian product."""
    counts = rc.contract.count(THREE, saba(THREE), T)
    assert (counts.samples_f, counts.samples_g) == (2 + T, 3 + T)
    assert (counts.hessian_products, counts.jacobian_products, counts.rounds) == (3 + T, 3 + T, 0)


def test_other_sums_are_refused() -> None:
    run: dict[str, Any] = {"K": 1, "T": 2, "x0": 1.0, "y0": 1.0}
    with pytest.raises(UserError, match="n = 3 terms of g, and this problem has 2"):
        rc.expect(SCALAR, saba(SCALAR, n=3), **run)
    with pytest.raises(UserError, match="m = 1 terms of f, and this problem has 2"):
        rc.expect(SCALAR, saba(SCALAR, m=1), **run)
    with pytest.raises(UserError, match="n = 2 terms of g, and this problem is no finite sum"):
        rc.expect(rc.worlds.scalar(), saba(SCALAR), **run)
