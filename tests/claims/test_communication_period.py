"""The communication period p: rounds, invariance, drift, excess error, the largest p, bounds, rounds to eps, the front.

First the facts, each in a few lines with a twin that fails. Then every claim of `ratecert verify communication-period`
in its quick budget, with its expected verdict and with changed inputs that turn it around.
"""

import copy
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.linalg import solve_continuous_lyapunov

from oracles.kept_pieces import values_of
from ratecert.claims.claim import Budget, Claim, Piece
from ratecert.claims.slope import fit_slope
from ratecert.errors import UndecidedError
from ratecert.papers.federated_bilevel import claims
from ratecert.papers.federated_bilevel.claims import communication_alike as alike_claim
from ratecert.papers.federated_bilevel.claims import communication_bound as bound_claim
from ratecert.papers.federated_bilevel.claims import communication_drift as drift_claim
from ratecert.papers.federated_bilevel.claims import communication_fixed_T as fixed_T_claim
from ratecert.papers.federated_bilevel.claims.communication_front import best_step
from ratecert.papers.federated_bilevel.evidence.periods.communication import method_of, run_near
from ratecert.papers.federated_bilevel.evidence.periods.largest_period import largest_period
from ratecert.papers.federated_bilevel.evidence.periods.period_orders import (
    Displacement,
    Order,
    harmless_period,
    printed_period,
)
from ratecert.papers.federated_bilevel.evidence.periods.two_group_world import (
    displacement,
    measure_at,
    own_field,
    two_group_world,
)
from ratecert.papers.federated_bilevel.evidence.runs import L_tilde
from ratecert.solvers import LocalBSGM, LocalBSGVRM, Stage, expect, fixed_point, stationary
from ratecert.solvers.methods.local_method import LocalMethod
from ratecert.synthetic import scalar

STEPS: dict[str, Any] = {
    "eta": 0.05, "alpha": 1.0, "beta": 1.0, "rho_1": 0.1, "rho_2": 0.3, "theta": 0.4, "Q": 40
}  # fmt: skip
NOISY: dict[str, Any] = {"mu": 1.0, "L_1": 2.0, "a": 0.5, "b": -0.2, "s_f": 0.5, "s_g": 0.5}
ALGORITHMS = pytest.mark.parametrize("algorithm", [LocalBSGM, LocalBSGVRM])


# Rounds.


@ALGORITHMS
@pytest.mark.parametrize("p", [1, 3, 7, 23, 24])
def test_an_average_after_every_p_iterations_and_no_other(algorithm: Any, p: int) -> None:
    """Devices agree right after it, and T iterations have floor(T/p) of them."""
    world, T = scalar(**NOISY), 23
    run = expect(world, algorithm(**STEPS, p=p), K=3, T=T, x0=[1.0], y0=[0.0], times=range(T + 1))
    agree = [t for t in range(1, T + 1) if run.curves.drift_x[t] == 0]
    assert agree == [t for t in range(1, T + 1) if t % p == 0]
    assert run.counts.rounds == len(agree) == T // p


# Invariance.


def relative_change(world: Any, algorithm: Any, **fields: Any) -> float:
    """Of the measure, from p = 1 to p = 1024."""
    solvers = [algorithm(**STEPS, **fields, p=p) for p in (1, 1024)]
    runs = [run_near(world, solver, K=8, T=10_000, start_offset=1.0)["measure"] for solver in solvers]
    return abs(runs[1] / runs[0] - 1)


@ALGORITHMS
def test_p_plays_no_part_with_additive_noise_and_does_with_hessian_noise(algorithm: Any) -> None:
    assert relative_change(scalar(**NOISY), algorithm) < 1e-12
    assert relative_change(scalar(**NOISY, sigma_H=0.2), algorithm) > 1e-6
    assert relative_change(scalar(**NOISY, sigma_J=0.2), algorithm) > 1e-6


# The drift within a round.


