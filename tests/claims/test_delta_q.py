"""The bias of the truncated Neumann sum against Q: its decay, its bound Delta_Q, its floor, and the Q it asks for.

    (a) the bias falls by 1 - theta mu per term          (d) the measure's floor follows Delta_Q^2
    (b) it is Delta_Q on aligned worlds, below elsewhere  (e) the Q at which the floor stops mattering
    (c) the stochastic sum is unbiased for the truncated one

Each is a claim of `ratecert verify`, run here as `--quick` does, and a test of its own. Each has twins, in which
something wrong takes the place of something right and the verdict turns.
"""

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from oracles.kept_pieces import KEPT, KeptPieces
from ratecert.claim.checks import slope
from ratecert.claim.claim import Budget, Claim
from ratecert.claim.rows import Rows
from ratecert.claim.worlds import build
from ratecert.cli.verify import judged
from ratecert.papers.federated_bilevel import scalings
from ratecert.papers.federated_bilevel.claims import (
    delta_q,
    delta_q_floor,
    delta_q_terms,
    delta_q_unbiased,
)
from ratecert.papers.federated_bilevel.claims.delta_q_terms import needed, rate, with_unit, world_of
from ratecert.papers.federated_bilevel.claims.delta_q_unbiased import THETA, WORLDS, mean_over_outcomes
from ratecert.papers.federated_bilevel.evidence.bias import bias_floor, neumann_bias
from ratecert.papers.federated_bilevel.evidence.bias.bias_floor import at_rest, bias_term
from ratecert.papers.federated_bilevel.evidence.bias.neumann_bias import Delta_Q, means_at, own_sum_biases
from ratecert.papers.federated_bilevel.statements import letters
from ratecert.registry import paper
from ratecert.solvers import LocalBSGM, StochasticNeumann, neumann_hypergradient, stationary
from ratecert.solvers.estimators.hypergradient import NeumannSample
from ratecert.synthetic import Quadratic, aligned, random_quadratic
from ratecert.synthetic.worlds.aligned import worst_point
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Corollary, Definition, Scaling, Statement, Theorem

CLAIMS: dict[str, Claim] = {
    claim.id: claim
    for module in (delta_q, delta_q_unbiased, delta_q_floor, delta_q_terms)
    for claim in module.CLAIMS
}
QUICK = Budget(quick=True)


def entry(id: str, store: KeptPieces | None = None) -> dict[str, Any]:
    (found,) = judged([CLAIMS[id]], QUICK, store=store)
    return found


def violated(found: dict[str, Any]) -> list[str]:
    return [check["name"] for check in found["checks"] if check["verdict"] == "fails"]


@pytest.mark.by_night("delta-q.terms")
@pytest.mark.parametrize("id", CLAIMS)
def test_the_claim_has_the_expected_verdict(id: str) -> None:
    found = entry(id, KEPT)
    assert found["verdict"] == found["expected"] == ("refuted" if id == "delta-q.unit-1" else "not refuted")
    assert found["reason"]
    assert found["figures"]


# (a) and (b): the bias.


def test_the_bias_of_numbers_in_fractions() -> None:
    """A = 3/2, B = 5/2, D = 2, y - b = 3, theta = 1/4: B/A (1 - 3/8)^{Q+1} 6, with no rounding at all."""
    world = Quadratic(A=1.5, B=2.5, P=1.0, D=2.0, b=1.0)
    A, B, w, step = Fraction(3, 2), Fraction(5, 2), Fraction(6), Fraction(1, 4)
    at = np.array([0.0]), np.array([4.0])
    own = own_sum_biases(world, *at, theta=0.25, terms=20)
    closed = means_at(world, *at).bias(theta=0.25, terms=20)[:, 0]
    for Q in range(1, 21):
        truncated = step * sum((1 - step * A) ** q for q in range(Q + 1))
        exact = B * (truncated - 1 / A) * w
        assert exact == -B / A * Fraction(5, 8) ** (Q + 1) * w
        assert own[Q - 1] == pytest.approx(float(-exact), rel=1e-15)
        assert closed[Q - 1] == pytest.approx(float(exact), rel=1e-14)


@pytest.mark.parametrize(("mu", "theta", "factor"), [(2.0, 3 / 16, 5 / 8), (1.0, 1 / 8, 7 / 8)])
def test_every_term_shrinks_the_bias_by_the_same_factor(mu: float, theta: float, factor: float) -> None:
    world = aligned(mu=mu, L_1=4.0)
    biases = own_sum_biases(world, *worst_point(world, 2.0), theta=theta, terms=60)
    assert max(abs(float(after / before) - factor) for before, after in pairwise(biases)) < 1e-15
    block, joint = (world.constants(radius=2.0, reading=r) for r in ("block", "joint"))
    for Q, bias in enumerate(biases, start=1):
        assert float(bias) == pytest.approx(Delta_Q(block, theta=theta, Q=Q), rel=1e-12)
        assert float(bias) < 0.9 * Delta_Q(joint, theta=theta, Q=Q)
        assert float(bias) > 1.1 * Delta_Q(block, theta=theta, Q=Q + 1)


