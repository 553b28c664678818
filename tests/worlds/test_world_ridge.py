"""The world `ridge`: penalties of a ridge regression, learned on validation rows.

    g(x, y; i) = 1/2 (u_i'y - t_i)^2 + 1/2 sum_j exp(m sin(x_j/m)) y_j^2        f(x, y; i) = 1/2 (v_i'y - s_i)^2

Its truth is held against SymPy, against Taylor's theorem and against scikit-learn; its samples against all outcomes;
its constants against the worst quotients that a search finds; and both algorithms have to find scipy's optimum.
"""

import copy
import math
import pickle
import sys
from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError, replace
from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy as sp
from numpy.typing import NDArray
from scipy.optimize import minimize

from oracles.watched import path_of
from oracles.world_signs import every_outcome, noise_free
from ratecert.errors import NotAffineError
from ratecert.registry import paper
from ratecert.solvers import (
    LocalBSGM,
    LocalBSGVRM,
    StochasticNeumann,
    enumerate_outcomes,
    exact_hypergradient,
    expect,
    simulate,
)
from ratecert.synthetic.constants.norm_readings import Reading
from ratecert.synthetic.data.tables import Table
from ratecert.synthetic.worlds.ridge import Ridge, SplitRidge, ridge
from ratecert.theory.numbers.assumptions import check_assumptions

Array = NDArray[np.float64]
READINGS: list[Reading] = ["joint", "block"]


@cache
def data() -> dict[str, Array]:
    """60 rows of three features, one of which does not matter."""
    rng = np.random.default_rng(3)
    features = rng.standard_normal((60, 3)) @ np.array([[1.0, 0.4, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 1.0]])
    targets = features @ [1.0, -0.5, 0.0] + 0.7 * rng.standard_normal(60)
    return {"features": features, "targets": targets}


@cache
def small(**options: Any) -> Ridge:
    return ridge(**data(), **options)


@cache
def diabetes(**options: Any) -> Ridge:
    pytest.importorskip("sklearn")
    return ridge(**options)


def devices_of(world: Ridge) -> tuple[Ridge, ...]:
    return world.devices if isinstance(world, SplitRidge) else (world,)


# The truth against SymPy: a problem with rational rows, made without standardising them.

RATIONAL_U = sp.Matrix([[1, 2], [-1, 3], [sp.Rational(1, 2), 1], [2, -1]])
RATIONAL_T = sp.Matrix([1, -2, sp.Rational(3, 4), 1])
RATIONAL_V = sp.Matrix([[1, -1], [sp.Rational(1, 3), 2]])
RATIONAL_S = sp.Matrix([2, sp.Rational(-1, 2)])
M = sp.Rational(3, 2)
X, Y = sp.Matrix(sp.symbols("x:2", real=True)), sp.Matrix(sp.symbols("y:2", real=True))
POINT = {X[0]: sp.Rational(4, 5), X[1]: sp.Rational(-7, 3), Y[0]: sp.Rational(1, 4), Y[1]: sp.Rational(-2, 3)}


def rational_world(*, batch: int = 1, m: float = float(M)) -> Ridge:
    def numbers(matrix: sp.Matrix) -> Array:
        return np.array(matrix.tolist(), dtype=float)

    g = Table(numbers(RATIONAL_U), numbers(RATIONAL_T)[:, 0], ("p", "q"))
    f = Table(numbers(RATIONAL_V), numbers(RATIONAL_S)[:, 0], ("p", "q"))
    return Ridge(
        training=g.rows(np.arange(4), batch), validation=f.rows(np.arange(2), batch), m=m, b=np.zeros(2),
        names=g.names, left_out=(),
    )  # fmt: skip


def printed_g(i: int) -> sp.Expr:
    penalties = sum(sp.exp(M * sp.sin(X[j] / M)) * Y[j] ** 2 / 2 for j in range(2))
    return ((RATIONAL_U.row(i) * Y)[0] - RATIONAL_T[i]) ** 2 / 2 + penalties


def printed_f(i: int) -> sp.Expr:
    return ((RATIONAL_V.row(i) * Y)[0] - RATIONAL_S[i]) ** 2 / 2


def at_point(expression: Any, point: Mapping[Any, Any] = POINT) -> Array:
    matrix = sp.Matrix([expression]) if isinstance(expression, sp.Expr) else sp.Matrix(expression)
    return np.array(matrix.subs(point).evalf(25).tolist(), dtype=float)[:, 0]


@cache
def symbolic_truth() -> tuple[sp.Matrix, sp.Expr, sp.Matrix]:
    g, f = sum(printed_g(i) for i in range(4)) / 4, sum(printed_f(i) for i in range(2)) / 2
    y_star = sp.hessian(g, list(Y)).LUsolve(-sp.Matrix([g.diff(y) for y in Y]).subs(dict.fromkeys(Y, 0)))
    Phi = f.subs(dict(zip(Y, y_star, strict=True)))
    return y_star, Phi, sp.Matrix([Phi.diff(x) for x in X])


def assert_truth(world: Ridge) -> None:
    y_star, Phi, gradient = symbolic_truth()
    x = at_point(X)
    np.testing.assert_allclose(world.y_star(x), at_point(y_star), rtol=1e-13)
    np.testing.assert_allclose(world.objective(x), at_point(Phi)[0], rtol=1e-13)
    np.testing.assert_allclose(world.hypergradient(x), at_point(gradient), rtol=1e-12)


@pytest.mark.smoke
def test_truth_equals_sympy() -> None:
    assert_truth(rational_world())


def test_sympy_sees_another_bound_of_the_penalties() -> None:
    with pytest.raises(AssertionError):
        assert_truth(rational_world(m=1.01 * float(M)))


def sampled_oracles(world: Ridge) -> dict[str, Array]:
    """Every oracle at POINT for every outcome, as (d, outcomes)."""
    zeta, n = every_outcome(world.sample_g)
    xi, n_f = every_outcome(world.sample_f)
    x, y, r = (np.repeat(at_point(v)[:, None], n, axis=1) for v in (X, Y, sp.Matrix([2, -3])))
    z = x[:, :n_f], y[:, :n_f]
    return {
        "grad_x_f": world.grad_x_f(xi, *z), "grad_y_f": world.grad_y_f(xi, *z),
        "grad_y_g": world.grad_y_g(zeta, x, y), "hessian_g": world.hessian_g(zeta, x, y, r),
        "jacobian_g": world.jacobian_g(zeta, x, y, r),
        "neumann_factor_g": world.neumann_factor_g(zeta, x, y, r, 0.1),
    }  # fmt: skip