@pytest.mark.parametrize("p", [2, 3, 1024])
def test_devices_that_are_alike_drift_as_the_cube_of_p(p: int) -> None:
    """(1 - 1/K) rho_2^2 beta^2 eta^4 s_g^2 p(p^2 - 1)/12: a random walk of momenta, summed up once more."""
    eta, K = 1e-7, 4
    limit = stationary(scalar(**NOISY), LocalBSGM(**{**STEPS, "eta": eta}, p=p), K=K)
    factor = (1 - 1 / K) * STEPS["rho_2"] ** 2 * STEPS["beta"] ** 2 * eta**4 * NOISY["s_g"] ** 2
    assert limit.drift_y / factor == pytest.approx(p * (p**2 - 1) / 12, rel=1e-3)
    assert limit.drift_y / factor != pytest.approx((p**2 - 1) ** 2 / 20, rel=0.1)


@pytest.mark.parametrize("p", [2, 3, 1024])
def test_devices_that_differ_drift_as_its_fourth_power(p: int) -> None:
    """rho_1^2 alpha^2 eta^4 F^2 times the mean of (j (j + 1)/2)^2 over j < p: a constant pull, summed up twice."""
    world, solver = two_group_world(K=2, dial=0.3), LocalBSGM(**{**STEPS, "eta": 1e-7}, p=p)
    factor = (STEPS["rho_1"] * STEPS["alpha"] * 1e-14 * own_field(world, solver)[0]) ** 2
    states = np.arange(p, dtype=float)
    measured = stationary(world, solver, K=2).drift_x / factor
    assert measured == pytest.approx(np.mean((states * (states + 1) / 2) ** 2), rel=1e-3)
    assert p == 2 or measured != pytest.approx(p * (p**2 - 1) / 12, rel=0.1)


# The displacement of the limit where devices differ.

VARIANTS = {"LocalBSGM": 2, "LocalBSGVRM": 2, "LocalBSGVRM, averaged": 1, "LocalBSGVRM, fresh": 1}


def moved(method: str, p: int, **changed: Any) -> Any:
    rest = fixed_point(
        two_group_world(K=4, dial=0.3), method_of(method, {**STEPS, "eta": 1e-8, **changed}, p=p)
    )
    return np.concatenate([rest.excess_x, rest.excess_y])


@pytest.mark.parametrize("method", VARIANTS)
def test_exponent_of_the_excess_in_p(method: str) -> None:
    """2, 2 and 1 in the displacement; squares have twice that. At p eta = 100 the law is over."""
    sizes = np.array([np.linalg.norm(moved(method, p)) for p in (2048, 8192)])
    assert fit_slope([2048, 8192], sizes).value == pytest.approx(VARIANTS[method], abs=1e-3)
    assert fit_slope([2048, 8192], sizes**2).value == pytest.approx(2 * VARIANTS[method], abs=1e-3)
    if method == "LocalBSGM":
        late = [np.linalg.norm(moved(method, p, eta=0.05)) for p in (2048, 8192)]
        assert fit_slope([2048, 8192], late).value == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("method", VARIANTS)
@pytest.mark.parametrize("p", [2, 5])
def test_the_closed_form_on_the_two_group_world(method: str, p: int) -> None:
    world, solver = two_group_world(K=4, dial=0.3), method_of(method, {**STEPS, "eta": 1e-8}, p=p)
    np.testing.assert_allclose(displacement(world, solver, p), moved(method, p), rtol=1e-5)
    for wrong in (replace(solver, rho_1=0.2), replace(solver, eta=2e-8)):
        assert not np.allclose(displacement(world, wrong, p), moved(method, p), rtol=0.1, atol=0.0)


def test_two_groups_have_no_bias_at_p_1_and_come_in_pairs() -> None:
    world = two_group_world(K=2, dial=0.3)
    np.testing.assert_array_equal(world.x_local, world.x_star)
    with pytest.raises(ValueError, match="K must be even, half of the devices of each kind, got 3"):
        two_group_world(K=3, dial=0.3)