def test_doubles_alone_would_not_know_the_bias_at_large_Q() -> None:
    """Why the claim runs the algorithm's own sum in 50 digits."""
    world = aligned(mu=2.0, L_1=4.0)
    at = worst_point(world, 2.0)
    there = means_at(world, *at).tilde
    in_doubles = np.linalg.norm(neumann_hypergradient(world, *at, theta=3 / 16, Q=60) - there)
    (exact,) = own_sum_biases(world, *at, theta=3 / 16, terms=60)[-1:]
    assert abs(in_doubles / float(exact) - 1) > 1e-5
    with pytest.raises(ValueError, match="I - theta A must be exact in doubles"):
        own_sum_biases(world, *at, theta=0.1, terms=1)


SHRINK, SCALE = 1 - letters.theta * letters.mu, letters.L_0 * letters.L_1 / letters.mu
WRONG = {
    "one power less": SHRINK**letters.Q * SCALE,
    "one power more": SHRINK ** (letters.Q + 2) * SCALE,
    "another factor": (1 - letters.theta * letters.L_1) ** (letters.Q + 1) * SCALE,
    "without L_1/mu": SHRINK ** (letters.Q + 1) * letters.L_0,
    "without L_0": SHRINK ** (letters.Q + 1) * letters.L_1 / letters.mu,
}


