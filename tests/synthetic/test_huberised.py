"""f made linear far away, around whatever world: Taylor across the kink, and points as far as floats go."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from oracles.world_signs import every_outcome
from ratecert.solvers import exact_hypergradient
from ratecert.synthetic import Quadratic, random_quadratic
from ratecert.synthetic.huberised import huberised

Array = NDArray[np.float64]

PLAIN = random_quadratic(d_x=2, d_y=3, s_f=0.5, s_g=0.5, seed=4)
RADIUS = 2.0


class Bent:
    """A world with the f of PLAIN and y*(x) = A^{-1}(B sin(x) + c): quadratic in y, not in x."""

    x_star = None

    def __getattr__(self, name: str) -> Any:
        return getattr(PLAIN, name)

    def y_star(self, x: Any) -> Array:
        return PLAIN.y_star(np.sin(x))

    def objective(self, x: Any) -> Any:
        return size(self, np.asarray(x, dtype=float)) ** 2 / 2

    def hypergradient(self, x: Any) -> Array:
        """By Lemma 1 from the oracles."""
        return exact_hypergradient(self, x)

    def grad_y_g(self, zeta: Any, x: Any, y: Any) -> Any:
        return PLAIN.grad_y_g(zeta, np.sin(x), y)

    def jacobian_g(self, zeta: Any, x: Any, y: Any, r: Any) -> Any:
        return np.cos(x) * PLAIN.jacobian_g(zeta, x, y, r)


TRUTHS: dict[str, Any] = {
    "quadratic": PLAIN,
    "nonlinear y*": Bent(),
    "flat in x": replace(PLAIN, P=np.zeros((2, 2))),
}


def size(world: Any, x: Array) -> Array:
    """s at (x, y*(x)), by its definition."""
    u, v = (x.T - world.a).T, (world.y_star(x).T - world.b).T
    return np.sqrt((u * (world.P @ u)).sum(axis=0) + (v * (world.D @ v)).sum(axis=0))


def at_size(world: Any, factor: float, direction: Array) -> Array:
    """x along a ray from a, at which s(x, y*(x)) = factor delta; the ray must cross."""
    delta, low, high = huberised(world, radius=RADIUS).delta, 0.0, 1e6
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (
            (middle, high) if size(world, world.a + middle * direction) < factor * delta else (low, middle)
        )
    return world.a + low * direction


def order(Phi: Any, gradient: Array, x: Array) -> float:
    """The least order, as h falls, of the largest remainder of Phi(x + h d) = Phi(x) + h gradient'd over 20 d."""
    d = np.random.default_rng(3).standard_normal((len(x), 20))
    steps = 0.01 * 2.0 ** -np.arange(6)
    remainders = [np.abs(Phi(x[:, None] + h * d) - Phi(x) - h * gradient @ d).max() for h in steps]
    return float(np.log2(np.array(remainders[:-1]) / remainders[1:]).min())


@pytest.mark.parametrize("factor", [0.5, 1.0, 1.001, 5.0], ids=["inside", "kink", "just outside", "outside"])
@pytest.mark.parametrize("name", TRUTHS)
def test_taylor(name: str, factor: float) -> None:
    """The hypergradient is right to second order, across the kink too; the plain world's is not, outside."""
    world = TRUTHS[name]
    h, x = huberised(world, radius=RADIUS), at_size(world, factor, np.array([0.6, 0.8]))
    assert order(h.objective, h.hypergradient(x), x) >= 1.9
    if factor > 1.5:
        assert order(h.objective, world.hypergradient(x), x) < 1.1
    np.testing.assert_allclose(h.hypergradient(x), exact_hypergradient(h, x), rtol=1e-12)
    np.testing.assert_allclose(h.hypergradient(x) * max(1.0, factor), world.hypergradient(x), rtol=1e-12)


def test_x_star_stays() -> None:
    """No random point, near or far, is lower; the centre a, another candidate, is not lowest."""
    h, rng = huberised(PLAIN, radius=0.5), np.random.default_rng(0)
    assert size(PLAIN, PLAIN.x_star) > h.delta  # on the linear part
    assert np.linalg.norm(h.hypergradient(h.x_star)) < 1e-13
    around = h.x_star[:, None] + rng.standard_normal((2, 2000)) * 10.0 ** rng.uniform(-3, 3, 2000)
    assert (h.objective(around) > h.objective(h.x_star)).all()
    assert h.objective(h.a) > h.objective(h.x_star)


def test_far_away_nothing_overflows() -> None:
    """The slope of f is the same at 1e200, whose square is no float; points that are not finite stay so."""
    h = huberised(replace(PLAIN, s_f=0.0), radius=RADIUS)
    gradients = [h.hypergradient(h.a + t * np.array([0.6, 0.8])) for t in (1e12, 1e200)]
    np.testing.assert_allclose(gradients[0], gradients[1], rtol=1e-10)
    with np.errstate(invalid="ignore"):
        assert not np.isfinite(h.hypergradient(np.full((2, 1), np.inf))).any()


def test_a_flat_f_stays_flat() -> None:
    flat = huberised(Quadratic(A=2.0, B=1.0, P=0.0, D=0.0, s_f=0.4), radius=1.0)
    assert flat.hypergradient(3.0) == flat.objective(3.0) == 0.0
    assert flat.constants()["L_0"] == pytest.approx(0.4 * math.sqrt(2), rel=1e-15)


@pytest.mark.smoke
def test_the_noise_of_the_default_is_additive_far_away_as_everywhere() -> None:
    h = huberised()
    assert (h.d_x, h.d_y, h.radius) == (1, 1, 10.0)
    xi, n = every_outcome(h.sample_f)
    far = np.full((1, n), 1e3)
    assert h.grad_x_f(xi, far, far).std() == pytest.approx(0.5, rel=1e-12)
    assert h.grad_x_f(xi, far, far).mean() == pytest.approx(10.0 / math.sqrt(2), rel=1e-12)
