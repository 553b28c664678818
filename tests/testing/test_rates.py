"""The tools for a user's own work: slopes with intervals, assertions on slopes and bounds, the rate of an algorithm."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ratecert import assert_bound, assert_slope, fit_slope, verify_rate
from ratecert.claims.slope import Slope, quantile
from ratecert.solvers import LocalBSGM, LocalSGD
from ratecert.synthetic import random_quadratic, wavy
from ratecert.testing.verify_rate import LEAST, relative_error_for, replicates_for

Array = NDArray[np.float64]
PAGE = Path(__file__).parents[2] / "docs" / "your_own_work.md"
X = np.array([10.0, 20.0, 50.0, 100.0, 400.0])


# The slope of exact values.


@pytest.mark.smoke
@pytest.mark.parametrize("exponent", [-2 / 3, -0.5, 0.0, 1.5])
def test_a_power_law_has_its_exponent_with_its_sign(exponent: float) -> None:
    slope = fit_slope(X, 3 * X**exponent)
    assert slope.value == pytest.approx(exponent, abs=1e-14)
    assert slope.uncertainty < 1e-13
    assert fit_slope(X, 3 * X**-exponent).value == pytest.approx(-exponent, abs=1e-14)


def test_all_points_count_and_their_order_does_not() -> None:
    y = X**-0.5 * np.array([1.0, 1.3, 0.8, 1.1, 1.0])
    slope = fit_slope(X, y)
    assert slope.value == pytest.approx(np.polyfit(np.log(X), np.log(y), 1)[0], abs=1e-13)
    ends = math.log(y[-1] / y[0]) / math.log(X[-1] / X[0])
    assert abs(slope.value - ends) > 0.01  # negative: the end points
    turned = fit_slope(X[::-1], y[::-1])
    assert (turned.value, turned.low, turned.high) == pytest.approx((slope.value, slope.low, slope.high))


def test_the_interval_of_exact_values_is_the_range_of_the_slopes_between_neighbours() -> None:
    """Of x^-1/2 + 100/x from -1 to -1/2: the interval contains what the curve does, the value alone does not say it."""
    x = np.geomspace(1.0, 1e8, 9)
    slope = fit_slope(x, x**-0.5 + 100 / x)
    assert slope.low < -0.95
    assert -0.51 < slope.high < -0.5
    assert slope.low < slope.value < slope.high
    late = fit_slope(x[-3:] * 1e8, (x[-3:] * 1e8) ** -0.5 + 100 / (x[-3:] * 1e8))
    assert late.uncertainty < 1e-4
    assert fit_slope(X, X**-0.5, precision=1e-3).uncertainty > 2e-3 / math.log(4)
    assert fit_slope(X[:2], X[:2] ** -0.5).uncertainty == math.inf


@pytest.mark.parametrize("seed", range(20))
def test_the_interval_always_contains_the_value(seed: int) -> None:
    rng = np.random.default_rng(seed)
    slope = fit_slope(np.sort(rng.uniform(1, 100, 6)), rng.lognormal(size=6))
    assert slope.low <= slope.value <= slope.high


# The slope of sampled values.


def sample(rng: np.random.Generator, n: int, *, shape: float = 1.0) -> Array:
    """x^-1/2 times noise of mean 1, skewed as squares are: Gamma(shape) has the skewness 2/sqrt(shape)."""
    noise: Array = rng.gamma(shape, 1 / shape, size=(n, len(X)))
    return X**-0.5 * noise


def test_the_jackknife_is_what_leaving_out_every_row_gives() -> None:
    rows = sample(np.random.default_rng(1), 20)
    others = [fit_slope(X, np.delete(rows, r, axis=0).mean(axis=0)).value for r in range(20)]
    error = math.sqrt(19 / 20 * sum((s - np.mean(others)) ** 2 for s in others))
    slope = fit_slope(X, rows, confidence=0.9)
    assert slope.value == pytest.approx(fit_slope(X, rows.mean(axis=0)).value)
    assert slope.uncertainty == pytest.approx(1.729133 * error, rel=1e-6)  # Student's table, 19 degrees


def test_means_with_standard_errors_rows_and_the_bootstrap_agree() -> None:
    """Independent columns: three ways to one standard error. Negative: half the errors, half the interval."""
    rng = np.random.default_rng(2)
    rows = sample(rng, 2000)
    means, errors = rows.mean(axis=0), rows.std(axis=0, ddof=1) / math.sqrt(2000)
    by_rows = fit_slope(X, rows)
    by_means = fit_slope(X, means, standard_error=errors, replicates=2000)
    again = rng.integers(2000, size=(400, 2000))
    bootstrap = np.std([fit_slope(X, rows[chosen].mean(axis=0)).value for chosen in again])
    assert by_means.value == pytest.approx(by_rows.value, abs=1e-12)
    assert by_means.uncertainty == pytest.approx(by_rows.uncertainty, rel=0.05)
    assert bootstrap * quantile(1 - 1e-5, 2000) == pytest.approx(by_rows.uncertainty, rel=0.15)
    half = fit_slope(X, means, standard_error=errors / 2, replicates=2000)
    assert half.uncertainty == pytest.approx(by_means.uncertainty / 2)


def test_rows_that_move_together_have_a_narrow_interval() -> None:
    """A factor common to a row does not change its slope; taken for independent columns it would."""
    rng = np.random.default_rng(3)
    rows = sample(rng, 64, shape=1e4) * rng.gamma(1.0, 1.0, size=(64, 1))
    errors = rows.std(axis=0, ddof=1) / 8
    independent = fit_slope(X, rows.mean(axis=0), standard_error=errors, replicates=64)
    assert fit_slope(X, rows).uncertainty < 0.1 * independent.uncertainty


def coverage(n: int, confidence: float, trials: int, *, shape: float, width: float = 1.0) -> float:
    rng, hits = np.random.default_rng(4), 0
    for _ in range(trials):
        slope = fit_slope(X, sample(rng, n, shape=shape), confidence=confidence)
        hits += abs(slope.value + 0.5) <= width * slope.uncertainty
    return hits / trials


@pytest.mark.nightly
@pytest.mark.parametrize(("n", "shape"), [(16, 4.0), (64, 1.0), (256, 0.5)])
def test_intervals_cover_as_often_as_they_say(n: int, shape: float) -> None:
    """2000 trials at 95 %: four binomial standard errors are 0.02. Negative: two thirds of the width cover 80 %."""
    assert abs(coverage(n, 0.95, 2000, shape=shape) - 0.95) < 4 * math.sqrt(0.95 * 0.05 / 2000)
    assert coverage(n, 0.95, 500, shape=shape, width=2 / 3) < 0.88


def test_a_slope_feels_little_of_the_skewness() -> None:
    """Far out and with few rows: 99.9 %, 16 rows, skewness 2.8. More than 10 misses in 3000 have probability 3e-4."""
    assert coverage(16, 0.999, 3000, shape=0.5) >= 1 - 10 / 3000


# Planning.


def test_a_planned_relative_error_gives_the_planned_half_width() -> None:
    r = relative_error_for(X, half_width=0.02, confidence=0.999)
    slope = fit_slope(X, X**-0.5, standard_error=r * X**-0.5, replicates=LEAST, confidence=0.999)
    assert slope.uncertainty == pytest.approx(0.02)
    n = replicates_for(0.5, r)
    assert 0.8 < n * (r / 0.5) ** 2 / 1.2 < 1.2
    assert replicates_for(0.5, r / 2) == pytest.approx(4 * n, rel=1e-3)  # half the error, four times the work
    assert replicates_for(0.0, r) == LEAST


# Refusals: one sentence.

BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "one point": (lambda: fit_slope([1.0], [1.0]), "x must be at least 2 different numbers"),
    "zero": (lambda: fit_slope([1, 2], [1.0, 0.0]), "every y must be a finite number > 0.*got 0"),
    "nan": (lambda: fit_slope([1, 2], [1.0, math.nan]), "every y must be a finite number > 0.*got nan"),
    "shapes": (lambda: fit_slope([1, 2], [1.0, 2.0, 3.0]), r"y must have shape \(2,\).*got \(3,\)"),
    "few rows": (lambda: fit_slope([1, 2], np.ones((15, 2))), "rows of y, must be a whole number >= 16, got 15"),
    "few replicates": (lambda: fit_slope([1, 2], [1, 2], standard_error=0.1, replicates=3), "replicates .*16, got 3"),
    "no replicates": (lambda: fit_slope([1, 2], [1, 2], standard_error=0.1), "standard_error goes with"),
    "replicates alone": (lambda: fit_slope([1, 2], [1, 2], replicates=99), "replicates goes with standard_error"),
    "confidence": (lambda: fit_slope([1, 2], [1, 2], confidence=1.0), r"confidence must lie in \(0, 1\).*got 1.0"),
    "bound shapes": (lambda: assert_bound([1, 2], [1, 2, 3]), "shapes must agree"),
    "names": (lambda: assert_bound([1, 2], 3, at=[1]), "at must name each of the 2 points, got 1"),
}  # fmt: skip


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD)
def test_bad_input_is_one_sentence(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)


# Assertions.


def test_assert_slope_has_three_outcomes() -> None:
    exact, y = (X, X**-0.5), X**-0.5
    assert assert_slope(exact, -0.5, 1e-6).verdict == "passes"
    with pytest.raises(AssertionError, match=r"rate -0\.5 in \[-0\.5, -0\.5\].*within 0\.1 of -0\.7.*fails"):
        assert_slope(exact, -0.7, 0.1, name="rate")
    wide = fit_slope(X, y, standard_error=0.1 * y, replicates=100)
    with pytest.raises(AssertionError, match=r"undecided; the interval reaches outside.*more replicates"):
        assert_slope(wide, -0.5, 0.1)
    assert assert_slope(wide, -0.5, 1.0).verdict == "passes"
    with pytest.raises(TypeError, match=r"slope must be a Slope or a pair \(x, y\), got 0\.5\."):
        assert_slope(0.5, -0.5, 0.1)  # type: ignore[arg-type]


def test_assert_bound_names_the_worst_point() -> None:
    measured, bound = [1.0, 2.0, 3.3, 4.1], [2.0, 2.0, 3.0, 4.0]
    with pytest.raises(
        AssertionError, match=r"loss at 30 = 3\.3 .* 3, ratio 1\.1: fails; .* of 2 .* among 4"
    ):
        assert_bound(measured, bound, at=[10, 20, 30, 40], name="loss")
    nearest = assert_bound(measured, 5.0)
    assert (nearest.name, nearest.verdict) == ("measured[3]", "passes")
    assert assert_bound(measured, bound, tolerance=0.31).verdict == "passes"
    with pytest.raises(AssertionError, match="undecided"):
        assert_bound(1.0, 1.1, uncertainty=0.2)
    with pytest.raises(AssertionError, match="undecided"):
        assert_bound(math.inf, 1.1)


# The rate of an algorithm.


def scaled(T: int, K: int, Q: int = 60) -> LocalSGD:
    p = max(1, round(T**0.25 / K**0.75))
    return LocalSGD(eta=math.sqrt(K / T), rho_1=0.1, rho_2=1.0, p=p, theta=0.4, Q=Q)


WORLD = random_quadratic(d_x=1, d_y=2, mu=1.0, L_1=2.0, s_f=0.5, s_g=0.5, seed=1)
LONG = [2**26, 2**30, 2**34]


@pytest.mark.parametrize("measure", ["gradient", 6.0])
def test_the_exponents_of_local_sgd(measure: str | float) -> None:
    """Negative: other exponents are violated, and so is the right one with a fixed short Neumann sum."""
    rate = verify_rate(scaled, WORLD, expected=-1 / 2, T=LONG, K=8, measure=measure)
    assert (rate.verdict, rate.method) == ("passes", "exact moments")
    assert verify_rate(scaled, WORLD, expected=-0.49, T=LONG, K=8, measure=measure).verdict == "fails"
    in_K = verify_rate(scaled, WORLD, expected=-1 / 2, T=2**38, K=[8, 16, 32], measure=measure)
    assert in_K.verdict == "passes"
    short = verify_rate(lambda T, K: scaled(T, K, 2), WORLD, expected=-1 / 2, T=LONG, K=8)
    assert short.verdict == "fails"
    assert str(short).startswith("exponent in T: ")
    assert "T = 67108864" in str(short)


def test_a_fixed_algorithm_has_a_floor() -> None:
    solver = LocalBSGM(eta=0.01, alpha=1.0, beta=1.0, rho_1=0.5, rho_2=1.0, p=4, theta=0.4, Q=20)
    assert verify_rate(solver, WORLD, expected=0.0, T=[2**30, 2**32, 2**34], K=8).verdict == "passes"
    assert verify_rate(solver, WORLD, expected=-0.5, T=[2**30, 2**32, 2**34], K=8).verdict == "fails"


def test_sampling_finds_the_exact_slope() -> None:
    """A dial of 1e-9 makes exact moments refuse and changes nothing else. Negative: another start has another slope."""
    points: dict[str, Any] = {"expected": -0.5, "T": [16, 32, 64], "K": 2, "tolerance": 0.1}
    still = wavy(s_f=0.5, s_g=0.5, dial=0.0)
    exact = verify_rate(scaled, still, **points)
    sampled = verify_rate(scaled, replace(still, dial=1e-9), **points, seed=5)
    assert exact.method == "exact moments"
    assert sampled.method.startswith("sampled, ")
    assert sampled.slope.low < exact.slope.value < sampled.slope.high
    assert sampled.slope.uncertainty < 0.1
    assert "+-" in str(sampled)
    other = verify_rate(scaled, still, **points, x0=[0.0])
    assert not sampled.slope.low < other.slope.value < sampled.slope.high


WRONG: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "both": ({"T": LONG, "K": [1, 2]}, ValueError, "one of T and K must be a sequence"),
    "neither": ({"T": 64, "K": 2}, ValueError, "one of T and K must be a sequence"),
    "T": ({"T": [0, 64]}, ValueError, "T must be a whole number >= 1, got 0"),
    "measure": ({"measure": "loss"}, ValueError, "measure must be one of 'gradient', 'tracking'"),
    "L_tilde": ({"measure": -1.0}, ValueError, "measure, if it is a number L_tilde, must be a finite number > 0"),
    "tolerance": ({"tolerance": -1.0}, ValueError, "tolerance must be a finite number > 0"),
    "x0": ({"x0": [1.0, 2.0]}, ValueError, "x0 must be 1 finite number"),
    "solver": ({"solver": 3}, TypeError, "solver must be an algorithm or a function of T and K that makes one, got 3"),
    "class": ({"solver": LocalBSGM}, TypeError, "solver must be an algorithm or a function of T and K"),
    "one letter": ({"solver": lambda T: T}, TypeError, "solver must be an algorithm or a function of T and K"),
}  # fmt: skip


@pytest.mark.parametrize(("wrong", "kind", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_call_is_refused(wrong: dict[str, Any], kind: type[Exception], message: str) -> None:
    arguments: dict[str, Any] = {"solver": scaled, "problem": WORLD, "expected": -0.5, "T": LONG, **wrong}
    with pytest.raises(kind, match=message):
        verify_rate(**arguments)


@pytest.mark.parametrize(
    ("point", "said"), [({"T": [64]}, r"T .*, got \[64\]"), ({"T": 64, "K": (3, 3)}, r"K .*, got \(3, 3\)")]
)
def test_a_single_point_is_refused_before_anything_is_run(point: dict[str, Any], said: str) -> None:
    def never(T: int, K: int) -> LocalSGD:
        raise AssertionError("it was asked for")

    with pytest.raises(ValueError, match=said):
        verify_rate(never, WORLD, expected=-0.5, **point)


def test_a_slope_says_where_its_interval_comes_from() -> None:
    assert str(fit_slope([1, 2, 4], [4, 2, 1])) == "-1 in [-1, -1] (slopes between neighbours)"
    assert "two points cannot show a bend" in str(fit_slope([1, 2], [4, 2]))
    some = Slope(value=-0.5, low=-0.6, high=-0.45, points=3, replicates=64, confidence=0.95)
    assert str(some) == "-0.5 in [-0.6, -0.45] (error probability 0.05, 64 replicates)"
    assert some.uncertainty == pytest.approx(0.1)


@pytest.mark.nightly
def test_the_page_runs_and_prints_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    text, names = PAGE.read_text(encoding="utf-8"), {"__name__": "page"}
    blocks = re.findall(r"^```(python|text)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert len(blocks) > 6
    printed = ""
    for kind, block in blocks:
        if kind == "python":
            exec(compile(block, str(PAGE), "exec"), names)
            printed = capsys.readouterr().out
        else:
            assert block in printed, printed
