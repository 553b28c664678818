"""Devices that differ: their engine against enumeration, against equal devices, and its limits."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from oracles.mixed_world import Mixed, device
from ratecert.errors import UserError
from ratecert.solvers import (
    CubeRoot,
    LocalBSGM,
    LocalBSGVRM,
    enumerate_outcomes,
    expect,
    stationary,
)
from ratecert.solvers.contract.result import MEASURES
from ratecert.solvers.engines import run as run_module
from ratecert.solvers.engines.moments import apart, device_memory, differing

SETTING = {"eta": 0.1, "alpha": 2.0, "beta": 2.0, "rho_1": 0.2, "rho_2": 0.5, "p": 2, "theta": 0.15, "Q": 1}
SOLVERS = {
    "bsgm-carry": LocalBSGM(**SETTING),
    "bsgm-fresh": LocalBSGM(momenta="fresh", **SETTING),
    "vrm-local": LocalBSGVRM(**SETTING),
    "vrm-averaged": LocalBSGVRM(previous="averaged", **SETTING),
    "vrm-fresh": LocalBSGVRM(momenta="fresh", **SETTING),
}
DRIFT = 1e-11  # the enumeration forms x_k - xbar ~ 1e-5 from numbers of size 1, which costs five digits
every_reading = pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)


def values(result) -> np.ndarray:
    return np.array([getattr(result, name) for name in MEASURES])


@every_reading
@pytest.mark.parametrize("noise", [{"E": 0.3}, {"s_g": 0.3}], ids=["E", "s_g"])
def test_expect_equals_enumeration(solver, noise: dict) -> None:
    world = Mixed([device(i, **noise) for i in range(2)])
    run = {"K": 2, "T": 3, "x0": 1.0, "y0": 1.0, "times": range(4)}
    exact, outcomes = expect(world, solver, **run), enumerate_outcomes(world, solver, **run)
    np.testing.assert_allclose(values(exact)[:2], values(outcomes)[:2], rtol=1e-13)
    np.testing.assert_allclose(values(exact)[2:], values(outcomes)[2:], rtol=DRIFT)
    for name in MEASURES:
        np.testing.assert_allclose(
            getattr(exact.curves, name), getattr(outcomes.curves, name), rtol=DRIFT, atol=1e-28, err_msg=name
        )


@every_reading
@pytest.mark.parametrize("T", [10, 1001, 10**6 + 1])
def test_equal_devices_give_what_exchangeable_devices_give(solver, T: int) -> None:
    """Two engines that share nothing but the step: that of devices that differ, and that of devices that are alike."""
    single = device(1, d=2, E=0.2, s_f=0.1, s_g=0.1)
    run = {"K": 3, "T": T, "x0": np.ones(2), "y0": np.ones(2), "times": [T]}
    joint, pair = expect(Mixed([single] * 3), solver, **run), expect(single, solver, **run)
    np.testing.assert_allclose(values(joint), values(pair), rtol=1e-10)


def test_too_many_coordinates_for_a_long_run_are_refused() -> None:
    """Ten devices in three dimensions whose previous points differ, with noisy Hessians."""
    world = Mixed([device(i, d=3, E=0.1) for i in range(10)])
    run = {"K": 10, "x0": np.ones(3), "y0": np.ones(3), "times": []}
    with pytest.raises(
        ValueError,
        match=r"999999 iterations of 10 devices that differ .18 coordinates each, 72 of all .* at most",
    ):
        expect(world, SOLVERS["vrm-local"], T=10**6, **run)
    assert expect(world, SOLVERS["vrm-local"], T=5, **run).method == "stepping"
    assert expect(world, SOLVERS["bsgm-carry"], T=10**6, **run).method == "doubling"


@every_reading
def test_the_limit_of_devices_that_differ_is_that_of_long_runs(solver) -> None:
    """The last cycle of a very long run; a world of the mean device has another limit."""
    world = Mixed([device(i, spread=0.6, E=0.2, s_g=0.4, s_f=0.3) for i in range(2)])
    T = 2**40
    late = expect(world, solver, K=2, T=T, x0=1.0, y0=1.0, times=[T - 2, T - 1]).curves
    limit = stationary(world, solver, K=2)
    assert limit.gradient == pytest.approx(np.mean(late.gradient), rel=1e-9)
    assert limit.drift_x == pytest.approx(np.mean(late.drift_x), rel=1e-9)
    assert abs(stationary(world.mean, solver, K=2).gradient / limit.gradient - 1) > 0.05


@pytest.mark.parametrize("times", [None, [], [10, 100]])
def test_a_run_that_cannot_be_afforded_is_refused_at_once(times: list[int] | None) -> None:
    """Whatever the times between, the whole run counts; balls can only step through a decaying step."""
    world = Mixed([device(i, s_g=0.1) for i in range(2)])
    decaying = LocalBSGM(**{**SETTING, "eta": CubeRoot(scale=0.1)})
    with pytest.raises(ValueError, match=r"999999999999 iterations .* at most 20000"):
        expect(world, decaying, K=2, T=10**12, x0=1.0, y0=1.0, times=times, certified=True)


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["bsgm-carry", "vrm-local"])
def test_slowly_varying_steps_of_devices_that_differ(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interpolated as stepped through; on equal devices as where they are taken for equal."""
    solver = replace(SOLVERS[name], eta=CubeRoot(scale=0.1, offset=3.0))
    world = Mixed([device(i, E=0.2, s_g=0.2) for i in range(2)])
    run = {"K": 2, "T": 1000, "x0": 1.0, "y0": 1.0, "times": []}
    flowed = expect(world, solver, **run)
    monkeypatch.setattr(run_module, "AFFORDABLE_STEPS", 1000)
    walked = expect(world, solver, **run)
    assert (flowed.method, walked.method) == ("slowly varying steps", "stepping")
    np.testing.assert_allclose(values(flowed), values(walked), rtol=1e-12)
    single = device(1, E=0.2, s_g=0.2)
    apart, alike = (expect(w, solver, **{**run, "T": 2**20}) for w in (Mixed([single] * 2), single))
    np.testing.assert_allclose(values(apart), values(alike), rtol=1e-12)


