"""Published closed forms on one level, each on forty random settings: the exact engine against equalities of others.

The forms, with their sources and the settings, are a book of the library (papers/library/closed_forms.py).
"""

from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.papers.library import closed_forms

pytestmark = pytest.mark.nightly

SETTINGS = range(40)
GAP = {"gap": rc.measures.gap()}


@pytest.mark.parametrize("seed", SETTINGS)
@pytest.mark.parametrize("form", closed_forms.FORMS)
def test_the_engine_gives_what_was_published(form: str, seed: int) -> None:
    assert closed_forms.apart(form, seed) <= closed_forms.TOLERANCE


def test_nesterov_and_heavy_ball_are_cases_of_triple_momentum() -> None:
    world, common = (
        rc.worlds.single_level([1.0, 3.0], seed=0, s=0.5, noise_H=0.1),
        {"alpha": 0.1, "beta": 0.5},
    )
    run: dict[str, Any] = {"K": 2, "T": 100, "x0": [1.0, 2.0], "times": []}
    triple = rc.methods.TripleMomentum(**common, gamma=0.5, delta=0.25)
    expected = rc.expect(world, rc.methods.Nesterov(**common), **run).values
    assert rc.expect(world, triple, **run).values == pytest.approx(expected, rel=1e-12)
    other = rc.expect(world, rc.methods.TripleMomentum(**common, gamma=0.4, delta=0.25), **run).values
    assert other["gap"] != pytest.approx(expected["gap"], rel=1e-3)


@pytest.mark.parametrize("seed", SETTINGS)
def test_the_mean_of_the_iterates_by_hand(seed: int) -> None:
    """x_t - a = r^t (x_0 - a) - alpha s sum_{j<t} r^{t-1-j} n_j, averaged over t < n."""
    h, s, alpha = (closed_forms.drawn(seed, "h", "s", "alpha")[name] for name in ("h", "s", "alpha"))
    n, start, a = 9, 1.7, 0.5
    r = 1 - alpha * h
    bias = (start - a) * sum(r**t for t in range(n)) / n
    weights = [-alpha * s * sum(r ** (t - 1 - j) for t in range(j + 1, n)) / n for j in range(n)]
    expected = h / 2 * (bias**2 + sum(w**2 for w in weights))
    world, solver = rc.worlds.single_level([h], a=a, s=s), rc.methods.SGD(alpha=alpha)
    run: dict[str, Any] = {"K": 1, "T": n, "x0": start, "times": []}
    run["measures"] = {"gap": rc.measures.gap().at_mean()}
    for found in (rc.expect(world, solver, **run, certified=c) for c in (False, True)):
        assert found.gap == pytest.approx(expected, rel=1e-12, abs=0)
    assert rc.enumerate_outcomes(world, solver, **run).gap == pytest.approx(expected, rel=1e-12, abs=0)


@pytest.mark.parametrize("seed", SETTINGS)
def test_another_momentum_is_told_apart(seed: int) -> None:
    at = closed_forms.drawn(seed, "h", "s", "alpha", "beta")
    other = rc.methods.HeavyBall(alpha=at["alpha"], beta=at["beta"] * 0.999)
    off = rc.expect(closed_forms.line(at), other, K=1, T=40, x0=1.3, times=range(41), measures=GAP)
    assert not np.allclose(
        off.curves.gap, [closed_forms.heavy_ball_at(k, at, 1.3) for k in range(41)], rtol=1e-7
    )


@pytest.mark.parametrize("seed", SETTINGS)
def test_local_gradient_descent_arrives_where_it_rests(seed: int) -> None:
    """Off x*, as long as there is more than one local step."""
    world, eta, E = closed_forms.differing(seed)
    solver, limit = rc.methods.LocalGD(alpha=eta, p=E), closed_forms.local_limit(world, eta, E)
    rest = rc.fixed_point(world, solver)
    np.testing.assert_allclose(rest.x - rest.excess_x, world.x_star, rtol=1e-12, atol=1e-13)
    assert np.linalg.norm(limit - world.x_star) > 1e-6
    away = {"away": rc.measures.form(lambda _world, s: s.x - limit[:, None], reads="x").last()}
    size = float(np.square(limit - world.x_star).sum())
    run: dict[str, Any] = {"K": len(world.devices), "T": E * 2**14, "x0": np.ones(world.d_x), "times": []}
    assert rc.expect(world, solver, **run, measures=away).away <= 1e-22 * (1 + size)
