"""Linear speedup: along Corollaries 1 and 3 K devices are worth K times as many iterations, and this test can fail.

    Corollary 1   p ~ T^{1/4}/K^{3/4}, eta ~ K^{1/2}/T^{1/2}                                   measure ~ (KT)^{-1/2}
    Corollary 3   alpha, beta ~ 1/K, eta ~ K^{2/3}/T^{1/3}, B and p ~ T^{1/3}/K^{2/3}          measure ~ (KT)^{-2/3}

The measure is gradient + L_tilde^2 tracking, averaged over t < T, by exact moments. An exponent is the local slope
log(f(s c)/f(s/c))/(2 log c).
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from oracles.stored_tasks import rows_from
from ratecert.claims import Budget, Row, Rows
from ratecert.claims.claim import build
from ratecert.papers.federated_bilevel.claims import linear_speedup as page
from ratecert.papers.federated_bilevel.claims.measured_run import measured_run
from ratecert.papers.federated_bilevel.scalings import along

RATES = {"corollary-1": 1 / 2, "corollary-3": 2 / 3}
LONG = 2**40
by_rate = pytest.mark.parametrize(("corollary", "rate"), RATES.items(), ids=RATES)
by_world = pytest.mark.parametrize("world", [page.SCALAR, page.PLANE], ids=["1x1", "2x2"])


def run(
    corollary: str, K: int, T: int, world: str = page.SCALAR, shared: bool = False, **instead: Any
) -> Row:
    units = page.CASES[corollary].units | instead.pop("units", {})
    solver = along(corollary, K=K, T=T, theta=page.THETA, units=units, **instead).solver
    return measured_run(build(page.WORLDS[world]), solver, K=K, T=T, **page.START, shared_noise=shared)


def exponent(f: Callable[[int], float], at: int, factor: int) -> float:
    return math.log(f(at * factor) / f(at // factor)) / (2 * math.log(factor))


def in_T(corollary: str, K: int, world: str = page.SCALAR, **instead: Any) -> float:
    return exponent(lambda T: run(corollary, K, T, world, **instead)["measure"], LONG, 8)


def in_K(corollary: str, T: int, K: int = 256, world: str = page.SCALAR, **instead: Any) -> float:
    return exponent(lambda K: run(corollary, K, T, world, **instead)["measure"], K, 4)


@by_world
@by_rate
def test_K_and_T_have_the_same_exponent(corollary: str, rate: float, world: str) -> None:
    assert in_T(corollary, 8, world) == pytest.approx(-rate, abs=1e-3)
    assert in_K(corollary, 2**48, world=world) == pytest.approx(-rate, abs=1e-3)  # T >= 1024^3


@by_rate
def test_K_devices_reach_eps_in_a_Kth_of_the_iterations(corollary: str, rate: float) -> None:
    eps = page.CASES[corollary].eps
    for row in page.times(corollary, eps, [1, 1024]):
        assert row["T"] >= row["K"] ** 3
        assert run(corollary, row["K"], round(row["T"]))["measure"] == pytest.approx(eps, rel=1e-5)
        assert row["K T(K)/T(1)"] == pytest.approx(1.0, abs=2e-3)


LOUD = {  # in which every part of the constant counts
    "corollary-1": {"alpha": 1.0, "beta": 3.0, "eta": 1.0},
    "corollary-3": {"alpha": 0.1, "beta": 0.1, "eta": 2.0, "B": 4.0, "p": 0.02},
}


@pytest.mark.parametrize("K", [1, 64])
@by_rate
def test_the_constant_is_its_closed_form(
    corollary: str, rate: float, K: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not without any of its parts, with noise of every kind and a distant start."""
    case, world = page.CASES[corollary], page.WORLDS[page.SCALAR]
    monkeypatch.setitem(page.CASES, corollary, replace(case, units={**case.units, **LOUD[corollary]}))
    monkeypatch.setitem(page.WORLDS, page.SCALAR, {**world, "sigma_H": 0.4, "sigma_J": 0.4})
    monkeypatch.setitem(page.START, "x0", 5.0)
    form, T = page.closed_form(corollary), 2**60
    found = run(corollary, K, T)["measure"] * (K * T) ** rate
    assert found == pytest.approx(form.constant(K), rel=1e-4)
    parts = {name: value * K**power / found for name, (value, power) in form.parts.items()}
    assert all(part > 1e-3 or (K, name) == (64, "first") for name, part in parts.items())


