"""Promises of the engines that rest on a single line, and that no other test misses: found by wrong lines put in."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from typing import Any

import numpy as np
import pytest
from flint import arb

import ratecert as rc
from ratecert.base.arrays import Balls, doubles
from ratecert.errors import NotAffineError, UserError, UserTypeError
from ratecert.solvers.engines import run as run_module
from ratecert.solvers.engines.certificates.modes import Modes
from ratecert.solvers.engines.certificates.reach import rounded_up
from ratecert.solvers.engines.moments import exchangeable
from ratecert.solvers.engines.moments.engine import SMALL_MAP
from ratecert.solvers.engines.moments.estimator_moments import EstimatorMoments
from ratecert.solvers.engines.moments.frame import units_of
from ratecert.solvers.engines.moments.long_runs import _spread
from ratecert.solvers.engines.moments.varying_steps import POINTS, REACH, chebyshev_times


def test_odd_units_are_between_one_and_two_and_all_differ() -> None:
    """In [1, 2) they cost no digits; if they were alike, both runs would round alike. The constant keeps its unit."""
    units = units_of(100, odd=True)
    assert ((units[:-1] > 1) & (units[:-1] < 2)).all()
    assert len(set(units.tolist())) == 100
    assert units[-1] == 1
    np.testing.assert_array_equal(units_of(100, odd=False), np.ones(100))


@pytest.mark.parametrize("N", [1, 2, 3])
def test_outcomes_of_a_series_cut_at_random_have_all_its_signs(N: int) -> None:
    """Those of the longest: with fewer their mean would be another one than that of the moments."""
    world = rc.worlds.scalar(sigma_H=0.25, a=1.0, b=0.5)
    run: dict[str, Any] = {"K": 1, "T": 2, "x0": 1.0, "y0": 2.0}
    solver = rc.methods.TTSA(alpha=0.125, beta=0.25, theta=0.25, N=N)
    outcomes, moments = (engine(world, solver, **run) for engine in (rc.enumerate_outcomes, rc.expect))
    assert outcomes.values == pytest.approx(moments.values, rel=1e-12)


@dataclass(frozen=True)
class Failing:
    """An estimator that fails before it has drawn a sample, or after."""

    error: Exception
    late: bool
    label: str = "failing"

    def sample(self, problem: Any, bits: Any) -> Any:
        if not self.late:
            raise self.error

    def evaluate(self, problem: Any, sample: Any, *point: Any) -> Any:
        raise self.error


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize(
    "error", [UserError("why"), UserTypeError("why"), ValueError("why"), TypeError("why")]
)
def test_only_what_cannot_be_sampled_at_all_is_refused_in_its_own_words(error: Exception, late: bool) -> None:
    """All else is left to sampling, which may know how."""
    own = type(error) is UserError and not late
    with pytest.raises(
        UserError if own else NotAffineError, match="^why" if own else r"\(why\); use simulate"
    ):
        EstimatorMoments(rc.worlds.scalar(), Failing(error, late), (1, 1))


@pytest.mark.parametrize("A", [[[0, 3], [0, 0]], [[0, 0], [3, 0]], [[2, 0], [0, -4]], [[1, 2], [3, 4]]])
def test_a_whole_block_is_measured_by_its_norm(A: list[list[int]]) -> None:
    change = Balls.of(np.array(A) - np.eye(2))
    [[size]] = doubles(Modes([([0, 1], None)]).moduli(change))
    assert size == pytest.approx(np.linalg.norm(A, 2), rel=1e-12)


@pytest.mark.parametrize("radius", [0.0, 7.0, 0.001, 12.3456789012345, 9.99999999999e20])
def test_a_radius_is_rounded_up_to_ten_digits(radius: float) -> None:
    up = Context(prec=10, rounding=ROUND_CEILING).create_decimal(Decimal(radius))
    assert rounded_up(arb(0), arb(radius)) == float(up) >= radius


@pytest.mark.parametrize(("level", "method"), [(0.0, "doubling"), (0.2, "rational Krylov space")])
def test_noise_that_does_not_grow_with_the_iterates_needs_no_space(
    level: float, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its map is small in any number of dimensions."""
    for module in (exchangeable, run_module):
        monkeypatch.setattr(module, "LARGEST_MAP", SMALL_MAP)
    world = rc.worlds.random_quadratic(d_x=4, d_y=4, seed=1, s_f=0.5, s_g=0.5, sigma_H=level)
    steps: dict[str, Any] = {"rho_1": 0.1, "rho_2": 1.0, "p": 4, "theta": 0.2, "Q": 5}
    solver = rc.methods.LocalBSGM(eta=0.01, alpha=10.0, beta=10.0, **steps)
    found = rc.expect(world, solver, K=3, T=2**11, x0=np.ones(4), y0=np.ones(4), times=[])
    assert found.method == method


def test_every_point_of_a_spread_halves_a_gap() -> None:
    """After 2^n + 1 of them the points of [0, 1] are the multiples of 2^-n, each once."""
    for n in range(7):
        assert sorted(_spread(i) for i in range(2**n + 1)) == [j / 2**n for j in range(2**n + 1)]


def test_maps_are_held_at_chebyshev_points_as_far_as_they_reach() -> None:
    a, b = 1000.0, 2000.0
    ends = np.log([a, b * (1 + 2 * REACH)])
    points = ends.mean() + np.ptp(ends) / 2 * np.polynomial.chebyshev.chebpts1(POINTS)
    np.testing.assert_allclose(np.sort(np.log(chebyshev_times(a, b))), points, rtol=1e-14)
