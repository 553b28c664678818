"""Refutations in fractions of statements whose two sides can be computed by hand: a ratio, or no counterexample."""

from fractions import Fraction
from typing import Any

import pytest

import ratecert as rc
from oracles.edited_numbers import fails
from oracles.small_papers import descent, small_paper
from ratecert.base.errors import WitnessError
from ratecert.catalogue import load
from ratecert.catalogue.cases import bound_case
from ratecert.proofs.theorem import refuted

s = rc.statements
T, alpha, L, mu, R_2 = s.letters("T alpha L mu R_2")
STEP = {"alpha": s.Condition(alpha, "<=", (1 / L,))}
# Curvatures 2 and 1/2 from (1, 1): one step with alpha = 1/2 leads to (0, 3/4), of which the square is 9/16.
ONE_STEP = {
    "single_level": {"L": 2.0, "spread": 4.0, "x_off": 1.0, "s": 0.0},
    "run": {"K": 1, "T": 1},
    "letters": {"alpha": 0.5},
}


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "_REGISTERED", {})


def proof(bound: Any, instance: Any = ONE_STEP) -> Any:
    paper = small_paper("proofs-by-hand", terms={"all": bound}, conditions=STEP, letters="T alpha L mu R_2")
    constants = {"L": "L", "mu": "mu", "R_2": "squared_distance"}
    run = s.Binding(**descent(constants=constants, worlds=("single_level",)))
    return refuted(bound_case(rc.register(paper, {"theorem-1": run}), "theorem-1", "printed"), "", instance)


@pytest.mark.parametrize(
    ("bound", "ratio"),
    [
        (R_2 / 4, Fraction(9, 8)),  # of 2/4
        ((1 - mu / L) ** 6 * R_2, Fraction(128, 81)),  # of 2 (3/4)^6
        (mu / L**2, Fraction(9, 2)),  # of 1/8
        (alpha * mu, Fraction(9, 4)),
        (R_2 / (16 * T), Fraction(9, 2)),
    ],
)
def test_the_ratio_is_that_by_hand_and_the_file_runs(bound: Any, ratio: Fraction) -> None:
    found = proof(bound)
    assert found.ratio == ratio
    assert not fails(found.text)


@pytest.mark.parametrize(
    "bound",
    [9 * R_2 / 32, (1 - mu / L) ** 2 * R_2 / 2, R_2],
    ids=["attained", "attained by mu and L", "not attained"],
)
def test_a_measure_that_does_not_exceed_the_bound_refutes_nothing(bound: Any) -> None:
    """Nor does equality, in exact numbers."""
    with pytest.raises(WitnessError, match="the measure does not exceed the bound there"):
        proof(bound)
