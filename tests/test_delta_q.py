"""The bias of the truncated Neumann sum against Q: its decay, its bound Delta_Q, its floor, and the Q it asks for."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from oracles.stored_tasks import rows_from
from ratecert.claims import Budget
from ratecert.claims.claim import build, rows_of
from ratecert.papers.federated_bilevel.claims import delta_q as page
from ratecert.solvers import LocalBSGM, StochasticNeumann, neumann_hypergradient, stationary
from ratecert.synthetic import Quadratic

CLAIMS = {claim.id: claim for claim in page.CLAIMS}
QUICK = Budget(quick=True)


def failed(id: str) -> list[str]:
    """The checks that fail, computed anew because something has been changed."""
    tasks = CLAIMS[id].tasks(QUICK)
    rows = rows_of(tasks, [task.function(**task.arguments) for task in tasks])
    return [check.name for check in CLAIMS[id].checks(rows) if check.verdict == "fails"]


@pytest.mark.by_night("delta-q.terms")
@pytest.mark.parametrize("id", CLAIMS)
def test_the_claims_hold_and_the_unit_1_does_not(id: str) -> None:
    wrong = [c.name for c in CLAIMS[id].checks(rows_from(CLAIMS[id], QUICK)) if c.verdict != "passes"]
    lost = [f"exponent in KT, Q = 1 log sqrt(KT), theta mu = {theta}" for theta in (0.1, 0.2)]
    assert wrong == (lost if id == "delta-q.unit-1" else [])


def test_the_bias_of_numbers_in_fractions() -> None:
    """A = 3/2, B = 5/2, D = 2, y - b = 3, theta = 1/4: B/A (1 - 3/8)^{Q+1} 6, with no rounding at all."""
    world, at = Quadratic(A=1.5, B=2.5, P=1.0, D=2.0, b=1.0), (np.array([0.0]), np.array([4.0]))
    A, B, w, step = Fraction(3, 2), Fraction(5, 2), Fraction(6), Fraction(1, 4)
    own, closed = page.own_sum_biases(world, at, 0.25), page.closed_form(world, at, 0.25)
    for Q in range(1, 21):
        exact = B * (step * sum((1 - step * A) ** q for q in range(Q + 1)) - 1 / A) * w
        assert exact == -B / A * Fraction(5, 8) ** (Q + 1) * w
        assert own[Q - 1] == pytest.approx(float(-exact), rel=1e-15)
        assert closed[Q - 1] == pytest.approx(float(-exact), rel=1e-14)
    with pytest.raises(ValueError, match=r"I - theta A must be exact in doubles, got theta = 0\.1"):
        page.own_sum_biases(world, at, 0.1)


@pytest.mark.parametrize("name", page.ELSEWHERE)
def test_the_closed_form_is_the_algorithms_own_bias(name: str) -> None:
    world, theta = build(page.ELSEWHERE[name]), 0.2
    at = world.a + 0.3, world.b - 0.5
    grad_x_f, H, J, w = page.means_at(world, *at)
    tilde, closed = grad_x_f - J @ np.linalg.solve(H, w), page.closed_form(world, at, theta)
    for Q in (1, 5, 20):
        off = float(np.linalg.norm(neumann_hypergradient(world, *at, theta=theta, Q=Q) - tilde))
        assert off == pytest.approx(closed[Q - 1], abs=1e-14 * float(np.linalg.norm(tilde)))
        assert off != pytest.approx(closed[Q], rel=1e-2)


WRONG: dict[str, Callable[..., float]] = {  # Delta_Q over the right one
    "one power less": lambda mu, L_0, L_1, theta, Q: 1 / (1 - theta * mu),
    "one power more": lambda mu, L_0, L_1, theta, Q: 1 - theta * mu,
    "another factor": lambda mu, L_0, L_1, theta, Q: ((1 - theta * L_1) / (1 - theta * mu)) ** (Q + 1),
    "without L_1/mu": lambda mu, L_0, L_1, theta, Q: mu / L_1,
    "without L_0": lambda mu, L_0, L_1, theta, Q: 1 / L_0,
}


@pytest.mark.parametrize("wrong", WRONG)
def test_another_Delta_Q_is_seen(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One power less is still a bound; it is no longer attained."""
    right = page.Delta_Q

    def other(world: Any, radius: float, reading: str, theta: float, Q: int) -> float:
        constants = world.constants(radius=radius, reading=reading)
        known = {name: constants[name] for name in ("mu", "L_0", "L_1")}
        return right(world, radius, reading, theta, Q) * WRONG[wrong](**known, theta=theta, Q=Q)

    monkeypatch.setattr(page, "Delta_Q", other)
    seen = failed("delta-q")
    assert "bias/Delta_Q, block, aligned, theta mu = 0.375" in seen
    assert any("joint" in name for name in seen) == (wrong != "one power less")


