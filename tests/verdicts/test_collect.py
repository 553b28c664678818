"""Claims by name, read from the papers that are named and from no others."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ratecert as rc
from oracles import long_form
from oracles.toy_claims import toy
from ratecert.base.asked import asked
from ratecert.base.errors import UserError
from ratecert.catalogue import find
from ratecert.claims.claim import Claim
from ratecert.verdicts import collect as known
from ratecert.verdicts.collect import claims_of, select

SGD = "parallel-sgd"
EXAMPLE = Path(str(long_form.__file__))


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The papers whose claims are made, and `all` where every one of the package is asked for."""
    asked_for: list[str] = []
    claims_of, claims = known.claims_of, known.claims

    def one(key: str) -> object:
        asked_for.append(Path(key).name)
        return claims_of(key)

    monkeypatch.setattr(known, "claims_of", one)
    monkeypatch.setattr(known, "of_package", one)
    monkeypatch.setattr(known, "claims", lambda: asked_for.append("all") or claims())
    return asked_for


@pytest.mark.parametrize(
    ("name", "papers", "ids"),
    [
        (SGD, {SGD}, 4),
        (f"{SGD}:sgd-descent", {SGD}, 1),
        (f"{SGD}:sgd-rate", {SGD}, 1),
        ("svrg", {"svrg"}, None),
    ],
)
def test_no_other_paper_is_read(name: str, papers: set[str], ids: int | None, read: list[str]) -> None:
    found = select([name])
    assert set(read) == papers
    assert all(claim.id.startswith(name) for claim in found)
    assert found
    assert ids in (None, len(found))


def test_a_paper_of_ones_own_is_read_alone(read: list[str], tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(EXAMPLE.read_text("utf-8").replace("parallel-sgd", "mine"), encoding="utf-8")
    found = select([asked(str(path))])
    assert read == ["mine.py"]
    assert {find.split(claim.of[0])[0] for claim in found} == {str(path)}


def test_without_a_name_all_are_read(read: list[str]) -> None:
    """Negative of the tests above."""
    assert len(select([])) > 10
    assert "all" in read


def test_each_comes_once_and_in_the_order_of_the_list() -> None:
    ids = list(known.of_package(SGD))
    both = [claim.id for claim in select([f"{SGD}:sgd-rate", SGD, f"{SGD}:sgd-descent"])]
    assert both == ids


@pytest.mark.parametrize(
    ("name", "near"), [(f"{SGD}:sgd-rat", f"{SGD}:sgd-rate"), ("svrgg", "svrg"), ("xyzzy", "ratecert ")]
)
def test_a_name_that_nothing_has_is_refused_with_what_is_near(name: str, near: str) -> None:
    with pytest.raises(UserError, match=f"{name}.*{near}"):
        select([name])


# Claims of a user beside those that follow from the data: which stand, and which are refused.

KEY = "example-paper"


def with_claims(claims: Any) -> dict[str, Claim]:
    rc.register(long_form.PRINTED, long_form.RUNS, claims=claims)
    return claims_of(KEY)


def mine(id: str, of: str = "theorem-1") -> Claim:
    return replace(toy(id, [1]), of=(of,))


def test_one_with_the_id_of_a_derived_one_stands_in_its_place_and_others_replace_nothing() -> None:
    derived = with_claims(())
    found = with_claims((mine("theorem-1"), mine("theorem-1-more")))
    assert set(found) == {*derived, f"{KEY}:theorem-1-more"}
    assert found[f"{KEY}:theorem-1"].sentence != derived[f"{KEY}:theorem-1"].sentence
    assert found[f"{KEY}:corollary-1"].sentence == derived[f"{KEY}:corollary-1"].sentence


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
