"""Claims of a user beside those that follow from the data: which stand, and which are refused."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ratecert as rc
from oracles.toy_claims import toy
from ratecert.base.asked import asked
from ratecert.catalogue import load
from ratecert.catalogue.load import module_of
from ratecert.claims.claim import Claim
from ratecert.errors import UserError
from ratecert.verdicts.collect import claims_of

EXAMPLE = str(Path(rc.__file__).parent / "papers" / "_template.py")
KEY = "example-paper"


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers ends with it."""
    monkeypatch.setattr(load, "_HELD", {})


def with_claims(claims: Any) -> dict[str, Claim]:
    module = module_of(asked(EXAMPLE))
    rc.register(module.PRINTED, module.RUNS, claims=claims)
    return claims_of(KEY)


def mine(id: str, of: str = "theorem-1") -> Claim:
    return replace(toy(id, [1]), of=(of,))


def test_one_with_the_id_of_a_derived_one_stands_in_its_place() -> None:
    derived = with_claims(())
    found = with_claims((mine("theorem-1"),))
    assert set(found) == set(derived)
    assert found[f"{KEY}:theorem-1"].sentence != derived[f"{KEY}:theorem-1"].sentence
    assert found[f"{KEY}:corollary-1"].sentence == derived[f"{KEY}:corollary-1"].sentence


def test_one_with_another_id_replaces_nothing() -> None:
    derived = set(with_claims(()))
    assert set(with_claims((mine("theorem-1-more"),))) == derived | {f"{KEY}:theorem-1-more"}


def test_those_that_name_a_mistake_stand_in_the_place_of_the_print() -> None:
    """As the first paper's do."""
    found = claims_of("federated-bilevel")
    assert {"theorem-1.printed-G", "theorem-1.printed-noise_u", "corollary-1.printed"} <= set(found)
    assert "theorem-1.printed" not in found


@pytest.mark.parametrize(
    ("claims", "sentence"),
    [
        (mine("mine"), "must be a tuple of claims"),
        ((mine("mine"), mine("mine")), "has two claims with the id 'mine'"),
        ((mine("mine", of="theorem-9"),), "no statement has the id 'theorem-9'"),
        (("theorem-1",), "must hold claims of ratecert.claims, got 'theorem-1'"),
    ],
)
def test_others_are_refused(claims: Any, sentence: str) -> None:
    with pytest.raises((UserError, rc.errors.UserTypeError), match=sentence):
        with_claims(claims)
