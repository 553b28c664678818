"""Devices by themselves do what the simulator does with all of them at once; and whoever does not is noticed.

Here the devices run in lockstep in one process; tests/mpi has them as real processes.
"""

import json
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path as File
from threading import Event
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from oracles.mixed_world import Mixed, device
from ratecert.cli.federate import shower
from ratecert.cli.main import main
from ratecert.errors import DivergedError, NoMPIError
from ratecert.federate.examples import HYPERPARAMETERS
from ratecert.federate.experiment import FederatedRun
from ratecert.federate.findings import Findings, findings
from ratecert.federate.launching import RANKS, mpiexec
from ratecert.federate.path import Noted, Path, difference, side_by_side, simulated
from ratecert.federate.reporting import GREETING, Reporter
from ratecert.federate.traffic import defined_traffic
from ratecert.federate.watching import Ending, Listener, Watch
from ratecert.solvers import ALGORITHMS, LocalBSGM, Stage, State, simulate
from ratecert.solvers.contract.counts import count
from ratecert.solvers.contract.draws import Switch
from ratecert.solvers.contract.experiment import Experiment, prepare
from ratecert.solvers.contract.result import MEASURES
from ratecert.solvers.engines.federation import FederatedDevice, Traffic, in_lockstep, run
from ratecert.solvers.engines.monte_carlo.array_oracle import ArrayOracle
from ratecert.solvers.engines.monte_carlo.noise import Hashed
from ratecert.solvers.engines.monte_carlo.numpy_tile import run_tile

Array = NDArray[np.float64]

SEED, ROUNDING = 5, 1e-14
FEDERATED = [name for name, kind in ALGORITHMS.items() if not getattr(kind, "one_machine", False)]


def setting_of(name: str, *, K: int = 3, T: int = 26, world: str | None = None) -> Experiment:
    return FederatedRun(solver=name, K=K, T=T, world=world).setting()


def devices_of(setting: Experiment, *, seed: int = SEED, replicates: int = 3) -> list[FederatedDevice]:
    return [FederatedDevice(setting, k, seed=seed, replicates=replicates) for k in range(setting.K)]


def noted(devices: list[FederatedDevice]) -> tuple[list[Path], list[Traffic]]:
    """The path of every device, in lockstep, and what it has sent."""
    paths: list[Path] = [[] for _ in devices]
    for each, path in zip(devices, paths, strict=True):
        each.seen = lambda t, s, path=path: path.append((t, dict(vars(s))))
    ends = in_lockstep(devices)
    T = devices[0].experiment.T
    return [[*path, (T, dict(vars(s)))] for path, (s, _) in zip(paths, ends, strict=True)], [
        traffic for _, traffic in ends
    ]


def found(setting: Experiment, devices: list[FederatedDevice], *, replicates: int = 3) -> Findings:
    """What the devices did, against the simulator with SEED on the same setting."""
    return findings(setting, *noted(devices), seed=SEED, replicates=replicates)


# The devices and the simulator.


@pytest.mark.parametrize("name", FEDERATED)
def test_devices_take_the_simulators_path_and_send_what_the_definition_counts(name: str) -> None:
    """Every field at every step, random rounds and several stages included; 26 iterations end within a round."""
    setting = setting_of(name)
    result = found(setting, devices_of(setting))
    assert result.difference <= ROUNDING
    assert result.traffic == result.definition == [result.definition[0]] * setting.K
    assert result.definition[0].rounds > 1


@pytest.mark.parametrize("name", [name for name in FEDERATED if name != "STEM"])
def test_so_do_devices_that_differ(name: str) -> None:
    setting = setting_of(name, world="heterogeneous")
    assert found(setting, devices_of(setting)).agree


def test_the_paths_are_compared_at_every_step_and_at_the_end() -> None:
    setting = setting_of("LocalBSGM")
    path = simulated(setting, seed=SEED, replicates=2)
    assert [t for t, _ in path] == list(range(setting.T + 1))
    assert set(path[1][1]) == {"x", "y", "u", "v"}
    for place in (0, 13, setting.T):
        t, fields = path[place]
        bent = [*path[:place], (t, fields | {"y": fields["y"] + 1e-9}), *path[place + 1 :]]
        assert 1e-10 < difference(bent, path) < 1e-8
    assert difference(path, path) == 0
    assert difference(path[:-1], path) == np.inf
    assert difference([(t, {"x": fields["x"]}) for t, fields in path], path) == np.inf
    assert difference([(t, fields | {"y": np.nan * fields["y"]}) for t, fields in path], path) == np.inf


