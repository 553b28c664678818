"""Long runs of problems too large for a map: the space against doubling, and against stepping; what it refuses."""

from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.errors import NoLimitError, UndecidedError
from ratecert.solvers.engines import run as run_module
from ratecert.solvers.engines.moments import exchangeable, long_runs

pytestmark = pytest.mark.nightly

STEPS: dict[str, Any] = {
    "eta": 0.01, "alpha": 10.0, "beta": 10.0, "rho_1": 0.1, "rho_2": 1.0, "p": 4, "theta": 0.2, "Q": 5
}  # fmt: skip
METHODS = {
    "LocalBSGM": rc.methods.LocalBSGM(**STEPS),
    "small steps": rc.methods.LocalBSGM(**{**STEPS, "eta": 1e-4}),
    "LocalBSGVRM": rc.methods.LocalBSGVRM(**STEPS),
    "fresh": rc.methods.LocalBSGVRM(momenta="fresh", **STEPS),
}


def run(solver: Any, d: int, T: int, times: list[int] | None = None) -> Any:
    noise = {"sigma_H": 0.2, "sigma_J": 0.2, "s_f": 0.5, "s_g": 0.5}
    world = rc.worlds.random_quadratic(d_x=d, d_y=d, seed=1, **noise)
    return rc.expect(world, solver, K=3, T=T, x0=np.ones(d), y0=np.ones(d), times=times or [])


def only_small_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (exchangeable, run_module):
        monkeypatch.setattr(module, "LARGEST_MAP", 10)


@pytest.mark.parametrize("name", METHODS)
def test_a_space_gives_what_doubling_gives(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At all T, averages and curves; and the stated error is no less than the error."""
    for T in (2**11, 2**16, 2**40):
        times = [T - 3, T]
        dense = run(METHODS[name], 3, T, times)
        with monkeypatch.context() as patch:
            only_small_maps(patch)
            sparse = run(METHODS[name], 3, T, times)
        assert (dense.method, sparse.method) == ("doubling", "rational Krylov space")
        assert sparse.values == pytest.approx(dense.values, rel=1e-10)
        off = [abs(sparse.values[n] - dense.values[n]) for n in dense.values]
        stated = [sparse.absolute_error.values[n] + dense.absolute_error.values[n] for n in dense.values]
        assert all(a <= b for a, b in zip(off, stated, strict=True))
        for n in dense.values:
            np.testing.assert_allclose(sparse.curves.values[n], dense.curves.values[n], rtol=1e-8)


def test_too_large_for_a_map_it_is_what_steps_give(monkeypatch: pytest.MonkeyPatch) -> None:
    solver = METHODS["LocalBSGM"]
    T = 201 * solver.p
    found = run(solver, 17, T)
    monkeypatch.setattr(run_module, "CYCLES_WORTH_A_SPACE", 10**6)
    stepped = run(solver, 17, T)
    assert (found.method, stepped.method) == ("rational Krylov space", "stepping")
    assert found.values == pytest.approx(stepped.values, rel=1e-10)


def test_the_limit_is_reached() -> None:
    """The average over a very long run is the limit and what the start has cost; without the cost it is off."""
    solver, d = METHODS["LocalBSGM"], 17
    world = rc.worlds.random_quadratic(d_x=d, d_y=d, seed=1, sigma_H=0.2, sigma_J=0.2, s_f=0.5, s_g=0.5)
    limit = rc.stationary(world, solver, K=3)
    assert run(solver, d, 2**45).gradient == pytest.approx(limit.gradient, rel=1e-8)
    assert run(solver, d, 2**20).gradient > 1.001 * limit.gradient


def test_a_space_that_is_too_small_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    only_small_maps(monkeypatch)
    monkeypatch.setattr(long_runs, "MOST_SHIFTS", 5)
    with pytest.raises(UndecidedError, match="cycles is known to inf only"):
        run(METHODS["small steps"], 3, 2**20)


def test_without_a_limit_there_is_no_space(monkeypatch: pytest.MonkeyPatch) -> None:
    only_small_maps(monkeypatch)
    wild = rc.methods.LocalBSGM(**{**STEPS, "eta": 0.05, "rho_1": 40.0})
    with pytest.raises(NoLimitError, match="does not converge"):
        run(wild, 3, 2**20)
