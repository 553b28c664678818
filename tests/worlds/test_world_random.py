"""Random worlds: what must hold between their parts, without a second formula for any of them.

Taylor's theorem tests gradients: |Phi(x + h d) - Phi(x) - h <grad Phi(x), d>| has to be of order h^2, and so
has the remainder of each sampled f and g. Products with second derivatives are differences of affine
gradients, x* is critical and lowest, and the hypergradients of solvers/ have their closed forms. Each check
has a twin in which it sees a wrong gradient, product or sample.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from oracles.world_signs import every_outcome, noise_free
from ratecert.solvers import StochasticNeumann, exact_hypergradient, neumann_hypergradient
from ratecert.synthetic import Quadratic, random_quadratic, scalar
from ratecert.synthetic.algebra.spectra import rectangular, symmetric

Array = NDArray[np.float64]
STEPS = 2.0 ** -np.arange(4, 13)


def stacked(seed: int, *, d_x: int = 2, d_y: int = 3) -> Quadratic:
    """A random world whose E and F are stacks of two directions each."""
    world = random_quadratic(d_x=d_x, d_y=d_y, s_f=0.3, s_g=0.2, seed=seed)
    rng = np.random.default_rng([seed, 1])
    G = rng.standard_normal((2, d_y, d_y))
    E = 0.5 * (G + np.swapaxes(G, 1, 2))
    E *= 0.3 / np.linalg.norm(E, 2, axis=(1, 2))[:, None, None]
    return replace(world, E=E, F=0.3 * rng.standard_normal((2, d_y, d_x)))


WORLDS: dict[str, Quadratic] = {
    "scalar": scalar(sigma_H=0.4, sigma_J=0.3, s_f=0.5, s_g=0.2, a=0.7, b=-1.1, c=0.4, P=0.6, D=1.7),
    "random 1x3": random_quadratic(d_x=1, d_y=3, sigma_H=0.5, sigma_J=0.4, s_f=0.3, s_g=0.1, seed=1),
    "random 4x2": random_quadratic(d_x=4, d_y=2, sigma_H=0.2, sigma_J=0.7, s_f=0.1, s_g=0.4, seed=2),
    "stacked 2x3": stacked(3),
}


def points(world: Quadratic, n: int, seed: int) -> tuple[Array, Array]:
    """n random points as columns of x and of y."""
    rng = np.random.default_rng(seed)
    return 2.0 * rng.standard_normal((world.d_x, n)), 2.0 * rng.standard_normal((world.d_y, n))


def observed_order(remainder: Callable[[float], Array]) -> Array:
    """The slope of log|remainder(h)| in log h, fitted over all steps; one slope per column."""
    sizes_of_remainder = np.abs([remainder(h) for h in STEPS])
    return np.polyfit(np.log(STEPS), np.log(sizes_of_remainder), 1)[0]


def taylor_order(world: Quadratic, gradient: Callable[[Array], Array], seed: int) -> Array:
    """The observed order of Phi(x + h d) - Phi(x) - h <gradient(x), d>, at 20 points x and directions d."""
    (x, _), (d, _) = points(world, 20, seed), points(world, 20, seed + 1)
    slope = (gradient(x) * d).sum(axis=0)
    return observed_order(lambda h: world.objective(x + h * d) - world.objective(x) - h * slope)


def halved_cross_term(world: Quadratic, x: Array) -> Array:
    """P(x - a) + 1/2 B'A^{-1}D(y*(x) - b), a wrong gradient."""
    direct = world.P @ (x - world.a[:, None])
    return direct + 0.5 * (world.hypergradient(x) - direct)


@pytest.mark.parametrize("seed", [10, 20, 30])
@pytest.mark.parametrize("name", WORLDS)
def test_hypergradient_passes_the_taylor_test(name: str, seed: int) -> None:
    world = WORLDS[name]
    order = taylor_order(world, world.hypergradient, seed)
    assert order.min() >= 1.9
    assert order.max() <= 2.1


@pytest.mark.parametrize("seed", [10, 20, 30])
@pytest.mark.parametrize("name", WORLDS)
def test_taylor_test_sees_a_halved_cross_term(name: str, seed: int) -> None:
    """The order is that of the wrong term, 1; where that term is small, only for smaller h than these."""
    world = WORLDS[name]
    order = taylor_order(world, lambda x: halved_cross_term(world, x), seed)
    assert abs(np.median(order) - 1.0) < 0.1
    assert order.max() < 1.9


def sampled_f(world: Quadratic, xi: Any, x: Array, y: Array) -> Array:
    """f(x, y; xi) written out, at columns."""
    u, v = x - world.a[:, None], y - world.b[:, None]
    mean = 0.5 * (u * (world.P @ u)).sum(axis=0) + 0.5 * (v * (world.D @ v)).sum(axis=0)
    return mean + world.s_f * ((xi.m_x * x).sum(axis=0) + (xi.m_y * y).sum(axis=0))


