"""Linear speedup: along Corollaries 1 and 3 K devices are worth K times as many iterations, and the test can fail.

    Corollary 1   p ~ T^{1/4}/K^{3/4}, eta ~ K^{1/2}/T^{1/2}                                   measure ~ (KT)^{-1/2}
    Corollary 3   alpha, beta ~ 1/K, eta ~ K^{2/3}/T^{1/3}, B and p ~ T^{1/3}/K^{2/3}          measure ~ (KT)^{-2/3}

The measure is gradient + L_tilde^2 tracking, by exact moments. A local slope is log(f(s c)/f(s/c))/(2 log c), signed.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from oracles.kept_pieces import rows_from
from ratecert.claim.claim import Budget, Claim
from ratecert.claim.rows import Row, Rows
from ratecert.cli.verify import judged
from ratecert.errors import UndecidedError
from ratecert.papers.federated_bilevel import scalings
from ratecert.papers.federated_bilevel.claims import corollaries_measured, linear_speedup
from ratecert.papers.federated_bilevel.claims.corollaries_measured import CROSSES
from ratecert.papers.federated_bilevel.claims.linear_speedup import CASES, exponents
from ratecert.papers.federated_bilevel.evidence.experiment import Experiment
from ratecert.papers.federated_bilevel.evidence.speedup.computations import run_with_largest_step, times
from ratecert.papers.federated_bilevel.evidence.speedup.exact_constants import exact_orders
from ratecert.papers.federated_bilevel.evidence.speedup.settings import (
    PLANE,
    SCALAR,
    UNITS,
    WORLDS,
    experiment,
)
from ratecert.papers.federated_bilevel.evidence.speedup.small_steps import (
    leading_constant,
    leading_parts,
    many_devices,
    neumann_square,
)
from ratecert.solvers import expect
from ratecert.synthetic import scalar

RATES = {"corollary-1": 1 / 2, "corollary-3": 2 / 3}
LONG = 2**40

by_rate = pytest.mark.parametrize(("corollary", "rate"), RATES.items(), ids=RATES)
by_world = pytest.mark.parametrize("world", [SCALAR, PLANE], ids=["1x1", "2x2"])


def measure(here: Experiment, K: int, T: int, *, shared_noise: bool = False, **instead: Any) -> float:
    return float(here.row(here.run(K=K, T=T, **instead), shared_noise=shared_noise)["measure"])


def local_slope(function: Callable[[int], float], at: int, factor: int) -> float:
    """d log f / d log s, by the central difference over [at/factor, at * factor]."""
    return math.log(function(at * factor) / function(at // factor)) / (2 * math.log(factor))


def slope_in_T(here: Experiment, K: int, **instead: Any) -> float:
    """By factors of 8, at which cube roots and, but for one rounding, fourth roots stay what they are."""
    return local_slope(lambda T: measure(here, K, T, **instead), LONG, 8)


def slope_in_K(here: Experiment, K: int = 256, T: int = LONG, **instead: Any) -> float:
    return local_slope(lambda k: measure(here, k, T, **instead), K, 4)


# (a) The exponents in T and in K, and both in one fit.


@pytest.mark.parametrize("K", [1, 8, 512])
@by_world
@by_rate
def test_exponent_in_T(corollary: str, rate: float, world: str, K: int) -> None:
    assert slope_in_T(experiment(corollary, world), K) == pytest.approx(-rate, abs=1e-3)


@by_world
@by_rate
def test_exponent_in_K_is_that_in_T(corollary: str, rate: float, world: str) -> None:
    T = 2**48
    assert T >= 1024**3
    assert slope_in_K(experiment(corollary, world), T=T) == pytest.approx(-rate, abs=1e-3)


@by_rate
def test_joint_fit(corollary: str, rate: float) -> None:
    """log measure = c + a log K + b log T over a grid inside the window, by the normal equations."""
    here = experiment(corollary)
    points = [(K, T) for K in (1, 16, 256) for T in (2**42, 2**48, 2**54)]
    logs = np.log([measure(here, K, T) for K, T in points])
    design = np.column_stack([np.ones(len(points)), np.log(points)])
    _, a, b = np.linalg.solve(design.T @ design, design.T @ logs)
    assert (a, b) == pytest.approx((-rate, -rate), abs=1e-3)


VARIANTS: list[tuple[str, dict[str, str]]] = [
    *(("corollary-1", {"momenta": m}) for m in ("carry", "fresh")),
    *(("corollary-3", {"momenta": "carry", "previous": p}) for p in ("local", "averaged")),
    ("corollary-3", {"momenta": "fresh"}),
]


@pytest.mark.parametrize(
    ("corollary", "variant"), VARIANTS, ids=["-".join([c, *v.values()]) for c, v in VARIANTS]
)
def test_every_variant_has_the_exponent(corollary: str, variant: dict[str, str]) -> None:
    assert slope_in_T(experiment(corollary), 8, **variant) == pytest.approx(-RATES[corollary], abs=1e-3)


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


def constant(here: Experiment, K: float, *, shared_noise: bool = False) -> float:
    return leading_constant(leading_parts(here), K, shared_noise=shared_noise)


@pytest.mark.parametrize("K", [1, 64])
@pytest.mark.parametrize(
    ("corollary", "units"), [(c, units) for c, some in OTHER_UNITS.items() for units in some]
)
def test_leading_constant_has_a_closed_form(corollary: str, units: Any, K: int) -> None:
    here, T = replace(experiment(corollary), units=units), 2**60
    found = measure(here, K, T) * (K * T) ** RATES[corollary]
    assert found == pytest.approx(constant(here, K), rel=1e-4)


LOUD = {
    "corollary-1": {"alpha": 1.0, "beta": 3.0, "eta": 1.0},
    "corollary-3": {"alpha": 0.1, "beta": 0.1, "eta": 2.0, "B": 4.0, "p": 0.02},
}


@by_rate
def test_every_part_of_the_constant_counts(corollary: str, rate: float) -> None:
    """Noise of every kind and a distant start, or a part of the closed form could be wrong and not be seen."""
    world, units = {**WORLDS[SCALAR], "sigma_H": 0.4, "sigma_J": 0.4}, {**UNITS[corollary], **LOUD[corollary]}
    here, T = Experiment(corollary=corollary, world=world, units=units, theta=0.45, x0=5.0), 2**60
    parts = leading_parts(here)
    found = measure(here, 1, T) * T**rate
    assert found == pytest.approx(leading_constant(parts, 1), rel=1e-4)
    for name in parts:
        rest = {other: value for other, value in parts.items() if other != name}
        assert abs(found / leading_constant(rest, 1) - 1) > 2e-3, name


@by_rate
def test_the_closed_form_is_the_exact_leading_order(corollary: str, rate: float) -> None:
    """Two ways that share nothing: flows in doubles with a Neumann sum without end, and fractions with one that ends.

    The fractions have a part of the order 1/B = 2^-16 of what LocalBSGVRM's first batch leaves. From y0 = 0.01, or with
    one part less, they differ.
    """
    (found,) = exact_orders(corollary, 1, "T", 2**48)
    parts, scaled = leading_parts(experiment(corollary)), found["leading"] * 2.0 ** (48 * rate)
    close = {"corollary-1": 1e-9, "corollary-3": 2.0**-16}[corollary]
    assert scaled == pytest.approx(leading_constant(parts, 1), rel=close)
    for name in parts:
        rest = {other: value for other, value in parts.items() if other != name}
        assert scaled != pytest.approx(leading_constant(rest, 1), rel=close), name
    elsewhere = replace(experiment(corollary), y0=0.01)
    assert scaled != pytest.approx(leading_constant(leading_parts(elsewhere), 1), rel=close)


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
    eps = CASES[corollary].eps[-1]
    for row in times(corollary, eps, [1, 32, 1024], shared_noise=False):
        assert row["T"] >= row["K"] ** 3
        reached = measure(experiment(corollary), row["K"], round(row["T"]))
        assert reached == pytest.approx(eps, rel=1e-5)
        assert row["K T(K)/T(1)"] == pytest.approx(1.0, abs=2e-3)


def test_one_device_pays_for_its_first_sample() -> None:
    """With alpha = 1 the first sample stays in the momenta for long; its noise is the one part that falls faster."""
    units = {**UNITS["corollary-1"], "alpha": 1.0, "beta": 1.0, "eta": 0.5}
    here, eps = replace(experiment("corollary-1"), units=units), 2.0**-20
    first = (constant(here, 1) / eps) ** 2
    one, many = (here.reach(eps, K=K, first=first / K, close=1e-6).corrected * K for K in (1, 256))
    assert many / one == pytest.approx((constant(here, 256) / constant(here, 1)) ** 2, rel=1e-4)
    assert many / one < 0.97


def test_a_measure_that_does_not_fall_has_no_time_to_reach_eps() -> None:
    here = replace(experiment("corollary-1"), units={**UNITS["corollary-1"], "Q": 0.01})
    with pytest.raises(UndecidedError):
        here.reach(2.0**-30, K=1, first=2.0**40, close=1e-6)


# (d) Outside the window.


def test_LocalBSGM_goes_on_to_speed_up_outside_its_window() -> None:
    here, T = experiment("corollary-1"), 2**56
    K = 2**24
    assert K > T ** (1 / 3)
    assert here.run(K=K, T=T).solver.p == 1
    assert slope_in_K(here, K, T) == pytest.approx(-1 / 2, abs=1e-3)


@by_rate
def test_where_the_speedup_ends(corollary: str, rate: float) -> None:
    """Very many devices have a measure over which K has no power, and which is known."""
    case, here = CASES[corollary], experiment(corollary)
    runs = [run_with_largest_step(here, K, case.T, case.largest_step) for K in case.K_saturated[1:]]
    rows = [here.row(run) for run in runs]
    assert rows[0]["measure"] == pytest.approx(rows[1]["measure"], rel=1e-3)
    limit = many_devices(here, case.largest_step)
    assert rows[1]["measure"] * case.T == pytest.approx(limit, rel=1e-4)


def test_LocalBSGVRM_stops_at_the_edge_of_its_window() -> None:
    case, here = CASES["corollary-3"], experiment("corollary-3")
    T, edge = 2**48, 2**24

    def at(K: int) -> float:
        return float(here.row(run_with_largest_step(here, K, T, case.largest_step))["measure"])

    assert local_slope(at, edge // 2**12, 2) == pytest.approx(-2 / 3, abs=5e-3)
    assert local_slope(at, edge * 2**6, 2) == pytest.approx(0.0, abs=5e-3)


# (e) Noise that devices share, and other ways to lose the speedup or the rate.


@by_world
@by_rate
def test_shared_noise_turns_the_speedup_around(corollary: str, rate: float, world: str) -> None:
    """Noise that does not average out grows with eta, which grows with K: more devices, a larger measure."""
    slope = slope_in_K(experiment(corollary, world), T=2**48, shared_noise=True)
    assert slope > 0.2
    assert slope == pytest.approx(1 - rate, abs=0.02)


@by_rate
def test_shared_noise_has_a_closed_form(corollary: str, rate: float) -> None:
    here, K, T = replace(experiment(corollary), units=OTHER_UNITS[corollary][0]), 64, 2**56
    found = measure(here, K, T, shared_noise=True) * (K * T) ** rate
    assert found == pytest.approx(constant(here, K, shared_noise=True), rel=1e-3)


@by_rate
def test_without_averages_no_device_speeds_up(corollary: str, rate: float) -> None:
    """The mean of devices that never meet is as good as ever where they are alike; the devices themselves are not."""
    here, T = experiment(corollary), LONG
    problem = scalar(**{name: value for name, value in WORLDS[SCALAR].items() if name != "world"})

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
    here, T = experiment(corollary), 2**56

    def at(K: int) -> float:
        eta = here.run(K=K, T=T).solver.step_size(0)
        return measure(here, K, T, eta=eta * K**0.25, p=1)

    lost = {"corollary-1": 0.25, "corollary-3": 0.5}[corollary]
    assert local_slope(at, 2**12, 4) == pytest.approx(-rate + lost, abs=0.05)


@by_world
def test_without_the_first_batch_corollary_3_loses_half_its_exponent(world: str) -> None:
    """With B = 1 the noise of u_0, v_0 stays for 1/(alpha eta^2) ~ T^{2/3} iterations: T^{-1/3} on average."""
    here = replace(experiment("corollary-3", world), units={**UNITS["corollary-3"], "eta": 0.5})
    assert slope_in_T(here, 8, B=1) == pytest.approx(-1 / 3, abs=5e-3)


@by_rate
def test_the_neumann_bias_ends_the_rate(corollary: str, rate: float) -> None:
    """With a fixed small Q the measure has a floor."""
    here = experiment(corollary)
    assert slope_in_T(here, 8, Q=80) == pytest.approx(-rate, abs=1e-3)
    assert abs(slope_in_T(here, 8, Q=2)) < 0.05


# The claims.

CLAIMS = (*linear_speedup.CLAIMS, *corollaries_measured.CLAIMS)


def quick_rows(claim: Claim) -> Rows:
    return rows_from(claim, Budget(quick=True))


def altered(rows: Rows, part: str, change: Callable[[Row], float], name: str = "measure") -> Rows:
    """The rows with one number multiplied in all rows of a part."""
    return Rows(
        {**row, name: row[name] * change(row)} if row["part"] == part and name in row else row for row in rows
    )


def violated(claim: Claim, rows: Rows) -> list[str]:
    return [check.name for check in claim.checks(rows) if check.verdict == "fails"]


def power_law(points: list[tuple[int, int]], **letters: float) -> Rows:
    """measure = 3 times powers of K and T."""
    where = [{"K": K, "T": T} for K, T in points]
    return Rows(
        {**at, "measure": 3.0 * math.prod(at[name] ** power for name, power in letters.items())}
        for at in where
    )


def test_the_joint_fit_is_that_of_the_normal_equations() -> None:
    """On a full grid, whose lines need not be parallel."""
    points = [(K, T) for K in (1, 2, 8) for T in (4, 16, 64, 1024)]
    law = power_law(points, K=-0.5, T=-0.5)
    rows = Rows({**row, "measure": row["measure"] * (1 + 0.1 * math.sin(i))} for i, row in enumerate(law))
    design = np.column_stack([np.ones(len(points)), np.log(points)])
    _, in_K, in_T = np.linalg.lstsq(design, np.log(rows.column("measure")))[0]
    found = {check.name: check for check in exponents("corollary-1", SCALAR, rows)}
    assert found[f"exponent of K, joint fit, {SCALAR}"].measured == pytest.approx(in_K, rel=1e-12)
    assert found[f"exponent of T, joint fit, {SCALAR}"].measured == pytest.approx(in_T, rel=1e-12)


def test_only_power_laws_have_certain_exponents() -> None:
    """3 (KT)^-1/2 + 0.1 is between the exponents -1/2 and 0, and the slopes between neighbours say so."""
    points = [(K, 4**i) for K in (1, 4, 16) for i in range(5)]
    law = power_law(points, K=-0.5, T=-0.5)
    for check in exponents("corollary-1", SCALAR, law):
        assert (check.measured, check.uncertainty) == pytest.approx((-0.5, 0.0), abs=1e-14)
    bent = Rows({**row, "measure": row["measure"] + 0.1} for row in law)
    for check in exponents("corollary-1", SCALAR, bent):
        assert -0.5 < check.measured < 0
        assert check.uncertainty > 0.02


WRONG: dict[str, tuple[str, str, Callable[[Row], float]]] = {  # check -> what is multiplied by what
    "exponent of T": ("grid", "measure", lambda row: row["T"] ** 0.002),
    "exponent of K": ("grid", "measure", lambda row: row["K"] ** 0.002),
    "leading constant": ("grid", "measure", lambda row: 1.002),
    "measure over bound": ("bounds", "bound", lambda row: row["measure"] / row["bound"] / 2),
    "K T(K)/T(1)": ("times", "K T(K)/T(1)", lambda row: row["K"] ** 0.01),
    "outside the window": ("devices", "measure", lambda row: row["K"] ** -0.002),
    "bends": ("devices", "measure", lambda row: 0.5 if row["K"] > 2**30 else 1.0),
    "noise shared": ("shared", "measure", lambda row: row["K"] ** -0.4),
    "power of eta above": ("exact", "power", lambda row: 2.0),
    "powers of eta among": ("exact", "powers", lambda row: 2.0),
    "that are c/K": ("exact", "free of K", lambda row: 0.5),
    "exact constant": ("exact", "per K", lambda row: 1.002),
    "floor that Q": ("exact", "floor", lambda row: 1e3),
}


@pytest.mark.parametrize("claim", linear_speedup.CLAIMS, ids=lambda claim: claim.id)
def test_each_check_of_linear_speedup_can_fail(claim: Claim) -> None:
    rows = quick_rows(claim)
    checks = list(claim.checks(rows))
    assert {check.verdict for check in checks} == {"passes"}
    assert all(check.uncertainty > 0 for check in checks if "exact" not in check.name)
    for name, (part, number, change) in WRONG.items():
        assert any(name in each for each in violated(claim, altered(rows, part, change, number))), name
    assert all(any(name in check.name for name in WRONG) for check in checks)


WRONG_ORDERS = [
    ("leading", 1.0001, "and its exact constant"),
    ("next", 0.4, "and its exact constant"),
    ("next", 1.02, "over the exact next order"),
    ("after", 0.1, "over the exact next order"),
]


@pytest.mark.parametrize("claim", corollaries_measured.CLAIMS, ids=lambda claim: claim.id)
def test_each_check_of_a_corollary_can_fail(claim: Claim, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, (corollary,) = quick_rows(claim), claim.of
    assert {check.verdict for check in claim.checks(rows)} == {"passes"}
    for letter in (CROSSES[corollary].name, "K"):
        tilted = altered(rows, "grid", lambda row, letter=letter: row[letter] ** -0.003)  # type: ignore[misc]
        assert any(name.startswith(f"exponent of {letter}") for name in violated(claim, tilted))
    if CROSSES[corollary].name == "eps":
        assert f"largest measure/eps, {SCALAR}" in violated(claim, altered(rows, "grid", lambda row: 5.0))
    for number, factor, name in WRONG_ORDERS if corollary in corollaries_measured.EXPANDED else ():
        wrong = altered(rows, "constant", lambda row, factor=factor: factor, number)  # type: ignore[misc]
        assert any(name in each for each in violated(claim, wrong)), number
    monkeypatch.setitem(CROSSES, corollary, replace(CROSSES[corollary], power=60))
    assert violated(claim, rows) == ["T/K^60, the smallest: inside the window"]


def test_a_logarithm_would_be_noticed() -> None:
    """A curve t^(-2/3) log t, as the average over t < T would have if Corollary 5's bound were sharp."""
    (claim,) = (claim for claim in corollaries_measured.CLAIMS if claim.id == "corollary-5.measured")
    curve = Rows(
        {"part": "curve", "K": 1, "t": t, "measure": t ** (-2 / 3) * math.log(t)}
        for t in corollaries_measured.DECAY["times"]
    )
    (check,) = (check for check in claim.checks(quick_rows(claim) + curve) if "factor log t" in check.name)
    assert check.verdict == "fails"
    assert check.measured == pytest.approx(-2 / 3 + 1 / math.log(2**28), abs=1e-3)


def test_shared_noise_in_the_runs_fails_the_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    independent = Experiment.row
    monkeypatch.setattr(Experiment, "row", lambda here, run: independent(here, run, shared_noise=True))
    (claim,) = (claim for claim in corollaries_measured.CLAIMS if claim.id == "corollary-1.measured")
    (entry,) = judged([claim], Budget(quick=True))
    verdicts = {check["name"]: check["verdict"] for check in entry["checks"]}
    assert verdicts[f"exponent of K, T = 2^48, {SCALAR}"] == "fails"


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
    assert entry["verdict"] == "refuted"