def test_the_first_round_of_the_printed_algorithm_2_adds_its_share() -> None:
    """u_0, v_0 are the devices' own: the mean moves by p^2 eta^2/2 R dJ R F, and relaxes as exp(-eta R J t)."""
    noise, eta, p, T = 3e-4, 7.75e-4, 64, 2**30
    world = two_group_world(K=2, dial=0.3, s_f=noise, s_g=noise)
    solver = LocalBSGVRM(**{**STEPS, "eta": eta, "alpha": 0.5, "beta": 0.5}, B=600, p=p)
    B, R = float(world.B[0, 0]), np.diag([STEPS["rho_1"], STEPS["rho_2"]])
    J, dJ = np.array([[1.0, B], [-B, 1.0]]), world.dial * np.array([[0.0, 1.0], [-1.0, 0.0]])
    gradient, tracking = np.array([1 + B**2, 0.0]), np.array([-B, 1.0])
    M = np.outer(gradient, gradient) + L_tilde(world) ** 2 * np.outer(tracking, tracking)
    X = solve_continuous_lyapunov((R @ J).T, M)
    start = (p * eta) ** 2 / 2 * R @ dJ @ R @ own_field(world, solver)
    first_round = float(start @ X @ start) / (eta * T)
    rise = np.diff([run_near(world, replace(solver, p=q), K=2, T=T)["measure"] for q in (1, p)])[0]
    limit = measure_at(world, displacement(world, solver, p))
    assert rise - limit == pytest.approx(first_round, rel=1e-2)
    assert first_round > 10 * limit


# Orders of p, and the two searches.


def test_orders_of_p() -> None:
    """Printed, and left by a displacement p^i eta^j alpha^l whose square must stay below the measure."""
    assert printed_period("corollary-1") == Order(Fraction(1, 4), Fraction(-3, 4))
    assert printed_period("corollary-3") == Order(Fraction(1, 3), Fraction(-2, 3))
    assert harmless_period("corollary-1", Displacement(2, 2, 1)) == Order(Fraction(3, 8), Fraction(-5, 8))
    assert harmless_period("corollary-3", Displacement(2, 3, 1)) == printed_period("corollary-3")
    assert harmless_period("corollary-3", Displacement(1, 1, 0)) == Order(Fraction(0), Fraction(-1))


@pytest.mark.parametrize("near", [2, 470, 10**6])
@pytest.mark.parametrize("edge", [1.5, 470.33, 1e5 + 0.5])
def test_the_largest_period_is_found_from_anywhere(edge: float, near: int) -> None:
    found = largest_period(lambda p: 0.01 * ((p**2 - 1) / (edge**2 - 1)) ** 2, 0.01, near=near, power=4)
    assert found.p == math.floor(edge)
    assert found.real == pytest.approx(edge, rel=1e-2) or found.p == 1


def test_a_rise_that_never_comes_has_no_largest_period() -> None:
    with pytest.raises(ArithmeticError, match="no largest period within 16 runs"):
        largest_period(lambda p: 0.0, 0.01, near=8, power=4)


def test_the_best_step_and_its_T() -> None:
    """a/(eta T) + b eta = eps has its smallest T, 4ab/eps^2, at eta = eps/(2b)."""
    a, b, eps = 3.0, 0.5, 1e-3

    def measure(eta: float, T: int) -> float:
        return a / (eta * T) + b * eta

    eta, T, shift = best_step(measure, eps, near=1.1e-3, eta_T=a / eps)
    assert eta == pytest.approx(eps / (2 * b), rel=1e-2)
    assert pytest.approx(4 * a * b / eps**2, rel=1e-4) == T
    assert abs(shift) < 0.6
    assert best_step(measure, eps, near=7e-4, eta_T=a / eps)[2] > 1
    with pytest.raises(UndecidedError, match="the measure does not fall with T"):
        best_step(measure, eps, near=4e-3, eta_T=a / eps)


# The claims, in the quick budget, and what turns them around. That every number they read matters is in test_twins.py.