def test_noting_the_path_changes_nothing() -> None:
    setting, noise = setting_of("FedNest"), Hashed(seed=SEED, first=0, replicates=3, K=3)
    noted = replace(setting, solver=Noted(setting.solver))
    (plain, curves), (watched, noted_curves) = (run_tile(each, noise, 0, 3) for each in (setting, noted))
    assert np.array_equal(plain.mean, watched.mean)
    assert np.array_equal(curves.mean, noted_curves.mean)


@pytest.mark.parametrize(
    ("name", "world"),
    [("LocalBSGM", "random_quadratic"), ("FedBiOAcc", "heterogeneous"), ("LFedNest", "wavy")],
)
def test_the_measures_are_those_of_the_simulator(name: str, world: str) -> None:
    """Of LFedNest also at iterations in which no random round was drawn, and nobody moved."""
    setting = replace(setting_of(name, world=world), times=tuple(range(27)))
    result = found(setting, devices_of(setting))
    curves = simulate(
        setting.problem,
        setting.solver,
        K=3,
        T=26,
        start=setting.start,
        replicates=3,
        seed=SEED,
        times=result.t,
    ).curves
    for i, measure in enumerate(MEASURES):
        np.testing.assert_allclose(result.measures[:, i], getattr(curves, measure), rtol=1e-12, atol=1e-28)
    assert result.measures[:, 2].max() > 1e-6  # the devices did drift


# Who does something else is noticed.


def test_another_seed_is_seen() -> None:
    setting = setting_of("LocalBSGM")
    assert found(setting, devices_of(setting, seed=SEED + 1)).difference > 1e-3


@pytest.mark.parametrize("forgotten", ["x", "y", "u", "v"])
def test_an_average_that_forgets_a_field_is_seen(forgotten: str) -> None:
    @dataclass(frozen=True, kw_only=True)
    class Forgetful(LocalBSGM):
        @property
        def stages(self) -> tuple[Stage, ...]:
            (stage,) = super().stages
            return (replace(stage, averaged=tuple(set(stage.averaged) - {forgotten})),)

    setting = setting_of("LocalBSGM")
    wrong = replace(setting, solver=Forgetful(**HYPERPARAMETERS["LocalBSGM"]))
    result = found(setting, devices_of(wrong))
    assert result.difference > 1e-3
    assert not result.counts_agree


def test_a_device_with_anothers_signs_is_seen() -> None:
    setting = setting_of("LocalBSGM")
    devices = devices_of(setting)
    devices[2] = FederatedDevice(setting, 1, seed=SEED, replicates=3)
    assert found(setting, devices).difference > 1e-3


def test_a_device_with_anothers_problem_is_seen() -> None:
    setting = setting_of("LocalBSGM", world="heterogeneous")
    devices = devices_of(setting)
    devices[2].oracle = ArrayOracle(setting.problem.devices[1], devices[2].noise)
    assert found(setting, devices).difference > 1e-3


def test_a_device_knows_how_many_signs_the_others_draw() -> None:
    """With noise of its own kind on each; one that knows only of itself reads its signs in other places."""
    world = Mixed([device(0, s_f=0.1), device(1, E=0.1, s_g=0.2), device(2, E=0.1, s_f=0.1)])
    solver = LocalBSGM(**HYPERPARAMETERS["LocalBSGM"])
    setting = prepare(world, solver, K=3, T=10, x0=1.0, y0=1.0, times=None)
    assert found(setting, devices_of(setting)).agree
    alone = devices_of(setting)
    alone[1].oracle = ArrayOracle(world.devices[1], alone[1].noise)
    assert found(setting, alone).difference > 1e-4


def test_devices_out_of_step_are_refused() -> None:
    path = simulated(setting_of("LocalBSGM"), seed=SEED, replicates=1)
    with pytest.raises(ArithmeticError, match="not made the same steps"):
        side_by_side([path, path[:-1]])