def sampled_g(world: Quadratic, zeta: Any, x: Array, y: Array) -> Array:
    """g(x, y; zeta) written out, at columns; each has its own M = A + sum_i e_i E_i and N = B + ..."""
    M = world.A[:, :, None] + np.einsum("ijl,ik->jlk", world.E, zeta.e)
    N = world.B[:, :, None] + np.einsum("ijl,ik->jlk", world.F, zeta.e_F)
    linear = np.einsum("jk,jlk,lk->k", y, N, x) + world.c @ y - world.s_g * (zeta.n * y).sum(axis=0)
    return 0.5 * np.einsum("jk,jlk,lk->k", y, M, y) - linear


def sampled_f_order(world: Quadratic, *, shown: Any, used: Any, n: int) -> Array:
    """Taylor order of f(.; used) with the gradients of f(.; shown), in x and y together, per outcome."""
    (x, y), (u, v) = points(world, n, 5), points(world, n, 6)
    slope = (world.grad_x_f(shown, x, y) * u).sum(axis=0) + (world.grad_y_f(shown, x, y) * v).sum(axis=0)
    here = sampled_f(world, used, x, y)
    return observed_order(lambda h: sampled_f(world, used, x + h * u, y + h * v) - here - h * slope)


def sampled_g_order(world: Quadratic, *, shown: Any, used: Any, n: int) -> Array:
    """Taylor order of y -> g(x, y; used) with grad_y g(.; shown), per outcome."""
    (x, y), (_, v) = points(world, n, 5), points(world, n, 6)
    slope = (world.grad_y_g(shown, x, y) * v).sum(axis=0)
    here = sampled_g(world, used, x, y)
    return observed_order(lambda h: sampled_g(world, used, x, y + h * v) - here - h * slope)


@pytest.mark.parametrize("name", WORLDS)
def test_sampled_gradients_pass_the_taylor_test(name: str) -> None:
    world = WORLDS[name]
    xi, n_f = every_outcome(world.sample_f)
    zeta, n_g = every_outcome(world.sample_g)
    assert sampled_f_order(world, shown=xi, used=xi, n=n_f).min() >= 1.9
    assert sampled_g_order(world, shown=zeta, used=zeta, n=n_g).min() >= 1.9


@pytest.mark.parametrize("name", WORLDS)
def test_taylor_test_sees_the_gradient_of_another_sample(name: str) -> None:
    """The noise-free gradient is wrong for a sample, to first order."""
    world = WORLDS[name]
    xi, n_f = every_outcome(world.sample_f)
    zeta, n_g = every_outcome(world.sample_g)
    upper = sampled_f_order(world, shown=noise_free(world.sample_f), used=xi, n=n_f)
    lower = sampled_g_order(world, shown=noise_free(world.sample_g), used=zeta, n=n_g)
    assert np.median(upper) < 1.5
    assert np.median(lower) < 1.5


def product_gaps(world: Quadratic, *, shown: Any, used: Any, n: int) -> tuple[float, float]:
    """How far hessian_g and jacobian_g are from differences of grad_y g(.; used), which is affine:

    grad_y g(x, y + r) - grad_y g(x, y) = grad_yy g r  and
    r'(grad_y g(x + s, y) - grad_y g(x, y)) = s'(grad_xy g r).
    """
    (x, y), (s, r) = points(world, n, 7), points(world, n, 8)
    here = world.grad_y_g(used, x, y)
    in_y = world.grad_y_g(used, x, y + r) - here - world.hessian_g(shown, x, y, r)
    moved = (r * (world.grad_y_g(used, x + s, y) - here)).sum(axis=0)
    in_x = moved - (s * world.jacobian_g(shown, x, y, r)).sum(axis=0)
    return float(np.abs(in_y).max()), float(np.abs(in_x).max())


@pytest.mark.parametrize("name", WORLDS)
def test_products_are_differences_of_the_sampled_gradient(name: str) -> None:
    world = WORLDS[name]
    zeta, n = every_outcome(world.sample_g)
    assert max(product_gaps(world, shown=zeta, used=zeta, n=n)) < 1e-12


@pytest.mark.parametrize("name", WORLDS)
def test_differences_see_the_product_of_another_sample(name: str) -> None:
    world = WORLDS[name]
    zeta, n = every_outcome(world.sample_g)
    assert min(product_gaps(world, shown=noise_free(world.sample_g), used=zeta, n=n)) > 1e-2


