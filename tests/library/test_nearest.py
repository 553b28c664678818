"""The world that comes nearest to a bound: one that attains it moves, is no limit, and is simple."""

from typing import Any

import pytest

from ratecert.catalogue.cases import bound_case
from ratecert.catalogue.find import paper, split
from ratecert.catalogue.load import version_of
from ratecert.report.library import read
from ratecert.verdicts import theorem as verdicts
from ratecert.verdicts.theorem import ATTAINED, SHORT, searched

TIGHT = [record for record in read() if record["tight"]]


def ratio(record: dict[str, Any], **changed: Any) -> float:
    """Of the record's world, with other letters or another run."""
    key, inside = split(record["id"])
    instance = {"letters": {}, **record["witness"]}
    instance = {
        table: {name: changed.get(name, value) for name, value in entries.items()}
        for table, entries in instance.items()
    }
    case = bound_case(key, inside, record["variant"])
    return case.attempt(instance, paper(record["variant"], key)).ratio


def search(id: str, budget: int) -> dict[str, Any]:
    key, inside = split(id)
    row, *_ = searched(key, inside, "printed", budget, 0, code=version_of(key))
    return row


@pytest.mark.parametrize("record", TIGHT, ids=lambda record: f"{record['id']} {record['variant']}")
def test_a_bound_that_is_attained_is_so_at_its_world(record: dict[str, Any]) -> None:
    assert ratio(record) >= ATTAINED
    assert 1 <= record["witness"]["run"]["T"] <= SHORT


def test_another_step_does_not_attain_it() -> None:
    """Negative: the ratio at these worlds is no constant."""
    (heavy_ball,) = (record for record in TIGHT if record["id"] == "pep-momentum:heavy-ball")
    assert ratio(heavy_ball, alpha=0.4) < 0.99


def test_a_world_that_attains_a_bound_can_be_computed_by_hand() -> None:
    """mu = L = 1, alpha = 1/2 and four steps of heavy ball."""
    row = search("pep-momentum:heavy-ball", 128)
    assert row["attained"]
    assert {row[f"quadratics.{name}"] for name in ("L", "spread", "depth", "x_off")} == {1.0}
    assert (row["letters.alpha"], row["run.T"]) == (0.5, 4)


@pytest.mark.nightly
def test_what_is_approached_in_long_runs_is_not_attained() -> None:
    """The floor of the gap of the mean iterate is reached by no T: 1 - c/T."""
    row = search("closed-forms:least-squares", 256)
    assert 0.9 < row["largest"] < 1
    assert not row["attained"]


@pytest.mark.nightly
def test_a_world_at_the_end_of_the_search_is_called_so() -> None:
    row = search("pep-momentum:nesterov-strongly-convex", 256)
    assert row["at the end of"] == "spread"
    assert search("fedavg:theorem-1", 64)["at the end of"] == ""


def test_a_search_tries_the_simplest_worlds() -> None:
    """One device, no noise, L = 1 and gamma = 8: after a step 2/9 the gap is (7/9)^2/2, and the bound 8/2/9."""
    assert search("fedavg:theorem-1", 64)["largest"] == pytest.approx((7 / 9) ** 2 / 2 / (4 / 9), rel=1e-8)


def test_numbers_are_in_range_or_held() -> None:
    case = bound_case("proxskip", "theorem-6", "printed")
    simple = case.simple[0]
    assert all(map(case.in_range, case.simple))
    assert case.in_range({**simple, "x_off": 0.0})
    assert not case.in_range({**simple, "L": 0.0})
    assert not case.in_range({**simple, "spread": 1.0})


def test_a_run_that_only_changes_sides_attains_nothing() -> None:
    """gamma = 2/L keeps the distance, and the bound says so; with 1/2 both halve."""
    row = search("pep-gradient-descent:contraction", 128)
    assert row["attained"]
    assert row["letters.gamma"] < 2
    case = bound_case("pep-gradient-descent", "contraction", "printed", archived=True)
    still = {**case.simple[0], "of gamma": 2.0}
    assert case.at_start(still) == pytest.approx(case.draw(still, paper(key=case.key)).measured)
    moving = {**still, "of gamma": 0.5}
    assert case.at_start(moving) > 2 * case.draw(moving, paper(key=case.key)).measured


@pytest.mark.nightly
def test_a_start_that_attains_the_bound_is_told() -> None:
    assert search("fedavg:theorem-1", 256)["at the start"] == pytest.approx(1.0, rel=1e-8)


# Where iterates count from 1, the start is one of them: what holds there says nothing of the method.

SAGA: dict[str, Any] = {
    "paper": "sg-noise-reduction", "theorem": "saga-rate", "variant": "repaired", "budget": 128, "seed": 0,
}  # fmt: skip


def test_the_largest_ratio_is_one_after_a_step_and_that_of_the_start_is_told_beside_it() -> None:
    row, *_ = searched(**SAGA, code=version_of("sg-noise-reduction"))
    assert row["run.T"] >= 1
    assert row["largest"] < row["at the start"] <= 1


def test_where_no_step_could_be_tried_the_start_is_all_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "nearest_ratio", lambda _: (0.0, {}))
    row, *_ = searched(**SAGA, code=version_of("sg-noise-reduction"))
    assert row["run.T"] == 0
    assert row["at the start"] is None
