"""The Monte Carlo engine: reproducible, independent of how the work is cut, honest about its errors."""

import dataclasses
import re
import tracemalloc

import numpy as np
import pytest

from ratecert.errors import DivergedError
from ratecert.solvers import LocalBSGM, LocalBSGVRM, LocalSGD, simulate
from ratecert.solvers.contract.result import MEASURES
from ratecert.solvers.engines.experiment import prepare
from ratecert.solvers.engines.sampling.measured import Spread
from ratecert.solvers.engines.sampling.noise import Hashed
from ratecert.solvers.engines.sampling.tile import run_tile
from ratecert.synthetic import Quadratic, random_quadratic

WORLD = random_quadratic(d_x=2, d_y=3, sigma_H=0.2, sigma_J=0.2, s_f=0.3, s_g=0.3, seed=5)
START = {"x0": np.ones(2), "y0": np.ones(3)}
SETTING = {"eta": 0.02, "alpha": 10.0, "beta": 10.0, "rho_1": 0.5, "rho_2": 1.0, "theta": 0.2, "Q": 3}
ALGORITHMS = [LocalBSGM(p=4, **SETTING), LocalBSGVRM(p=4, B=2, **SETTING)]
by_name = pytest.mark.parametrize("solver", ALGORITHMS, ids=lambda s: type(s).__name__)


def run(solver, **changes):
    settings = {"K": 3, "T": 30, "replicates": 200, "seed": 1, **START, **changes}
    return simulate(WORLD, solver, **settings)


def values(result) -> np.ndarray:
    return np.array([getattr(result, name) for name in MEASURES])


@by_name
@pytest.mark.smoke
def test_the_same_seed_gives_the_same_result_and_another_seed_another(solver) -> None:
    assert values(run(solver)).tolist() == values(run(solver)).tolist()
    assert values(run(solver)).tolist() != values(run(solver, seed=2)).tolist()


@by_name
@pytest.mark.parametrize("lanes", [pytest.param(1, marks=pytest.mark.nightly), 50, 64 * 3, 1000])
def test_the_result_does_not_depend_on_the_size_of_the_tiles(solver, lanes: int) -> None:
    """Draws are the same; sums are merged in another order, so the last bits may differ."""
    np.testing.assert_allclose(values(run(solver, lanes=lanes)), values(run(solver)), rtol=1e-12)
    np.testing.assert_allclose(run(solver, lanes=lanes).covariance, run(solver).covariance, rtol=1e-10)


@by_name
def test_the_result_does_not_depend_on_the_workers(solver) -> None:
    one, two = (run(solver, lanes=192, workers=n) for n in (1, 2))
    assert values(one).tolist() == values(two).tolist()
    np.testing.assert_array_equal(one.curves.gradient, two.curves.gradient)


@by_name
def test_standard_errors_of_two_replicates_are_half_their_distance(solver) -> None:
    """For two values a, b the standard error of the mean is |a - b|/2; also for a combination, and for curves."""
    first, both = run(solver, replicates=1, T=2), run(solver, replicates=2, T=2)
    second = 2 * values(both) - values(first)
    errors = np.array([getattr(both.standard_error, name) for name in MEASURES])
    np.testing.assert_allclose(errors, np.abs(second - values(first)) / 2, rtol=1e-9, atol=1e-15)
    weights = np.array([1.0, 9.0, 0.0, 0.0])
    assert both.measure(3.0)[1] == pytest.approx(abs(weights @ (second - values(first))) / 2, rel=1e-9)
    assert both.curves.standard_error.gradient[1] == pytest.approx(2 * both.standard_error.gradient, rel=1e-9)
    assert first.measure(3.0)[1] == np.inf


def test_an_outcome_of_weight_n_counts_as_n_outcomes() -> None:
    values, weights = np.array([[1.0, 4.0, 6.0], [0.0, 2.0, 1.0]]), np.array([1, 3, 2])
    weighted, repeated = Spread.of(values, weights), Spread.of(np.repeat(values, weights, axis=1))
    for name in ("n", "mean", "scatter"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-14)


@by_name
def test_random_numbers_are_common_over_p(solver) -> None:
    """Differences between periods have far smaller errors than the values themselves."""
    other = run(dataclasses.replace(solver, p=1))
    gap = abs(other.gradient - run(solver).gradient)
    assert 0 < gap < 0.2 * other.standard_error.gradient
    assert abs(run(dataclasses.replace(solver, p=1), seed=2).gradient - run(solver).gradient) > 2 * gap


