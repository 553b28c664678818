"""The choice of an engine by expected seconds: what makes it flip, and what numba has compiled before."""

from pathlib import Path

import numpy as np
import pytest

import ratecert as rc
from ratecert.solvers.contract.experiment import Experiment, prepare
from ratecert.solvers.engines import costs
from ratecert.solvers.engines.compiled.kept import is_kept
from ratecert.solvers.engines.costs import COMPILING, LOADING, seconds_of_numba, seconds_of_numpy

WORLD = rc.worlds.random_quadratic(d_x=2, d_y=2, sigma_H=0.2, sigma_J=0.2, s_f=0.1, s_g=0.1, seed=0)
SOLVER = rc.methods.LocalBSGM(eta=0.1, alpha=2.0, beta=2.0, rho_1=0.2, rho_2=0.5, p=4, theta=0.1, Q=5)


def run(T: int) -> Experiment:
    return prepare(WORLD, SOLVER, K=8, T=T, x0=np.ones(2), y0=np.ones(2), times=[])


def test_numba_pays_once_its_start_is_earned_and_to_compile_takes_longer_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for kept, paying in ((True, [False, True, True]), (False, [False, False, True])):
        monkeypatch.setattr(costs, "is_kept", lambda kept=kept: kept)
        runs = [run(T) for T in (100, 1000, 10_000)]  # numpy needs 0.1 s for the first
        assert [seconds_of_numba(each, 1024) < seconds_of_numpy(each, 1024) for each in runs] == paying
    compiled = seconds_of_numba(run(1000), 1024)
    monkeypatch.setattr(costs, "is_kept", lambda: True)
    assert compiled - seconds_of_numba(run(1000), 1024) == pytest.approx(COMPILING - LOADING)


def test_seconds_are_proportional_to_iterations_and_tiles() -> None:
    short, long = run(100), run(1000)
    assert seconds_of_numpy(long, 1024) == pytest.approx(10 * seconds_of_numpy(short, 1024))
    assert seconds_of_numpy(short, 4096) == pytest.approx(4 * seconds_of_numpy(short, 1024))
    one_tile = seconds_of_numpy(short, 4) / seconds_of_numpy(short, 1)  # however few its lanes are
    assert 0.9 < one_tile < 1.1


@pytest.mark.parametrize("variable", ["NUMBA_CACHE_DIR", "XDG_CACHE_HOME"])
def test_what_numba_keeps_is_found(variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = str(tmp_path / "elsewhere" / "kept.py")
    monkeypatch.setattr("ratecert.solvers.engines.compiled.kept.__file__", elsewhere)
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
    run_once = {"K": 1, "T": 2, "x0": np.ones(2), "y0": np.ones(2), "replicates": 1, "seed": 0}
    rc.simulate(WORLD, SOLVER, **run_once, engine="numba")
    assert is_kept()
    monkeypatch.setenv("NUMBA_CACHE_DIR", "nowhere")
    assert not is_kept()
