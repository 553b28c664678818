"""The limit of many iterations: against long runs, by two independent methods, and where there is none."""

from functools import partial

import numpy as np
import pytest

from ratecert.errors import NoLimitError
from ratecert.solvers import (
    SABA,
    SAGA,
    SGD,
    STEM,
    LocalBSGM,
    LocalBSGVRM,
    LocalSGD,
    expect,
    stationary,
)
from ratecert.solvers.contract.result import MEASURES
from ratecert.solvers.engines.moments.exchangeable import ExchangeableEngine
from ratecert.synthetic import BilevelSum, FiniteSum, Quadratic, random_quadratic, scalar, single_level

SETTING = {"eta": 1e-2, "rho_1": 0.2, "rho_2": 2.0, "p": 8, "theta": 0.2, "Q": 10}
SOLVERS = {
    "bsgm": LocalBSGM(alpha=10.0, beta=10.0, **SETTING),
    "vrm-local": LocalBSGVRM(alpha=50.0, beta=50.0, **SETTING),
    "vrm-averaged": LocalBSGVRM(alpha=50.0, beta=50.0, previous="averaged", **SETTING),
    "vrm-fresh": LocalBSGVRM(alpha=50.0, beta=50.0, momenta="fresh", **SETTING),
}
by_reading = pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)


def world(d: int):
    return random_quadratic(d_x=d, d_y=d, sigma_H=0.3, sigma_J=0.2, s_f=0.5, s_g=0.5, seed=1)


def values(result) -> np.ndarray:
    return np.array([getattr(result, name) for name in MEASURES])


@by_reading
@pytest.mark.parametrize("K", [1, 4, 10**6])
def test_the_limit_is_that_of_long_runs(solver, K: int) -> None:
    """The average over t < T differs from the limit by O(1/T): ten times longer, ten times closer."""
    limit = stationary(world(2), solver, K=K).gradient
    run = {"K": K, "x0": np.ones(2), "y0": np.ones(2), "times": []}
    gaps = [expect(world(2), solver, T=T, **run).gradient - limit for T in (10**6, 10**7)]
    assert gaps[1] == pytest.approx(gaps[0] / 10, rel=1e-6)


@by_reading
@pytest.mark.parametrize("d", [1, 2, 3])
def test_two_methods_agree(solver, d: int, monkeypatch: pytest.MonkeyPatch) -> None:
    doubled = stationary(world(d), solver, K=4, certified=False)
    monkeypatch.setattr(ExchangeableEngine, "largest_limit_map", 0)
    solved = stationary(world(d), solver, K=4, certified=False)
    assert (doubled.method, solved.method) == ("doubling", "fixed point")
    np.testing.assert_allclose(values(solved), values(doubled), rtol=1e-11)
    assert max(doubled.precision, solved.precision) < 1e-11


@pytest.mark.parametrize(
    ("name", "d"),
    [
        ("bsgm", 20),
        pytest.param("vrm-local", 20, marks=pytest.mark.nightly),
    ],
)
def test_many_dimensions(name: str, d: int) -> None:
    """Without noise in A and B the floor is bias + variance/K exactly, whatever p is."""
    quiet = random_quadratic(d_x=d, d_y=d, s_f=0.5, s_g=0.5, seed=1)
    one, two, four = (stationary(quiet, SOLVERS[name], K=K) for K in (1, 2, 4))
    assert one.method == "fixed point"
    assert (one.gradient - two.gradient) / (two.gradient - four.gradient) == pytest.approx(2, rel=1e-9)
    assert one.drift_x == 0 < four.drift_x
    assert max(one.precision, two.precision, four.precision) < 1e-10


def test_shared_noise_gives_no_speedup() -> None:
    shared, single = (
        stationary(world(2), SOLVERS["bsgm"], K=16, shared_noise=True),
        stationary(world(2), SOLVERS["bsgm"], K=1),
    )
    assert values(shared).tolist() == values(single).tolist()


