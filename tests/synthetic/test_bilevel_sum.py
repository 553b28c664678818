"""Sums of quadratics on both levels: means of quadratic worlds, with attained constants; SOBA over all outcomes."""

import pickle
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from oracles.world_signs import noise_free
from ratecert.solvers.contract.problem import SAMPLES, TRUTH, TWO_LEVELS

norm = np.linalg.norm


def random_sum(*, n: int, m: int, d_x: int, d_y: int) -> Any:
    rng = np.random.default_rng([3, 0])

    def positive(terms: int, d: int) -> Any:
        roots = rng.standard_normal((terms, d, d))
        return roots @ np.swapaxes(roots, 1, 2) + 0.5 * np.eye(d)

    return rc.worlds.BilevelSum(
        A=positive(n, d_y), B=rng.standard_normal((n, d_y, d_x)), c=rng.standard_normal((n, d_y)),
        P=positive(m, d_x), D=positive(m, d_y), a=rng.standard_normal((m, d_x)), b=rng.standard_normal((m, d_y)),
    )  # fmt: skip


WORLD = random_sum(n=3, m=2, d_x=2, d_y=3)


def test_it_is_a_problem() -> None:
    assert [name for name in TRUTH + SAMPLES + TWO_LEVELS if not hasattr(WORLD, name)] == []
    again = pickle.loads(pickle.dumps(WORLD))
    assert np.array_equal(again.B, WORLD.B)
    assert not again.B.flags.writeable


def one_term(i: Any, j: int) -> Any:
    """Terms i of g and j of f as a quadratic world, which SymPy has judged; the mean of g where i is no number."""
    of_g = {name: np.mean(getattr(WORLD, name)[i], axis=0) for name in "ABc"}
    return rc.worlds.Quadratic(**of_g, **{name: getattr(WORLD, name)[j] for name in "PDab"})


@pytest.mark.parametrize(
    "name", ["grad_x_f", "grad_y_f", "grad_y_g", "hessian_g", "jacobian_g", "neumann_factor_g"]
)
def test_oracles_are_those_of_the_terms(name: str) -> None:
    """A sample is the number of a term, one for every column or one for all of them."""
    rng, of_f = np.random.default_rng(5), name.endswith("_f")
    x, y, r = (rng.standard_normal((d, 5)) for d in (2, 3, 3))
    columns = (x, y) if "grad" in name else (x, y, r)
    theta = (0.1,) * ("neumann" in name)
    for number in (np.array([0, 1, 1, 0, 1]) if of_f else np.array([0, 2, 1, 1, 0]), 1):
        told = getattr(WORLD, name)(number, *columns, *theta)
        for n, k in enumerate(np.broadcast_to(number, 5)):
            term = one_term([0], k) if of_f else one_term([k], 0)
            expected = getattr(term, name)(noise_free(term.sample_g), *(v[:, [n]] for v in columns), *theta)
            np.testing.assert_allclose(told[:, [n]], expected, rtol=1e-12, atol=1e-13)


def test_the_truth_is_the_mean_over_terms_at_the_mean_of_the_lower_level() -> None:
    means = [one_term(slice(None), j) for j in range(WORLD.m)]
    x = np.random.default_rng(6).standard_normal((2, 4))
    for name in ("y_star", "objective", "hypergradient"):
        expected = np.mean([getattr(mean, name)(x) for mean in means], axis=0)
        np.testing.assert_allclose(getattr(WORLD, name)(x), expected, rtol=1e-12)
        np.testing.assert_allclose(getattr(WORLD, name)(x[:, 2]), expected[..., 2], rtol=1e-12)
    np.testing.assert_allclose(WORLD.hypergradient(WORLD.x_star), 0, atol=1e-12)


def changes(u: Any) -> dict[str, float]:
    """How the gradients of terms and means change along u = (x, y), and that of Phi along x; all are linear."""
    x, y = u[: WORLD.d_x], u[WORLD.d_x :]
    lower = zip(WORLD.A, WORLD.B, strict=True)
    G = [np.concatenate([-B.T @ y, A @ y - B @ x]) for A, B in lower]
    F = [np.concatenate([P @ x, D @ y]) for P, D in zip(WORLD.P, WORLD.D, strict=True)]
    step = WORLD.hypergradient(x) - WORLD.hypergradient(np.zeros(WORLD.d_x))
    of_u = {"L_F": norm(np.mean(F, axis=0)), "L_G": norm(np.mean(G, axis=0)), "L_max": max(map(norm, G + F))}
    return {**{name: size / norm(u) for name, size in of_u.items()}, "L_h": norm(step) / norm(x)}


def test_constants_are_attained() -> None:
    c, tried = WORLD.constants(), np.random.default_rng(0).standard_normal((2000, WORLD.d_x + WORLD.d_y))
    found = [changes(u) for u in tried]
    for name in found[0]:
        assert 0.85 * c[name] < max(each[name] for each in found) <= c[name] * (1 + 1e-12)
    assert c["mu_G"] == pytest.approx(np.linalg.eigvalsh(WORLD.A.mean(axis=0))[0])
    low, high = WORLD.curvature
    assert low <= c["mu_G"]
    assert high <= c["L_max"]
