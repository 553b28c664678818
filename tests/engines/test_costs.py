"""The choice of an engine by expected seconds: what makes it flip, each with the twin on the other side."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.solvers.contract.experiment import Experiment, prepare
from ratecert.solvers.engines import costs
from ratecert.solvers.engines.compiled.kept import is_kept
from ratecert.solvers.engines.costs import COMPILING, LOADING, seconds_of_numba, seconds_of_numpy

METHODS: dict[str, Any] = {"LocalBSGM": rc.methods.LocalBSGM, "LocalBSGVRM": rc.methods.LocalBSGVRM}
NOISE: dict[str, Any] = {"sigma_H": 0.2, "sigma_J": 0.2, "s_f": 0.1, "s_g": 0.1, "seed": 0}
LETTERS = {"alpha": 2.0, "beta": 2.0, "rho_1": 0.2, "rho_2": 0.5, "theta": 0.1}


def run(*, d: int, T: int, K: int = 8, name: str = "LocalBSGM", differ: bool = False) -> Experiment:
    world = (
        rc.worlds.heterogeneous(d_x=d, d_y=d, K=K, **NOISE)
        if differ
        else rc.worlds.random_quadratic(d_x=d, d_y=d, **NOISE)
    )
    solver = METHODS[name](eta=0.1, p=4, Q=5, **LETTERS)
    return prepare(world, solver, K=K, T=T, x0=np.ones(d), y0=np.ones(d), times=[])


@pytest.fixture(autouse=True)
def _kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "is_kept", lambda: True)


def pays(experiment: Experiment, replicates: int) -> bool:
    return seconds_of_numba(experiment, replicates) < seconds_of_numpy(experiment, replicates)


def test_numba_pays_once_its_start_is_earned() -> None:
    assert not pays(run(d=2, T=100), 1024)  # numpy needs 0.1 s
    assert pays(run(d=2, T=1000), 1024)


def test_to_compile_takes_longer_work(monkeypatch: pytest.MonkeyPatch) -> None:
    medium, long = run(d=2, T=1000), run(d=2, T=10_000)
    kept = seconds_of_numba(medium, 1024)
    monkeypatch.setattr(costs, "is_kept", lambda: False)
    assert seconds_of_numba(medium, 1024) - kept == pytest.approx(COMPILING - LOADING)
    assert not pays(medium, 1024)
    assert pays(long, 1024)


def test_seconds_are_proportional_to_iterations_and_tiles() -> None:
    short, long = run(d=2, T=100), run(d=2, T=1000)
    assert seconds_of_numpy(long, 1024) == pytest.approx(10 * seconds_of_numpy(short, 1024))
    assert seconds_of_numpy(short, 4096) == pytest.approx(4 * seconds_of_numpy(short, 1024))
    assert seconds_of_numpy(short, 4) > 0.9 * seconds_of_numpy(
        short, 1
    )  # one tile, however few its lanes are
    assert seconds_of_numpy(short, 4) < 1.1 * seconds_of_numpy(short, 1)


@pytest.mark.parametrize("variable", ["NUMBA_CACHE_DIR", "XDG_CACHE_HOME"])
def test_what_numba_keeps_is_found(variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "ratecert.solvers.engines.compiled.kept.__file__", str(tmp_path / "elsewhere" / "kept.py")
    )
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    folder = tmp_path / "numba" / "compiled_0123"
    folder.mkdir(parents=True)
    (folder / "kernel.finalise-70.py311.nbi").touch()
    assert not is_kept()
    (folder / "kernel.iterate-340.py311.nbi").touch()
    assert is_kept()


@pytest.mark.nightly
def test_numba_itself_writes_that_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a run by it; elsewhere there is nothing."""
    solver = rc.methods.LocalBSGM(eta=0.1, p=2, Q=1, **LETTERS)
    rc.simulate(rc.worlds.scalar(), solver, K=1, T=2, x0=1.0, y0=1.0, replicates=1, seed=0, engine="numba")
    assert is_kept()
    monkeypatch.setenv("NUMBA_CACHE_DIR", "nowhere")
    assert not is_kept()
