"""A paper made in a notebook: registered under its key, taken by every function that takes one."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ratecert as rc
from oracles import long_form as cell
from ratecert.catalogue import load
from ratecert.cli.main import main

KEY = "example-paper"


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers ends with it."""
    monkeypatch.setattr(load, "_REGISTERED", {})


def halved(paper: Any) -> Any:
    """The same with half of the first term."""
    theorem = paper["theorem-1"]
    wrong = replace(theorem, terms={**theorem.terms, "start": theorem.terms["start"] / 2})
    return replace(paper, statements={**paper.statements, "theorem-1": wrong})


def test_every_function_takes_its_key() -> None:
    assert rc.register(cell.PRINTED, cell.RUNS) == KEY
    assert rc.paper(key=KEY) is cell.PRINTED
    assert rc.paper("repaired", KEY).variant == "repaired"
    assert rc.lint(KEY) == []
    numbers = {"K": 1, "T": 10, "alpha": 0.1, "L": 4.0, "sigma": 0.5, "Delta": 2.0}
    assert rc.evaluate("printed", f"{KEY}:theorem-1", numbers).total > 0
    outcome = rc.falsify(f"{KEY}:theorem-1", budget=64)
    assert not outcome.falsified
    assert outcome.inside > 40


def test_its_verdicts_are_a_list() -> None:
    """A cell that is run again replaces it: with a mistake, which is found, and without it."""
    rc.register(halved(cell.PRINTED), cell.RUNS)
    (wrong,) = rc.verify(f"{KEY}:theorem-1", quick=True)
    assert (wrong.claim, wrong.verdict, wrong.expected) == (f"{KEY}:theorem-1", "refuted", False)
    assert repr(wrong).startswith(f"<{KEY}:theorem-1: refuted; largest measured/bound")
    rc.register(cell.PRINTED, cell.RUNS)
    found = rc.verify(KEY, quick=True)
    assert {verdict.claim for verdict in found} >= {f"{KEY}:theorem-1", f"{KEY}:corollary-1"}
    assert {(verdict.verdict, verdict.expected) for verdict in found} == {("not refuted", True)}
    assert all(verdict.notes for verdict in found)


def test_verdicts_that_cannot_be_had_are_refused() -> None:
    rc.register(cell.PRINTED, cell.RUNS)
    alone = f"{KEY} is registered in this process alone, and jobs = 2"
    for call in (lambda: rc.verify(KEY, jobs=2), lambda: rc.falsify(f"{KEY}:theorem-1", budget=64, jobs=2)):
        with pytest.raises(rc.errors.UserError, match=alone):
            call()
    with pytest.raises(
        rc.errors.UserError, match=r"no claim is called 'corollary-1\.exponent'; did you mean"
    ):
        rc.verify("corollary-1.exponent")
    with pytest.raises(rc.errors.UserTypeError, match="name must be the key or the file of a paper"):
        rc.verify(3)  # type: ignore[arg-type]


PAGE = Path(__file__).parents[2] / "docs" / "your_own_paper.md"


def test_the_page_shows_how() -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    exec(block, {"PRINTED": replace(cell.PRINTED, key="my-paper"), "RUNS": cell.RUNS})
    assert load.registered("my-paper")


@pytest.mark.nightly
def test_it_is_verified_in_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that was kept is taken for what is registered now."""
    monkeypatch.chdir(tmp_path)
    verify = ["verify", KEY, "--quick", "--out", "out", "--jobs"]
    for paper, code in ((cell.PRINTED, 0), (halved(cell.PRINTED), 1)):
        rc.register(paper, cell.RUNS)
        assert main([*verify, "1"]) == code
        assert " computed, 0 stored" in Path("out/run.json").read_text("utf-8")
    found = json.loads(Path("out/results.json").read_text("utf-8"))["claims"]
    verdicts = {claim["id"]: claim["verdict"] for claim in found}
    assert verdicts == {f"{KEY}:theorem-1": "refuted", f"{KEY}:corollary-1": "not refuted"}
    assert main([*verify, "2"]) == 2


OF_PRINTED: list[tuple[Callable[[Any], object], str]] = [
    (lambda p: rc.register(3), "printed must be a Paper of rc.statements, got 3."),  # type: ignore[arg-type]
    (lambda p: rc.register(replace(p, key="svrg")), "svrg is the key of ratecert.papers.library.svrg; give"),
    (lambda p: rc.register(replace(p, key="a.py")), "must be a name such as my-paper, got 'a.py'."),
    (lambda p: rc.register(p, 3), "runs must be a mapping from theorems to rc.statements.Binding, got 3"),  # type: ignore[arg-type]
    (lambda p: rc.register(p, {"theorem-1": 3}), "runs['theorem-1'] must be an rc.statements.Binding"),  # type: ignore[dict-item]
    (lambda p: rc.register(p, {"theorem-9": 3}), "no statement has the id 'theorem-9'"),  # type: ignore[dict-item]
    (lambda p: rc.register(p, repaired=3), "repaired must be a Paper of rc.statements, got 3."),  # type: ignore[arg-type]
    (
        lambda p: rc.register(p, repaired=replace(p, key="other")),
        "got the key 'other' beside 'example-paper'.",
    ),
    (lambda p: rc.register(p, claims=3), "claims must be a tuple of claims, got 3."),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "sentence"), OF_PRINTED)
def test_what_cannot_be_registered_is_told(call: Callable[[Any], object], sentence: str) -> None:
    with pytest.raises(rc.errors.UserError, match=re.escape(sentence)):
        call(cell.PRINTED)
    assert load.registered(KEY) is None
    with pytest.raises(rc.errors.UserError, match="paper must be one of federated-bilevel"):
        rc.lint(KEY)  # which was never registered
