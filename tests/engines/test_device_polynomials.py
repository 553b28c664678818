"""Steps of devices that differ as polynomials in the step sizes: those that each device makes for itself."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from oracles.mixed_world import Mixed, device
from ratecert.errors import UserError
from ratecert.solvers import CubeRoot, LocalBSGM, LocalBSGVRM, expect
from ratecert.solvers.contract.measures import defaults
from ratecert.solvers.engines import run as run_module
from ratecert.solvers.engines.moments import device_rounds
from ratecert.solvers.engines.moments.apart import AdditiveSteps, DeviceSteps
from ratecert.solvers.engines.moments.differing import DifferingEngine

STEPS: dict[str, Any] = {"alpha": 2.0, "beta": 2.0, "rho_1": 0.2, "rho_2": 0.5, "p": 3, "theta": 0.15, "Q": 1}
SETTING = STEPS | {"eta": CubeRoot(scale=0.1, offset=3.0)}
SOLVERS = {"bsgm": LocalBSGM(**SETTING), "vrm": LocalBSGVRM(**SETTING)}
NOISE = {"s_g": 0.2, "s_f": 0.1}
every_solver = pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)


def mixed(**noise: float) -> Mixed:
    return Mixed([device(i, **noise) for i in range(3)])


@every_solver
@pytest.mark.parametrize("odd_units", [False, True])
@pytest.mark.parametrize("t", [1, 7, 1000, 123456.789])
def test_a_polynomial_is_the_step_of_each_device(
    solver: Any, odd_units: bool, t: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = mixed(**NOISE)
    engine = DifferingEngine(world, solver, defaults(world), odd_units=odd_units)
    fast = engine._step_at(0, t)
    monkeypatch.setattr(engine, "_polynomials", lambda _: None)
    slow = engine._step_at(0, t)
    assert isinstance(fast, AdditiveSteps)
    assert isinstance(slow, DeviceSteps)
    for name in ("common", "beyond", "noise"):
        made, expected = getattr(fast, name), getattr(slow, name)
        np.testing.assert_allclose(made, expected, rtol=1e-14, atol=1e-17, err_msg=name)
    later = engine._step_at(0, 1.01 * t + 1)
    assert not np.allclose(later.increments, slow.increments, rtol=1e-6)


@every_solver
def test_noise_that_depends_on_the_point_is_left_to_the_devices(solver: Any) -> None:
    world = mixed(E=0.2, **NOISE)
    assert isinstance(DifferingEngine(world, solver, defaults(world))._step_at(0, 5), DeviceSteps)


@pytest.mark.nightly
def test_many_devices_with_decaying_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred that differ, more than can be led by one matrix: interpolated as stepped through."""
    world = rc.worlds.federated([0.5, 1.0, 2.0, 4.0], K=100, dial=1.0, seed=3, s=0.3)
    solver = rc.methods.LocalGD(alpha=CubeRoot(scale=0.1, offset=3.0), p=4)
    run = {"K": 100, "T": 1200, "x0": np.ones(4), "times": []}
    engine = DifferingEngine(world, solver, defaults(world))
    assert not device_rounds.doubled(engine.common)
    flowed = expect(world, solver, **run)
    monkeypatch.setattr(run_module, "AFFORDABLE_STEPS", 1200)
    stepped = expect(world, solver, **run)
    assert (flowed.method, stepped.method) == ("slowly varying steps", "stepping")
    for name in ("gap", "distance", "drift_x"):
        assert getattr(flowed, name) == pytest.approx(getattr(stepped, name), rel=1e-12)
    constant = replace(solver, alpha=0.05)
    assert expect(world, constant, **run).gap != pytest.approx(stepped.gap, rel=0.01)


@pytest.mark.parametrize(
    ("K", "d", "p", "sigma_H", "remedy"),
    [
        (50, 2, 300, 0.0, "make T, K, the steps between averages or the dimensions smaller, or use simulate"),
        (
            2,
            10,
            8,
            0.2,
            "make T, K or the dimensions smaller, the noise the same everywhere, or use simulate",
        ),
    ],
)
def test_what_is_too_much_is_told(K: int, d: int, p: int, sigma_H: float, remedy: str) -> None:
    world = rc.worlds.heterogeneous(K=K, d_x=d, d_y=d, sigma_H=sigma_H, s_f=0.5, s_g=0.5)
    with pytest.raises(UserError, match=remedy):
        expect(world, LocalBSGM(**{**SETTING, "p": p}), K=K, T=2**30, x0=np.ones(d), y0=np.ones(d), times=[])
