"""The second paper: a sound bound comes out clean, and its false relatives do not."""

from dataclasses import replace
from typing import Any

import mpmath
import pytest

from oracles.kept_pieces import KEPT, values_of
from ratecert.catalogue.cases import bound_case
from ratecert.catalogue.find import holding, paper
from ratecert.claims.claim import Budget
from ratecert.errors import OutsideConditionsError, UserError
from ratecert.report.judge import judged
from ratecert.search.climb import search
from ratecert.search.finding import falsify
from ratecert.theory.language.letters import letters
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Theorem
from ratecert.theory.lint import lint
from ratecert.verdicts.collect import claims, claims_of

K, T, eta, L, sigma, Phi_gap = letters("K T eta L sigma Phi_gap")
KEY, THEOREM = "parallel-sgd", "sgd-descent"
ID = f"{KEY}:{THEOREM}"
PRINTED = paper(key=KEY)
FALSE = {
    "start without its 2": {"start": Phi_gap / (eta * T)},
    "noise over K^2": {"noise": L * eta * sigma**2 / K**2},
    "half the noise": {"noise": L * eta * sigma**2 / (2 * K)},
    "three quarters of the noise": {"noise": 3 * L * eta * sigma**2 / (4 * K)},
    "start over T^2": {"start": 2 * Phi_gap / (eta * T**2)},
}


def with_terms(**terms: Any) -> Paper:
    own = PRINTED.the(Theorem, THEOREM)
    theorem = replace(own, terms={**own.terms, **terms})
    return replace(PRINTED, statements={**PRINTED.statements, THEOREM: theorem})


def largest_ratio(source: Paper, budget: int = 128) -> float:
    case = bound_case(KEY, THEOREM, "printed")

    def score(numbers: Any) -> float:
        return case.draw(numbers, source).ratio

    return search(score, case.levels, case.subspaces, budget=budget, seed=0, jobs=1, enough=1.2).score


# The claims.


def test_they_all_follow_from_the_data() -> None:
    assert list(claims_of(KEY)) == [
        f"{KEY}:{id}" for id in (THEOREM, "sgd-rate", "sgd-accuracy", "sgd-costs")
    ]


@pytest.mark.parametrize("id", claims_of(KEY))
def test_the_claims_hold(id: str) -> None:
    (entry,) = judged([claims()[id]], Budget(quick=True), store=KEPT)
    assert entry["verdict"] == "not refuted", entry["reason"]
    assert "Ghadimi and Lan (2013)" in entry["statement"]


def test_a_finding_of_the_linter_is_violated() -> None:
    claim = claims()[ID]
    pieces = claim.pieces(Budget(quick=True))
    values = values_of(pieces)
    assert claim.judged(pieces, values).verdict == "not refuted"
    found = [
        [{"place": THEOREM, "finding": "units", "says": "1; what fits: L"}]
        if "statement" in p.arguments
        else v
        for p, v in zip(pieces, values, strict=True)
    ]
    judged = claim.judged(pieces, found)
    assert judged.verdict == "refuted"
    assert any("printed 1; what fits: L" in note for note in judged.notes)


def test_it_is_said_to_be_attained_with_both_terms_needed() -> None:
    claim = claims()[ID]
    pieces = claim.pieces(Budget(quick=True))
    notes = " ".join(claim.judged(pieces, values_of(pieces)).notes)
    assert "The bound is attained" in notes
    assert "Term start: needed" in notes
    assert "Term noise: needed" in notes


# The search.


def test_a_search_does_not_falsify_it() -> None:
    outcome = falsify(bound_case(KEY, THEOREM, "printed"), budget=128, seed=1, jobs=1, advance=lambda _: None)
    assert not outcome.falsified
    assert 0.9 < outcome.largest <= 1  # it is attained at eta = 1/L
    assert outcome.nearest["run"]["K"] >= 1


@pytest.mark.parametrize("terms", FALSE.values(), ids=FALSE)
def test_a_search_falsifies_its_false_relatives(terms: dict[str, Any]) -> None:
    assert largest_ratio(with_terms(**terms)) > 1.2