def printed_oracles(batch: int) -> dict[str, Array]:
    """The same from the derivatives of the printed f and g, blocks in order."""
    r = sp.Matrix([2, -3])
    gs = [sum(printed_g(batch * i + k) for k in range(batch)) / batch for i in range(4 // batch)]
    fs = [sum(printed_f(batch * i + k) for k in range(batch)) / batch for i in range(2 // batch)]
    mixed = [sp.Matrix(2, 2, lambda i, j, g=g: g.diff(X[i], Y[j])) for g in gs]
    columns = {
        "grad_x_f": [[f.diff(x) for x in X] for f in fs], "grad_y_f": [[f.diff(y) for y in Y] for f in fs],
        "grad_y_g": [[g.diff(y) for y in Y] for g in gs],
        "hessian_g": [sp.hessian(g, list(Y)) * r for g in gs],
        "jacobian_g": [J * r for J in mixed],
        "neumann_factor_g": [r - sp.Rational(1, 10) * sp.hessian(g, list(Y)) * r for g in gs],
    }  # fmt: skip
    return {name: np.stack([at_point(c) for c in value], axis=1) for name, value in columns.items()}


@pytest.mark.parametrize("batch", [1, 2])
def test_every_sample_equals_the_derivatives_of_the_printed_losses(batch: int) -> None:
    sampled, printed = sampled_oracles(rational_world(batch=batch)), printed_oracles(batch)
    for name, value in sampled.items():
        np.testing.assert_allclose(value, printed[name], rtol=1e-13, atol=1e-15, err_msg=name)
    turned = sampled["grad_y_g"][:, ::-1]  # twin: the same rows under other numbers
    assert np.abs(turned - printed["grad_y_g"]).max() > 0.1


# The truth against Taylor's theorem.


def order(remainder: Callable[[float], float]) -> float:
    """The smallest exponent of h, from halving h four times."""
    values = np.array([remainder(2.0**-k) for k in range(7, 12)])
    return float(np.log2(values[:-1] / values[1:]).min())


WORLDS: dict[str, Callable[[], Ridge]] = {
    "small": small,
    "small m=1 batch=4": lambda: small(m=1.0, batch=4),
    "small m=3 split": lambda: small(m=3.0, devices=3),
    "diabetes": diabetes,
}


def order_of_Phi(world: Ridge, x: Array, v: Array, *, factor: float = 1.0) -> float:
    slope = factor * float(world.hypergradient(x) @ v)
    return order(lambda h: abs(world.objective(x + h * v) - world.objective(x) - h * slope))


def order_of_y_star(world: Ridge, x: Array, v: Array, *, factor: float = 1.0) -> float:
    slope = factor * derivative(world, x, v)
    return order(lambda h: float(np.linalg.norm(world.y_star(x + h * v) - world.y_star(x) - h * slope)))


def derivative(world: Ridge, x: Array, v: Array) -> Array:
    """grad y*(x) v by the implicit function theorem, from the oracles; grad_xy g is symmetric here."""
    zeta, column = noise_free(world.sample_g), x[:, None]
    y = world.y_star(column)
    H = np.hstack([world.hessian_g(zeta, column, y, e[:, None]) for e in np.eye(world.d_y)])
    return -np.linalg.solve(H, world.jacobian_g(zeta, column, y, v[:, None]))[:, 0]


@pytest.mark.parametrize("measured", [order_of_Phi, order_of_y_star])
@pytest.mark.parametrize("name", WORLDS)
def test_remainders_are_of_second_order(name: str, measured: Callable[..., float]) -> None:
    world, rng = WORLDS[name](), np.random.default_rng(5)
    for _ in range(3):
        x, v = 2 * rng.standard_normal(world.d_x), rng.standard_normal(world.d_x)
        assert measured(world, x, v) >= 1.9
        assert measured(world, x, v, factor=1.1) < 1.5  # twin


@pytest.mark.parametrize("name", WORLDS)
def test_the_oracles_and_the_truth_agree(name: str) -> None:
    world, rng = WORLDS[name](), np.random.default_rng(6)
    x = 2 * rng.standard_normal((world.d_x, 4))
    y = world.y_star(x)
    assert np.abs(world.grad_y_g(noise_free(world.sample_g), x, y)).max() < 1e-13
    assert np.abs(world.grad_y_g(noise_free(world.sample_g), x, 1.01 * y)).max() > 1e-5  # twin
    exact = np.stack([exact_hypergradient(world, point) for point in x.T], axis=1)
    np.testing.assert_allclose(world.hypergradient(x), exact, rtol=1e-10, atol=1e-15)
    one = world.y_star(x[:, 1]), world.objective(x[:, 1]), world.hypergradient(x[:, 1])
    for value, columns in zip(one, (y, world.objective(x), world.hypergradient(x)), strict=True):
        np.testing.assert_allclose(value, columns[..., 1], rtol=1e-12)


def test_points_that_are_not_finite_pass_through_arrays_alone() -> None:
    world = small()
    x = np.array([[0.0, np.nan], [0.0, 1.0], [0.0, 1.0]])
    assert np.isfinite(world.hypergradient(x)[:, 0]).all()
    assert np.isnan(world.hypergradient(x)[:, 1]).all()
    with pytest.raises(ValueError, match=r"x must be finite, got x\[0\] = nan"):
        world.hypergradient(x[:, 1])


@pytest.mark.parametrize("log_penalty", [-1.5, 0.0, 1.0])
def test_weights_equal_those_of_scikit_learn(log_penalty: float) -> None:
    """||t - U w||^2 + n phi ||w||^2 there is 2n times the mean loss here; unequal penalties scale the columns."""
    linear_model = pytest.importorskip("sklearn.linear_model")
    world = diabetes()
    U, t, n = world.training.features, world.training.targets, len(world.training.targets)
    x = np.full(10, 2.0 * math.asin(log_penalty / 2.0))
    fitted = linear_model.Ridge(alpha=n * math.exp(log_penalty), fit_intercept=False).fit(U, t).coef_
    np.testing.assert_allclose(world.y_star(x), fitted, rtol=1e-9)
    assert np.abs(world.y_star(x + 0.01) - fitted).max() > 1e-5  # twin
    x = np.linspace(-2.5, 2.5, 10)
    scale = np.sqrt(world.penalties(x))
    fitted = linear_model.Ridge(alpha=n, fit_intercept=False).fit(U / scale, t).coef_ / scale
    np.testing.assert_allclose(world.y_star(x), fitted, rtol=1e-9)


# Samples are rows, each exactly equally likely.


@pytest.mark.parametrize(("batch", "blocks_g", "blocks_f"), [(1, 32, 16), (4, 8, 4), (None, 1, 1)])
def test_every_block_is_one_outcome(batch: int | None, blocks_g: int, blocks_f: int) -> None:
    world = small(batch=batch)
    for draw, blocks in (
        (world.sample_g, blocks_g),
        (world.sample_hessian, blocks_g),
        (world.sample_f, blocks_f),
    ):
        sample, outcomes = every_outcome(draw)
        numbers = [] if sample.number is None else sorted(sample.number.tolist())
        assert (outcomes, numbers) == (blocks, list(range(blocks)) if blocks > 1 else [])
    assert every_outcome(world.sample_jacobian)[1] == 1


@pytest.mark.parametrize("name", WORLDS)
def test_no_signs_and_zeros_for_signs_stand_for_the_mean_over_all_rows(name: str) -> None:
    world, rng = WORLDS[name](), np.random.default_rng(7)
    x, y, r = rng.standard_normal((3, world.d_x, 1))
    means = {"grad_y_f": [], "grad_y_g": [], "hessian_g": []}
    for device in devices_of(world):
        xi, n_f = every_outcome(device.sample_f)
        zeta, n = every_outcome(device.sample_g)
        z, z_f = ([np.repeat(v, k, axis=1) for v in (x, y, r)] for k in (n, n_f))
        quiet_f, quiet_g = noise_free(device.sample_f), noise_free(device.sample_g)
        pairs = {
            "grad_y_f": (device.grad_y_f(xi, *z_f[:2]), device.grad_y_f(quiet_f, x, y)),
            "grad_y_g": (device.grad_y_g(zeta, *z[:2]), device.grad_y_g(quiet_g, x, y)),
            "hessian_g": (device.hessian_g(zeta, *z), device.hessian_g(quiet_g, x, y, r)),
        }
        for oracle, (sampled, mean) in pairs.items():
            np.testing.assert_allclose(sampled.mean(axis=1), mean[:, 0], rtol=1e-12, atol=1e-14)
            assert np.abs(sampled[:, 1:].mean(axis=1) - mean[:, 0]).max() > 1e-4  # twin: one row is missing
            means[oracle].append(mean)
    quiet = noise_free(world.sample_g)
    np.testing.assert_allclose(
        world.grad_y_f(noise_free(world.sample_f), x, y), np.mean(means["grad_y_f"], axis=0)
    )
    np.testing.assert_allclose(world.grad_y_g(quiet, x, y), np.mean(means["grad_y_g"], axis=0))
    np.testing.assert_allclose(world.hessian_g(quiet, x, y, r), np.mean(means["hessian_g"], axis=0))


def test_an_enumerated_run_equals_loops_over_rows() -> None:
    """LocalBSGM with K = 1, Q = 1 for two iterations: the mean over all choices of rows, written out."""
    rng = np.random.default_rng(8)
    world = ridge(features=rng.standard_normal((6, 2)), targets=rng.standard_normal(6), m=1.0)
    U, t, V, s = (
        getattr(rows, k) for rows in (world.training, world.validation) for k in ("features", "targets")
    )
    assert (len(t), len(s)) == (4, 2)
    eta, alpha, beta, rho_1, rho_2, theta = 0.2, 2.0, 1.5, 3.0, 0.4, 0.1
    solver = LocalBSGM(
        eta=eta, alpha=alpha, beta=beta, rho_1=rho_1, rho_2=rho_2, p=1, theta=theta, Q=1
    )  # fmt: skip

    def gradients(x: Array, y: Array, i_f: int, i_h: int, i_g: int) -> tuple[Array, Array]:
        phi, v = np.exp(np.sin(x)), V[i_f]
        r = theta * v * (v @ y - s[i_f])
        total = 2 * r - theta * (U[i_h] * (U[i_h] @ r) + phi * r)
        return -phi * np.cos(x) * y * total, U[i_g] * (U[i_g] @ y - t[i_g]) + phi * y

    x0, y0, measured = np.array([0.4, -0.3]), np.array([0.2, 0.1]), []
    for rows in product(range(2), range(4), range(4)):
        u_0, v_0 = gradients(x0, y0, *rows)
        x, y = x0 - rho_1 * eta * u_0, y0 - rho_2 * eta * v_0
        for again in product(range(2), range(4), range(4)):
            h, g = gradients(x, y, *again)
            x_2 = x - rho_1 * eta * ((1 - alpha * eta) * u_0 + alpha * eta * h)
            y_2 = y - rho_2 * eta * ((1 - beta * eta) * v_0 + beta * eta * g)
            measured.append([(world.hypergradient(x_2) ** 2).sum(), ((y_2 - world.y_star(x_2)) ** 2).sum()])
    exact = enumerate_outcomes(world, solver, K=1, T=2, x0=x0, y0=y0).curves
    np.testing.assert_allclose(
        [exact.gradient[-1], exact.tracking[-1]], np.mean(measured, axis=0), rtol=1e-12
    )
    some = np.mean(measured[:-1], axis=0)  # twin: one outcome of 1024 is missing
    assert abs(some[1] / exact.tracking[-1] - 1) > 1e-5


# Rows: standardised, dealt, left out.


def test_columns_are_standardised_and_rows_are_dealt_like_cards() -> None:
    world = small(devices=3)
    assert isinstance(world, SplitRidge)
    hands = [(d.training.numbers, d.validation.numbers) for d in world.devices]
    assert hands == [(tuple(range(k, 24, 3)), tuple(range(24 + k, 36, 3))) for k in range(3)]
    assert world.left_out == tuple(range(36, 60))
    table = data()["features"]
    standard = (table - table.mean(axis=0)) / table.std(axis=0)
    np.testing.assert_allclose(world.devices[2].training.features, standard[2:24:3], rtol=1e-12, atol=1e-14)
    assert np.abs(world.devices[1].training.features - standard[2:24:3]).max() > 0.1  # twin


@pytest.mark.parametrize("devices", [2, 4, 8, 16, 32, 64])
def test_diabetes_split_in_powers_of_two_is_the_same_mean_problem(devices: int) -> None:
    """256 rows for training and 128 for validation; the last 58 are left out."""
    world, whole, x = diabetes(devices=devices), diabetes(), np.linspace(-2.0, 2.0, 10)
    assert world.left_out == whole.left_out == tuple(range(384, 442))
    np.testing.assert_allclose(world.y_star(x), whole.y_star(x), rtol=1e-10)
    np.testing.assert_allclose(world.hypergradient(x), whole.hypergradient(x), rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(world.b, whole.y_star(np.zeros(10)), rtol=1e-10)
    assert {device.b.tobytes() for device in devices_of(world)} == {world.b.tobytes()}
    of_devices = np.mean([device.y_star(x) for device in devices_of(world)], axis=0)
    assert np.abs(of_devices - world.y_star(x)).max() > 1e-3  # twin: the mean of the devices' own solutions


def test_a_homogeneous_world_has_no_devices() -> None:
    assert not hasattr(small(), "devices")
    assert len(devices_of(small(devices=5))) == 5


# The minimiser.


def hessian_of_Phi(world: Ridge, x: Array) -> Array:
    h = 1e-5
    H = np.stack(
        [(world.hypergradient(x + h * e) - world.hypergradient(x - h * e)) / (2 * h) for e in np.eye(len(x))]
    )
    return (H + H.T) / 2


@pytest.mark.parametrize("name", WORLDS)
def test_x_star_is_a_local_minimum_that_no_search_beats(name: str) -> None:
    world, rng = WORLDS[name](), np.random.default_rng(9)
    assert np.linalg.norm(world.hypergradient(world.x_star)) < 1e-10
    assert np.linalg.norm(world.hypergradient(world.x_star + 1e-3)) > 1e-8  # twin
    assert np.linalg.eigvalsh(hessian_of_Phi(world, world.x_star)).min() > 1e-6
    assert np.abs(world.x_star).max() <= world.m * math.pi / 2 * (1 + 1e-9)
    for _ in range(5):
        start = world.m * rng.uniform(-1.5, 1.5, world.d_x)
        found = minimize(
            world.objective, start, jac=world.hypergradient, method="BFGS", options={"gtol": 1e-7}
        ).fun
        assert found >= world.objective(world.x_star) - 1e-12


def test_x_star_needs_starts_with_unequal_penalties(monkeypatch: pytest.MonkeyPatch) -> None:
    """On this table searches from points with equal entries alone end in worse minima."""
    rng = np.random.default_rng(56)
    table = {"features": rng.standard_normal((10, 6)), "targets": rng.standard_normal(10)}
    world = ridge(**table)
    starts = world.m * rng.uniform(-1.5, 1.5, (6, 6))
    runs = [minimize(world.objective, start, jac=world.hypergradient, method="BFGS") for start in starts]
    assert min(run.fun for run in runs) >= world.objective(world.x_star) - 1e-12
    monkeypatch.setattr(sys.modules["ratecert.synthetic.worlds.ridge"], "SCATTERED", 0)
    assert world.objective(ridge(**table).x_star) > min(run.fun for run in runs) + 0.05  # twin


def test_most_penalties_of_the_diabetes_data_are_best_at_an_end() -> None:
    """There Phi still falls outwards: with a map that never reaches the end Phi would have no minimiser."""
    world = diabetes()
    at_end = np.abs(np.abs(world.x_star) - math.pi) < 1e-6
    assert {name for name, end in zip(world.names, at_end, strict=True) if not end} == {"sex", "s3", "s5"}
    logs = np.log(world.penalties(world.x_star))

    def slope(j: int) -> float:
        """dPhi/d(log-penalty j), just before the end, where d(log-penalty)/dx = cos(x_j/m) is not zero yet."""
        x = world.x_star.copy()
        x[j] = math.copysign(math.pi - 1e-3, logs[j])
        return float(world.hypergradient(x)[j] / math.cos(x[j] / world.m))

    outward = np.array([slope(j) * math.copysign(1.0, logs[j]) for j in range(10)])
    assert (outward[at_end] < -1e-6).all()
    assert (np.abs(world.hypergradient(world.x_star)) < 1e-10).all()


def test_Phi_is_not_convex_even_in_the_log_penalties() -> None:
    """With m = 3 searches end in local minima of different value."""
    world = diabetes(m=3.0)
    ends = []
    for seed in range(12):
        start = 3.0 * np.random.default_rng(seed).uniform(-1.5, 1.5, 10)
        run = minimize(world.objective, start, jac=world.hypergradient, method="BFGS", options={"gtol": 1e-9})
        x = run.x
        if (
            np.linalg.norm(world.hypergradient(x)) < 1e-7
            and np.linalg.eigvalsh(hessian_of_Phi(world, x)).min() > 0
        ):
            ends.append(run.fun)
    assert max(ends) - min(ends) > 1e-4
    assert min(ends) >= world.objective(world.x_star) - 1e-12


# Constants: no sampled quotient exceeds them, and the worst quotients that a search finds are near them.

NAMES = ["mu", "L_0", "L_1", "L_21", "L_22", "sigma", "sigma_f", "sigma_H"]
CASES = [
    ("small", 0.5), ("small", 3.0), ("small m=1 batch=4", 3.0), ("small m=3 split", 12.0), ("diabetes", 3.0),
    ("diabetes", 12.0),
]  # fmt: skip
ATTAINED = {"L_0", "L_22", "sigma", "sigma_f", "sigma_H"}


def gradient_g(world: Ridge, zeta: Any, z: Array) -> Array:
    """What depends on x in g is of second degree in y, so grad_x g = 1/2 grad_xy g y."""
    x, y = np.split(z, 2)
    return np.concatenate([world.jacobian_g(zeta, x, y, y) / 2, world.grad_y_g(zeta, x, y)])


def gradient_f(world: Ridge, xi: Any, z: Array) -> Array:
    x, y = np.split(z, 2)
    return np.concatenate([world.grad_x_f(xi, x, y), world.grad_y_f(xi, x, y)])


def blocks(size: int, reading: Reading) -> list[slice]:
    """What a gradient and a step are cut into: nothing under `joint`, x and y under `block`."""
    return [slice(None)] if reading == "joint" else [slice(0, size // 2), slice(size // 2, None)]


def matrices(sample: Any, n: int, d: int, product_with: Callable[[Any, Array], Array]) -> Array:
    """(n, d, d): the linear map r -> product_with(sample, r) of each of the n outcomes, from unit vectors."""
    return np.stack([product_with(sample, np.repeat(e[:, None], n, axis=1)).T for e in np.eye(d)], axis=2)


def climb(value: Callable[[Array], float], starts: list[Array]) -> float:
    """The largest value(u) over ||u|| <= 1 that local searches find."""
    unit = max(value(start) for start in starts)
    inside = {"type": "ineq", "fun": lambda u: 1.0 - u @ u, "jac": lambda u: -2 * u}
    found = [unit]
    for start in starts:
        run = minimize(
            lambda u: -value(u) / unit, start, method="SLSQP", constraints=[inside], options={"ftol": 1e-9}
        )
        found.append(value(run.x / max(1.0, float(np.linalg.norm(run.x)))))
    return max(found)


class Search:
    """The worst quotients of one device on ||(x, y - b)|| <= R, through its oracles alone."""

    def __init__(self, world: Ridge, R: float) -> None:
        self.world, self.R, self.d = world, R, world.d_x
        self.centre = np.concatenate([world.a, world.b])
        self.zeta, self.n_g = every_outcome(world.sample_g)
        self.xi, self.n_f = every_outcome(world.sample_f)
        self.j = int(np.argmax(np.abs(world.b)))  # the coordinate in which |y_j| can be largest

    def in_plane(self, value: Callable[[Array], float]) -> Array:
        """The best point of a grid in which only x_j and y_j leave the centre."""
        side, wall = math.copysign(1.0, self.world.b[self.j]), min(1.0, self.world.m * math.pi / 2 / self.R)
        grid = []
        for s, share in product(np.linspace(-wall, wall, 61), (0.0, 0.5, 1.0)):
            u = np.zeros(2 * self.d)
            u[self.j], u[self.d + self.j] = s, side * share * math.sqrt(1 - s * s)
            grid.append(u)
        return max(grid, key=value)

    def hessians(self, x: Array) -> Array:
        """grad_yy g of every outcome; it does not depend on y."""
        column = np.repeat(x[:, None], self.n_g, axis=1)
        return matrices(self.zeta, self.n_g, self.d, lambda s, r: self.world.hessian_g(s, column, column, r))

    def mu(self) -> float:
        """Over x with all penalties as low as they can be together, and with one alone as low as it can be."""
        together, wall = self.R / math.sqrt(self.d), self.world.m * math.pi / 2
        points = [np.full(self.d, -min(together, wall)), *(-min(self.R, wall) * np.eye(self.d))]
        return min(float(np.linalg.eigvalsh(self.hessians(x)).min()) for x in points)

    def L_0(self) -> float:
        """Both ways along the top eigenvector of every outcome of grad_yy f, then by a search from the best."""
        world, zero = self.world, np.zeros((self.d, self.n_f))
        N = matrices(
            self.xi, self.n_f, self.d, lambda s, r: world.grad_y_f(s, r, r) - world.grad_y_f(s, zero, zero)
        )
        ways = np.concatenate([side * np.linalg.eigh(N)[1][:, :, -1] for side in (1, -1)])
        outcome = np.tile(np.arange(self.n_f), 2)
        y = world.b[:, None] + self.R * ways.T
        best = int(np.argmax(np.linalg.norm(world.grad_y_f(self.only(self.xi, outcome), y, y), axis=0)))
        xi = self.only(self.xi, outcome[[best]])

        def value(u: Array) -> float:
            y = (world.b + self.R * u)[:, None]
            return float(np.linalg.norm(world.grad_y_f(xi, y, y)))

        return climb(value, [ways[best]])

    @staticmethod
    def only(sample: Any, outcomes: Any) -> Any:
        return type(sample)(sample.number[outcomes])

    def L_1(self, reading: Reading) -> float:
        """The norm of the joint Hessian, from differences of grad g, for the outcome with the largest curvature."""
        top = int(np.argmax(np.linalg.eigvalsh(self.hessians(self.world.a))[:, -1]))
        zeta, steps = self.only(self.zeta, np.full(2 * self.d, top)), 1e-5 * np.eye(2 * self.d)
        parts = blocks(2 * self.d, reading)

        def value(u: Array) -> float:
            z = (self.centre + self.R * u)[:, None]
            ends = [gradient_g(self.world, zeta, z + sign * steps) for sign in (1, -1)]
            H = (ends[0] - ends[1]) / 2e-5
            return max(float(np.linalg.norm(H[rows, columns], 2)) for rows in parts for columns in parts)

        penalties = min(1.0, self.world.m * math.pi / 2 * math.sqrt(self.d) / self.R) / math.sqrt(self.d)
        high = np.concatenate([np.full(self.d, penalties), np.zeros(self.d)])
        return climb(value, [high, self.in_plane(value)])

    def L_21(self) -> float:
        """The derivative of grad_xy g along the best direction in the plane of x_j and y_j."""
        ones = np.ones((self.d, 1))

        def value(u: Array) -> float:
            z, slopes = (self.centre + self.R * u)[:, None], []
            for e in np.eye(2 * self.d)[[self.j, self.d + self.j]]:
                ends = [np.split(z + sign * 1e-5 * e[:, None], 2) for sign in (1, -1)]
                up, down = (self.world.jacobian_g(self.zeta, *end, ones)[self.j, 0] for end in ends)
                slopes.append((up - down) / 2e-5)
            return math.hypot(*slopes)

        return climb(value, [self.in_plane(value)])

    def L_22(self) -> float:
        """The derivative of grad_yy g along x_j."""
        zeta, e = self.only(self.zeta, [0]), np.eye(self.d)[:, [self.j]]

        def value(u: Array) -> float:
            x = self.R * u[: self.d, None]
            up, down = (self.world.hessian_g(zeta, x + sign * 1e-5 * e, x, e) for sign in (1, -1))
            return float(np.linalg.norm(up - down)) / 2e-5

        return climb(value, [self.in_plane(value)])

    def noise(self, sample: Any, n: int, oracle: Callable[..., Array]) -> float:
        """The root of the largest E||oracle(.; sample) - its mean||^2 over y, from both ends of its steepest axis."""

        def value(u: Array) -> float:
            y = np.repeat((self.world.b + self.R * u)[:, None], n, axis=1)
            sampled = oracle(sample, np.zeros_like(y), y)
            return float(((sampled - sampled.mean(axis=1, keepdims=True)) ** 2).sum(axis=0).mean())

        zero = np.zeros((self.d, n))
        M = matrices(sample, n, self.d, lambda s, r: oracle(s, zero, r) - oracle(s, zero, zero))
        steepest = np.linalg.eigh(((M - M.mean(axis=0)) @ (M - M.mean(axis=0))).mean(axis=0))[1][:, -1]
        return math.sqrt(climb(value, [steepest, -steepest]))

    def sigma_H(self) -> float:
        H = self.hessians(self.world.a)
        return math.sqrt(
            float(np.linalg.eigvalsh(((H - H.mean(axis=0)) @ (H - H.mean(axis=0))).mean(axis=0))[-1])
        )

    def worst(self) -> dict[str, float]:
        return {
            "mu": self.mu(), "L_0": self.L_0(), "L_21": self.L_21(), "L_22": self.L_22(),
            "sigma": self.noise(self.zeta, self.n_g, self.world.grad_y_g),
            "sigma_f": self.noise(self.xi, self.n_f, self.world.grad_y_f), "sigma_H": self.sigma_H(),
            **{reading: self.L_1(reading) for reading in READINGS},
        }  # fmt: skip


@cache
def worst(name: str, R: float) -> dict[str, float]:
    each = [Search(device, R).worst() for device in devices_of(WORLDS[name]())]
    return {k: (min if k == "mu" else max)(w[k] for w in each) for k in each[0]}


def factors(name: str, R: float, constants: Mapping[Reading, Mapping[str, float]]) -> dict[str, float]:
    """How far a constant is from the worst quotient found: 1 where it is attained, below 1 where it is wrong."""
    found, joint = worst(name, R), constants["joint"]
    return {
        "mu": found["mu"] / joint["mu"],
        **{k: joint[k] / found[k] for k in NAMES if k in found and k != "mu"},
        **{f"L_1 {reading}": constants[reading]["L_1"] / found[reading] for reading in READINGS},
    }


def constants_of(name: str, R: float) -> dict[Reading, dict[str, float]]:
    return {reading: WORLDS[name]().constants(radius=R, reading=reading) for reading in READINGS}


def limits(name: str) -> float:
    """How large a factor may be.

    Attained constants leave rounding and the precision of the search. L_21 is a staircase of 256 cells. mu and L_1 take
    the worst penalty in every direction of the worst row at once; on a small ball one has to choose.
    """
    return 1 + 1e-6 if name in ATTAINED else 1.02 if name == "L_21" else 1.1


@pytest.mark.untraced
@pytest.mark.parametrize(("name", "R"), CASES)
def test_constants_are_attained_or_nearly_so(name: str, R: float) -> None:
    constants = constants_of(name, R)
    for constant, factor in factors(name, R, constants).items():
        assert 1 - 1e-7 <= factor <= limits(constant), constant
    less = {
        reading: {k: 1.01 * v if k == "mu" else v / 1.01 for k, v in c.items()}
        for reading, c in constants.items()
    }
    exceeded = {constant for constant, factor in factors(name, R, less).items() if factor < 1}
    assert exceeded >= {"mu", *ATTAINED}  # twin: one per cent less


def test_the_search_sees_constants_of_a_smaller_ball() -> None:
    """All but L_1, which here is that of the largest row, and sigma_H depend on the ball."""
    found = factors("small", 0.5, constants_of("small", 0.48))
    assert {constant for constant, factor in found.items() if factor < 1} == {*NAMES} - {"L_1", "sigma_H"}


def quotients(world: Ridge, R: float, reading: Reading, rng: np.random.Generator, n: int) -> dict[str, float]:
    """The worst over random pairs of points on and in the sphere, and random outcomes."""
    found = []
    for device in devices_of(world):
        z, w = (_points(device, R, rng, n) for _ in range(2))
        draws = every_outcome(device.sample_g), every_outcome(device.sample_f)
        zeta, xi = (type(sample)(rng.integers(0, outcomes, n)) for sample, outcomes in draws)
        r = rng.standard_normal((world.d_x, n))
        r /= np.linalg.norm(r, axis=0)
        here, there, apart = np.split(z, 2), np.split(w, 2), np.linalg.norm(z - w, axis=0)
        turned = device.jacobian_g(zeta, *here, r) - device.jacobian_g(zeta, *there, r)
        bent = device.hessian_g(zeta, *here, r) - device.hessian_g(zeta, *there, r)
        found.append({
            "mu": (r * device.hessian_g(zeta, *here, r)).sum(axis=0).min(),
            "L_0": np.linalg.norm(gradient_f(device, xi, z), axis=0).max(),
            "L_1": max(
                _steepest(reading, partial(gradient_g, device, zeta), z, w),
                _steepest(reading, partial(gradient_f, device, xi), z, w),
            ),
            "L_21": (np.linalg.norm(turned, axis=0) / apart).max(),
            "L_22": (np.linalg.norm(bent, axis=0) / apart).max(),
        })  # fmt: skip
    return {k: float((min if k == "mu" else max)(f[k] for f in found)) for k in found[0]}


def _steepest(reading: Reading, gradient: Callable[[Array], Array], z: Array, w: Array) -> float:
    """The largest ||(gradient(z') - gradient(z))_rows|| / ||z' - z||, where z' has some entries of w."""
    largest = 0.0
    for moved in blocks(len(z), reading):
        to = z.copy()
        to[moved] = w[moved]
        difference, step = gradient(to) - gradient(z), np.linalg.norm(to - z, axis=0)
        for rows in blocks(len(z), reading):
            largest = max(largest, float((np.linalg.norm(difference[rows], axis=0) / step).max()))
    return largest


def _points(world: Ridge, R: float, rng: np.random.Generator, n: int) -> Array:
    z = rng.standard_normal((2 * world.d_x, n))
    z *= R / np.linalg.norm(z, axis=0) * np.where(np.arange(n) % 2, 1.0, rng.uniform(size=n))
    return np.concatenate([world.a, world.b])[:, None] + z


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize(("name", "R"), CASES)
def test_no_sampled_quotient_exceeds_a_constant(name: str, R: float, reading: Reading) -> None:
    constants, smaller = constants_of(name, R)[reading], constants_of(name, R / 20)[reading]
    sampled = quotients(WORLDS[name](), R, reading, np.random.default_rng(12), 4000)
    assert sampled["mu"] >= constants["mu"] * (1 - 1e-9)
    assert all(sampled[k] <= constants[k] * (1 + 1e-9) for k in sampled if k != "mu")
    assert sampled["L_0"] > smaller["L_0"]  # twins: constants of a ball twenty times smaller do not hold here
    assert sampled["mu"] < smaller["mu"]


def test_curvature_is_attained_at_the_walls() -> None:
    world = small()
    ends = [np.linalg.eigvalsh(Search(world, 1.0).hessians(np.full(3, side * math.pi))) for side in (-1, 1)]
    np.testing.assert_allclose(world.curvature, (ends[0].min(), ends[1].max()), rtol=1e-12)
    split = small(devices=3)
    each = np.array([device.curvature for device in devices_of(split)])
    assert split.curvature == (each[:, 0].min(), each[:, 1].max())
    assert each[:, 1].max() > each[:, 1].min()  # twin: one device would not do


def test_assumption_1_holds_everywhere_and_the_others_on_balls() -> None:
    def standing(world: Ridge, radius: float) -> list[str]:
        return [s.holds for s in check_assumptions(paper(), world, radius=radius)]

    assert standing(small(), 10.0) == ["everywhere", "on the ball", "on the ball"]
    assert standing(small(), math.inf) == ["everywhere", "no", "no"]
    assert standing(small(batch=None), 10.0) == ["everywhere", "on the ball", "everywhere"]
    everywhere = small().constants()
    finite = {k for k, v in everywhere.items() if math.isfinite(v)}
    assert finite == {"mu", "L_22", "sigma_H"}
    assert {type(v) for v in everywhere.values()} == {float}


def test_constants_refuse_another_reading_and_radius() -> None:
    with pytest.raises(ValueError, match="reading must be 'joint' or 'block', got 'both'"):
        small().constants(reading="both")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="radius must be one number > 0, got radius = -1"):
        small().constants(radius=-1.0)


@pytest.mark.parametrize("reading", READINGS)
def test_constants_of_huge_balls_grow_with_the_radius_until_they_are_infinite(reading: Reading) -> None:
    """Warnings are errors here. L_1 grows like its square, the others at most like the radius."""
    world = small()
    large, huge = (world.constants(radius=radius, reading=reading) for radius in (1e100, 1e200))
    for name in ("L_0", "L_21", "sigma", "sigma_f"):
        assert huge[name] == pytest.approx(1e100 * large[name], rel=1e-12)
    assert (large["L_1"] < math.inf, huge["L_1"]) == (True, math.inf)
    border = world.constants(radius=1e308, reading=reading)
    infinite = {name for name in NAMES if huge[name] * 1e108 == math.inf}
    assert {name for name in NAMES if border[name] == math.inf} == infinite >= {"L_0", "L_1", "L_21"}
    assert {name: border[name] for name in ("mu", "L_22", "sigma_H")} == {
        name: huge[name] for name in ("mu", "L_22", "sigma_H")
    }


# Wrong calls.

BAD: dict[str, tuple[dict[str, Any], str]] = {
    "features alone": ({"targets": None}, "features and targets must be given together"),
    "names alone": ({"features": None, "targets": None, "names": ["a"]}, "names only go with them"),
    "nan": (
        {"features": np.where(np.arange(180).reshape(60, 3) == 100, np.nan, 1.0)},
        r"features must be finite, got features\[33\]\[1\] = nan",
    ),
    "inf": ({"targets": [*range(59), np.inf]}, r"targets must be finite, got targets\[59\] = inf"),
    "constant column": (
        {"features": np.arange(180.0).reshape(60, 3) * [1, 0, 1] + 7, "names": ["age", "sex", "bmi"]},
        "column sex of features must not be constant, got 7 in every row.*leave it out",
    ),
    "constant targets": (
        {"targets": np.full(60, -2.5)},
        "targets must not be constant, got -2.5 in every row.*give targets that differ",
    ),
    "one row": ({"features": [[1.0, 2.0]], "targets": [1.0]}, "features must have at least 2 rows.*got 1"),
    "flat features": ({"features": np.arange(60.0)}, r"features must have shape \(rows, columns\).*\(60,\)"),
    "no rows": ({"features": np.zeros((0, 3)), "targets": []}, r"no empty side, got shape \(0, 3\)"),
    "too few targets": ({"targets": np.arange(59.0)}, r"targets must have shape \(60,\).*\(59,\)"),
    "names": ({"names": ["a", "b"]}, r"names must be 3, one for each column.*\['a', 'b'\]"),
    "number for names": ({"names": 5}, "names must be 3, one for each column of features, got 5"),
    "one string for names": ({"names": "abc"}, "names must be 3, one for each column of features, got 'abc'"),
    "devices true": ({"devices": True}, "devices must be an integer >= 1, got devices = True"),
    "batch true": ({"batch": True}, "batch must be an integer >= 1, got batch = True"),
    "too many devices": ({"devices": 31}, "devices must be at most 30.*devices = 31: device 30 would have 1"),
    "more devices than rows": ({"devices": 100}, "at most 30.*device 99 would have 0"),
    "no device": ({"devices": 0}, "devices must be an integer >= 1, got devices = 0"),
    "batch": ({"batch": 3}, "batch must be None.*power of two from 1 to 16.*got batch = 3"),
    "large batch": (
        {"batch": 32},
        "from 1 to 16, because a device has 32 rows for training and 16 for validation",
    ),
    "no batch": ({"batch": 0}, "batch must be an integer >= 1, got batch = 0"),
    "m": ({"m": 0.0}, r"m must lie in \[0.01, 10.0\], got m = 0.0"),
    "m text": ({"m": "1"}, "m must be real numbers.*'1'"),
    "training": ({"training": 1.0}, r"training must lie in \(0, 1\), got training = 1.0"),
}


@pytest.mark.parametrize(("bad", "words"), BAD.values(), ids=BAD)
def test_a_wrong_call_is_refused_in_one_sentence(bad: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words) as error:
        ridge(**{**data(), **bad})
    message = str(error.value)
    assert message.endswith(".")
    assert "\n" not in message


@pytest.mark.parametrize(
    "good",
    [{"devices": 30}, {"batch": 16}, {"m": 10.0}, {"m": 0.01}, {"training": 0.01}, {"training": 0.99}],
    ids=str,
)
def test_the_border_is_accepted(good: dict[str, Any]) -> None:
    world = ridge(**data(), **good)
    assert np.linalg.norm(world.hypergradient(world.x_star)) < 1e-10
    assert np.isfinite(list(world.constants(radius=1.0).values())).all()


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_units_of_the_data_do_not_matter(unit: float) -> None:
    given = data()
    world = ridge(features=unit * given["features"], targets=given["targets"] / unit)
    np.testing.assert_allclose(world.hypergradient(np.ones(3)), small().hypergradient(np.ones(3)), rtol=1e-10)


def test_without_scikit_learn_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(ImportError, match=r"pip install 'ratecert\[data\]'") as error:
        ridge()
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)
    assert ridge(**data()).d_x == 3  # data of one's own needs none


# A world stays what it was when it was made.


@pytest.mark.parametrize("make_copy", [lambda w: pickle.loads(pickle.dumps(w)), copy.deepcopy, copy.copy])
@pytest.mark.parametrize("devices", [1, 3])
def test_copies_are_the_same_and_read_only(make_copy: Callable[[Ridge], Ridge], devices: int) -> None:
    world = ridge(**data(), devices=devices)
    run = {"K": devices, "T": 3, "x0": np.zeros(3), "y0": world.b, "replicates": 2, "seed": 0}
    solver = LocalBSGM(eta=0.1, alpha=1.0, beta=1.0, rho_1=1.0, rho_2=0.1, p=2, theta=0.05, Q=2)
    before = simulate(world, solver, **run).gradient, world.x_star, world.constants(radius=1.0)
    other = make_copy(world)
    after = simulate(other, solver, **run).gradient, other.x_star, other.constants(radius=1.0)
    assert (after[0], after[2]) == (before[0], before[2])
    np.testing.assert_array_equal(after[1], before[1])
    for array in (other.b, other.x_star, other.training.features, other.training.means):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0.0
    with pytest.raises(FrozenInstanceError):
        other.m = 1.0  # type: ignore[misc]


def test_another_m_makes_another_world_unless_devices_would_keep_theirs() -> None:
    assert replace(small(), m=1.0).curvature == small(m=1.0).curvature != small().curvature
    with pytest.raises(ValueError, match=r"m must be that of every device, 2\.0, got m = 1\.0"):
        replace(small(devices=3), m=1.0)
    with pytest.raises(ValueError, match=r"m must lie in \[0\.01, 10\.0\], got m = 11\.0"):
        replace(small(), m=11.0)


def test_the_same_arguments_make_the_same_world_and_keep_nothing_of_the_callers() -> None:
    given = {k: v.copy() for k, v in data().items()}
    world, again = ridge(**given), ridge(**given)
    given["features"] *= 2.0
    given["targets"][:] = 0.0
    x = np.array([0.3, -1.0, 2.0])
    np.testing.assert_array_equal(world.hypergradient(x), again.hypergradient(x))
    np.testing.assert_array_equal(world.hypergradient(x), small().hypergradient(x))


# Engines.


@pytest.mark.parametrize("options", [{}, {"batch": None}, {"devices": 3}], ids=str)
def test_exact_moments_refuse_it_because_it_is_not_affine(options: dict[str, Any]) -> None:
    world = small(**options)
    solver = LocalBSGM(eta=0.1, alpha=1.0, beta=1.0, rho_1=1.0, rho_2=0.1, p=2, theta=0.05, Q=2)
    with pytest.raises(
        NotAffineError, match=r"on Ridge is not affine in the point.*affine function.*use simulate\."
    ) as error:
        expect(world, solver, K=options.get("devices", 1), T=5, x0=np.zeros(3), y0=world.b)
    assert "\n" not in str(error.value)


def run(world: Ridge, solver: Any, *, K: int, T: int, replicates: int) -> tuple[float, float]:
    """The mean of Phi(xbar_T) - Phi(x*) in shares of that at the start, and the root of E||grad Phi(xbar_T)||^2."""
    path = path_of(world, solver, K=K, T=T, replicates=replicates)[[0, T]]
    first, last = (np.mean(world.objective(x) - world.objective(world.x_star)) for x in path)
    return float(last / first), math.sqrt((world.hypergradient(path[1]) ** 2).sum(axis=0).mean())


NOISY: dict[str, Any] = {"eta": 0.05, "rho_1": 300.0, "rho_2": 1.0, "p": 4, "theta": 0.06, "Q": 25}


@pytest.mark.parametrize(
    "solver",
    [LocalBSGM(alpha=5.0, beta=10.0, **NOISY), LocalBSGVRM(alpha=20.0, beta=20.0, **NOISY)],
    ids=lambda s: type(s).__name__,
)
def test_both_algorithms_tune_the_diabetes_data_to_the_optimum_of_scipy(solver: Any) -> None:
    """Four devices, samples of 16 rows: 97 % of the gap to the optimum is closed after 500 iterations.

    The seed is fixed. Over ten seeds the share that is left, a mean of 4 runs, was 0.015 with a standard deviation of
    0.0034 (LocalBSGM) and 0.016 with 0.0032 (LocalBSGVRM): 0.03 is more than four of them away.
    """
    share, _ = run(diabetes(batch=16), solver, K=4, T=500, replicates=4)
    assert 0 < share < 0.03
    still, _ = run(diabetes(batch=16), replace(solver, rho_1=0.3), K=4, T=50, replicates=2)
    assert still > 0.9  # twin: with steps a thousand times smaller nothing is learned


EXACT: dict[str, Any] = {"eta": 0.1, "rho_1": 2000.0, "rho_2": 2.0, "p": 4, "theta": 0.14}


@pytest.mark.untraced
@pytest.mark.parametrize("solver", [LocalBSGM, LocalBSGVRM])
def test_without_noise_the_gradient_vanishes_but_for_the_bias_of_the_neumann_sum(solver: Any) -> None:
    """With m = 1, every sample all rows: 1e-6 after 700 iterations with Q = 80. With Q = 15 the bias is left."""
    world = diabetes(m=1.0, batch=None)
    weight = 9.9 if solver is LocalBSGM else 99.0
    share, gradient = run(world, solver(alpha=weight, beta=weight, Q=80, **EXACT), K=1, T=700, replicates=1)
    assert gradient < 1e-6
    assert share < 1e-6
    _, biased = run(world, solver(alpha=weight, beta=weight, Q=15, **EXACT), K=1, T=700, replicates=1)
    assert biased > 1e-4


def truncation(theta: float, Q: int) -> float:
    """Phi - Phi(x*) where the hypergradient with Q + 1 terms of the Neumann sum, without noise, is zero."""
    world, neumann = diabetes(batch=None), StochasticNeumann(theta=theta, Q=Q)
    sample, x = noise_free(lambda bits: neumann.sample(world, bits)), 0.99 * world.x_star[:, None]
    for _ in range(400):
        step = neumann.evaluate(world, sample, x, world.y_star(x))
        x = x - 200.0 * step
    assert np.linalg.norm(step) < 1e-6
    return float(world.objective(x)[0] - world.objective(world.x_star))


def test_the_sum_in_the_figure_is_long_enough() -> None:
    """What truncation costs is a fiftieth of the 2.4e-4 at which its runs end; with 31 terms it is a third."""
    assert 0 < truncation(0.065, 80) < 2.4e-4 / 40
    assert truncation(0.06, 30) > 2.4e-4 / 4  # twin
    assert 0.065 * diabetes(batch=16).curvature[1] < 1


def test_devices_that_differ_have_another_limit() -> None:
    """The mean of the devices' own hypergradients is not zero at x*: an inverse of means is not a mean of inverses."""
    world = diabetes(devices=4, batch=None)
    x, y = world.x_star, world.y_star(world.x_star)

    def local(device: Ridge) -> Array:
        xi, zeta = noise_free(device.sample_f), noise_free(device.sample_g)
        H = matrices(zeta, 1, 10, lambda s, r: device.hessian_g(s, x[:, None], y[:, None], r))[0]
        r = np.linalg.solve(H, device.grad_y_f(xi, x[:, None], y[:, None]))
        return -device.jacobian_g(zeta, x[:, None], y[:, None], r)[:, 0]

    size = np.linalg.norm(world.hypergradient(np.zeros(10)))
    assert np.linalg.norm(np.mean([local(device) for device in devices_of(world)], axis=0)) > 0.02 * size
    assert (
        np.linalg.norm(local(diabetes(batch=None))) < 1e-9 * size
    )  # twin: with all rows on every device it is
    share, _ = run(
        world, LocalBSGM(alpha=9.9, beta=9.9, Q=5, **{**EXACT, "theta": 0.08}), K=4, T=20, replicates=1
    )
    assert 0 < share < 1