FAMILY = "communication-period."
CLAIMS: dict[str, Claim] = {
    claim.id.removeprefix(FAMILY): claim for claim in claims.CLAIMS if claim.id.startswith(FAMILY)
}


@cache
def quick(name: str) -> tuple[list[Piece], list[Any]]:
    """The pieces of a claim and their values."""
    pieces = list(CLAIMS[name].pieces(Budget(quick=True)))
    return pieces, values_of(pieces)


def verdict(name: str, changed: Callable[[Piece, list[Any]], list[Any]]) -> str:
    """Of the claim, with other rows for some of its pieces."""
    pieces, values = quick(name)
    other = [changed(piece, copy.deepcopy(value)) for piece, value in zip(pieces, values, strict=True)]
    return CLAIMS[name].judged(pieces, other).verdict


def again(piece: Piece, **arguments: Any) -> list[Any]:
    """The rows of a piece that is computed once more, with some arguments replaced."""
    rows: list[Any] = piece.function(**{**piece.arguments, **arguments})
    return rows


def off_by_one(self: LocalMethod) -> tuple[Stage, ...]:
    return (Stage(self.carry, repeats=self.p + 1, averaged=self.averaged),)


def never(self: LocalMethod) -> tuple[Stage, ...]:
    return (Stage(self.carry, repeats=self.p, averaged=()),)


@pytest.mark.parametrize("name", CLAIMS)
def test_the_quick_budget_confirms_the_claim(name: str) -> None:
    judgement = CLAIMS[name].judged(*quick(name))
    assert judgement.verdict == CLAIMS[name].expected == "not refuted", judgement.decisive


def test_ids() -> None:
    assert len(CLAIMS) == 11


