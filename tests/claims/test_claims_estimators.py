"""Three estimators of the hypergradient: the laws of their bias and variance, numbers by hand, and twins that fail.

A twin puts a wrong estimator, a wrong method or a wrong law in the place of the right one and asks the same claim.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from oracles.kept_pieces import KEPT
from oracles.reconstructed import unmarked_in
from ratecert.claim.claim import Budget
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.claims import estimators_bias, estimators_variance
from ratecert.papers.federated_bilevel.claims.estimators_bias import AT_REST
from ratecert.papers.federated_bilevel.claims.estimators_variance import QUIET
from ratecert.papers.federated_bilevel.evidence.estimators import three
from ratecert.papers.federated_bilevel.evidence.estimators.laws import Laws, laws_at
from ratecert.papers.federated_bilevel.evidence.estimators.three import (
    NAMES,
    PRODUCTS,
    WORLDS,
    AuxiliarySteps,
    estimator,
)
from ratecert.report.entries import judged
from ratecert.solvers import (
    SUSTAIN,
    TTSA,
    AuxiliaryGradient,
    FedBiOAcc,
    LocalBSGVRM,
    RandomTruncation,
    StochasticNeumann,
    name_of,
)
from ratecert.solvers.engines.estimates import (
    estimate_moments,
    estimate_outcomes,
    estimate_products,
)
from ratecert.solvers.estimators.hypergradient import NeumannSample
from ratecert.synthetic import Quadratic, random_quadratic

CLAIMS = {claim.id: claim for claim in (*estimators_bias.CLAIMS, *estimators_variance.CLAIMS)}
VARIANCE = "estimators.variance"


def entry(id: str) -> dict[str, Any]:
    (found,) = judged([CLAIMS[id]], Budget(quick=True))
    return found


def violated(id: str) -> list[str]:
    """The names of the violated checks; nothing else may have gone wrong."""
    found = entry(id)
    assert {check["verdict"] for check in found["checks"]} <= {"passes", "fails"}, found["reason"]
    assert found["checks"], found["reason"]
    return [check["name"] for check in found["checks"] if check["verdict"] == "fails"]


def bias_of(name: str) -> str:
    return f"estimators.{name}-bias"


def of_the_law(name: str, *, outcomes: bool = True) -> set[str]:
    ways = ("", " over all outcomes") if outcomes else ("",)
    return {f"bias of {name}{way} against its law, {world}" for way in ways for world in WORLDS}


# What is expected.


@pytest.fixture(scope="module")
def entries() -> dict[str, Any]:
    return {found["id"]: found for found in judged(list(CLAIMS.values()), Budget(quick=True), store=KEPT)}


@pytest.mark.parametrize("id", CLAIMS)
def test_the_claim_holds(id: str, entries: dict[str, Any]) -> None:
    found = entries[id]
    assert found["verdict"] == found["expected"] == "not refuted", found["reason"]
    assert len(found["figures"]) == 2
    assert all(set(row) == set(found["table"][0]) for row in found["table"])


@pytest.mark.parametrize("id", CLAIMS)
def test_the_whole_budget_has_more_terms_of_the_same_kind(id: str) -> None:
    quick, whole = (CLAIMS[id].pieces(Budget(quick=q)) for q in (True, False))
    assert [p.function for p in quick] == [p.function for p in whole]
    assert any(
        len(q.arguments["terms"]) < len(w.arguments["terms"]) for q, w in zip(quick, whole, strict=True)
    )


@pytest.mark.parametrize("id", CLAIMS)
def test_reconstructed_methods_are_marked(id: str, entries: dict[str, Any]) -> None:
    assert unmarked_in(entries[id]) == []


def test_names_without_the_mark_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """With E3 in its checks and in the figure, which has the methods of E2 beside it."""
    monkeypatch.setattr(estimators_bias, "name_of", lambda solver: type(solver).__name__)
    assert set(unmarked_in(entry(bias_of("E2")))) == {"FedBiOAcc"}
    assert set(unmarked_in(entry(bias_of("E3")))) == {"FedBiOAccGlobal", "FedBiOAcc"}


HALVES = Quadratic(A=1.0, E=0.5, B=1.0, P=1.0, D=1.0)  # at y = 1, theta = 1/2: w = 1 and factors 1/4 or 3/4


@pytest.mark.parametrize(
    ("name", "count", "variance", "products"),
    [("E1", 4, 3 / 32, 1 / 2), ("E2", 2, 1 / 64, 1), ("E3", 4, 1 / 64, 2)],
)
def test_two_terms_by_hand(name: str, count: int, variance: float, products: float) -> None:
    """E1 is 1 with k = 0 (of two outcomes) and 1/4 or 3/4 with k = 1; E2 and E3 are 1/2 + 1/8 or 1/2 + 3/8.

    E3 has a sign more than E2: that of its first step, which meets r = 0. The mean is 3/4 instead of 1. The variance of
    E1 is (2 + 1/16 + 9/16)/4 - 9/16 = 3/32.
    """
    h, zero, y = estimator(name, 2, theta=0.5), np.zeros(1), np.ones(1)
    point = (zero, y, zero) if name == "E3" else (zero, y)
    laws = Laws(HALVES, zero, y, 0.5)
    assert (laws.tilde, laws.bias(2)) == (1.0, -1 / 4)
    outcomes, spread, n = estimate_outcomes(HALVES, h, point)
    assert n == count
    for mean, covariance in (estimate_moments(HALVES, h, point), (outcomes, spread)):
        assert mean == pytest.approx(3 / 4, rel=1e-15)
        assert covariance == pytest.approx(variance, rel=1e-14)
    assert laws.covariance(name, 2) == pytest.approx(variance, rel=1e-14)
    assert estimate_products(HALVES, h, point) == products


def test_the_cut_alone_by_hand() -> None:
    """The same without noise: 1 or 1/2, so 1/16; b = theta/(lambda (2 - theta lambda)) = 1/3."""
    laws = Laws(Quadratic(A=1.0, B=1.0, P=1.0, D=1.0), np.zeros(1), np.ones(1), 0.5)
    assert laws.covariance_of_the_cut(2) == pytest.approx(1 / 16, rel=1e-14)
    assert laws.growth_of_the_cut == pytest.approx(1 / 3, rel=1e-15)


# Wrong laws.


@pytest.mark.parametrize(("name", "change"), [("E1", 1), ("E2", -1), ("E3", 1)])
def test_another_power_is_violated(name: str, change: int, monkeypatch: pytest.MonkeyPatch) -> None:
    right = Laws.bias
    monkeypatch.setattr(Laws, "bias", lambda self, n, r_0=0.0: right(self, n + change, r_0))
    found = violated(bias_of(name))
    assert of_the_law(name) <= set(found)
    assert ("bias of E3 from r = 1 against its law, 3 x 3" in found) == (name == "E3")


def test_the_other_sign_is_violated(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Laws.bias
    monkeypatch.setattr(Laws, "bias", lambda self, n, r_0=0.0: -right(self, n, r_0))
    assert of_the_law("E2") == set(violated(bias_of("E2")))


def test_wrong_counts_are_violated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRODUCTS, "E1", ("N/2", lambda n: n / 2))
    assert violated(bias_of("E1")) == [f"mean Hessian products of E1 - N/2, {world}" for world in WORLDS]


# Wrong estimators.


class Scaled:
    """A problem whose grad_y f is multiplied by c."""

    def __init__(self, problem: Any, c: float) -> None:
        self.problem, self.c = problem, c

    def __getattr__(self, name: str) -> Any:
        return getattr(self.problem, name)

    def grad_y_f(self, *arguments: Any) -> Any:
        return self.c * self.problem.grad_y_f(*arguments)


class Unweighted(RandomTruncation):
    """Without the factor N."""

    def evaluate(self, problem: Any, sample: Any, *point: Any) -> Any:
        return super().evaluate(Scaled(problem, 1 / self.N), sample, *point)


class OneMore(RandomTruncation):
    """k uniform on {0, ..., N}."""

    def sample(self, problem: Any, bits: Any) -> Any:
        return RandomTruncation(theta=self.theta, N=self.N + 1).sample(problem, bits)


class Uncut(RandomTruncation):
    """On arrays every lane goes to the end; on symbols, where k is one number, it is right."""

    def evaluate(self, problem: Any, sample: Any, *point: Any) -> Any:
        if not isinstance(sample.k, int):
            sample = replace(sample, k=np.full_like(sample.k, self.N))
        return super().evaluate(problem, sample, *point)


class WithoutStep(StochasticNeumann):
    """The sum without its factor theta."""

    def evaluate(self, problem: Any, sample: Any, *point: Any) -> Any:
        return super().evaluate(Scaled(problem, 1 / self.theta), sample, *point)


class Short(StochasticNeumann):
    """A term too few."""

    def evaluate(self, problem: Any, sample: NeumannSample, *point: Any) -> Any:
        return super().evaluate(problem, replace(sample, factors=sample.factors[1:]), *point)


class LastTwice(StochasticNeumann):
    """The last term counts twice."""

    def evaluate(self, problem: Any, sample: NeumannSample, *point: Any) -> Any:
        x, y = point
        r = self.theta * problem.grad_y_f(sample.xi, x, y)
        total = 1.0 * r
        for zeta_j in sample.factors:
            r = problem.neumann_factor_g(zeta_j, x, y, r, self.theta)
            total = total + r
        return problem.grad_x_f(sample.xi, x, y) - problem.jacobian_g(sample.zeta, x, y, total + r)


class Horner(StochasticNeumann):
    """The factors in the other order: the same mean."""

    def evaluate(self, problem: Any, sample: NeumannSample, *point: Any) -> Any:
        x, y = point
        first = self.theta * problem.grad_y_f(sample.xi, x, y)
        total = 1.0 * first
        for zeta_j in sample.factors:
            total = first + problem.neumann_factor_g(zeta_j, x, y, total, self.theta)
        return problem.grad_x_f(sample.xi, x, y) - problem.jacobian_g(sample.zeta, x, y, total)


class SmallerSteps(AuxiliarySteps):
    """Another tau."""

    def evaluate(self, problem: Any, sample: Any, *point: Any) -> Any:
        return AuxiliarySteps(tau=0.9 * self.tau, n=self.n).evaluate(problem, sample, *point)


class OneSampleOfF(AuxiliarySteps):
    """The sample of f in the first step is that of all steps: the same mean."""

    def sample(self, problem: Any, bits: Any) -> Any:
        steps, last = super().sample(problem, bits)
        return [(steps[0][0], zeta) for _, zeta in steps], last


class HalfTheHessian(AuxiliaryGradient):
    """grad_yy g r/2 - grad_y f: another solution."""

    def evaluate(self, problem: Any, sample: Any, *point: Any) -> Any:
        (xi, zeta), (x, y, r) = sample, point
        return 0.5 * problem.hessian_g(zeta, x, y, r) - problem.grad_y_f(xi, x, y)


@pytest.mark.parametrize(
    ("name", "replaced", "wrong"),
    [
        ("E1", "RandomTruncation", Unweighted),
        ("E1", "RandomTruncation", OneMore),
        ("E2", "StochasticNeumann", WithoutStep),
        ("E2", "StochasticNeumann", Short),
        ("E2", "StochasticNeumann", LastTwice),
        ("E3", "AuxiliarySteps", SmallerSteps),
        ("E3", "AuxiliaryGradient", HalfTheHessian),
    ],
)
def test_a_wrong_estimator_is_violated(
    name: str, replaced: str, wrong: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(three, replaced, wrong)
    found = violated(bias_of(name))
    assert of_the_law(name) <= set(found)
    assert ("mean Hessian products of E1 - (N - 1)/2, scalar" in found) == (wrong is OneMore)
    assert ("mean Hessian products of E2 - Q, scalar" in found) == (wrong is Short)
    assert any("mean of E2" in check for check in found) == (name != "E2")


def test_a_mistake_on_arrays_alone_is_seen_by_the_enumeration_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(three, "RandomTruncation", Uncut)
    assert set(violated(bias_of("E1"))) == of_the_law("E1") - of_the_law("E1", outcomes=False)


def test_a_variable_that_stays_elsewhere_is_violated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimators_bias, "AuxiliaryGradient", HalfTheHessian)
    assert violated(bias_of("E3")) == [f"bias of E3 where the mean of r stays, {world}" for world in WORLDS]


# Running methods.


def with_a_term_more(method: Callable[..., Any], terms: str) -> Callable[..., Any]:
    return lambda **given: method(**{**given, terms: given[terms] + 1})


@pytest.mark.parametrize(
    ("name", "method", "terms"),
    [("E1", SUSTAIN, "N"), ("E1", TTSA, "N"), ("E2", LocalBSGVRM, "Q"), ("E2", FedBiOAcc, "Q")],
)
def test_a_method_with_a_term_more_is_violated(
    name: str, method: Any, terms: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(estimators_bias, method.__name__, with_a_term_more(method, terms))
    assert violated(bias_of(name)) == [
        f"||grad Phi|| where {name_of(method)} rests, 8 terms, {world}" for world in AT_REST
    ]


def test_a_method_with_a_series_in_the_place_of_the_variable_is_violated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def series(*, tau: float, c_q: float, **given: Any) -> FedBiOAcc:
        return FedBiOAcc(**given, theta=tau / 10, Q=20)

    monkeypatch.setattr(estimators_bias, "FedBiOAccGlobal", series)
    assert violated(bias_of("E3")) == [
        f"||grad Phi|| where FedBiOAcc (reconstructed) rests, {world}" for world in AT_REST
    ]


# The variance.


def test_a_horner_scheme_has_the_same_mean_and_another_variance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not where y is a number; where f has no noise it has the variance of the auxiliary variable."""
    monkeypatch.setattr(three, "StochasticNeumann", Horner)
    assert violated(bias_of("E2")) == []
    assert set(violated(VARIANCE)) == {
        *(f"covariance of E2 against its law, {world}" for world in ("1 x 2", "3 x 3")),
        *(f"covariance of E2 over all outcomes against its law, {world}" for world in ("1 x 2", "3 x 3")),
        "|var E2 - var E3|/var E2, 6 terms, 3 x 3",
    }