# What goes over the wire.


def test_random_rounds_count_as_they_were_drawn() -> None:
    """With one replicate the counts are those of its own draws; the mean over all draws is another number."""
    setting = setting_of("FedNest", T=104)
    result = found(setting, devices_of(setting, replicates=1), replicates=1)
    noise = Hashed(seed=SEED, first=0, replicates=1, K=1)
    cycle = [s for stage in setting.solver.stages for s in [stage] * stage.repeats]
    N = setting.solver.N
    draws = [
        int(noise.common(t, "switch", [1 / N] * N)[0])
        for t in range(104)
        if isinstance(cycle[t % len(cycle)], Switch)
    ]
    counts = count(setting.problem, setting.solver, 104, draws=draws)
    assert result.traffic == [Traffic(counts.rounds, counts.floats_sent)] * 3
    assert defined_traffic(setting, seed=SEED + 1, replicates=1) != result.definition


def test_one_machine_sends_nothing_and_is_refused_more() -> None:
    setting = setting_of("SUSTAIN", K=1)
    result = found(setting, devices_of(setting))
    assert result.agree
    assert result.definition == [Traffic(0, 0)]
    with pytest.raises(ValueError, match="method for one machine: K must be 1, got 2"):
        setting_of("SUSTAIN", K=2)


@pytest.mark.parametrize("name", ["LocalBSGVRM", "FedNest"])
def test_a_device_resumes_after_any_round(name: str) -> None:
    """From its state alone, as where a framework starts it anew for every round; one move too many is seen."""
    setting = setting_of(name, K=1)
    whole, _ = run(FederatedDevice(setting, 0, seed=SEED), lambda own: own)

    def resumed(skipped: int) -> State:
        s, moves = FederatedDevice(setting, 0, seed=SEED).start(), 0
        while True:
            try:
                due = next(FederatedDevice(setting, 0, seed=SEED).rounds(s, moves))
            except StopIteration as end:
                return end.value
            s, moves = due.after(due.sent), due.moves + skipped

    assert difference([(0, vars(resumed(0)))], [(0, vars(whole))]) == 0
    assert difference([(0, vars(resumed(1)))], [(0, vars(whole))]) > 1e-3


def test_signs_of_one_device_are_its_block_of_all() -> None:
    everyone = Hashed(seed=1, first=64, replicates=7, K=3)
    for k in range(3):
        own = Hashed(seed=1, first=64, replicates=7, K=1, first_device=k)
        block = everyone.reader(4, "xi", 2, 5).signs(5)[:, 7 * k : 7 * k + 7]
        assert np.array_equal(own.reader(4, "xi", 2, 5).signs(5), block)
        draw = 4, "switch", [0.01] * 100
        assert np.array_equal(own.common(*draw), everyone.common(*draw))
    other = Hashed(seed=1, first=64, replicates=7, K=1, first_device=1)
    assert not np.array_equal(
        other.reader(4, "xi", 2, 5).signs(5), everyone.reader(4, "xi", 2, 5).signs(5)[:, :7]
    )


def test_a_device_that_diverges_says_so_before_it_sends() -> None:
    setting = FederatedRun(solver="LocalBSGM", K=2, T=200, changes=("rho_2=1000",)).setting()
    with pytest.raises(
        DivergedError, match=r"LocalBSGM diverged on device 0: iteration \d+, step size eta = 0.02"
    ):
        in_lockstep(devices_of(setting, replicates=1))


# Whoever watches the devices names the one that failed.


def heard(*said: Callable[[list[Reporter]], Any]) -> Ending:
    """Two devices say this, one after the other, and then they are gone, the first one first."""
    reporters = [Reporter(), Reporter()]
    gone = Event()

    def watched(listener: Listener) -> Ending:
        with Watch(listener.socket) as watch:
            return watch.until_the_end(lambda: not gone.is_set())

    with Listener() as listener, ThreadPoolExecutor() as pool:
        ending = pool.submit(watched, listener)
        for rank, reporter in enumerate(reporters):
            reporter.connect(listener.address)
            reporter.is_rank(rank)
            reporter.begins(1)
        for each in said:
            each(reporters)
        for reporter in reporters:
            reporter.close()
        gone.set()
        return ending.result(timeout=20)


