"""Devices one by one take the simulator's path, every field at every step; and one that does otherwise is seen."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.explore.methods import METHODS, ONE_MACHINE
from ratecert.solvers.contract.draws import with_steps
from ratecert.solvers.engines.counting import count
from ratecert.solvers.engines.federation import FederatedDevice, Traffic, in_lockstep
from ratecert.solvers.engines.sampling.noise import Hashed
from ratecert.solvers.engines.sampling.oracle import ArrayOracle
from ratecert.solvers.engines.sampling.tile import Shares, run_tile

K, T, SEED, REPLICATES = 3, 26, 5, 3  # 26 iterations end within a round
NOISE = {"s_f": 0.5, "s_g": 0.5, "sigma_H": 0.2, "sigma_J": 0.2, "seed": 1}
WORLDS: dict[str, Any] = {
    "alike": rc.worlds.random_quadratic(d_x=3, d_y=3, mu=1.0, L_1=4.0, **NOISE),
    "differ": rc.worlds.heterogeneous(d_x=3, d_y=3, K=K, dial=0.3, **NOISE),
    "weighted": rc.worlds.federated(
        (1.0, 2.0, 4.0), K=K, dial=0.5, weights=np.arange(1, K + 1) / 6, noise_H=0.2, s=0.5, seed=1
    ),
}
TWO = [name for name, method in METHODS.items() if method.levels == 2 and name not in ONE_MACHINE]
ONE = [name for name, method in METHODS.items() if method.levels == 1]
RUNS = [(name, world) for name in TWO for world in ("alike", "differ")] + [(name, "weighted") for name in ONE]


def setting_of(name: str, world: str, **changes: Any) -> Any:
    solver = getattr(rc.methods, name)(**{**METHODS[name].fields, **changes})
    start = {"x0": np.ones(3)} | ({} if world == "weighted" else {"y0": np.zeros(3)})
    return rc.contract.prepare(WORLDS[world], solver, K=K, T=T, **start, times=None)


def devices_of(setting: Any, *, seed: int = SEED) -> list[FederatedDevice]:
    return [FederatedDevice(setting, k, seed=seed, replicates=REPLICATES) for k in range(K)]


def simulated(setting: Any) -> list[dict[str, Any]]:
    """The states of all devices side by side before every step, as the simulator hands them to the algorithm."""
    path: list[dict[str, Any]] = []

    class Noted:
        def __init__(self) -> None:
            self.stages = with_steps(setting.solver.stages, self.noting)

        def __getattr__(self, name: str) -> Any:
            return getattr(setting.solver, name)

        def noting(self, step: Any) -> Any:
            return lambda t, s, oracle: path.append(dict(vars(s))) or step(t, s, oracle)

    noise = Hashed(seed=SEED, first=0, replicates=REPLICATES, K=K)
    run_tile(replace(setting, solver=Noted()), noise, 0, REPLICATES)
    return path


def in_turn(devices: list[FederatedDevice]) -> tuple[list[dict[str, Any]], list[Traffic]]:
    """The same of devices in lockstep, and what each has sent."""
    paths: list[list[dict[str, Any]]] = [[] for _ in devices]
    for each, path in zip(devices, paths, strict=True):
        each.seen = lambda _t, s, path=path: path.append(dict(vars(s)))
    traffic = [traffic for _, traffic in in_lockstep(devices)]
    return [
        {name: np.hstack([own[name] for own in states]) for name in states[0]}
        for states in zip(*paths, strict=True)
    ], traffic


def gap(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> float:
    """The largest difference of a field, relative to its largest value along the path."""
    names = {name: max(np.abs(s[name]).max() for s in other) or 1.0 for name in other[0]}
    return max(np.abs(a[n] - b[n]).max() / names[n] for a, b in zip(one, other, strict=True) for n in names)


@pytest.mark.parametrize(("name", "world"), RUNS)
def test_devices_take_the_simulators_path_and_send_what_the_definition_counts(name: str, world: str) -> None:
    """Random rounds, drawn devices and several stages included; with the signs of another seed they do not."""
    setting = setting_of(name, world)
    expected = simulated(setting)
    found, traffic = in_turn(devices_of(setting))
    assert gap(found, expected) <= 1e-14
    if name != "LocalGD":  # in which nothing is left to chance
        other = in_turn(devices_of(setting, seed=SEED + 1))[0]
        both = min(len(other), len(expected))  # random rounds have other lengths
        assert gap(other[:both], expected[:both]) > 1e-4
    if not any(
        word in name for word in ("Nest", "Skip", "PAGE", "FedAvg", "FedProx")
    ):  # whose counts are drawn
        counts = count(setting.problem, setting.solver, T)
        assert traffic == [Traffic(counts.rounds, REPLICATES * counts.floats_sent)] * K


@pytest.mark.parametrize("wrong", ["signs", "problem", "weight", "draw"])
def test_a_device_with_anothers_part_is_seen(wrong: str) -> None:
    setting = (
        setting_of("FedAvg", "weighted", m=2)
        if wrong in ("weight", "draw")
        else setting_of("LocalBSGM", "differ")
    )
    devices, expected = devices_of(setting), simulated(setting)
    if wrong == "signs":
        devices[2] = FederatedDevice(setting, 1, seed=SEED, replicates=REPLICATES)
    elif wrong == "problem":
        devices[2].oracle = ArrayOracle(setting.problem.devices[1], devices[2].noise)
    elif wrong == "weight":
        devices[2].shares = Shares(WORLDS["alike"], K, devices[2].noise)
    else:
        devices[2].shares = Shares(setting.problem, K, replace(devices[2].noise, seed=SEED + 1))
    assert gap(in_turn(devices)[0], expected) > 1e-3


def test_a_device_that_is_not_drawn_sends_no_floats_and_one_that_diverges_says_so() -> None:
    one = [own.floats_sent for _, own in in_lockstep(devices_of(setting_of("FedAvg", "weighted", m=1)))]
    rounds = T // METHODS["FedAvg"].fields["p"]
    assert sum(one) == rounds * REPLICATES * 3  # one device in each replicate sends its three numbers
    assert 0 < min(one) < max(one)
    longer = replace(setting_of("FedAvg", "weighted", alpha=2.0), T=2000)
    with pytest.raises(
        rc.errors.DivergedError, match=r"^FedAvg diverged on device \d: iteration \d+, .* alpha = 2;"
    ):
        in_lockstep(devices_of(longer))