def test_one_sample_of_f_for_all_steps_has_the_same_mean_and_another_variance() -> None:
    """Then it is E2 where y is a number."""
    problem = build(WORLDS["scalar"])
    laws = laws_at(problem)
    point = three.place(problem, "E3")
    mean, covariance, _ = estimate_outcomes(problem, OneSampleOfF(tau=three.THETA, n=4), point)
    assert mean - laws.tilde == pytest.approx(laws.bias(4), rel=1e-13)
    assert covariance == pytest.approx(laws.covariance("E2", 4), rel=1e-13)
    assert abs(covariance / laws.covariance("E3", 4) - 1) > 0.1


def test_without_the_factor_N_the_variance_is_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(three, "RandomTruncation", Unweighted)
    found = violated(VARIANCE)
    for world in WORLDS:
        assert f"covariance of E1 against its law, {world}" in found
        assert f"least eigenvalue of cov E1 - cov E2, {world}" in found
    for world in QUIET:
        assert f"covariance of the cut alone against its closed form, {world}" in found
        assert f"1 - variance of the cut over N b, N = 64, {world}" in found


def test_a_smaller_growth_is_exceeded(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Laws.growth_of_the_cut
    monkeypatch.setattr(Laws, "growth_of_the_cut", property(lambda self: 0.9 * right.fget(self)))  # type: ignore[attr-defined]
    assert [name for name in violated(VARIANCE) if "cut over N b, " in name and "N =" not in name] == [
        f"variance of the cut over N b, {world}" for world in QUIET
    ]


def test_noise_gives_the_others_a_variance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(QUIET, "2 x 3", {**QUIET["2 x 3"], "sigma_H": 0.3})
    assert "variance of E2 and E3 without noise, 2 x 3" in violated(VARIANCE)


def test_fresh_samples_of_f_save_variance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not where f has no noise."""
    monkeypatch.setattr(Laws, "saved_by_fresh_samples", lambda self, n: 0.0)
    assert violated(VARIANCE) == ["(var E2 - var E3)/var E2, 6 terms, scalar"]


def test_where_hessians_commute_the_order_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """The claim asks for a world in which it does."""
    A, E = np.diag([1.0, 1.5, 2.0]).tolist(), np.diag([0.3, -0.2, 0.4]).tolist()
    ones, F = np.eye(3).tolist(), np.diag([0.1, 0.2, 0.3]).tolist()
    commuting = {"world": "quadratic", "A": A, "E": E, "B": ones, "F": F, "P": ones, "D": ones}
    monkeypatch.setitem(WORLDS, "3 x 3", commuting)
    assert violated(VARIANCE) == ["|var E2 - var E3|/var E2, 6 terms, 3 x 3"]


def test_the_laws_take_several_directions_of_noise() -> None:
    """Two directions of E and of F, each with a sign of its own, against all outcomes."""
    base = random_quadratic(d_x=2, d_y=2, seed=4)
    E = [[[0.2, 0.1], [0.1, -0.1]], [[0.0, 0.2], [0.2, 0.1]]]
    F = [[[0.1, 0.0], [0.2, 0.3]], [[0.0, -0.2], [0.1, 0.1]]]
    world = Quadratic(A=base.A, E=E, B=base.B, F=F, P=base.P, D=base.D, a=base.a, b=base.b, s_f=0.3)
    laws = laws_at(world)
    for name in NAMES:
        mean, covariance, _ = estimate_outcomes(world, estimator(name, 2), three.place(world, name))
        np.testing.assert_allclose(mean - laws.tilde, laws.bias(2), rtol=1e-12)
        np.testing.assert_allclose(covariance, laws.covariance(name, 2), rtol=1e-12)