def test_devices_that_say_farewell_end_well() -> None:
    assert heard(lambda r: r[1].ended(0), lambda r: r[0].ended(0)) == Ending(0)
    assert heard(lambda r: r[1].ended(0), lambda r: r[0].ended(1)) == Ending(1)


def test_a_device_that_is_gone_without_farewell_is_named_with_its_round() -> None:
    ending = heard(lambda r: r[0].begins(7), lambda r: r[1].begins(8), lambda r: r[0].ended(0))
    assert ending.code == 1
    assert str(ending.sentence).startswith(
        "the device of rank 1 failed in round 8, and the run ended with it: its"
    )


def test_the_first_failure_is_told_and_the_cause_is_one_line() -> None:
    ending = heard(lambda r: r[1].begins(3), lambda r: r[1].failed(2, "a\n  cause."), lambda r: r[0].close())
    assert ending == Ending(2, "the device of rank 1 failed in round 3, and the run ended with it: a cause.")


def test_a_device_that_misses_another_is_not_the_one_to_blame() -> None:
    ending = heard(lambda r: r[0].misses_another())
    assert str(ending.sentence).startswith("the device of rank 1 failed in round 1")
    both = heard(lambda r: r[0].misses_another(), lambda r: r[1].misses_another())
    assert str(both.sentence).startswith("the devices lost one another")


def test_a_device_that_never_begins_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ratecert.federate.watching.LATEST", 0.0)
    with Listener() as listener, ThreadPoolExecutor() as pool, Watch(listener.socket, expected=2) as watch:
        ending = pool.submit(watch.until_the_end, lambda: True)
        only = Reporter()
        only.connect(listener.address)
        assert ending.result(timeout=20) == Ending(1, "1 of 2 devices have begun, and the others do not.")
        only.close()


def test_a_device_that_dies_before_its_first_round_is_named_too() -> None:
    with Listener() as listener, ThreadPoolExecutor() as pool, Watch(listener.socket) as watch:
        ending = pool.submit(watch.until_the_end, lambda: True)
        early = Reporter()
        early.connect(listener.address)
        early.is_rank(4)
        early.close()
        said = str(ending.result(timeout=20).sentence)
    assert said.startswith(
        "the device of rank 4 failed before its first round, and the run ended with it: its"
    )


def test_a_device_whose_watcher_is_gone_fails_without_another_word() -> None:
    def greet_and_go(listener: Listener) -> None:
        line, _ = listener.socket.accept()
        with line:
            line.sendall(GREETING)

    alone = Reporter()
    with Listener() as listener, ThreadPoolExecutor() as pool:
        gone = pool.submit(greet_and_go, listener)
        alone.connect(listener.address)
        gone.result(timeout=20)
    with pytest.raises(BrokenPipeError):
        alone.begins(2)
    alone.failed(1, "BrokenPipeError")
    alone.close()


def test_without_a_watcher_a_device_speaks_for_itself(capsys: pytest.CaptureFixture[str]) -> None:
    alone = Reporter()
    alone.is_rank(2)
    alone.begins(9)
    alone.failed(1, "a cause")
    assert capsys.readouterr().err == (
        "ratecert: the device of rank 2 failed in round 9, and the run ended with it: a cause.\n"
    )


# The command, as far as it goes without MPI.


