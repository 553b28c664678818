"""The claims on counterexamples: what is kept refutes, and a witness that does not is noticed."""

import math
from typing import Any

import pytest

from ratecert.claim.claim import Budget
from ratecert.counterexamples.witness import read
from ratecert.counterexamples.witness_files import kept
from ratecert.errors import WitnessError
from ratecert.papers.federated_bilevel.claims.counterexamples import CLAIMS, judge, pieces, replay


def test_every_kept_witness_belongs_to_a_claim():
    asked = {piece.arguments["name"] for claim in CLAIMS for piece in claim.pieces(Budget())}
    assert asked == {path.stem for path in kept()}
    assert all(claim.pieces(Budget()) for claim in CLAIMS)


def test_kept_witnesses_are_printed_statements_with_a_place():
    for path in kept():
        found = read(path)
        assert (found.variant, path.stem.removesuffix(".simple")) == ("printed", found.name)
        assert found.place
        assert found.ratio > 1


@pytest.fixture(scope="module")
def value() -> Any:
    """The quickest of the kept: the simple ones of Theorem 1."""
    (piece, *_) = [p for p in pieces("theorem-1", Budget()) if p.arguments["name"].endswith("noise_u.simple")]
    return replay(**piece.arguments)


def test_a_witness_is_replayed_by_two_ways(value):
    found = judge([value])
    assert found.verdict == "holds"
    assert len(found.checks) == 5
    assert value["assumptions"][1].startswith("assumption-2 holds everywhere")


@pytest.mark.parametrize(
    ("wrong", "which"),
    [
        ({"ratios": {"itself": 0.9, "others": 40.0, "alone": 0.1}}, "measured/bound"),
        ({"ratios": {"itself": 40.0, "others": 0.9, "alone": 0.1}}, "all errata but one"),
        ({"ratios": {"itself": 40.0, "others": 40.0, "alone": 1.1}}, "this erratum alone"),
        ({"measured_again": 1e-3}, "measured, second way/first"),
        ({"bound_again": 1e-3}, "bound, second way/first"),
    ],
)
def test_each_check_can_fail(value, wrong, which):
    found = judge([{**value, **wrong}])
    assert found.verdict == "violated"
    (failed,) = [check for check in found.checks if check.verdict == "violated"]
    assert failed.name.startswith(which)


def test_a_quick_look_takes_one_way(value):
    (piece, *_) = pieces("theorem-1", Budget(quick=True))
    quick = judge([replay(**piece.arguments)])
    assert quick.verdict == "holds"
    assert len(quick.checks) == 3


def test_an_imprecise_ratio_confirms_nothing(value):
    assert judge([{**value, "precision": math.inf}]).verdict == "inconclusive"


def test_a_file_that_is_no_witness_is_refused_by_its_name():
    with pytest.raises(WitnessError, match="strange: format must be 1"):
        replay("strange", "format = 7", twice=False)
