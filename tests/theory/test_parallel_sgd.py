"""The second paper: a sound bound comes out clean, and its false relatives do not."""

from dataclasses import replace
from typing import Any

import mpmath
import pytest

from ratecert.catalogue.cases import bound_case
from ratecert.catalogue.find import holding, paper
from ratecert.errors import UserError
from ratecert.search.climb import search
from ratecert.theory.notation import letters
from ratecert.theory.statements import Theorem

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


@pytest.mark.parametrize("terms", FALSE.values(), ids=FALSE)
def test_a_search_falsifies_its_false_relatives(terms: dict[str, Any]) -> None:
    case, own = bound_case(KEY, THEOREM, "printed"), PRINTED.the(Theorem, THEOREM)
    theorem = replace(own, terms={**own.terms, **terms})
    source = replace(PRINTED, statements={**PRINTED.statements, THEOREM: theorem})

    def score(numbers: Any) -> float:
        return case.draw(numbers, source).ratio

    found = search(score, case.levels, case.subspaces, budget=128, seed=0, jobs=1, enough=1.2)
    assert found.score > 1.2


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


def test_a_bare_id_means_the_first_paper_and_a_refusal_says_where_else_it_is() -> None:
    assert holding(ID, "repaired").key == "parallel-sgd"
    assert holding(ID, "repaired").variant == "repaired"
    assert holding("theorem-1").key == "federated-bilevel"
    with pytest.raises(UserError, match=f"no statement 'sgd-descent'; did you mean {ID}"):
        holding("sgd-descent")
    with pytest.raises(UserError, match="no statement has the id 'theorem-9'; did you mean theorem-"):
        holding("theorem-9")