@pytest.fixture(autouse=True)
def _not_under_mpiexec(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in RANKS:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("LocalBSG --devices 2", "SOLVER must be one of 'LocalBSGM', "),
        ("LocalBSGM --devices 0", "--devices must be a whole number >= 1, got 0."),
        ("LocalBSGM --devices 2 --iterations 0", "--iterations must be a whole number >= 1, got 0."),
        ("LocalBSGM --devices 2 --seed -1", "--seed must be a whole number from 0 to"),
        ("LocalBSGM --devices 2 --replicates 0", "--replicates must be a whole number >= 1, got 0."),
        ("LocalBSGM --devices 2 --world flat", "--world must be one of 'random_quadratic', "),
        ("LocalBSGM --devices 2 --set q=3", "--set must be NAME=VALUE with a NAME of eta, alpha,"),
        ("LocalBSGM --devices 2 --set p=x", "--set p must be a number, got 'x'."),
        ("LocalBSGM --devices 2 --set p=0", "p must be a whole number >= 1, got 0."),
        ("LocalBSGM --devices 2 --iterations 9999999", "the paths must have at most 16777216 numbers, got"),
        ("SUSTAIN --devices 2", "SUSTAIN is a method for one machine: K must be 1, got 2."),
        ("STEM --devices 2 --world wavy", "STEM is for a single level:"),
        ("LocalBSGM --devices 1 --world heterogeneous", "K must be"),
    ],
)
def test_a_mistake_is_one_sentence(arguments: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["federate", *arguments.split()]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"ratecert: {sentence}")
    assert said.err.count("\n") == 1


def test_of_a_mistake_only_rank_0_speaks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The others end with 0 at once; with another code mpiexec could end rank 0 before it has spoken."""
    for rank, code, lines in (("0", 2, 1), ("1", 0, 0)):
        monkeypatch.setenv("PMI_RANK", rank)
        assert main(["federate", "Local", "--devices", "2"]) == code
        assert capsys.readouterr().err.count("\n") == lines


def test_without_mpi4py_the_command_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    assert main(["federate", "LocalBSGM", "--devices", "2"]) == 2
    assert capsys.readouterr().err == (
        "ratecert: federate needs mpi4py, which is not installed; install ratecert with the extra mpi: "
        "pip install 'ratecert[mpi]'.\n"
    )


def test_without_an_mpi_library_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: File
) -> None:
    (tmp_path / "mpi4py").mkdir()
    (tmp_path / "mpi4py" / "__init__.py").write_text(
        "from types import SimpleNamespace\nrc = SimpleNamespace()\n"
    )
    (tmp_path / "mpi4py" / "MPI.py").write_text("raise RuntimeError('cannot load MPI library')\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("mpi4py", "mpi4py.MPI"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert main(["federate", "LocalBSGM", "--devices", "2"]) == 2
    assert capsys.readouterr().err.startswith(
        "ratecert: mpi4py finds no MPI library (cannot load MPI library);"
    )


def test_without_mpiexec_too(monkeypatch: pytest.MonkeyPatch, tmp_path: File) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    with pytest.raises(NoMPIError, match="mpiexec is neither beside"):
        mpiexec()
    starter = tmp_path / "mpiexec"
    starter.touch(mode=0o755)
    assert mpiexec() == starter


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_has_an_example_that_another_process_makes_again(name: str) -> None:
    K = 2 if name in FEDERATED else 1
    experiment = FederatedRun(solver=name, K=K, T=3, seed=4, replicates=2, changes=())
    solver, *options = experiment.arguments()
    assert solver == name
    assert f"--world={experiment.name_of_world}" in options
    assert experiment.setting().K == K
    assert set(HYPERPARAMETERS) == set(ALGORITHMS)


def test_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = File(__file__).parents[2] / "docs" / "federate.md"
    exec(page.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0], {})
    states = [line.rsplit("]", 1) for line in capsys.readouterr().out.splitlines()]
    assert (
        states[0] == states[1]
    )  # 64 iterations are 8 rounds of p = 8 steps, so the last thing was an average
    assert states[0][1].split() == ["8", str(8 * 8)]


def test_the_finding_of_a_wrong_run_is_shown_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    experiment = FederatedRun(solver="LocalBSGM", K=3, T=26, seed=SEED, replicates=3)
    setting = experiment.setting()
    right, wrong = (found(setting, devices_of(setting, seed=seed)) for seed in (SEED, SEED + 1))
    miscounted = replace(right, traffic=[Traffic(1, 2), *right.traffic[1:]])
    for result, code in ((right, 0), (wrong, 1), (miscounted, 1)):
        assert shower(experiment, as_json=True)(result) == code
        assert json.loads(capsys.readouterr().out)["agree"] is (code == 0)
        assert shower(experiment, as_json=False)(result) == code
        said = capsys.readouterr().out
        assert ("NOT equal" in said) == (result is wrong)
        assert ("the counts differ" in said) == (result is miscounted)