def test_the_floor_of_numbers_by_hand() -> None:
    """A = B = D = 1, P = 2, b = 1, theta = 1/2, Q = 1: y* = x, 0 = 2x + 3/4 (x - 1), so x = 3/11.

    grad Phi(3/11) = 6/11 - 8/11 = -2/11, of which nothing was used above.
    """
    floor, radius = page.at_rest(Quadratic(A=1.0, B=1.0, P=2.0, D=1.0, b=1.0), 0.5, 1)
    assert floor == pytest.approx(4 / 121, rel=1e-14)
    assert radius == pytest.approx(math.hypot(3, 8) / 11, rel=1e-14)


@pytest.mark.parametrize("eta", [1e-2, 1e-6])
def test_no_step_lowers_the_floor_and_every_term_does_by_the_square_of_the_factor(eta: float) -> None:
    world, steps = build(page.RANDOM), {**page.STEPS, "eta": eta, "beta": 2.0, "rho_1": 0.02, "p": 3}
    floor = {Q: page.at_rest(world, 0.2, Q)[0] for Q in (6, 50, 60)}
    assert stationary(world, LocalBSGM(**steps, Q=6), K=2).gradient == pytest.approx(floor[6], rel=1e-9)
    assert math.log(floor[60] / floor[50]) / (10 * math.log(0.8)) == pytest.approx(2.0, abs=1e-4)
    for Q, value in floor.items():
        bound = page.bias_term(world, 4.0, Q)
        assert bound == pytest.approx(4 * page.Delta_Q(world, 4.0, "joint", 0.2, Q) ** 2, rel=1e-12)
        assert 1e-6 < value / bound < 1


def test_a_smaller_term_in_the_theorem_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Delta_Q^3 instead of 4 Delta_Q^2: fine at Q = 1, too small at Q = 60."""
    right = page.bias_term
    monkeypatch.setattr(page, "bias_term", lambda *at: right(*at) ** 1.5)
    assert failed("delta-q.floor") == [f"floor over 4 Delta_Q^2, {name}" for name in page.FLOORS]


@pytest.mark.parametrize(("factor", "terms"), [(1.0, -1), (0.9, 0)], ids=["a term too few", "another theta"])
def test_an_algorithm_with_another_sum_is_seen(
    factor: float, terms: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A term too few is not seen by the exponent: all floors are too large by the same factor."""

    class Wrong(LocalBSGM):
        @property
        def hypergradient(self) -> StochasticNeumann:
            return StochasticNeumann(theta=self.theta * factor, Q=self.Q + terms)

    monkeypatch.setattr(page, "LocalBSGM", Wrong)
    seen = failed("delta-q.floor")
    assert "largest gap between the measure and the closed form, scalar" in seen
    assert ("exponent of 1 - theta mu, per term, scalar" in seen) == (factor != 1)


def test_the_terms_that_are_needed() -> None:
    """16 times the T takes log(16)/(4 log(1/0.8)) terms more; at Q terms the floor is 1 % of the noise, no sooner."""
    (first,), (last,) = (page.needed(0.2, K=1, T=T) for T in (2**52, 2**56))
    more = math.log(16) / (4 * math.log(1 / 0.8))
    assert last["crossing"] - first["crossing"] == pytest.approx(more, rel=1e-4)
    assert first["Q"] - 1 < first["crossing"] <= first["Q"]


@pytest.mark.parametrize(
    ("theta", "unit", "exponent"), [(0.1, 1.0, math.log(0.9)), (0.1, 6.0, -0.5), (0.45, 1.0, -0.5)]
)
def test_the_exponent_follows_from_the_unit(theta: float, unit: float, exponent: float) -> None:
    """-1/2 from unit = 1/(2 log(1/(1 - theta mu))) on, 4.75 at 0.1 and 0.84 at 0.45."""
    rows = page.with_unit(theta, unit, [math.floor(unit * value) for value in (19, 21)])
    (less, KT), (more, KT_more) = ((row["measure"], row["KT"]) for row in rows)
    assert math.log(more / less) / math.log(KT_more / KT) == pytest.approx(exponent, abs=1e-3)
