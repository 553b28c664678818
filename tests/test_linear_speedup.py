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

from oracles.kept_pieces import rows_from
from ratecert.claims import Budget, Claim, Row, Rows
from ratecert.claims.claim import build
from ratecert.papers.federated_bilevel.claims import linear_speedup as page
from ratecert.papers.federated_bilevel.claims.measured_run import measured_run
from ratecert.papers.federated_bilevel.scalings import along
from ratecert.verdicts.corollary_runs import runs_along as along_library

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
    for row in page.times(corollary, eps, [1, 32, 1024]):
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
    for name, (value, power) in form.parts.items():
        part = value * K**power
        assert part > 1e-3 * found or (K, name) == (64, "first"), f"{name} could be wrong and not be seen"


def test_LocalBSGM_goes_on_beyond_its_window_and_LocalBSGVRM_stops() -> None:
    assert in_K("corollary-1", 2**56, 2**24) == pytest.approx(-1 / 2, abs=1e-3)  # 2^24 > T^(1/3)
    case = page.CASES["corollary-3"]
    assert in_K("corollary-3", case.beyond, 2**12) == pytest.approx(-2 / 3, abs=5e-3)
    assert in_K("corollary-3", case.beyond, 2**34, eta=case.largest_step) == pytest.approx(0.0, abs=1e-3)


READINGS = [
    ("corollary-1", {"momenta": "carry"}),
    ("corollary-1", {"momenta": "fresh"}),
    ("corollary-3", {"momenta": "carry", "previous": "local"}),
    ("corollary-3", {"momenta": "carry", "previous": "averaged"}),
    ("corollary-3", {"momenta": "fresh"}),
]


@pytest.mark.parametrize(
    ("corollary", "reading"),
    READINGS,
    ids=lambda value: "-".join([*value.values()][:2]) if isinstance(value, dict) else value,
)
def test_every_variant_has_the_exponent(corollary: str, reading: dict[str, str]) -> None:
    assert in_T(corollary, 8, **reading) == pytest.approx(-RATES[corollary], abs=1e-3)


# Ways to lose it.


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
    case, T = page.CASES[corollary], 2**56

    def at(K: int) -> float:
        eta = page.run_of(corollary, K, T).solver.step_size(0) * K**0.25
        return float(run(corollary, K, T, eta=eta, p=1)["measure"])

    assert case.beyond
    lost = {"corollary-1": 0.25, "corollary-3": 0.5}[corollary]
    assert exponent(at, 2**12, 4) == pytest.approx(-rate + lost, abs=0.05)


def test_without_the_first_batch_corollary_3_loses_half_its_exponent() -> None:
    """With B = 1 the noise of u_0, v_0 stays for 1/(alpha eta^2) ~ T^{2/3} iterations."""
    assert in_T("corollary-3", 8, units={"eta": 0.5}, B=1) == pytest.approx(-1 / 3, abs=5e-3)


@by_rate
def test_too_few_terms_end_the_rate(corollary: str, rate: float) -> None:
    assert abs(in_T(corollary, 8, Q=2)) < 0.05


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("paper", "corollary", "exponents"),
    [("fedavg", "corollary-1", -1.0), ("fedavg", "corollary-2", 0.0), ("proxskip", "corollary-2", 0.0)],
    ids=["FedAvg, all devices", "FedAvg, a few that are drawn", "ProxSkip"],
)
def test_of_three_that_promise_nothing_one_has_it(paper: str, corollary: str, exponents: float) -> None:
    runs = along_library(paper, corollary)
    assert exponent(lambda K: float(runs.row(K, float(LONG))["measure"]), 4**11, 4) == pytest.approx(
        exponents, abs=1e-5
    )


# The claims, in the quick budget.

CLAIMS = {claim.of[0]: claim for claim in page.CLAIMS}
WRONG: dict[
    str, tuple[dict[str, Any], str, Callable[[Row], float]]
] = {  # check -> what is multiplied by what
    "exponent of T": ({"part": "grid"}, "measure", lambda row: row["T"] ** 0.002),
    "exponent of K": ({"part": "grid"}, "measure", lambda row: row["K"] ** 0.002),
    "leading constant": ({"part": "grid"}, "measure", lambda row: 1.002),
    "K T(K)/T(1)": ({}, "K T(K)/T(1)", lambda row: row["K"] ** 0.01),
    "outside the window": ({"part": "devices"}, "measure", lambda row: row["K"] ** -0.002),
    "bends": ({"part": "devices"}, "measure", lambda row: 0.5 if row["K"] > 2**30 else 1.0),
    "noise shared": ({"part": "shared"}, "measure", lambda row: row["K"] ** -0.4),
}


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(claim, id=id, marks=[] if id == "corollary-1" else [pytest.mark.nightly])
        for id, claim in CLAIMS.items()
    ],
)
def test_the_claim_holds_and_each_of_its_checks_can_fail(claim: Claim) -> None:
    rows = rows_from(claim, Budget(quick=True))
    checks = list(claim.checks(rows))
    assert {check.verdict for check in checks} == {"passes"}
    for name, (where, column, change) in WRONG.items():
        chosen = {id(row) for row in rows.where(**where)}
        altered = Rows(
            {**row, column: row[column] * change(row)} if id(row) in chosen and column in row else row
            for row in rows
        )
        failed = [check.name for check in claim.checks(altered) if check.verdict == "fails"]
        assert any(name in each for each in failed) == any(name in check.name for check in checks), name
    assert all(any(name in check.name for name in WRONG) for check in checks)


def test_a_logarithm_would_be_noticed() -> None:
    """A curve t^(-2/3) log t, as the average over t < T would have if Corollary 5's bound were sharp."""
    claim = CLAIMS["corollary-5"]
    curve = ({"corollary": "corollary-5", "t": t, "measure": t ** (-2 / 3) * math.log(t)} for t in page.LATE)
    rows = rows_from(claim, Budget(quick=True)) + Rows(curve)
    (check,) = (check for check in claim.checks(rows) if "factor log t" in check.name)
    assert check.verdict == "fails"
    assert check.measured == pytest.approx(-2 / 3 + 1 / math.log(2**28), abs=1e-3)
