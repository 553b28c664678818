"""Every claim about runs can be opened where its run is, and what is seen there is what the claim says."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ratecert.base.asked import asked
from ratecert.catalogue.cases import stored
from ratecert.errors import UserError
from ratecert.explore.answer import answer
from ratecert.explore.presets import PAPER, named, presets
from ratecert.explore.state import read
from ratecert.explore.theorems import theorems
from ratecert.verdicts.collect import claims

CLAIMS = list(claims().values())
WITHOUT = {
    "G": "a constant",
    **dict.fromkeys(("remark-1", "remark-2", "remark-3", "remark-4", "table-1"), "orders"),
    **dict.fromkeys(("linear-speedup", "delta-q", "communication-period"), "many runs"),
    "complexity-table": "many methods, many runs",
}


def test_every_claim_can_be_opened_or_is_about_no_run() -> None:
    for claim in CLAIMS:
        if claim.id.split(".")[0] in WITHOUT:
            with pytest.raises(UserError, match="nothing to explore is called"):
                named(claim.id)
        else:
            assert named(claim.id).query, claim.id


def test_a_name_opens_its_file_before_its_claim_and_a_claim_before_its_statement() -> None:
    title = {each.state.query: each.title for each in reversed(presets())}
    assert title[named("theorem-1.printed-G.simple").query] == "theorem-1, printed-G, simple"
    assert title[named("theorem-1.printed-G").query] == "theorem-1, printed-G, simple"
    assert title[named("theorem-1.repaired").query] == "federated-bilevel:theorem-1"
    assert title[named("corollary-1.printed").query] == "federated-bilevel:theorem-1"
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


OWN = Path(__file__).parents[1] / "oracles" / "long_form.py"


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