def test_tables_that_are_too_large_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps are the same without them, and what needs them is refused at once."""
    world = Mixed([device(i, E=0.2, s_g=0.2) for i in range(2)])
    run = {"K": 2, "x0": 1.0, "y0": 1.0, "times": [], "certified": False}
    with_tables = expect(world, SOLVERS["bsgm-carry"], T=30, **run)
    for module in (apart, differing):
        monkeypatch.setattr(module, "LARGEST_TABLES", 100)
    assert values(expect(world, SOLVERS["bsgm-carry"], T=30, **run)) == pytest.approx(
        values(with_tables), rel=1e-13
    )
    with pytest.raises(ValueError, match=r"999999 iterations of 2 devices that differ .* at most"):
        expect(world, SOLVERS["bsgm-carry"], T=10**6, **run)


def test_copies_of_devices_are_devices_with_weights() -> None:
    """Two of one kind and one of another are two with weights 2/3 and 1/3, in the mean: not in their noise."""
    one, two = (rc.worlds.SingleLevel(H=h, a=a) for h, a in ((1.0, 0.0), (3.0, 1.0)))
    run = {"T": 1000, "x0": 1.0, "times": []}
    solver = rc.methods.SGD(alpha=0.1, p=4)
    three = expect(rc.worlds.Federated(devices=[one, one, two]), solver, K=3, **run)
    weighted = expect(rc.worlds.Federated(devices=[one, two], weights=[2 / 3, 1 / 3]), solver, K=2, **run)
    assert three.values == pytest.approx(weighted.values, rel=1e-12)
    noisy = [replace(world, s=0.5) for world in (one, two)]
    three = expect(rc.worlds.Federated(devices=[noisy[0], *noisy]), solver, K=3, **run)
    weighted = expect(rc.worlds.Federated(devices=noisy, weights=[2 / 3, 1 / 3]), solver, K=2, **run)
    assert three.gap < 0.9 * weighted.gap


def test_the_number_of_devices_must_fit() -> None:
    world = Mixed([device(i) for i in range(2)])
    with pytest.raises(ValueError, match="K must be 2, the number of devices of this problem, got 3"):
        expect(world, SOLVERS["bsgm-carry"], K=3, T=2, x0=1.0, y0=1.0)
    with pytest.raises(ValueError, match="K must be 2"):
        stationary(world, SOLVERS["bsgm-carry"], K=3)
    with pytest.raises(ValueError, match="shared_noise"):
        expect(world, SOLVERS["bsgm-carry"], K=2, T=2, x0=1.0, y0=1.0, shared_noise=True)


@pytest.mark.parametrize(
    "solver", [rc.methods.SGD(alpha=0.1, p=3), rc.methods.FedAvg(alpha=0.1, p=3, m=2, replacement=True)]
)
@pytest.mark.parametrize("rare", [1e-4, 1e-12])
def test_a_weight_of_nearly_one_costs_no_digits(solver: Any, rare: float) -> None:
    """1 - p_k in doubles would have four of them; what is certified is in balls."""
    weights = [1 - 2 * rare, rare, rare]
    world = rc.worlds.federated([1.0, 3.0], K=3, weights=weights, noise_H=0.3, s=0.4, seed=2)
    run: dict[str, Any] = {"K": 3, "T": 17, "x0": [1.0, 2.0]}
    doubles, enclosed = expect(world, solver, **run), expect(world, solver, **run, certified=True)
    low, high = enclosed.enclosure.drift_x
    assert low - doubles.drift_x <= doubles.absolute_error.drift_x < 1e-12 * low
    assert doubles.drift_x - high <= doubles.absolute_error.drift_x


@pytest.mark.parametrize("noise", [{"s": 0.3}, {"noise_H": 0.3}])
def test_what_would_not_fit_is_refused_before_it_is_computed(
    noise: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the limit it runs."""
    world, solver = rc.worlds.federated([1.0, 3.0], K=3, seed=2, **noise), rc.methods.SGD(alpha=0.1, p=2)
    run: dict[str, Any] = {"K": 3, "T": 5, "x0": [1.0, 2.0], "certified": False}
    expect(world, solver, **run)
    needed = device_memory.memory_of(3, 3, additive="s" in noise)
    monkeypatch.setattr(device_memory, "MOST", needed - 1)
    with pytest.raises(
        UserError, match=r"3 devices that differ .* GiB, and at most 2 are used; make K or the"
    ):
        expect(world, solver, **run)


def test_a_thousand_devices_fit_and_a_thousand_large_ones_do_not() -> None:
    """LocalBSGM has 4 d coordinates."""
    for K, d, additive in [
        (1000, 2, False),
        (1000, 2, True),
        (250, 20, True),
        (10, 50, True),
        (10, 10, False),
    ]:
        assert device_memory.memory_of(K, 4 * d + 1, additive=additive) < device_memory.MOST
    for K, d, additive in [(5000, 2, False), (1000, 20, True), (100, 50, True), (100, 20, False)]:
        assert device_memory.memory_of(K, 4 * d + 1, additive=additive) > device_memory.MOST
