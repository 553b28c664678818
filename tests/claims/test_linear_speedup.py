"""Linear speedup: along Corollaries 1 and 3 K devices are worth K times as many iterations, and the test can fail.

    Corollary 1   p ~ T^{1/4}/K^{3/4}, eta ~ K^{1/2}/T^{1/2}                                   measure ~ (KT)^{-1/2}
    Corollary 3   alpha, beta ~ 1/K, eta ~ K^{2/3}/T^{1/3}, B and p ~ T^{1/3}/K^{2/3}          measure ~ (KT)^{-2/3}

The measure is gradient + L_tilde^2 tracking, by exact moments. A local slope is log(f(s c)/f(s/c))/(2 log c), signed.
"""

import copy
import math
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

from ratecert.claim.claim import Budget, Claim, Json
from ratecert.cli.verify import judged
from ratecert.papers.federated_bilevel import scalings
from ratecert.papers.federated_bilevel.claims import corollaries_measured, linear_speedup
from ratecert.papers.federated_bilevel.evidence.speedup import computations
from ratecert.papers.federated_bilevel.evidence.speedup.cases import CASES
from ratecert.papers.federated_bilevel.evidence.speedup.checks import exponents
from ratecert.papers.federated_bilevel.evidence.speedup.crosses import CROSSES
from ratecert.papers.federated_bilevel.evidence.speedup.runs import (
    Setting,
    iterations_to,
    measured,
    run_with_largest_step,
)
from ratecert.papers.federated_bilevel.evidence.speedup.settings import PLANE, SCALAR, UNITS, setting
from ratecert.papers.federated_bilevel.evidence.speedup.slopes import exponent, joint_exponents
from ratecert.papers.federated_bilevel.evidence.speedup.small_steps import (
    leading_constant,
    model,
    momentum_alone,
    momentum_constant,
    neumann_square,
    reduced_alone,
    reduced_constant,
)
from ratecert.run.running import run_pieces
from ratecert.solvers import expect
from ratecert.synthetic import scalar

RATES = {"corollary-1": 1 / 2, "corollary-3": 2 / 3}
WORLDS = {"1x1": SCALAR, "2x2": PLANE}
LONG = 2**40

by_rate = pytest.mark.parametrize(("corollary", "rate"), RATES.items(), ids=RATES)
by_world = pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)


def measure(here: Setting, K: int, T: int, *, shared_noise: bool = False, **instead: Any) -> float:
    return float(measured(here, here.run(K=K, T=T, **instead), shared_noise=shared_noise)["measure"])


