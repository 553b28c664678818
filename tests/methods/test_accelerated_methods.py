"""FISTA, OGM, ITEM and Halpern's iteration against plain loops; coefficients by recursion; linear maps.

The guarantees that PEPit's examples state of them are theorems of the library, which knows where they are attained.
"""

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ratecert as rc
from ratecert.errors import UserError
from ratecert.methods import FISTA, ITEM, OGM, SGD, Halpern
from ratecert.solvers.contract.schedule import Recursive, only_whole, with_schedules

Array = NDArray[np.float64]
Map = Callable[[Array], Array]


def fista(grad: Map, x: Array, L: float, N: int) -> Array:
    y, lam = x, 1.0
    for _ in range(N):
        old, lam_old, lam = x, lam, (1 + sqrt(4 * lam**2 + 1)) / 2
        x = y - grad(y) / L
        y = x + (lam_old - 1) / lam * (x - old)
    return x


def ogm(grad: Map, y: Array, L: float, N: int) -> Array:
    x, theta = y, 1.0
    for i in range(N):
        old, theta_old = x, theta
        theta = (1 + sqrt((4 if i < N - 1 else 8) * theta**2 + 1)) / 2
        x = y - grad(y) / L
        y = x + (theta_old - 1) / theta * (x - old) + theta_old / theta * (x - y)
    return y


def item(grad: Map, z: Array, L: float, q: float, N: int) -> Array:
    x, A = z, 0.0
    for _ in range(N):
        old, A = A, ((1 + q) * A + 2 * (1 + sqrt((1 + A) * (1 + q * A)))) / (1 - q) ** 2
        beta, delta = old / (1 - q) / A, ((1 - q) ** 2 * A - (1 + q) * old) / (1 + q + q * old) / 2
        y = (1 - beta) * z + beta * x
        x = y - grad(y) / L
        z = (1 - q * delta) * z + q * delta * y - delta / L * grad(y)
    return z


def halpern(T: Map, x0: Array, N: int) -> Array:
    x = x0
    for k in range(N):
        x = x0 / (k + 2) + (1 - 1 / (k + 2)) * T(x)
    return x


def random_world(seed: int, d: int = 3) -> tuple[rc.worlds.SingleLevel, Array, int]:
    """A quadratic with curvatures from 0.1 to 2, a start, and how many iterations."""
    rng = np.random.default_rng([21, seed])
    spectrum = [0.1, 2.0, *rng.uniform(0.1, 2.0, d - 2)]
    world = rc.worlds.single_level(spectrum, a=rng.standard_normal(d), seed=seed)
    return world, rng.standard_normal(d), int(rng.integers(1, 30))


def random_map(seed: int, d: int = 3) -> tuple[rc.worlds.LinearMap, Array, int]:
    """A map of norm 1, often near a rotation."""
    rng = np.random.default_rng([22, seed])
    Q, _ = np.linalg.qr(rng.standard_normal((d, d)))
    M = Q + rng.uniform(0, 0.5) * rng.standard_normal((d, d))
    world = rc.worlds.LinearMap(M=M / np.linalg.norm(M, 2) * (1 - 1e-9), b=rng.standard_normal(d))
    return world, rng.standard_normal(d), int(rng.integers(1, 30))


def last(world: Any, solver: Any, N: int, x0: Any, measure: Any, **options: Any) -> float:
    run: dict[str, Any] = {"K": 1, "T": N, "x0": x0, "times": [], "measures": {"m": measure.last()}}
    return float(rc.expect(world, solver, **run, **options).m)


def descent(world: Any) -> Map:
    return lambda x: np.asarray(world.H @ (x - world.a))


@pytest.mark.parametrize("seed", range(20))
def test_the_engine_is_the_plain_loop(seed: int) -> None:
    world, x0, N = random_world(seed)
    grad, found = descent(world), {}
    for solver, x, gap in (
        (FISTA(alpha=0.5), fista(grad, x0, 2.0, N), True),
        (OGM(alpha=0.5, N=N), ogm(grad, x0, 2.0, N), True),
        (ITEM(alpha=0.5, q=0.05), item(grad, x0, 2.0, 0.05, N), False),
    ):
        plain = float(world.objective(x) if gap else np.sum((x - world.a) ** 2))
        measure = rc.measures.gap() if gap else rc.measures.distance("z")
        found[type(solver).__name__] = last(world, solver, N, x0, measure), plain
    linear, x0, N = random_map(seed)
    x = halpern(lambda x: linear.M @ x + linear.b, x0, N)
    plain = float(np.sum(linear.gradient(x) ** 2))
    found["Halpern"] = last(linear, Halpern(), N, x0, rc.measures.gradient()), plain
    for name, (exact, plain) in found.items():
        assert exact == pytest.approx(plain, rel=1e-12, abs=1e-16), name


def test_ogm_begins_anew_after_its_last_iteration() -> None:
    world, x0, _ = random_world(3)
    grad = descent(world)
    twice = ogm(grad, ogm(grad, x0, 2.0, 4), 2.0, 4)
    found = last(world, OGM(alpha=0.5, N=4), 8, x0, rc.measures.gap())
    assert found == pytest.approx(float(world.objective(twice)), rel=1e-11)
    assert found != pytest.approx(float(world.objective(ogm(grad, x0, 2.0, 8))), rel=1e-2)


# Coefficients by recursion.