@pytest.mark.parametrize("largest_map", [250, 0], ids=["doubling", "fixed point"])
def test_without_a_limit_the_reason_is_a_number(largest_map: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps that are too long for the mean, and noise that is too strong for the second moment only."""
    monkeypatch.setattr(ExchangeableEngine, "largest_limit_map", largest_map)
    wild = LocalBSGM(alpha=1.0, beta=1.0, **{**SETTING, "eta": 1.0, "rho_1": 3.0})
    with pytest.raises(NoLimitError, match=r"do(es)? not converge: .*\d"):
        stationary(scalar(s_f=0.1), wild, K=2)
    noisy = LocalBSGM(
        alpha=1.0, beta=1.0, **{**SETTING, "eta": 1.0, "rho_1": 1e-3, "rho_2": 0.4, "Q": 0, "theta": 0.01}
    )
    stormy = scalar(mu=0.01, L_1=8.0, sigma_H=3.9, P=0.5, D=0.5, s_f=0.1)
    with pytest.raises(
        NoLimitError, match=r"second moments do not converge: the spectral radius of one .* 2\.75"
    ):
        stationary(stormy, noisy, K=1)
    assert stationary(scalar(mu=0.01, L_1=8.0, sigma_H=0.1, P=0.5, D=0.5, s_f=0.1), noisy, K=1).gradient > 0


def random_sums(n: int) -> BilevelSum:
    rng = np.random.default_rng(0)
    c, a, b = rng.normal(size=(3, n))
    lower = {"A": rng.uniform(0.5, 3.0, size=n), "B": rng.normal(size=n), "c": c}
    return BilevelSum(**lower, P=rng.uniform(0.5, 2.0, size=n), D=rng.uniform(0.1, 1.0, size=n), a=a, b=b)


@pytest.mark.parametrize("largest_map", [1, 10**9])
def test_a_limit_that_is_zero_up_to_rounding_is_one(
    largest_map: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SABA and SAGA come to rest, by the map and without it; with steps that are too long they do not."""
    monkeypatch.setattr(ExchangeableEngine, "largest_limit_map", largest_map)
    line = FiniteSum(H=[1.0, 2.0, 0.5], a=[1.0, -1.0, 2.0])
    for world, kind, steps in (
        (random_sums(2), partial(SABA, n=2, m=2), ("rho", "gamma")),
        (line, partial(SAGA, n=3), ("alpha",)),
    ):
        limit = stationary(world, kind(**dict.fromkeys(steps, 0.05)), K=1, certified=False)
        assert max(limit.values.values()) <= 1e-40
        with pytest.raises(NoLimitError, match=r"not converge: the spectral radius of one .*not < 1"):
            stationary(world, kind(**dict.fromkeys(steps, 1.4)), K=1, certified=False)
    calm, stormy = (single_level([1.0], a=1.0, noise_H=noise) for noise in (0.5, 5.0))
    assert stationary(calm, SGD(alpha=0.5), K=1, certified=False).gap <= 1e-60
    with pytest.raises(NoLimitError, match=r"the spectral radius of one \w+ is .*6\.5, not < 1"):
        stationary(stormy, SGD(alpha=0.5), K=1, certified=False)


def test_a_field_that_nothing_moves_has_no_limit_of_its_own() -> None:
    """STEM leaves y where it starts; with a lower level that moves, the same world has a limit."""
    world = Quadratic(A=1.0, B=0.0, P=1.0, D=1.0, s_f=0.1)
    stem = STEM(eta=0.2, p=2, rho=0.3, c_u=2.0)
    with pytest.raises(
        NoLimitError, match="a field is never moved, so that it stays where it starts; use expect"
    ):
        stationary(world, stem, K=2)
    moving = LocalSGD(eta=0.2, rho_1=0.3, rho_2=0.3, p=2, theta=0.5, Q=1)
    assert stationary(world, moving, K=2).gradient > 0
