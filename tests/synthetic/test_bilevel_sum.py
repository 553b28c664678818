"""Sums of quadratics on both levels: the truth by brute force over terms, and SOBA over all outcomes."""

import pickle
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.solvers.contract.problem import SAMPLES, TRUTH, TWO_LEVELS

RNG = np.random.default_rng(5)


def random_sum(seed: int, *, n: int, m: int, d_x: int, d_y: int) -> Any:
    rng = np.random.default_rng([3, seed])

    def positive(terms: int, d: int) -> Any:
        roots = rng.standard_normal((terms, d, d))
        return roots @ np.swapaxes(roots, 1, 2) + 0.5 * np.eye(d)

    return rc.worlds.BilevelSum(
        A=positive(n, d_y), B=rng.standard_normal((n, d_y, d_x)), c=rng.standard_normal((n, d_y)),
        P=positive(m, d_x), D=positive(m, d_y), a=rng.standard_normal((m, d_x)), b=rng.standard_normal((m, d_y)),
    )  # fmt: skip


WORLD = random_sum(0, n=3, m=2, d_x=2, d_y=3)
LINE = rc.worlds.BilevelSum(
    A=[1.0, 3.0], B=[1.0, -0.5], c=[0.3, -0.2], P=[1.0, 0.5], D=[1.0, 2.0], a=[1.0, -1.0], b=[0.5, 2.0]
)


def g(i: int, x: Any, y: Any) -> float:
    w = WORLD
    return float(0.5 * y @ w.A[i] @ y - y @ (w.B[i] @ x + w.c[i]))


def f(j: int, x: Any, y: Any) -> float:
    w = WORLD
    return float(0.5 * (x - w.a[j]) @ w.P[j] @ (x - w.a[j]) + 0.5 * (y - w.b[j]) @ w.D[j] @ (y - w.b[j]))


def slope(function: Any, at: Any, h: float = 1e-5) -> Any:
    return np.array([(function(at + h * e) - function(at - h * e)) / (2 * h) for e in np.eye(len(at))])


def test_it_is_a_problem() -> None:
    assert [name for name in TRUTH + SAMPLES + TWO_LEVELS if not hasattr(WORLD, name)] == []
    again = pickle.loads(pickle.dumps(WORLD))
    assert np.array_equal(again.B, WORLD.B)
    assert not again.B.flags.writeable


def test_oracles_are_the_derivatives_of_the_terms() -> None:
    x, y, r = RNG.standard_normal(2), RNG.standard_normal(3), RNG.standard_normal(3)
    columns = x[:, None], y[:, None]
    for i in range(WORLD.n):
        gradient = WORLD.grad_y_g(i, *columns)[:, 0]
        np.testing.assert_allclose(gradient, slope(lambda y, i=i: g(i, x, y), y), atol=1e-8)

        def along_r(x: Any, i: int = i) -> float:
            return float(r @ WORLD.grad_y_g(i, x[:, None], y[:, None])[:, 0])

        np.testing.assert_allclose(
            WORLD.jacobian_g(i, *columns, r[:, None])[:, 0], slope(along_r, x), atol=1e-8
        )
        product = WORLD.hessian_g(i, *columns, r[:, None])
        np.testing.assert_allclose(product[:, 0], WORLD.A[i] @ r)
        np.testing.assert_allclose(
            WORLD.neumann_factor_g(i, *columns, r[:, None], 0.1), r[:, None] - 0.1 * product
        )
    for j in range(WORLD.m):
        np.testing.assert_allclose(
            WORLD.grad_x_f(j, *columns)[:, 0], slope(lambda x, j=j: f(j, x, y), x), atol=1e-8
        )
        np.testing.assert_allclose(
            WORLD.grad_y_f(j, *columns)[:, 0], slope(lambda y, j=j: f(j, x, y), y), atol=1e-8
        )


def test_samples_of_many_lanes_are_those_of_each() -> None:
    x, y, i = RNG.standard_normal((2, 5)), RNG.standard_normal((3, 5)), np.array([0, 2, 1, 1, 0])
    lanes = [WORLD.grad_y_g(int(k), x[:, [n]], y[:, [n]])[:, 0] for n, k in enumerate(i)]
    np.testing.assert_allclose(WORLD.grad_y_g(i, x, y), np.transpose(lanes))
    j = np.array([0, 1, 1, 0, 1])
    lanes = [WORLD.grad_x_f(int(k), x[:, [n]], y[:, [n]])[:, 0] for n, k in enumerate(j)]
    np.testing.assert_allclose(WORLD.grad_x_f(j, x, y), np.transpose(lanes))