def test_noise_shared_by_all_devices_makes_them_one() -> None:
    """The negative control: K devices with the same samples are one device, and nothing averages out."""
    shared, single = run(ALGORITHMS[0], K=4, shared_noise=True), run(ALGORITHMS[0], K=1)
    np.testing.assert_allclose(values(shared), values(single), rtol=1e-10, atol=1e-25)
    assert run(ALGORITHMS[0], K=4).drift_x > 1e-6


def test_averages_are_the_means_of_the_curves() -> None:
    result = run(ALGORITHMS[1], times=range(30))
    for name in MEASURES:
        assert getattr(result, name) == pytest.approx(np.mean(getattr(result.curves, name)), rel=1e-12)
    assert result.curves.drift_x[0] == 0
    assert result.curves.drift_x[3] > 0
    assert result.curves.drift_x[4] < 1e-25


def test_times_are_read_where_they_were_asked_for() -> None:
    assert run(ALGORITHMS[0]).curves.t.tolist() == [0, 1, 2, 4, 8, 16, 30]
    some, all_of_them = run(ALGORITHMS[0], times=[5, 30]), run(ALGORITHMS[0], times=range(31))
    np.testing.assert_array_equal(some.curves.gradient, all_of_them.curves.gradient[[5, 30]])
    assert run(ALGORITHMS[0], times=[]).curves.gradient.shape == (0,)


def test_progress_is_reported_for_every_tile() -> None:
    seen: list[tuple[int, int]] = []
    run(ALGORITHMS[0], lanes=192, progress=lambda done, tiles: seen.append((done, tiles)))
    assert seen == [(i, 4) for i in range(1, 5)]


WILD = dataclasses.replace(ALGORITHMS[0], eta=0.1, alpha=5.0, beta=5.0, rho_1=1e4)


def test_a_run_that_diverges_stops_with_iteration_replicate_and_step_size() -> None:
    with pytest.raises(
        DivergedError, match=r"iteration \d+, replicate \d+, step size eta = 0.1; make .* smaller"
    ) as error:
        run(WILD, T=2000)
    iteration = int(re.search(r"iteration (\d+)", str(error.value))[1])
    assert np.isfinite(values(run(WILD, T=iteration, times=[]))).all()
    with pytest.raises(DivergedError, match=f"iteration {iteration},"):
        run(WILD, T=iteration + 1, times=[])
    with pytest.raises(DivergedError, match=f"iteration {iteration},"):
        run(WILD, T=iteration, times=[iteration])


def test_the_replicate_that_diverges_is_the_replicate_of_the_whole_run() -> None:
    setting = prepare(WORLD, WILD, K=3, T=2000, times=[], **START)
    with pytest.raises(DivergedError, match=r"replicate (6[4-9]|7\d)"):
        run_tile(setting, Hashed(seed=0, first=64, replicates=16, K=3), 64, 16)


def test_a_start_that_is_too_far_out_is_named() -> None:
    with pytest.raises(DivergedError, match=r"iteration 0.*start nearer"):
        run(ALGORITHMS[0], x0=np.full(2, 1e100))


def test_numbers_that_are_not_numbers_are_seen() -> None:
    """x stays where it is or becomes (inf, -inf), by the sign of F: where not, the smaller step gives numbers."""
    eye = np.eye(2)
    world = Quadratic(A=eye, B=eye, F=eye[None], P=[[2.0, 1.0], [1.0, 2.0]], D=eye, b=[400.0, -400.0])
    how = {"K": 1, "T": 3, "x0": np.zeros(2), "y0": np.zeros(2), "replicates": 64, "seed": 0}
    wild, calm = (LocalSGD(eta=eta, rho_1=1.0, rho_2=1e-306, p=1, theta=0.9, Q=0) for eta in (1e306, 1e-3))
    with pytest.raises(DivergedError, match="iteration 1,"):
        simulate(world, wild, **how)
    assert np.isfinite(values(simulate(world, calm, **how))).all()


def test_memory_does_not_grow_with_the_times_that_are_read() -> None:
    """1000 times of 4096 replicates would be 130 MB if they were kept. What is imported is not counted."""
    run(ALGORITHMS[0], K=1, T=2)
    tracemalloc.start()
    run(ALGORITHMS[0], K=1, T=1000, replicates=4096, times=range(1001))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6


def test_numpy_numbers_are_numbers() -> None:
    plain = run(ALGORITHMS[0])
    strange = run(ALGORITHMS[0], K=np.uint8(3), T=np.int64(30), seed=np.int64(1), replicates=np.int32(200))
    assert values(plain).tolist() == values(strange).tolist()
