"""The communication period p: rounds, invariance, drift, excess error, the largest p, bounds, rounds to eps, the front.

First the facts, each in a few lines with a twin that fails. Then every claim of `ratecert verify communication-period`
in its quick budget, with its expected verdict and with changed inputs that turn it around.
"""

import copy
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.linalg import solve_continuous_lyapunov

from ratecert.claim.claim import Budget, Claim
from ratecert.papers.federated_bilevel.claims import communication_alike as alike_claim
from ratecert.papers.federated_bilevel.claims import communication_bound as bound_claim
from ratecert.papers.federated_bilevel.claims import communication_drift as drift_claim
from ratecert.papers.federated_bilevel.claims import communication_fixed_T as fixed_T_claim
from ratecert.papers.federated_bilevel.claims import communication_invariance as invariance_claim
from ratecert.papers.federated_bilevel.claims import communication_period
from ratecert.papers.federated_bilevel.claims import communication_to_eps as to_eps_claim
from ratecert.papers.federated_bilevel.evidence.periods.best_step import best_step
from ratecert.papers.federated_bilevel.evidence.periods.communication import (
    L_tilde_of,
    exact,
    exponent,
    method_of,
)
from ratecert.papers.federated_bilevel.evidence.periods.largest_period import largest_period
from ratecert.papers.federated_bilevel.evidence.periods.period_orders import (
    Displacement,
    Order,
    harmless_period,
    printed_period,
)
from ratecert.papers.federated_bilevel.evidence.periods.two_kinds import (
    displacement,
    measure_at,
    own_field,
    two_kinds,
)
from ratecert.run.running import key, run_pieces
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
    runs = [exact(world, algorithm(**STEPS, **fields, p=p), K=8, T=10_000, away=1.0) for p in (1, 1024)]
    return abs(runs[1].measure / runs[0].measure - 1)


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
    world, solver = two_kinds(K=2, dial=0.3), LocalBSGM(**{**STEPS, "eta": 1e-7}, p=p)
    factor = (STEPS["rho_1"] * STEPS["alpha"] * 1e-14 * own_field(world, solver)[0]) ** 2
    states = np.arange(p, dtype=float)
    measured = stationary(world, solver, K=2).drift_x / factor
    assert measured == pytest.approx(np.mean((states * (states + 1) / 2) ** 2), rel=1e-3)
    assert p == 2 or measured != pytest.approx(p * (p**2 - 1) / 12, rel=0.1)


# The displacement of the limit where devices differ.

READINGS = {"LocalBSGM": 2, "LocalBSGVRM": 2, "LocalBSGVRM, averaged": 1, "LocalBSGVRM, fresh": 1}


def moved(method: str, p: int, **changed: Any) -> Any:
    rest = fixed_point(two_kinds(K=4, dial=0.3), method_of(method, {**STEPS, "eta": 1e-8, **changed}, p=p))
    return np.concatenate([rest.excess_x, rest.excess_y])


@pytest.mark.parametrize("method", READINGS)
def test_exponent_of_the_excess_in_p(method: str) -> None:
    """2, 2 and 1 in the displacement; squares have twice that. At p eta = 100 the law is over."""
    sizes = [np.linalg.norm(moved(method, p)) for p in (2048, 8192)]
    assert exponent([2048, 8192], sizes).value == pytest.approx(READINGS[method], abs=1e-3)
    squares = [size**2 for size in sizes]
    assert exponent([2048, 8192], squares).value == pytest.approx(2 * READINGS[method], abs=1e-3)
    if method == "LocalBSGM":
        late = [np.linalg.norm(moved(method, p, eta=0.05)) for p in (2048, 8192)]
        assert exponent([2048, 8192], late).value == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("method", READINGS)
@pytest.mark.parametrize("p", [2, 5])
def test_the_closed_form_on_two_kinds(method: str, p: int) -> None:
    world, solver = two_kinds(K=4, dial=0.3), method_of(method, {**STEPS, "eta": 1e-8}, p=p)
    np.testing.assert_allclose(displacement(world, solver, p), moved(method, p), rtol=1e-5)
    for wrong in (replace(solver, rho_1=0.2), replace(solver, eta=2e-8)):
        assert not np.allclose(displacement(world, wrong, p), moved(method, p), rtol=0.1, atol=0.0)


def test_two_kinds_have_no_bias_at_p_1_and_come_in_pairs() -> None:
    world = two_kinds(K=2, dial=0.3)
    np.testing.assert_array_equal(world.x_local, world.x_star)
    with pytest.raises(ValueError, match="K must be even, half of the devices of each kind, got 3"):
        two_kinds(K=3, dial=0.3)