@pytest.mark.parametrize("name", WORLDS)
def test_samples_for_one_product_are_those_of_the_whole_gradient(name: str) -> None:
    """sample_hessian and sample_jacobian draw the signs of their product and give the same products."""
    world = WORLDS[name]
    for draw, product, signs in (
        (world.sample_hessian, world.hessian_g, "e"),
        (world.sample_jacobian, world.jacobian_g, "e_F"),
    ):
        part, n = every_outcome(draw)
        assert n == 2 ** len(getattr(part, signs))
        x, y = points(world, n, 9)
        whole = replace(noise_free(world.sample_g), **{signs: getattr(part, signs)})
        np.testing.assert_array_equal(product(part, x, y, y), product(whole, x, y, y))


@pytest.mark.parametrize("name", WORLDS)
def test_columns_equal_single_points(name: str) -> None:
    world = WORLDS[name]
    x, _ = points(world, 7, 11)
    for of_points in (world.y_star, world.objective, world.hypergradient):
        one_by_one = np.stack([of_points(column) for column in x.T], axis=-1)
        np.testing.assert_allclose(of_points(x), one_by_one, rtol=1e-13, atol=1e-13)
        with pytest.raises(AssertionError):  # the comparison is between points, in order
            np.testing.assert_allclose(of_points(x[:, ::-1]), one_by_one, rtol=1e-13, atol=1e-13)


# The minimiser.


def is_critical(world: Quadratic, x: Array) -> bool:
    return bool(np.linalg.norm(world.hypergradient(x)) <= 1e-10)


@pytest.mark.parametrize("name", WORLDS)
def test_x_star_minimises(name: str) -> None:
    world = WORLDS[name]
    assert is_critical(world, world.x_star)
    steps = np.concatenate([size * points(world, 50, 12)[0] for size in (1e-4, 1.0, 100.0)], axis=1)
    assert np.all(world.objective(world.x_star[:, None] + steps) > world.objective(world.x_star))
    assert not is_critical(world, world.x_star + 1e-6)


def test_x_star_of_a_flat_objective_is_the_shortest_minimiser() -> None:
    """Phi(x) = 1/2 (x_1 - 3)^2 is minimal on a line; its point of least norm is (3, 0)."""
    world = Quadratic(A=1.0, B=[[1.0, 1.0]], P=np.diag([1.0, 0.0]), D=0.0, a=[3.0, 5.0])
    np.testing.assert_allclose(world.x_star, [3.0, 0.0], atol=1e-14)
    assert is_critical(world, world.a)
    assert not is_critical(world, np.zeros(2))


@pytest.mark.parametrize("seed", range(50))
def test_semidefinite_worlds_have_a_minimiser(seed: int) -> None:
    """With P and D semidefinite Phi has a minimum, however many directions are flat to rounding."""
    rng = np.random.default_rng(seed)
    d_x, d_y = (int(d) for d in rng.integers(1, 12, 2))
    P, D = (
        symmetric(rng, 10.0 ** rng.uniform(-3, 3) * rng.uniform(0.1, 1.0, d) * rng.integers(0, 2, d))
        for d in (d_x, d_y)
    )
    made = Quadratic(
        A=symmetric(rng, rng.uniform(0.1, 2.0, d_y)),
        B=rectangular(rng, d_y, d_x, rng.uniform(0.1, 2.0, 1)),
        P=P, D=D, a=100.0 * rng.standard_normal(d_x), b=100.0 * rng.standard_normal(d_y),
    )  # fmt: skip
    size = 1e3 * (1.0 + max(np.linalg.norm(P, 2), np.linalg.norm(D, 2)))
    assert np.linalg.norm(made.hypergradient(made.x_star)) < 1e-9 * size


# Hypergradients of solvers/, from the oracles alone.


def truncated(world: Quadratic, x: Array, y: Array, *, theta: float, power: int) -> Array:
    """P(x - a) + B'A^{-1}(I - (I - theta A)^power) D(y - b)."""
    shrunk = np.linalg.matrix_power(np.eye(world.d_y) - theta * world.A, power)
    r = np.linalg.solve(world.A, (np.eye(world.d_y) - shrunk) @ world.D @ (y - world.b))
    return world.P @ (x - world.a) + world.B.T @ r