# Both sides.


def instance(h: tuple[float, float], s: float, x_off: float, K: int, T: int, eta: float) -> dict[str, Any]:
    world = {"L": h[0], "spread": h[0] / h[1], "x_off": x_off, "s": s}
    return {"single_level": world, "run": {"K": K, "T": T}, "letters": {"eta": eta}}


def closed_form(
    h: tuple[float, float], s: float, x_off: float, K: int, T: int, eta: float
) -> tuple[float, float]:
    """Both sides from a scalar recursion in each direction, in 50 digits."""
    with mpmath.workdps(50):
        step, left = mpmath.mpf(eta), mpmath.mpf(0)
        for l in map(mpmath.mpf, h):
            r = (1 - step * l) ** 2  # of a second moment, in a step
            sum_of_powers = (1 - r**T) / (1 - r)
            limit = (step * mpmath.mpf(s)) ** 2 / K / (1 - r)
            left += l**2 * (limit + (mpmath.mpf(x_off) ** 2 - limit) * sum_of_powers / T)
        start = sum(map(mpmath.mpf, h)) * mpmath.mpf(x_off) ** 2 / (step * T)
        noise = max(h) * step * len(h) * mpmath.mpf(s) ** 2 / K
        return float(left), float(start + noise)


@pytest.mark.parametrize("K", [1, 8])
@pytest.mark.parametrize("T", [1, 7, 10**6])
def test_two_ways_agree(K: int, T: int) -> None:
    case = bound_case(KEY, THEOREM, "printed")
    where = ((2.0, 0.5), 0.5, 1.0, K, T, 0.4)
    tried = case.attempt(instance(*where), PRINTED)
    left, right = closed_form(*where)
    assert tried.measured == pytest.approx(left, rel=2e-9)  # what is rounding is left out
    assert tried.bound == pytest.approx(right, rel=1e-14)
    other = case.attempt(instance((2.0, 0.51), 0.5, 1.0, K, T, 0.4), PRINTED)
    assert other.measured != pytest.approx(left, rel=1e-4)


def test_by_hand() -> None:
    """T = 1, both curvatures 3, x_0 = (2, 2): the gradient is 6 twice, and the bound at eta = 1/3 is 2 * 12/(1/3)."""
    tried = bound_case(KEY, THEOREM, "printed").attempt(instance((3.0, 3.0), 0.0, 2.0, 1, 1, 1 / 3), PRINTED)
    assert (tried.measured, tried.bound) == pytest.approx((72.0, 72.0), rel=2e-9)


def test_what_is_no_instance_is_refused() -> None:
    case = bound_case(KEY, THEOREM, "printed")
    good = instance((2.0, 0.5), 0.5, 1.0, 4, 9, 0.4)
    case.require(good)
    for name, wrong in (("K", 0), ("T", 2.5)):
        with pytest.raises(OutsideConditionsError, match=f"run.{name} must be"):
            case.require({**good, "run": {**good["run"], name: wrong}})
    with pytest.raises(ValueError, match=r"letters\.eta is missing"):
        case.require({**good, "letters": {}})
    with pytest.raises(OutsideConditionsError, match=r"sgd-descent .* says nothing here: eta <= 1/L"):
        case.attempt({**good, "letters": {"eta": 10.0}}, PRINTED)


# The paper.


def test_the_linter_finds_nothing_in_it_and_something_in_a_wrong_one() -> None:
    assert lint(PRINTED) == []
    assert any(f.kind == "units" for f in lint(with_terms(noise=eta * sigma**2 / K)))


def test_a_bare_id_means_the_first_paper_and_a_refusal_says_where_else_it_is() -> None:
    assert holding(ID, "repaired").key == "parallel-sgd"
    assert holding(ID, "repaired").variant == "repaired"
    assert holding("theorem-1").key == "federated-bilevel"
    with pytest.raises(UserError, match=f"no statement 'sgd-descent'; did you mean {ID}"):
        holding("sgd-descent")
    with pytest.raises(UserError, match="no statement has the id 'theorem-9'; did you mean theorem-"):
        holding("theorem-9")