def local_slope(function: Callable[[int], float], at: int, factor: int) -> float:
    """d log f / d log s, by the central difference over [at/factor, at * factor]."""
    return math.log(function(at * factor) / function(at // factor)) / (2 * math.log(factor))


def slope_in_T(here: Setting, K: int, **instead: Any) -> float:
    """By factors of 8, at which cube roots and, but for one rounding, fourth roots stay what they are."""
    return local_slope(lambda T: measure(here, K, T, **instead), LONG, 8)


def slope_in_K(here: Setting, K: int = 256, T: int = LONG, **instead: Any) -> float:
    return local_slope(lambda k: measure(here, k, T, **instead), K, 4)


# (a) The exponents in T and in K, and both in one fit.


@pytest.mark.parametrize("K", [1, 8, 512])
@by_world
@by_rate
def test_exponent_in_T(corollary: str, rate: float, world: Any, K: int) -> None:
    assert slope_in_T(setting(corollary, world), K) == pytest.approx(-rate, abs=1e-3)


@by_world
@by_rate
def test_exponent_in_K_is_that_in_T(corollary: str, rate: float, world: Any) -> None:
    T = 2**48
    assert T >= 1024**3
    assert slope_in_K(setting(corollary, world), T=T) == pytest.approx(-rate, abs=1e-3)


@by_rate
def test_joint_fit(corollary: str, rate: float) -> None:
    """log measure = c + a log K + b log T over a grid inside the window, by the normal equations."""
    here = setting(corollary)
    points = [(K, T) for K in (1, 16, 256) for T in (2**42, 2**48, 2**54)]
    logs = np.log([measure(here, K, T) for K, T in points])
    design = np.column_stack([np.ones(len(points)), np.log(points)])
    _, a, b = np.linalg.solve(design.T @ design, design.T @ logs)
    assert (a, b) == pytest.approx((-rate, -rate), abs=1e-3)


READINGS: list[tuple[str, dict[str, str]]] = [
    *(("corollary-1", {"momenta": m}) for m in ("carry", "fresh")),
    *(("corollary-3", {"momenta": "carry", "previous": p}) for p in ("local", "averaged")),
    ("corollary-3", {"momenta": "fresh"}),
]


@pytest.mark.parametrize(
    ("corollary", "reading"), READINGS, ids=["-".join([c, *r.values()]) for c, r in READINGS]
)
def test_every_reading_has_the_exponent(corollary: str, reading: dict[str, str]) -> None:
    assert slope_in_T(setting(corollary), 8, **reading) == pytest.approx(-RATES[corollary], abs=1e-3)


# (b) The leading constant.

OTHER_UNITS = {
    "corollary-1": [
        UNITS["corollary-1"],
        {**UNITS["corollary-1"], "alpha": 1.0, "beta": 3.0, "eta": 0.5},
        {**UNITS["corollary-1"], "rho_1": 0.02, "eta": 20.0},
    ],
    "corollary-3": [
        {**UNITS["corollary-3"], "p": 0.1},
        {**UNITS["corollary-3"], "p": 0.1, "alpha": 2.0, "beta": 2.0, "B": 0.25},
        {**UNITS["corollary-3"], "p": 0.1, "rho_1": 0.1, "rho_2": 0.3, "eta": 1.0},
    ],
}
CONSTANT = {"corollary-1": momentum_constant, "corollary-3": reduced_constant}
ALONE = {"corollary-1": momentum_alone, "corollary-3": reduced_alone}


def constant(here: Setting, K: float, *, shared_noise: bool = False) -> float:
    parts = CONSTANT[here.corollary](model(here), here.units)
    return leading_constant(parts, K, shared_noise=shared_noise)


@pytest.mark.parametrize("K", [1, 64])
@pytest.mark.parametrize(
    ("corollary", "units"), [(c, units) for c, some in OTHER_UNITS.items() for units in some]
)
def test_leading_constant_has_a_closed_form(corollary: str, units: Any, K: int) -> None:
    here, T = replace(setting(corollary), units=units), 2**60
    found = measure(here, K, T) * (K * T) ** RATES[corollary]
    assert found == pytest.approx(constant(here, K), rel=1e-4)


LOUD = {
    "corollary-1": {"alpha": 1.0, "beta": 3.0, "eta": 1.0},
    "corollary-3": {"alpha": 0.1, "beta": 0.1, "eta": 2.0, "B": 4.0, "p": 0.02},
}


@by_rate
def test_every_part_of_the_constant_counts(corollary: str, rate: float) -> None:
    """Noise of every kind and a distant start, or a part of the closed form could be wrong and not be seen."""
    world, units = {**SCALAR, "sigma_H": 0.4, "sigma_J": 0.4}, {**UNITS[corollary], **LOUD[corollary]}
    here, T = Setting(corollary=corollary, world=world, units=units, theta=0.45, x0=5.0), 2**60
    parts = CONSTANT[corollary](model(here), units)
    found = measure(here, 1, T) * T**rate
    assert found == pytest.approx(leading_constant(parts, 1), rel=1e-4)
    for name in parts:
        rest = {other: value for other, value in parts.items() if other != name}
        assert abs(found / leading_constant(rest, 1) - 1) > 2e-3, name


def test_second_moment_of_the_neumann_sum() -> None:
    """Against all outcomes of sums that end."""
    theta, A, E = 0.45, 1.1, 0.3
    total = 0.0
    for n in range(2**14):
        term, sum_ = theta, theta
        for j in range(14):
            term *= 1 - theta * (A + (E if n >> j & 1 else -E))
            sum_ += term
        total += sum_**2 / 2**14
    assert neumann_square(theta, A, E) == pytest.approx(total, rel=1e-4)


# (c) The time to reach eps.


@by_rate
def test_K_times_the_iterations_to_reach_eps_is_flat(corollary: str, rate: float) -> None:
    here, eps = setting(corollary), 2.0 ** CASES[corollary].eps[-1]
    first = (constant(here, 1) / eps) ** (1 / rate)
    rows = [iterations_to(eps, here, K, first / K) for K in (1, 32, 1024)]
    for row in rows:
        assert row["T"] >= row["K"] ** 3
        assert measure(here, row["K"], round(row["T"])) == pytest.approx(eps, rel=1e-5)
        assert row["K"] * row["T"] / rows[0]["T"] == pytest.approx(1.0, abs=2e-3)


def test_one_device_pays_for_its_first_sample() -> None:
    """With alpha = 1 the first sample stays in the momenta for long; its noise is the one part that falls faster."""
    here = replace(
        setting("corollary-1"), units={**UNITS["corollary-1"], "alpha": 1.0, "beta": 1.0, "eta": 0.5}
    )
    eps = 2.0**-20
    first = (constant(here, 1) / eps) ** 2
    one, many = (iterations_to(eps, here, K, first / K)["T"] * K for K in (1, 256))
    assert many / one == pytest.approx((constant(here, 256) / constant(here, 1)) ** 2, rel=1e-4)
    assert many / one < 0.97


def test_a_measure_that_does_not_fall_has_no_time_to_reach_eps() -> None:
    here = replace(setting("corollary-1"), units={**UNITS["corollary-1"], "Q": 0.01})
    with pytest.raises((ArithmeticError, ValueError)):
        iterations_to(2.0**-30, here, 1, 2.0**40)


# (d) Outside the window.


def test_LocalBSGM_goes_on_to_speed_up_outside_its_window() -> None:
    here, T = setting("corollary-1"), 2**56
    K = 2**24
    assert K > T ** (1 / 3)
    assert here.run(K=K, T=T).solver.p == 1
    assert slope_in_K(here, K, T) == pytest.approx(-1 / 2, abs=1e-3)


@by_rate
def test_where_the_speedup_ends(corollary: str, rate: float) -> None:
    """Very many devices have a measure over which K has no power, and which is known."""
    case, here = CASES[corollary], setting(corollary)
    T = 2**case.T
    rows = [
        measured(here, run_with_largest_step(here, K, T, case.largest))
        for K in (2 ** case.flat[1], 2 ** case.flat[2])
    ]
    assert rows[0]["measure"] == pytest.approx(rows[1]["measure"], rel=1e-3)
    limit = ALONE[corollary](model(here), here.units, case.largest)
    assert rows[1]["measure"] * T == pytest.approx(limit, rel=1e-4)


def test_LocalBSGVRM_stops_at_the_edge_of_its_window() -> None:
    case, here = CASES["corollary-3"], setting("corollary-3")
    T, edge = 2**48, 2**24

    def at(K: int) -> float:
        return float(measured(here, run_with_largest_step(here, K, T, case.largest))["measure"])

    assert local_slope(at, edge // 2**12, 2) == pytest.approx(-2 / 3, abs=5e-3)
    assert local_slope(at, edge * 2**6, 2) == pytest.approx(0.0, abs=5e-3)


# (e) Noise that devices share, and other ways to lose the speedup or the rate.


@by_world
@by_rate
def test_shared_noise_turns_the_speedup_around(corollary: str, rate: float, world: Any) -> None:
    """Noise that does not average out grows with eta, which grows with K: more devices, a larger measure."""
    slope = slope_in_K(setting(corollary, world), T=2**48, shared_noise=True)
    assert slope > 0.2
    assert slope == pytest.approx(1 - rate, abs=0.02)


@by_rate
def test_shared_noise_has_a_closed_form(corollary: str, rate: float) -> None:
    here, K, T = replace(setting(corollary), units=OTHER_UNITS[corollary][0]), 64, 2**56
    found = measure(here, K, T, shared_noise=True) * (K * T) ** rate
    assert found == pytest.approx(constant(here, K, shared_noise=True), rel=1e-3)


@by_rate
def test_without_averages_no_device_speeds_up(corollary: str, rate: float) -> None:
    """The mean of devices that never meet is as good as ever where they are alike; the devices themselves are not."""
    here, T = setting(corollary), LONG
    problem = scalar(**{name: value for name, value in SCALAR.items() if name != "world"})

    def device(K: int, p: int | None) -> float:
        """E (x_k - x_star)^2 beyond that of the mean."""
        run = here.run(K=K, T=T, **({"p": p} if p else {}))
        return float(expect(problem, run.solver, K=K, T=T, x0=1.0, y0=0.0, times=[]).drift_x)

    assert slope_in_K(here, 64, p=T) == pytest.approx(-rate, abs=2e-3)
    assert local_slope(lambda K: device(K, T), 64, 4) > 0.3
    assert device(256, T) > 1e4 * device(256, None)


@by_rate
def test_another_power_of_K_in_eta_is_another_rate(corollary: str, rate: float) -> None:
    """eta larger by K^{1/4}: the noise, which follows eta or eta^2, falls that much more slowly, and dominates."""
    here, T = setting(corollary), 2**56

    def at(K: int) -> float:
        eta = here.run(K=K, T=T).solver.step_size(0)
        return measure(here, K, T, eta=eta * K**0.25, p=1)

    lost = {"corollary-1": 0.25, "corollary-3": 0.5}[corollary]
    assert local_slope(at, 2**12, 4) == pytest.approx(-rate + lost, abs=0.05)


@by_world
def test_without_the_first_batch_corollary_3_loses_half_its_exponent(world: Any) -> None:
    """With B = 1 the noise of u_0, v_0 stays for 1/(alpha eta^2) ~ T^{2/3} iterations: T^{-1/3} on average."""
    here = replace(setting("corollary-3", world), units={**UNITS["corollary-3"], "eta": 0.5})
    assert slope_in_T(here, 8, B=1) == pytest.approx(-1 / 3, abs=5e-3)


@by_rate
def test_the_neumann_bias_ends_the_rate(corollary: str, rate: float) -> None:
    """With a fixed small Q the measure has a floor."""
    here = setting(corollary)
    assert slope_in_T(here, 8, Q=80) == pytest.approx(-rate, abs=1e-3)
    assert abs(slope_in_T(here, 8, Q=2)) < 0.05


# The exponents of exact curves.


def test_exponents_of_power_laws_are_exact() -> None:
    rows = [
        {"K": K, "T": T, "measure": 3.0 * K**-0.5 * T**-0.25, "precision": 0.0}
        for K in (1, 2, 8)
        for T in (1, 4, 64)
    ]
    for name, expected in (("K", -0.5), ("T", -0.25)):
        found = joint_exponents(rows, ("K", "T"))[name]
        assert (found.value, found.uncertainty) == pytest.approx((expected, 0.0), abs=1e-14)
    along = exponent([row for row in rows if row["K"] == 2], "T")
    assert (along.value, along.uncertainty) == pytest.approx((-0.25, 0.0), abs=1e-14)


def test_a_curve_that_bends_has_an_uncertain_exponent() -> None:
    """x^-1/2 + 1 is between the exponents -1/2 and 0, and the halves of its range say so."""
    rows = [{"T": 4.0**i, "measure": 2.0**-i + 0.1, "precision": 0.0} for i in range(5)]
    found = exponent(rows, "T")
    assert -0.5 < found.value < 0
    assert found.uncertainty > 0.05


def test_imprecise_values_have_an_uncertain_exponent() -> None:
    rows = [{"T": 2.0**i, "measure": 2.0**-i, "precision": 1e-3} for i in range(3)]
    assert exponent(rows, "T").uncertainty == pytest.approx(2e-3 / math.log(4), rel=1e-6)


# The claims.

CLAIMS = (*linear_speedup.CLAIMS, *corollaries_measured.CLAIMS)


def quick_values(claim: Claim) -> list[Json]:
    outcomes = run_pieces(claim.pieces(Budget(quick=True)))
    assert not any(outcome.failure for outcome in outcomes.values()), outcomes
    return [outcome.value for outcome in outcomes.values()]


def altered(
    values: list[Json], part: str, change: Callable[[Json], float], name: str = "measure"
) -> list[Json]:
    """The values with one number multiplied in all rows of a part."""
    values = copy.deepcopy(values)
    for value in values:
        for row in value["rows"] if value["part"] == part else ():
            row[name] *= change(row)
    return values


WRONG: dict[str, tuple[str, str, Callable[[Json], float]]] = {  # check -> what is multiplied by what
    "exponent of T": ("grid", "measure", lambda row: row["T"] ** 0.002),
    "exponent of K": ("grid", "measure", lambda row: row["K"] ** 0.002),
    "leading constant": ("grid", "measure", lambda row: 1.002),
    "measure over bound": ("bounds", "bound", lambda row: row["measure"] / row["bound"] / 2),
    "K T(K)/T(1)": ("times", "T", lambda row: row["K"] ** 0.01),
    "outside the window": ("devices", "measure", lambda row: row["K"] ** -0.002),
    "bends": ("devices", "measure", lambda row: 0.5 if row["K"] > 2**30 else 1.0),
    "noise shared": ("shared", "measure", lambda row: row["K"] ** -0.4),
}


@pytest.mark.parametrize("claim", linear_speedup.CLAIMS, ids=lambda claim: claim.id)
def test_claims_hold_and_each_of_their_checks_can_fail(claim: Claim) -> None:
    values = quick_values(claim)
    judgement = claim.judge(values)
    assert judgement.verdict == claim.expected == "holds"
    assert all(check.uncertainty > 0 for check in judgement.checks)
    for name, (part, number, change) in WRONG.items():
        again = claim.judge(altered(values, part, change, number))
        assert again.verdict == "violated"
        assert any(check.verdict == "violated" for check in again.checks if name in check.name), name
    assert all(any(name in check.name for name in WRONG) for check in judgement.checks)


@pytest.mark.parametrize("claim", corollaries_measured.CLAIMS, ids=lambda claim: claim.id)
def test_corollaries_hold_and_each_of_their_checks_can_fail(
    claim: Claim, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = quick_values(claim)
    judgement = claim.judge(values)
    assert judgement.verdict == claim.expected == "holds"
    letters = [
        name for name in ("T", "K", "eps") if any(f"exponent of {name}" in c.name for c in judgement.checks)
    ]
    assert len(letters) == 2
    for letter in letters:
        again = claim.judge(altered(values, "grid", lambda row, letter=letter: row[letter] ** -0.003))  # type: ignore[misc]
        assert again.verdict == "violated"
    if "eps" in letters:
        assert claim.judge(altered(values, "grid", lambda row: 5.0)).verdict == "violated"
    (corollary,) = claim.of
    narrow = replace(CROSSES[corollary], power=60)
    monkeypatch.setitem(CROSSES, corollary, narrow)
    assert claim.judge(values).verdict == "violated"


def test_a_logarithm_would_be_noticed() -> None:
    """A curve t^(-2/3) log t, as the average over t < T would have if Corollary 5's bound were sharp."""
    rows = [
        {"t": t, "measure": t ** (-2 / 3) * math.log(t), "precision": 0.0}
        for t in corollaries_measured.DECAY["times"]
    ]
    value = {"part": "curve", "K": 1, "limit": 1.0, "rows": rows}
    check = corollaries_measured._without_logarithm("corollary-5", value)
    assert check.verdict == "violated"
    assert check.measured == pytest.approx(-2 / 3 + 1 / math.log(2**28), abs=1e-3)


def test_shared_noise_in_the_runs_fails_the_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computations, "measured", lambda here, run: measured(here, run, shared_noise=True))
    points = [[K, 2**T] for K in (1, 16, 256) for T in (44, 48, 52)]
    value = computations.grid(asdict(setting("corollary-1")), "T", points)
    verdicts = {check.name: check.verdict for check in exponents("corollary-1", value)}
    assert {verdict for name, verdict in verdicts.items() if "of K" in name} == {"violated"}


def test_a_changed_scaling_fails_the_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    """eta = T^(-0.45) K^(1/2) instead of T^(-1/2) K^(1/2) in the statement."""
    printed = scalings.paper("printed")

    class Changed:
        def the(self, kind: Any, id: str) -> Any:
            statement = printed.the(kind, id)
            eta = statement.scalings["eta"]
            T = next(symbol for symbol in eta.order.free_symbols if symbol.name == "T")
            changed = replace(eta, order=eta.order * T**0.05)
            return replace(statement, scalings={**statement.scalings, "eta": changed})

    monkeypatch.setattr(scalings, "paper", lambda variant: Changed())
    (claim,) = (claim for claim in corollaries_measured.CLAIMS if claim.id == "corollary-1.measured")
    (entry,) = judged([claim], Budget(quick=True))
    assert entry["verdict"] == "violated"
