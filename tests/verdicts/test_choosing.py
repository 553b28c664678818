"""Claims by name, read from the papers that are named and from no others."""

from pathlib import Path

import pytest

from ratecert.base.asked import asked
from ratecert.base.errors import UserError
from ratecert.catalogue import find
from ratecert.verdicts import collect as known
from ratecert.verdicts.collect import select

SGD = "parallel-sgd"
EXAMPLE = Path(__file__).parents[2] / "ratecert" / "papers" / "_template.py"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The papers whose claims are made, and `all` where every one of the package is asked for."""
    asked_for: list[str] = []
    claims_of, claims = known.claims_of, known.claims

    def one(key: str) -> object:
        asked_for.append(Path(key).name)
        return claims_of(key)

    def all_of_them() -> object:
        asked_for.append("all")
        return claims()

    monkeypatch.setattr(known, "claims_of", one)
    monkeypatch.setattr(known, "of_package", one)
    monkeypatch.setattr(known, "claims", all_of_them)
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
    """The negative of the tests above."""
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