def test_the_truth_by_brute_force() -> None:
    """y* makes the mean of all grad_y g_i zero; grad Phi is the slope of the mean of f_j(x, y*(x)); zero at x*."""
    for x in RNG.standard_normal((4, 2)):
        y = WORLD.y_star(x)
        mean = np.mean([WORLD.grad_y_g(i, x[:, None], y[:, None]) for i in range(WORLD.n)], axis=0)
        np.testing.assert_allclose(mean, 0, atol=1e-12)

        def Phi(x: Any) -> float:
            return float(np.mean([f(j, x, WORLD.y_star(x)) for j in range(WORLD.m)]))

        assert WORLD.objective(x) == pytest.approx(Phi(x), rel=1e-13)
        np.testing.assert_allclose(WORLD.hypergradient(x), slope(Phi, x), atol=1e-6)
    np.testing.assert_allclose(WORLD.hypergradient(WORLD.x_star), 0, atol=1e-12)
    columns = RNG.standard_normal((2, 4))
    for truth in (WORLD.y_star, WORLD.hypergradient):
        np.testing.assert_allclose(truth(columns)[:, 2], truth(columns[:, 2]))


def test_alike_terms_make_a_quadratic() -> None:
    single = rc.worlds.Quadratic(A=2.0, B=1.5, c=0.3, P=1.0, D=0.5, a=1.0, b=-1.0)
    alike = rc.worlds.BilevelSum(
        **{name: np.repeat(getattr(single, name)[None], 2, axis=0) for name in "ABcPDab"}
    )
    run: dict[str, Any] = {"K": 1, "T": 50, "x0": 2.0, "y0": 1.0, "times": []}
    one, other = (rc.expect(w, rc.methods.SOBA(rho=0.1, gamma=0.05), **run) for w in (single, alike))
    assert one.values == pytest.approx(other.values, rel=1e-12)
    assert alike.x_star == pytest.approx(single.x_star, rel=1e-13)


def test_constants_are_attained() -> None:
    c, rng, most = (
        WORLD.constants(),
        np.random.default_rng(0),
        dict.fromkeys(("L_F", "L_G", "L_h", "L_max"), 0.0),
    )
    d_x, n, m = WORLD.d_x, WORLD.n, WORLD.m

    def changes(u: Any) -> dict[str, Any]:
        """How the gradients of every term change along u = (x, y), and that of Phi along x; all are linear."""
        x, y = u[:d_x], u[d_x:]
        G = [np.concatenate([-WORLD.B[i].T @ y, WORLD.A[i] @ y - WORLD.B[i] @ x]) for i in range(n)]
        F = [np.concatenate([WORLD.P[j] @ x, WORLD.D[j] @ y]) for j in range(m)]
        sizes = {
            "L_F": norm(np.mean(F, axis=0)),
            "L_G": norm(np.mean(G, axis=0)),
            "L_max": max(map(norm, G + F)),
        }
        return {name: size / norm(u) for name, size in sizes.items()}

    norm = np.linalg.norm
    for _ in range(2000):
        u = rng.standard_normal(d_x + WORLD.d_y)
        step = WORLD.hypergradient(u[:d_x]) - WORLD.hypergradient(np.zeros(d_x))
        for name, value in {**changes(u), "L_h": norm(step) / norm(u[:d_x])}.items():
            most[name] = max(most[name], value)
    for name, value in most.items():
        assert 0.85 * c[name] < value <= c[name] * (1 + 1e-12)
    assert c["mu_G"] == pytest.approx(np.linalg.eigvalsh(WORLD.A.mean(axis=0))[0])
    low, high = WORLD.curvature
    assert low <= c["mu_G"]
    assert high <= c["L_max"]


@pytest.mark.parametrize("certified", [True, False])
def test_soba_is_the_mean_over_all_outcomes(certified: bool) -> None:
    run: dict[str, Any] = {"K": 1, "T": 2, "x0": 1.4, "y0": 0.8, "times": [0, 1, 2]}
    solver = rc.methods.SOBA(rho=0.1, gamma=0.05)
    exact = rc.expect(LINE, solver, **run, certified=certified)
    outcomes = rc.enumerate_outcomes(LINE, solver, **run)
    for measure in ("gradient", "tracking"):
        np.testing.assert_allclose(
            getattr(exact.curves, measure), getattr(outcomes.curves, measure), rtol=1e-12, atol=1e-20
        )