@pytest.mark.parametrize("name", WORLDS)
def test_exact_hypergradient_is_that_of_the_world(name: str) -> None:
    world = WORLDS[name]
    moved = replace(world, b=world.b + 1e-6)
    for x in points(world, 10, 13)[0].T:
        truth = world.hypergradient(x)
        np.testing.assert_allclose(exact_hypergradient(world, x), truth, rtol=1e-12, atol=1e-12)
        with pytest.raises(AssertionError):
            np.testing.assert_allclose(exact_hypergradient(moved, x), truth, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("Q", [0, 1, 2, 7, 40])
@pytest.mark.parametrize("name", WORLDS)
def test_neumann_hypergradient_has_its_closed_form(name: str, Q: int) -> None:
    """theta sum_{q=0}^{Q} (I - theta A)^q = A^{-1}(I - (I - theta A)^{Q+1}); one term fewer is seen."""
    world = WORLDS[name]
    theta = 0.2 / world.curvature[1]
    for x, y in zip(*(v.T for v in points(world, 5, 14)), strict=True):
        measured = neumann_hypergradient(world, x, y, theta=theta, Q=Q)
        np.testing.assert_allclose(measured, truncated(world, x, y, theta=theta, power=Q + 1), rtol=1e-12)
        with pytest.raises(AssertionError):
            np.testing.assert_allclose(measured, truncated(world, x, y, theta=theta, power=Q), rtol=1e-12)


SMALL = {"scalar": WORLDS["scalar"], "stacked 2x2": stacked(4, d_x=2, d_y=2)}


def stochastic(world: Quadratic, Q: int, *, shared: bool = False) -> tuple[Array, Array]:
    """The mean over all outcomes of the stochastic Neumann hypergradient, and the deterministic one."""
    neumann = StochasticNeumann(theta=0.4 / world.curvature[1], Q=Q)
    sample, n = every_outcome(lambda bits: neumann.sample(world, bits))
    if shared:
        sample = replace(sample, factors=sample.factors[:1] * Q)
    x, y = (np.repeat(v, n, axis=1) for v in points(world, 1, 15))
    mean = neumann.evaluate(world, sample, x, y).mean(axis=1)
    return mean, neumann_hypergradient(world, x[:, 0], y[:, 0], theta=neumann.theta, Q=Q)


@pytest.mark.parametrize("Q", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("name", SMALL)
def test_stochastic_neumann_has_the_deterministic_mean(name: str, Q: int) -> None:
    mean, deterministic = stochastic(SMALL[name], Q)
    np.testing.assert_allclose(mean, deterministic, rtol=1e-12)


@pytest.mark.parametrize("Q", [2, 3, 4])
@pytest.mark.parametrize("name", SMALL)
def test_one_sample_for_all_factors_has_another_mean(name: str, Q: int) -> None:
    """E(I - theta(A + e E))^2 = (I - theta A)^2 + theta^2 E^2."""
    mean, deterministic = stochastic(SMALL[name], Q, shared=True)
    assert np.linalg.norm(mean - deterministic) > 1e-4 * np.linalg.norm(deterministic)


def printed_neumann(world: Quadratic, sample: Any, k: int, x: Array, y: Array, *, theta: float) -> Array:
    """Outcome k, as printed: Hhat = theta sum_{q=-1}^{Q-1} prod_{j=Q-q}^{Q} (I - theta grad_yy g(zeta_j)).

    All products end with zeta_Q, which therefore meets grad_y f first: it is the first factor of the sample.
    """
    Q, identity = len(sample.factors), np.eye(world.d_y)
    hessians = [world.A + np.tensordot(zeta.e[:, k], world.E, axes=1) for zeta in reversed(sample.factors)]
    factor = {j: identity - theta * H for j, H in enumerate(hessians, start=1)}
    terms = [identity]
    for q in range(Q):
        product = identity
        for j in range(Q - q, Q + 1):
            product = product @ factor[j]
        terms.append(product)
    grad_x = world.P @ (x - world.a) + world.s_f * sample.xi.m_x[:, k]
    grad_y = world.D @ (y - world.b) + world.s_f * sample.xi.m_y[:, k]
    coupling = world.B + np.tensordot(sample.zeta.e_F[:, k], world.F, axes=1)
    return grad_x + coupling.T @ (theta * sum(terms) @ grad_y)


@pytest.mark.parametrize("Q", [0, 1, 3])
def test_stochastic_neumann_is_the_printed_product_at_every_outcome(Q: int) -> None:
    """Twin: with the factors in the opposite order (a Horner scheme) the sum is another one once Q >= 2."""
    world = SMALL["stacked 2x2"]
    neumann = StochasticNeumann(theta=0.4 / world.curvature[1], Q=Q)
    sample, n = every_outcome(lambda bits: neumann.sample(world, bits))
    reverse = replace(sample, factors=sample.factors[::-1])
    x, y = (v[:, 0] for v in points(world, 1, 16))
    columns = [np.repeat(v[:, None], n, axis=1) for v in (x, y)]
    expected = np.array([printed_neumann(world, sample, k, x, y, theta=neumann.theta) for k in range(n)]).T
    np.testing.assert_allclose(neumann.evaluate(world, sample, *columns), expected, rtol=1e-11, atol=1e-12)
    gap = float(np.abs(neumann.evaluate(world, reverse, *columns) - expected).max())
    assert (gap > 1e-3) == (Q >= 2)