@pytest.mark.by_night("without")
@pytest.mark.parametrize("wrong", WRONG)
def test_another_Delta_Q_is_violated(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One power less is still a bound; it is no longer attained."""
    definition = replace(paper().the(Definition, "constant.Delta_Q"), right=WRONG[wrong])
    monkeypatch.setattr(neumann_bias, "paper", lambda: with_statement(definition))
    found = entry("delta-q")
    assert found["verdict"] == "refuted"
    assert "bias/Delta_Q, block, aligned, theta mu = 0.375" in violated(found)
    exceeded = [name for name in violated(found) if "joint" in name]
    assert bool(exceeded) == (wrong != "one power less")


def with_statement(statement: Statement) -> Paper:
    """The printed paper with this in the place of its namesake."""
    return replace(paper(), statements={**paper().statements, statement.id: statement})


class Short(StochasticNeumann):
    """A sum that leaves out a term."""

    def evaluate(self, problem: Any, sample: NeumannSample, *point: Any) -> Any:
        return super().evaluate(problem, replace(sample, factors=sample.factors[1:]), *point)


def test_a_sum_with_a_term_too_few_is_violated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neumann_bias, "StochasticNeumann", Short)
    assert "own sum against closed form, aligned, theta mu = 0.375" in violated(entry("delta-q"))


def test_theta_beyond_its_limits() -> None:
    """From 2/lambda_max on it is refused; between 1/L_1 and there Delta_Q is no bound."""
    world = random_quadratic(d_x=2, d_y=3, seed=1)
    largest, constants = world.curvature[1], world.constants(radius=1.0)
    eigenvector = np.linalg.eigh(world.A)[1][:, -1]
    y = world.b + np.linalg.solve(world.D, eigenvector) / np.linalg.norm(
        np.linalg.solve(world.D, eigenvector)
    )
    with pytest.raises(ValueError, match=r"theta must lie in \(0, 0.8\)"):
        neumann_hypergradient(world, world.a, y, theta=2 / largest, Q=1)
    for share, exceeded in ((0.9, False), (1.95, True)):
        theta = share / largest
        bias = np.linalg.norm(means_at(world, world.a, y).bias(theta=theta, terms=60)[-1])
        assert (bias > Delta_Q(constants, theta=theta, Q=60)) == exceeded


def test_hessian_noise_makes_the_bias_fall_faster_than_Delta_Q() -> None:
    """mu is the least curvature over samples, the mean Hessian has lambda > mu."""
    noisy = build(delta_q.ELSEWHERE["noisy Hessian"])
    lambda_min = float(np.linalg.eigvalsh(noisy.A)[0])
    assert lambda_min > 1.3 * noisy.constants()["mu"]
    sizes = np.linalg.norm(means_at(noisy, noisy.a, noisy.b + 1.0).bias(theta=0.2, terms=60), axis=1)
    assert sizes[-1] / sizes[-2] == pytest.approx(1 - 0.2 * lambda_min, rel=1e-3)


# (c): the stochastic sum.


@pytest.mark.parametrize("terms", [1, 2, 4])
@pytest.mark.parametrize("name", WORLDS)
def test_the_mean_over_all_outcomes_is_the_truncated_sum(name: str, terms: int) -> None:
    world = build(WORLDS[name])
    x, y = world.a - 1.0, world.b + 2.0
    mean, outcomes = mean_over_outcomes(world, x, y, terms)
    assert outcomes == 2 ** (world.d_x + world.d_y + 1 + terms)
    np.testing.assert_allclose(mean, neumann_hypergradient(world, x, y, theta=THETA, Q=terms), rtol=1e-13)
    shorter = neumann_hypergradient(world, x, y, theta=THETA, Q=terms - 1)
    assert np.linalg.norm(mean - shorter) > 1e-2 * np.linalg.norm(mean)


class Horner(StochasticNeumann):
    """The same factors in the order of a Horner scheme: (I + M_1 (I + M_2 (...))) instead of I + M_1 + M_2 M_1 + ..."""

    def evaluate(self, problem: Any, sample: NeumannSample, *point: Any) -> Any:
        x, y = point
        first = self.theta * problem.grad_y_f(sample.xi, x, y)
        total = 1.0 * first
        for zeta_j in sample.factors:
            total = first + problem.neumann_factor_g(zeta_j, x, y, total, self.theta)
        return problem.grad_x_f(sample.xi, x, y) - problem.jacobian_g(sample.zeta, x, y, total)


class OneForAll(StochasticNeumann):
    """One sample of the Hessian in all factors."""

    def sample(self, problem: Any, bits: Any) -> NeumannSample:
        drawn = super().sample(problem, bits)
        return replace(drawn, factors=drawn.factors[:1] * self.Q)


def test_a_horner_scheme_has_the_same_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delta_q_unbiased, "StochasticNeumann", Horner)
    found = entry("delta-q.unbiased")
    fresh = [check for check in found["checks"] if "fresh samples" in check["name"]]
    assert [check["verdict"] for check in fresh] == ["passes", "passes"]


def test_one_sample_for_all_factors_is_violated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delta_q_unbiased, "StochasticNeumann", OneForAll)
    found = entry("delta-q.unbiased")
    assert found["verdict"] == "refuted"
    assert violated(found) == [f"bias for the truncated sum, fresh samples, {name}" for name in WORLDS]


def test_noise_that_commutes_is_not_what_the_claim_is_about(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without non-commuting noise the confrontation would be weaker, and the claim does not hold."""
    monkeypatch.setattr(
        delta_q_unbiased, "WORLDS", {"scalar": {"world": "scalar", "sigma_H": 0.6, "s_f": 0.5}}
    )
    assert violated(entry("delta-q.unbiased")) == ["||AE - EA||, scalar"]


# (d): the floor.


@cache
def floor_of(name: str, Q: int) -> float:
    return at_rest(build(delta_q_floor.WORLDS[name]), theta=0.2, Q=Q).floor


def test_the_floor_of_numbers_by_hand() -> None:
    """A = B = D = 1, P = 2, b = 1, theta = 1/2, Q = 1: y* = x, 0 = 2x + 3/4 (x - 1), so x = 3/11.

    grad Phi(3/11) = 6/11 - 8/11 = -2/11, of which nothing was used above.
    """
    world = Quadratic(A=1.0, B=1.0, P=2.0, D=1.0, b=1.0)
    rest = at_rest(world, theta=0.5, Q=1)
    assert rest.x == pytest.approx([3 / 11], rel=1e-14)
    assert rest.floor == pytest.approx((2 / 11) ** 2, rel=1e-14)
    assert rest.radius == pytest.approx(math.hypot(3, 8) / 11, rel=1e-14)
    assert rest.floor == pytest.approx(float(world.hypergradient(rest.x)[0] ** 2), rel=1e-13)


@pytest.mark.parametrize("name", delta_q_floor.WORLDS)
def test_the_floor_falls_by_the_square_of_the_factor(name: str) -> None:
    exponent = math.log(floor_of(name, 60) / floor_of(name, 50)) / (10 * math.log(0.8))
    assert exponent == pytest.approx(2.0, abs=1e-4)


@pytest.mark.parametrize("eta", [1e-2, 1e-6])
def test_steps_do_not_lower_the_floor_and_terms_do(eta: float) -> None:
    world = build(delta_q_floor.WORLDS["random"])

    def limit(Q: int) -> float:
        solver = LocalBSGM(eta=eta, alpha=1.0, beta=2.0, rho_1=0.02, rho_2=0.3, p=3, theta=0.2, Q=Q)
        return float(stationary(world, solver, K=2).gradient)

    assert limit(6) == pytest.approx(floor_of("random", 6), rel=1e-9)
    assert limit(16) < 0.02 * limit(6)


def test_the_floor_is_below_the_theorems_term_at_every_Q() -> None:
    world = build(delta_q_floor.WORLDS["scalar"])
    rests = [at_rest(world, theta=0.2, Q=Q) for Q in range(1, 61)]
    for Q, rest in enumerate(rests, start=1):
        four = 4 * Delta_Q(world.constants(radius=1.0), theta=0.2, Q=Q) ** 2
        assert bias_term(world, theta=0.2, Q=Q, radius=1.0) == pytest.approx(four, rel=1e-12)
        assert rest.radius < 1
        assert 1e-4 < rest.floor / four < 1  # not for nothing either


@pytest.mark.nightly
def test_a_smaller_term_in_the_theorem_is_violated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Delta_Q^3 instead of 4 Delta_Q^2: fine at Q = 1, too small at Q = 60."""
    theorem = paper().the(Theorem, "theorem-1")
    smaller = replace(theorem, terms={**theorem.terms, "bias": theorem.terms["bias"] ** 1.5})
    monkeypatch.setattr(bias_floor, "paper", lambda: with_statement(smaller))
    assert violated(entry("delta-q.floor")) == [
        f"floor over 4 Delta_Q^2, {name}" for name in ("scalar", "random")
    ]


def test_an_algorithm_with_a_term_too_few_is_violated(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exponent alone would not see it: all floors are too large by the same factor."""

    class Hasty(LocalBSGM):
        @property
        def hypergradient(self) -> StochasticNeumann:
            return StochasticNeumann(theta=self.theta, Q=self.Q - 1)

    monkeypatch.setattr(delta_q_floor, "LocalBSGM", Hasty)
    found = violated(entry("delta-q.floor"))
    assert "largest gap between the measure and the closed form, scalar" in found
    assert "exponent of 1 - theta mu, per term, scalar" not in found


@pytest.mark.nightly
def test_an_algorithm_with_another_theta_is_violated(monkeypatch: pytest.MonkeyPatch) -> None:
    class Careful(LocalBSGM):
        @property
        def hypergradient(self) -> StochasticNeumann:
            return StochasticNeumann(theta=0.9 * self.theta, Q=self.Q)

    monkeypatch.setattr(delta_q_floor, "LocalBSGM", Careful)
    assert "exponent of 1 - theta mu, per term, scalar" in violated(entry("delta-q.floor"))


# (e): the terms that are needed.


def test_the_terms_that_are_needed() -> None:
    """At the crossing the floor is 1 % of the noise part; 16 times the T takes log(16)/(4 log(1/0.8)) terms more."""
    (first,), (last,) = (needed(0.2, K=1, T=T) for T in (2**52, 2**56))
    assert last["crossing"] - first["crossing"] == pytest.approx(math.log(16) / (4 * rate(0.2)), rel=1e-4)
    quiet = build(world_of(0.2, noise=False))
    for v in (first, last):
        assert v["Q"] - 1 < v["crossing"] <= v["Q"]
        floors = [at_rest(quiet, theta=0.2, Q=Q).floor / v["noise"] for Q in (v["Q"] - 1, v["Q"])]
        assert floors[0] > 0.01 >= floors[1]
        assert 0 < v["excess"] < 0.01


@pytest.mark.parametrize(("unit", "exponent"), [(1.0, math.log(0.9)), (6.0, -0.5)])
def test_the_exponent_follows_from_the_unit(unit: float, exponent: float) -> None:
    """-0.5 from unit = 1/(2 log(1/0.9)) = 4.75 on."""
    terms = [math.floor(unit * value) for value in (19, 20, 21)]
    found, _ = slope(Rows(with_unit(0.1, K=8, unit=unit, terms=terms))[::2], "measure", "KT")
    assert found == pytest.approx(exponent, abs=1e-3)


def test_the_unit_1_is_enough_where_theta_mu_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """The claim can hold: 0.45 > 1 - exp(-1/2)."""
    monkeypatch.setattr(delta_q_terms, "CASES", {0.45: 2.0})
    assert entry("delta-q.unit-1")["verdict"] == "not refuted"


@pytest.mark.nightly
def test_a_changed_corollary_is_violated(monkeypatch: pytest.MonkeyPatch) -> None:
    """With eta = (K/T)^{2/5} the noise part is larger, and fewer terms are needed."""
    corollary = paper().the(Corollary, "corollary-1")
    eta = Scaling(corollary.scalings["eta"].order ** 0.8)
    slower = replace(corollary, scalings={**corollary.scalings, "eta": eta})
    monkeypatch.setattr(scalings, "paper", lambda variant: with_statement(slower))
    found = violated(entry("delta-q.terms"))
    assert "needed Q per log T, in units of 1/(4 log(1/(1 - theta mu))), theta mu = 0.1" in found
