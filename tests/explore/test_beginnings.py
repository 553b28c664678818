"""Every claim about runs can be opened where its run is, and what is seen there is what the claim says."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ratecert.base.asked import asked
from ratecert.catalogue.cases import stored
from ratecert.errors import UserError
from ratecert.explore.answer import answer
from ratecert.explore.presets import PAPER, named, presets
from ratecert.explore.state import State, read
from ratecert.explore.theorems import theorems
from ratecert.papers.federated_bilevel.beginnings import beginnings
from ratecert.papers.federated_bilevel.claims.delta_q import at_rest
from ratecert.verdicts.collect import claims

CLAIMS = list(claims().values())
WITHOUT = {
    "G": "a constant",
    "remark-3": "orders",
    "complexity-table": "many methods, many runs",
}


def measured(state: State) -> dict[str, float]:
    return {each["name"]: each["value"] for each in answer(state)["measures"]}


def test_every_claim_can_be_opened_or_is_about_no_run() -> None:
    for claim in CLAIMS:
        if claim.id.split(".")[0] in WITHOUT:
            with pytest.raises(UserError, match="nothing to explore is called"):
                named(claim.id)
        else:
            assert named(claim.id).query, claim.id


def test_every_name_of_a_beginning_is_that_of_a_claim_or_of_a_statement_with_claims() -> None:
    ids = [claim.id for claim in CLAIMS]
    for each in beginnings():
        for name in each.claims:
            assert any(id == name or id.startswith(f"{name}.") for id in ids), name


def test_a_name_opens_its_file_before_its_claim_and_a_claim_before_its_statement() -> None:
    title = {each.state.query: each.title for each in reversed(presets())}
    assert title[named("theorem-1.printed-G.simple").query] == "theorem-1, printed-G, simple"
    assert title[named("theorem-1.printed-G").query] == "theorem-1, printed-G, simple"
    assert title[named("theorem-1.repaired").query] == "Theorem 1 at its largest steps"
    assert title[named("fedavg:theorem-1").query] == "fedavg:theorem-1, printed"


@pytest.mark.parametrize("name", ["theorem-1.repaired", "theorem-2.repaired", "theorem-3.repaired"])
def test_a_theorem_begins_inside_its_conditions(name: str) -> None:
    found = answer(named(name))["bound"]
    assert found["total"] > 0
    assert found["ratio"] < 1


def test_every_run_of_the_papers_can_be_shown() -> None:
    for each in presets():
        if each.group == PAPER:
            assert "measures" in answer(each.state), each.title


def test_a_short_series_rests_on_its_floor() -> None:
    state = named("delta-q.floor")
    floor = at_rest(state.point.problem, state.numbers["theta"], state.numbers["Q"])[0]
    assert now(state)["gradient"] == pytest.approx(floor, rel=1e-9)
    assert floor > 1e-3


def now(state: State) -> dict[str, Any]:
    """At the last iteration."""
    return {each["name"]: each["now"][-1] for each in answer(state)["measures"]}


def test_rounds_move_nothing_where_devices_are_alike_and_something_where_they_differ() -> None:
    def moved(name: str) -> float:
        state = named(f"communication-period.{name}")
        each_step = replace(state, numbers={**state.numbers, "p": 1})
        return abs(measured(state)["gradient"] / measured(each_step)["gradient"] - 1)

    assert moved("invariance") < 1e-12
    assert moved("excess") > 0.1


OWN = Path(__file__).parents[2] / "ratecert" / "papers" / "_template.py"


@pytest.fixture
def brought() -> Iterator[None]:
    """What was brought is forgotten after the test."""
    yield
    theorems.cache_clear()


@pytest.mark.usefixtures("brought")
def test_a_paper_of_ones_own_is_opened_by_its_file_and_a_link_can_bring_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("mine.py", "other.py"):
        (tmp_path / name).write_text(OWN.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    state = named(asked("mine.py"))
    assert state == named("mine.py:theorem-1")
    assert answer(read(state.query, "LocalBSGM"))["bound"]["ratio"] <= 1
    with pytest.raises(UserError, match="show"):
        read(state.query.replace("mine.py", "other.py"), "LocalBSGM")
    with pytest.raises(UserError, match=r"of this paper, mine\.py:theorem-1 can"):
        named("mine.py:theorem-9")


def test_a_witness_is_opened_by_its_path() -> None:
    path = next(path for path in stored() if path.stem.endswith("theorem-1.printed-G.simple"))
    assert named(str(path)) == named("theorem-1.printed-G.simple")
    (other,) = (path for path in stored() if "saga-rate" in path.stem)
    with pytest.raises(UserError, match="is not about a run with a step"):
        named(str(other))