class Halved(Recursive):
    """theta_{t+1} = theta_t/2, and the coefficient their sum."""

    def after(self, theta: float) -> float:
        return theta / 2

    def value(self, theta: float, following: float) -> float:
        return theta + following


def test_a_recursion_has_values_at_whole_t() -> None:
    halved = Halved()
    assert [halved(t) for t in (3, 0, 1)] == [0.1875, 1.5, 0.75]
    assert (halved.largest, halved.constant_until) == (1.0, 0.0)
    for t in (0.5, -1):
        with pytest.raises(UserError, match=f"Halved is defined at whole t >= 0 only, got t = {t}"):
            halved(t)
    assert Halved() == halved
    assert hash(Halved()) == hash(halved)


def test_coefficients_of_item_go_on_where_its_sums_overflow() -> None:
    """A_t leaves doubles after some hundred iterations; the coefficients have limits."""
    q = 0.3
    solver: Any = ITEM(alpha=0.5, q=q)
    beta, delta = solver.beta(5000), solver.delta(5000)
    assert beta == pytest.approx((1 - sqrt(q)) / (1 + sqrt(q)), rel=1e-14)
    assert delta == pytest.approx(1 / sqrt(q), rel=1e-14)
    assert solver.beta(0) == 0
    assert max(solver.beta(t) for t in range(50)) <= solver.beta.largest
    assert max(solver.delta(t) for t in range(50)) <= solver.delta.largest * (1 + 1e-15)


def test_recursions_are_stepped_through_and_never_interpolated() -> None:
    world = rc.worlds.single_level([0.1, 2.0], s=0.1)
    result = rc.expect(world, FISTA(alpha=0.1), K=1, T=700, x0=[1.0, 1.0], times=[])
    assert result.method == "stepping"
    assert rc.expect(world, Halpern(alpha=0.1), K=1, T=700, x0=[1.0, 1.0], times=[]).method != "stepping"
    assert (only_whole(FISTA(alpha=0.1)), only_whole(Halpern(alpha=0.1))) == (True, False)
    with pytest.raises(UserError, match=r"1000000 iterations .* can only be stepped through.* use simulate"):
        rc.expect(world, FISTA(alpha=0.1), K=1, T=10**6, x0=[1.0, 1.0], times=[])
    with pytest.raises(UserError, match=r"certified: 1000000 iterations .* which steps in doubles"):
        rc.expect(world, OGM(alpha=0.1, N=9), K=1, T=10**6, x0=[1.0, 1.0], times=[], certified=True)


def test_schedules_that_a_method_makes_itself_can_be_replaced() -> None:
    solver, steps = FISTA(alpha=0.1), {"alpha": rc.contract.Constant(0.2), "beta": Halved()}
    changed = with_schedules(solver, steps)
    assert (changed.alpha, changed.beta) == (steps["alpha"], steps["beta"])
    assert solver == FISTA(alpha=0.1)
    assert changed != solver


def test_the_weights_of_item_are_refused_at_one() -> None:
    with pytest.raises(UserError, match=r"q = mu/L must lie in \(0, 1\), got 1.0"):
        ITEM(alpha=0.1, q=1.0)


# Linear maps.

TURN = rc.worlds.LinearMap(M=[[0.0, -1.0], [1.0, 0.0]], b=[1.0, 0.0])


def test_sgd_on_a_linear_map_is_the_krasnoselskii_mann_iteration() -> None:
    x = np.array([2.0, 1.0])
    for _ in range(7):
        x = 0.7 * x + 0.3 * (TURN.M @ x + TURN.b)
    by_hand = float(np.sum((x - TURN.x_star) ** 2))
    for certified in (True, False):
        found = last(TURN, SGD(alpha=0.3), 7, [2.0, 1.0], rc.measures.distance(), certified=certified)
        assert found == pytest.approx(by_hand, rel=1e-12)
    assert last(TURN, SGD(alpha=0.4), 7, [2.0, 1.0], rc.measures.distance()) != pytest.approx(
        by_hand, rel=1e-2
    )


def test_the_gap_is_refused_where_there_is_no_function() -> None:
    run: dict[str, Any] = {"K": 1, "T": 3, "x0": [1.0, 1.0]}
    usual = rc.expect(TURN, SGD(alpha=0.3), **run)
    assert set(usual.values) == {"gradient", "distance", "drift_x"}
    for engine in (rc.expect, rc.enumerate_outcomes):
        with pytest.raises(
            UserError, match="its Hessian is not symmetric; measure the gradient or the distance"
        ):
            engine(TURN, SGD(alpha=0.3), **run, measures={"gap": rc.measures.gap()})
    symmetric = rc.worlds.LinearMap(M=[[0.5, 0.25], [0.25, -0.5]])
    assert "gap" in rc.expect(symmetric, SGD(alpha=0.3), **run).values


def test_the_constants_of_a_linear_map() -> None:
    world, x, _ = random_map(5)
    c, off = world.constants(), x - world.x_star
    assert c["norm"] == pytest.approx(1 - 1e-9, rel=1e-12)
    ratio = float(np.linalg.norm(world.gradient(x)) / np.linalg.norm(off))
    assert c["mu"] <= ratio <= c["L"]
    assert world.gradient(world.x_star) == pytest.approx(np.zeros(3), abs=1e-14)
    assert world.gradient(x) == pytest.approx(x - world.M @ x - world.b, rel=1e-12)
    columns = np.stack([x, world.x_star], axis=1)
    assert world.gradient(columns)[:, 0] == pytest.approx(world.gradient(x), rel=1e-15)