def test_LocalBSGM_goes_on_beyond_its_window_and_LocalBSGVRM_stops() -> None:
    assert in_K("corollary-1", 2**56, 2**24) == pytest.approx(-1 / 2, abs=1e-3)  # 2^24 > T^(1/3)
    case = page.CASES["corollary-3"]
    assert in_K("corollary-3", case.beyond, 2**12) == pytest.approx(-2 / 3, abs=5e-3)
    assert in_K("corollary-3", case.beyond, 2**34, eta=case.largest_step) == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize(("momenta", "previous"), [("carry", "averaged"), ("fresh", "local")])
@by_rate
def test_every_reading_has_the_exponent(corollary: str, rate: float, momenta: str, previous: str) -> None:
    """The first test has the reading with carried momenta and local points."""
    reading = {"momenta": momenta} | ({"previous": previous} if corollary == "corollary-3" else {})
    assert in_T(corollary, 8, **reading) == pytest.approx(-rate, abs=1e-3)


@by_world
@by_rate
def test_noise_that_devices_share_turns_it_around(corollary: str, rate: float, world: str) -> None:
    """Such noise grows with eta, which grows with K: more devices, a larger measure."""
    assert in_K(corollary, 2**48, world=world, shared=True) == pytest.approx(1 - rate, abs=0.02)


@by_rate
def test_devices_that_never_meet_are_not_better(corollary: str, rate: float) -> None:
    """Their mean is as good as ever, where they are alike; they themselves are far from it."""
    assert in_K(corollary, LONG, 64, p=LONG) == pytest.approx(-rate, abs=2e-3)
    assert exponent(lambda K: run(corollary, K, LONG, p=LONG)["drift_x"], 64, 4) > 0.3
    assert run(corollary, 256, LONG, p=LONG)["drift_x"] > 1e4 * run(corollary, 256, LONG)["drift_x"]


@by_rate
def test_another_power_of_K_in_the_step_is_another_rate(corollary: str, rate: float) -> None:
    """With eta larger by K^{1/4} the noise, which follows eta or eta^2, falls that much more slowly."""
    T, lost = 2**56, {"corollary-1": 0.25, "corollary-3": 0.5}[corollary]

    def at(K: int) -> float:
        eta = page.run_of(corollary, K, T).solver.step_size(0) * K**0.25
        return float(run(corollary, K, T, eta=eta, p=1)["measure"])

    assert exponent(at, 2**12, 4) == pytest.approx(-rate + lost, abs=0.05)


def test_without_its_first_batch_or_with_too_few_terms_the_rate_is_lost() -> None:
    """With B = 1 the noise of u_0, v_0 stays for 1/(alpha eta^2) ~ T^{2/3} iterations."""
    assert in_T("corollary-3", 8, units={"eta": 0.5}, B=1) == pytest.approx(-1 / 3, abs=5e-3)
    assert all(abs(in_T(corollary, 8, Q=2)) < 0.05 for corollary in RATES)


CLAIMS = {claim.of[0]: claim for claim in page.CLAIMS}


@pytest.mark.nightly
@by_rate
def test_the_claim_holds_and_not_with_another_power_of_K(corollary: str, rate: float) -> None:
    claim = CLAIMS[corollary]
    rows = rows_from(claim, Budget(quick=True))
    assert {check.verdict for check in claim.checks(rows)} == {"passes"}
    tilted = Rows({**row, "measure": row["measure"] * row["K"] ** 0.002} for row in rows)
    failed = {check.name for check in claim.checks(tilted) if check.verdict == "fails"}
    assert {
        f"exponent of K, joint fit, {page.SCALAR}",
        "leading constant over its closed form, worst K",
    } <= failed
    assert not any(name.startswith("exponent of T") for name in failed)


def test_a_logarithm_would_be_noticed() -> None:
    """A curve t^(-2/3) log t, as the average over t < T would have if Corollary 5's bound were sharp."""
    claim = CLAIMS["corollary-5"]
    curve = ({"corollary": "corollary-5", "t": t, "measure": t ** (-2 / 3) * math.log(t)} for t in page.LATE)
    (check,) = claim.checks(Rows(curve))
    assert check.verdict == "fails"
    assert check.measured == pytest.approx(-2 / 3 + 1 / math.log(2**28), abs=1e-3)
