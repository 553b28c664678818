"""Methods of one level as devices, with weights, draws, coins and choices; and who does otherwise is seen."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ratecert as rc
from federate.test_federate import SEED, devices_of, found, setting_of
from ratecert.cli.federate import shower
from ratecert.cli.main import main
from ratecert.errors import DivergedError
from ratecert.federate.experiment import HYPERPARAMETERS, METHODS, FederatedRun
from ratecert.federate.findings import TOLERANCE
from ratecert.federate.on_flower import experiment_of, rounds_of
from ratecert.federate.one_level_examples import HYPERPARAMETERS as ON_ONE_LEVEL
from ratecert.federate.one_level_examples import WORLDS
from ratecert.federate.rounds import largest_difference, simulated_means
from ratecert.federate.traffic import defined_traffic
from ratecert.solvers import ONE_LEVEL, simulate
from ratecert.solvers.contract.counts import count
from ratecert.solvers.contract.experiment import Experiment, prepare
from ratecert.solvers.engines.federation import FederatedDevice, Round, Traffic, in_lockstep
from ratecert.solvers.engines.monte_carlo.shares import Shares

Array = NDArray[np.float64]
DRAWN = ("FedAvg", "FedProx")


def test_every_method_has_an_example() -> None:
    assert set(ON_ONE_LEVEL) == set(ONE_LEVEL)
    assert set(HYPERPARAMETERS) == set(METHODS)


# The devices and the simulator.


@pytest.mark.parametrize("name", ONE_LEVEL)
def test_devices_take_the_simulators_path_and_send_what_the_definition_counts(name: str) -> None:
    """On the world of the method; devices with the signs of another seed, or with other hyperparameters, do not."""
    setting = setting_of(name)
    result = found(setting, devices_of(setting))
    assert result.difference <= 1e-14
    assert result.traffic == result.definition
    assert result.definition[0].rounds > 1
    letter = next(iter(HYPERPARAMETERS[name]))
    other = FederatedRun(solver=name, K=3, T=26, changes=[f"{letter}={0.9 * HYPERPARAMETERS[name][letter]}"])
    assert found(setting, devices_of(other.setting())).difference > 1e-4
    if name not in ("LocalGD", "FedProx") or name in DRAWN:  # nothing is left to chance in LocalGD
        assert found(setting, devices_of(setting, seed=SEED + 1)).difference > 1e-4


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("name", ["FedAvg", "ProxSkip", "SCAFFOLD", "SVRG", "PAGE", "SAGA"])
def test_so_they_do_on_every_world(name: str, world: str) -> None:
    if name == "SAGA" and "sum" not in world:
        pytest.skip("a method for finite sums")
    setting = setting_of(name, world=world)
    assert found(setting, devices_of(setting)).agree


def test_a_device_that_forgets_its_weight_is_seen() -> None:
    setting = setting_of("SGD")
    devices = devices_of(setting)
    assert not devices[2].shares.alike
    devices[2].shares = Shares(WORLDS["single_level"](3), 3, devices[2].noise)
    assert found(setting, devices).difference > 1e-3


@pytest.mark.parametrize("name", ["FedAvg", "FedProx"])
def test_a_device_that_draws_for_itself_is_seen(name: str) -> None:
    setting = setting_of(name)
    devices = devices_of(setting)
    devices[2].shares = Shares(setting.problem, 3, replace(devices[2].noise, seed=SEED + 1))
    wrong = found(setting, devices)
    assert wrong.difference > 1e-3
    assert not wrong.counts_agree


# What is measured.


@pytest.mark.parametrize("name", ["SGD", "FedAvg", "ProxSkip", "SVRG", "SAGA"])
def test_the_measures_are_those_of_the_simulator(name: str) -> None:
    setting = replace(setting_of(name), times=tuple(range(27)))
    result = found(setting, devices_of(setting))
    assert result.names == ("gradient", "gap", "distance", "drift_x")
    curves = simulated_curves(setting).values
    for i, measure in enumerate(result.names):
        np.testing.assert_allclose(result.measures[:, i], curves[measure], rtol=1e-12, atol=1e-28)
    assert result.measures[:, 1].max() > 1e-3
    other = simulated_curves(setting, seed=SEED + 1).values
    assert not np.allclose(result.measures[:, 1], other["gap"], rtol=1e-3, atol=0)


def test_any_measure_can_be_asked_for() -> None:
    """Of single devices, of other fields, at the mean of the iterates before."""
    given = setting_of("ProxSkip")
    asked = {
        "learnt": rc.measures.control("h"),
        "early": rc.measures.gap().at_mean(),
        "apart": rc.measures.drift("v"),
        "third": rc.measures.sampled_gradient(device=2),
    }
    setting = prepare(
        given.problem, given.solver, K=3, T=26, start=given.start, times=range(27), measures=asked
    )
    result = found(setting, devices_of(setting))
    assert result.names == tuple(asked)
    curves = simulated_curves(setting, measures=asked).values
    for i, measure in enumerate(asked):
        np.testing.assert_allclose(result.measures[:, i], curves[measure], rtol=1e-12, atol=1e-28)
    now = found(given, devices_of(given)).measures[-1, 1]
    assert result.measures[-1, 1] != pytest.approx(now, rel=1e-3)


def simulated_curves(setting: Experiment, *, seed: int = SEED, measures: Any = None) -> Any:
    run: dict[str, Any] = {"K": 3, "T": 26, "start": setting.start, "times": setting.times}
    return simulate(setting.problem, setting.solver, **run, replicates=3, seed=seed, measures=measures).curves


# What goes over the wire.


def test_floats_of_drawn_devices_by_hand() -> None:
    """One of two devices sends d numbers in each of 7 rounds; both do where both are drawn, or where none is."""
    world, run = rc.worlds.single_level([1.0, 2.0], s=0.1), {"K": 2, "T": 28, "times": [], "x0": [1.0, 1.0]}

    def sent(solver: Any, replicates: int = 1) -> list[Traffic]:
        setting = prepare(world, solver, **run)
        devices = [FederatedDevice(setting, k, seed=3, replicates=replicates) for k in range(2)]
        wire = [traffic for _, traffic in in_lockstep(devices)]
        assert wire == defined_traffic(setting, seed=3, replicates=replicates)
        return wire

    one = sent(rc.methods.FedAvg(alpha=0.1, p=4, m=1))
    assert [own.rounds for own in one] == [7, 7]
    assert sum(own.floats_sent for own in one) == 7 * 2
    assert min(own.floats_sent for own in one) > 0
    assert sum(own.floats_sent for own in sent(rc.methods.FedAvg(alpha=0.1, p=4, m=1), 5)) == 5 * 7 * 2
    for everyone in (rc.methods.FedAvg(alpha=0.1, p=4, m=2), rc.methods.SGD(alpha=0.1, p=4)):
        assert sent(everyone) == [Traffic(7, 7 * 2)] * 2


def test_who_is_always_drawn_sends_what_is_counted() -> None:
    """With one replicate: no device sends more, and one that was drawn each time would send just that."""
    setting = setting_of("FedAvg", T=104)
    counts = count(setting.problem, setting.solver, 104)
    everyone = defined_traffic(setting, seed=SEED, replicates=1)
    assert all(own.rounds == counts.rounds and own.floats_sent < counts.floats_sent for own in everyone)
    alone = FederatedRun(solver="FedAvg", K=1, T=104).setting()
    assert defined_traffic(alone, seed=SEED, replicates=1) == [Traffic(counts.rounds, counts.floats_sent)]


def test_a_device_that_counts_zeros_as_sent_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    setting = setting_of("FedAvg")
    monkeypatch.setattr(Round, "floats", property(lambda due: due.sent.size))
    assert not found(setting, devices_of(setting)).counts_agree


@pytest.mark.parametrize("name", ["SGD", "FedAvg", "ProxSkip", "PAGE"])
def test_the_means_of_the_rounds_are_the_simulators(name: str) -> None:
    """As a framework sees them that carries them; the vector that one device sends is another, by its weight."""
    experiment = experiment_of(FederatedRun(solver=name, K=3, seed=SEED, replicates=2), rounds=9)
    means, own = rounds_in_turn(experiment, 9)
    right = simulated_means(experiment, rounds=9)
    assert largest_difference(means, right) <= TOLERANCE
    assert largest_difference(own, right) > 1e-3


def rounds_in_turn(experiment: FederatedRun, rounds: int) -> tuple[list[Array], list[Array]]:
    """The means of what was sent, and what device 0 sent."""
    devices = devices_of(experiment.setting(), replicates=experiment.replicates)
    runs = [device.rounds(device.start()) for device in devices]
    means: list[Array] = []
    own: list[Array] = []
    for _ in range(rounds):
        sent = [each.send(means[-1] if means else None).sent for each in runs]  # type: ignore[arg-type]
        means.append(np.mean(sent, axis=0))
        own.append(sent[0])
    return means, own


def test_there_are_iterations_for_all_rounds_where_rounds_are_left_to_chance() -> None:
    asked = FederatedRun(solver="ProxSkip", K=3, replicates=1)
    assert rounds_of(experiment_of(asked, rounds=20)) >= 20
    assert rounds_of(replace(asked, T=60)) < 20  # a cycle of three moves for every round
    sure = experiment_of(FederatedRun(solver="SGD", K=3), rounds=20)
    assert (sure.T, rounds_of(sure)) == (80, 20)


# The command.


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("SGDD --devices 2", "SOLVER must be one of 'LocalBSGM', "),
        ("SGD --devices 2 --world wavy", "--world must be one of 'federated', 'single_level', "),
        ("LocalBSGM --devices 2 --world federated", "--world must be one of 'random_quadratic', "),
        (
            "SAGA --devices 2 --world federated",
            "SAGA is a method for finite sums, and SingleLevel has no terms;",
        ),
        ("SAGA --devices 2 --set n=5", "n must be 4, the number of terms of this problem, got 5."),
        (
            "FedAvg --devices 2 --set replacement=False",
            "different devices are drawn where all have the same weight,",
        ),
        ("FedAvg --devices 2 --set replacement=0", "--set replacement must be True or False, got '0'."),
        ("FedAvg --devices 2 --set m=0", "m must be a whole number >= 1, got 0."),
        (
            "FedAvg --devices 2 --set m=3 --set replacement=False --world single_level",
            "m = 3 different devices cannot be drawn from 2.",
        ),
        ("ProxSkip --devices 2 --set p=2", "p must lie in (0, 1], got 2"),
        ("SGD --devices 2 --iterations 9999999", "the paths must have at most 16777216 numbers, got"),
    ],
)
def test_a_mistake_is_one_sentence(arguments: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["federate", *arguments.split()]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"ratecert: {sentence}")
    assert said.err.count("\n") == 1


def test_a_device_that_diverges_says_so() -> None:
    setting = FederatedRun(solver="FedAvg", K=3, T=2000, changes=("alpha=2",)).setting()
    with pytest.raises(
        DivergedError, match=r"^FedAvg diverged on device \d: iteration \d+, step size alpha = 2;"
    ):
        in_lockstep(devices_of(setting))


@pytest.mark.parametrize(
    ("name", "floats"),
    [
        ("SGD", lambda sent: f"floats     {sent[0]} sent by each device, {sent[0]} by definition\n"),
        (
            "FedAvg",
            lambda sent: (
                f"floats     {', '.join(sent)} sent by the devices in turn, {', '.join(sent)} by definition\n"
            ),
        ),
    ],
)
def test_what_is_shown(
    name: str, floats: Callable[[list[str]], str], capsys: pytest.CaptureFixture[str]
) -> None:
    experiment = FederatedRun(solver=name, K=3, T=26, seed=SEED, replicates=3)
    setting = experiment.setting()
    right = found(setting, devices_of(setting))
    assert shower(experiment, as_json=False)(right) == 0
    said = capsys.readouterr().out
    assert all(measure in said for measure in ("gradient", "gap", "distance", "drift_x"))
    assert "tracking" not in said
    assert said.endswith(floats([str(own.floats_sent) for own in right.traffic]))
    assert shower(experiment, as_json=True)(right) == 0
    as_object = json.loads(capsys.readouterr().out)
    assert len(as_object["gap"]) == len(as_object["t"])
    wire = as_object["floats_sent"]["wire"]
    assert as_object["floats_sent"]["definition"] == (wire if name in DRAWN else wire[0])
    wrong = replace(right, traffic=[Traffic(1, 2), *right.traffic[1:]])
    assert shower(experiment, as_json=False)(wrong) == 1
    assert "the counts differ" in capsys.readouterr().out