def test_the_first_round_of_the_printed_algorithm_2_adds_its_share() -> None:
    """u_0, v_0 are the devices' own: the mean moves by p^2 eta^2/2 R dJ R F, and relaxes as exp(-eta R J t)."""
    noise, eta, p, T = 3e-4, 7.75e-4, 64, 2**30
    world = two_kinds(K=2, dial=0.3, s_f=noise, s_g=noise)
    solver = LocalBSGVRM(**{**STEPS, "eta": eta, "alpha": 0.5, "beta": 0.5}, B=600, p=p)
    L_tilde, B, R = L_tilde_of(world), float(world.B[0, 0]), np.diag([STEPS["rho_1"], STEPS["rho_2"]])
    J, dJ = np.array([[1.0, B], [-B, 1.0]]), world.dial * np.array([[0.0, 1.0], [-1.0, 0.0]])
    gradient, tracking = np.array([1 + B**2, 0.0]), np.array([-B, 1.0])
    M = np.outer(gradient, gradient) + L_tilde**2 * np.outer(tracking, tracking)
    X = solve_continuous_lyapunov((R @ J).T, M)
    start = (p * eta) ** 2 / 2 * R @ dJ @ R @ own_field(world, solver)
    first_round = float(start @ X @ start) / (eta * T)
    rise = np.diff([exact(world, replace(solver, p=q), K=2, T=T).measure for q in (1, p)])[0]
    limit = measure_at(world, displacement(world, solver, p), L_tilde)
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

    found = best_step(measure, eps, near=1.1e-3, eta_T=a / eps)
    assert (found.eta, found.T) == (
        pytest.approx(eps / (2 * b), rel=1e-2),
        pytest.approx(4 * a * b / eps**2, rel=1e-4),
    )
    assert abs(found.shift) < 0.6
    assert best_step(measure, eps, near=7e-4, eta_T=a / eps).shift > 1
    with pytest.raises(
        ArithmeticError, match=r"no T reaches eps = 0\.001 with eta = 0\.003\d+; look near a smaller"
    ):
        best_step(measure, eps, near=4e-3, eta_T=a / eps)


# The claims, in the quick budget, and what turns them around.

CLAIMS: dict[str, Claim] = {c.id.partition(".")[2]: c for c in communication_period.CLAIMS}


def quick(name: str) -> list[Any]:
    """The values of a claim's pieces, after it was found to hold."""
    pieces = CLAIMS[name].pieces(Budget(quick=True))
    outcomes = run_pieces(pieces)
    assert not [outcome.failure for outcome in outcomes.values() if outcome.failure]
    values = [outcomes[key(piece)].value for piece in pieces]
    judgement = CLAIMS[name].judge(values)
    assert judgement.verdict == CLAIMS[name].expected == "holds", judgement.decisive
    return values


def verdict(name: str, values: list[Any], change: Callable[[list[Any]], None] = lambda _: None) -> str:
    """After a change of a copy of the values."""
    values = copy.deepcopy(values)
    change(values)
    return CLAIMS[name].judge(values).verdict


def off_by_one(self: LocalMethod) -> tuple[Stage, ...]:
    return (Stage(self.carry, repeats=self.p + 1, averaged=self.averaged),)


def test_ids() -> None:
    assert all(claim.id.startswith("communication-period.") for claim in CLAIMS.values())
    assert len(CLAIMS) == len(communication_period.CLAIMS) == 10


def test_fixed_T(monkeypatch: pytest.MonkeyPatch) -> None:
    """A period that is off by one, no average at all, and an error that does not follow the law."""
    values = quick("fixed-T")
    short = next(i for i, v in enumerate(values) if "agree" in v and v["method"] == "LocalBSGM")
    long = next(i for i, v in enumerate(values) if v.get("devices") == "alike" and v["method"] == "LocalBSGM")
    for stages in (off_by_one, lambda self: (Stage(self.carry, self.p, averaged=()),)):
        with monkeypatch.context() as patch:
            patch.setattr(LocalMethod, "stages", property(stages))
            changed = fixed_T_claim.cadence("LocalBSGM")
            counted = fixed_T_claim.at_periods("LocalBSGM", "alike", [1, 7])
        assert verdict("fixed-T", values, lambda v, c=changed: v.__setitem__(short, c)) == "violated"
        assert verdict("fixed-T", values, lambda v, c=counted: v.__setitem__(long, c)) == "violated"
    differ = next(i for i, v in enumerate(values) if v.get("devices") == "differ")

    def cubic(v: list[Any]) -> None:
        base = v[differ]["measures"][0]
        v[differ]["measures"] = [
            base + added / p for p, added in zip(v[differ]["periods"], v[differ]["added"], strict=True)
        ]

    assert verdict("fixed-T", values, cubic) == "violated"


def test_invariance() -> None:
    """Hessian noise taken for additive noise, and contrasts without contrast."""
    values = quick("invariance")
    first = values[0]
    noisy = next(
        v for v in values if v["world"] == invariance_claim.HESSIAN and v["method"] == first["method"]
    )
    assert (
        verdict("invariance", values, lambda v: v.__setitem__(0, {**noisy, "world": first["world"]}))
        == "violated"
    )
    same = {**noisy, "measures": [1.0] * len(noisy["periods"])}
    assert verdict("invariance", values, lambda v: v.__setitem__(values.index(noisy), same)) == "violated"