@pytest.mark.parametrize("stages", [off_by_one, never])
@pytest.mark.parametrize("function", [fixed_T_claim.cadence, fixed_T_claim.at_periods])
def test_averages_at_other_times_are_seen_at_fixed_T(
    stages: Any, function: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By when devices agree, and by the rounds that are counted."""
    quick("fixed-T")
    monkeypatch.setattr(LocalMethod, "stages", property(stages))

    def wrong(piece: Piece, rows: list[Any]) -> list[Any]:
        one = piece.arguments["method"] == "LocalBSGM" and piece.arguments.get("devices") != "differ"
        return again(piece) if one and piece.function is function else rows

    assert verdict("fixed-T", wrong) == "refuted"


def test_hessian_noise_taken_for_additive_noise_is_seen() -> None:
    """And a contrast without contrast."""
    pieces, values = quick("invariance")
    noisy = values[[piece.arguments["world"] for piece in pieces].index("Hessian noise")]
    assert verdict("invariance", lambda p, rows: noisy if p is pieces[0] else rows) == "refuted"

    def same(piece: Piece, rows: list[Any]) -> list[Any]:
        return (
            [{**row, "measure": 1.0} for row in rows] if piece.arguments["world"] == "Hessian noise" else rows
        )

    assert verdict("invariance", same) == "refuted"


def test_devices_that_never_meet_and_a_theorem_with_the_exponent_of_the_drift(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = quick("drift")[0][0]
    with monkeypatch.context() as patch:
        patch.setattr(LocalMethod, "averaged", ())
        apart = again(first)
    assert fit_slope(drift_claim.SHORT_ROUNDS, [row["drift_x"] for row in apart]).value == pytest.approx(
        0.0, abs=1e-3
    )
    assert verdict("drift", lambda piece, rows: apart if piece is first else rows) == "refuted"
    monkeypatch.setattr(drift_claim, "powers_of_p", lambda: {"theorem-1": {"drift": 3.0}})
    assert verdict("drift", lambda _, rows: rows) == "refuted"


def test_one_variant_taken_for_another_is_seen_in_the_excess() -> None:
    def swapped(piece: Piece, rows: list[Any]) -> list[Any]:
        printed = piece.arguments["method"] == "LocalBSGVRM"
        return again(piece, method="LocalBSGVRM, fresh") if printed else rows

    assert verdict("excess", swapped) == "refuted"


def test_the_jump_of_hessian_noise_is_that_of_the_printed_variant() -> None:
    def fresh(piece: Piece, rows: list[Any]) -> list[Any]:
        printed = piece.arguments["method"] == "LocalBSGVRM"
        return again(piece, method="LocalBSGVRM, fresh") if printed else rows

    assert verdict("hessian-noise", fresh) == "refuted"


def test_the_printed_exponent_of_corollary_1_is_not_that_of_the_largest_p() -> None:
    pieces, values = quick("largest-p")
    first, second = values[0][0], values[1][0]
    printed = first["real"] * (second["T"] / first["T"]) ** float(printed_period("corollary-1").T)

    def along_the_print(piece: Piece, rows: list[Any]) -> list[Any]:
        return [{**rows[0], "real": printed}] if piece is pieces[1] else rows

    def imprecise(_: Piece, rows: list[Any]) -> list[Any]:
        return [{**row, "precision": 0.1} for row in rows]

    assert verdict("largest-p", along_the_print) == "refuted"
    assert verdict("largest-p", imprecise) == "undecided"
    notes = " ".join(CLAIMS["largest-p"].judged(pieces, values).notes)
    assert all(word in notes for word in ("too careful", "just right", "too generous"))


@pytest.mark.parametrize("wrong", [{"rise": 0.02}, {"real": 1e4}])
def test_a_rise_of_2_percent_in_one_round_and_a_p_that_does_not_grow(wrong: dict[str, float]) -> None:
    def changed(_: Piece, rows: list[Any]) -> list[Any]:
        return [{**row, **{name: wrong[name] for name in wrong if name in row}} for row in rows]

    assert verdict("largest-p-alike", changed) == "refuted"
    assert alike_claim.L_hat() > 0


def test_p_half_is_the_next_whole_number_and_not_of_the_order_of_another_corollary(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert (
        bound_claim.smallest(**bound_claim.split({"noise": 1.0, "drift_p2_u": 1e-4, "drift_p4_u": 0.0}))
        == 100
    )
    assert (
        bound_claim.smallest(**bound_claim.split({"noise": 1.0, "drift_p2_u": 0.0, "drift_p4_u": 1e-8}))
        == 100
    )

    def too_small(_: Piece, rows: list[Any]) -> list[Any]:
        return [{**row, "share": rows[-1]["share"]} for row in rows]

    assert verdict("bound", too_small) == "refuted"
    monkeypatch.setattr(bound_claim, "printed_period", lambda _: printed_period("corollary-3"))
    assert verdict("bound", lambda _, rows: rows) == "refuted"


def test_a_period_off_by_one_and_rounds_that_are_iterations_are_seen_in_rounds_to_eps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = quick("rounds-to-eps")[0][0]

    def iterations(piece: Piece, rows: list[Any]) -> list[Any]:
        return [{**row, "rounds": row["T"], "p": 1} for row in rows] if piece is first else rows

    assert verdict("rounds-to-eps", iterations) == "refuted"
    with monkeypatch.context() as patch:
        patch.setattr(LocalMethod, "stages", property(off_by_one))
        changed = again(first)
    assert verdict("rounds-to-eps", lambda piece, rows: changed if piece is first else rows) == "refuted"


@pytest.mark.parametrize("column", ["samples", "rounds", "shift"])
def test_a_front_that_does_not_bend_or_is_none_or_was_searched_in_the_wrong_place(column: str) -> None:
    pieces, values = quick("front")
    (once, longer), first = pieces[:2], values[0][0]
    assert once.arguments["p"] < longer.arguments["p"]
    wrong = {"samples": first["samples"], "rounds": 2 * first["rounds"], "shift": 1.5}[column]
    assert (
        verdict("front", lambda p, rows: [{**rows[0], column: wrong}] if p is longer else rows) == "refuted"
    )