def test_drift(monkeypatch: pytest.MonkeyPatch) -> None:
    """Devices that never meet, a drift with the exponent of Theorem 1, and a theorem with the exponent of the drift."""
    values = quick("drift")
    with monkeypatch.context() as patch:
        patch.setattr(LocalMethod, "averaged", ())
        never = drift_claim.drifts("alike", "LocalBSGM", "short", drift_claim.SHORT_ROUNDS)
    assert exponent(never["periods"], never["measured"]).value == pytest.approx(0.0, abs=1e-3)
    assert verdict("drift", values, lambda v: v.__setitem__(0, never)) == "violated"

    def fourth_power(v: list[Any]) -> None:
        v[0]["measured"] = [m * p / 1024 for p, m in zip(v[0]["periods"], v[0]["measured"], strict=True)]

    assert verdict("drift", values, fourth_power) == "violated"
    monkeypatch.setattr(drift_claim, "powers_of_p", lambda: {"theorem-1": {"drift": 3.0}})
    assert verdict("drift", values) == "violated"


def test_hessian_noise() -> None:
    values = quick("hessian-noise")

    def linear(v: list[Any]) -> None:
        v[1]["rises"] = [r / p for p, r in zip(v[1]["periods"], v[1]["rises"], strict=True)]

    def squared(v: list[Any]) -> None:
        v[0]["rises"] = [r**2 for r in v[0]["rises"]]

    assert verdict("hessian-noise", values, linear) == "violated"
    assert verdict("hessian-noise", values, squared) == "violated"


def test_excess() -> None:
    """One reading taken for another, and a factor that is off by 1 %."""
    values = quick("excess")
    printed, fresh = (next(v for v in values if v["method"] == f"LocalBSGVRM{r}") for r in ("", ", fresh"))
    swapped = {**fresh, "method": printed["method"]}
    assert verdict("excess", values, lambda v: v.__setitem__(values.index(printed), swapped)) == "violated"
    assert verdict("excess", values, lambda v: v[0].update(d=[1.01 * d for d in v[0]["d"]])) == "violated"


def test_largest_p() -> None:
    """With the exponent that Corollary 1 prints the claim would be violated."""
    values = quick("largest-p")
    ratio = float(values[1]["T"] / values[0]["T"])
    printed = values[0]["real"] * ratio ** float(printed_period("corollary-1").T)
    assert verdict("largest-p", values, lambda v: v[1].update(real=printed)) == "violated"
    assert verdict("largest-p", values, lambda v: v[0].update(error=0.1)) == "inconclusive"
    notes = " ".join(CLAIMS["largest-p"].judge(values).notes)
    assert [word in notes for word in ("too careful", "just right", "too generous")] == [True] * 3


def test_largest_p_of_devices_that_are_alike() -> None:
    values = quick("largest-p-alike")
    assert verdict("largest-p-alike", values, lambda v: v[0].update(rise=0.02)) == "violated"
    last = len(values) - 1
    assert (
        verdict("largest-p-alike", values, lambda v: v[last].update(real=v[last - 1]["real"])) == "violated"
    )
    assert alike_claim.L_hat() > 0


def test_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A p_half that is one too small, and the p of another corollary."""
    values = quick("bound")
    assert verdict("bound", values, lambda v: v[0].update(shares=[v[0]["shares"][1]] * 2)) == "violated"
    assert bound_claim.smallest({"noise": 1.0, "drift_p2_u": 1e-4, "drift_p4_u": 0.0}) == 100
    assert bound_claim.smallest({"noise": 1.0, "drift_p2_u": 0.0, "drift_p4_u": 1e-8}) == 100
    monkeypatch.setattr(bound_claim, "printed_period", lambda _: printed_period("corollary-3"))
    assert verdict("bound", values) == "violated"


def test_rounds_to_eps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A period that is off by one, and rounds that are iterations."""
    values = quick("rounds-to-eps")
    with monkeypatch.context() as patch:
        patch.setattr(LocalMethod, "stages", property(off_by_one))
        changed = to_eps_claim.rounds_to("LocalBSGM", 8, 4e-8)
    assert verdict("rounds-to-eps", values, lambda v: v.__setitem__(0, changed)) == "violated"
    assert verdict("rounds-to-eps", values, lambda v: v[0].update(rounds=v[0]["T"], p=1)) == "violated"


def test_front() -> None:
    """If T did not depend on p the front would not bend; if rounds grew with p it would not be one."""
    values = quick("front")
    assert verdict("front", values, lambda v: v[1].update(samples=v[0]["samples"])) == "violated"
    assert verdict("front", values, lambda v: v[1].update(rounds=2 * v[0]["rounds"])) == "violated"
    assert verdict("front", values, lambda v: v[1].update(shift=1.5)) == "violated"
