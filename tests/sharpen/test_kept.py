"""docs/sharpened: every lower bound is computed again, conjectures can be read, and the page says what they say."""

import json
from math import fsum
from pathlib import Path

import pytest

from ratecert.base.asked import asked
from ratecert.counterexamples import conjecture, witness
from ratecert.counterexamples.cases import case
from ratecert.counterexamples.finding import falsify
from ratecert.counterexamples.replay import replayed
from ratecert.registry import paper
from ratecert.sharpening.whole import EXACTLY
from tools.markdown import with_tables
from tools.sharpen_page import conditions, formulas, powers, records_in, statements, terms, unseen

ROOT = Path(__file__).parents[2]
asked("docs/device_drift.py")  # of which some worlds are, seen from the root
KEPT = ROOT / "docs" / "sharpened"
WORLDS = sorted([*KEPT.glob("*.term.*.toml"), *KEPT.glob("*.condition.*.toml")])
LONG = "federated-bilevel"  # eighty digits take their time


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, marks=pytest.mark.nightly if p.name.startswith(LONG) else ()) for p in WORLDS],
    ids=lambda path: path.stem,
)
def test_a_lower_bound_is_confirmed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    read = witness.read(path)
    assert len(read.factors) == 1
    assert not read.statement.startswith("/")  # another machine has other folders
    check, _ = replayed(read)
    assert check.confirmed
    assert check.again.measured is not None


@pytest.mark.parametrize(
    "path", sorted(KEPT.glob("*.sharpened.json")), ids=lambda path: path.name.split(".sharp")[0]
)
def test_no_kept_world_exceeds_the_conjecture(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And some exceed half of it."""
    monkeypatch.chdir(ROOT)
    record = json.loads(path.read_text(encoding="utf-8"))
    own = case(record["statement"], record["variant"])
    source = paper(record["variant"], own.key)
    factors = {each["term"]: each["sharpened"] for each in record["terms"]}
    worlds = [Path(file) for name, file in record["files"].items() if name.startswith("term.")]
    trials = [own.attempt(witness.read(world).instance, source) for world in worlds]
    for trial in trials:
        assert trial.measured <= fsum(factors[n] * t for n, t in trial.terms.items()) * (1 + EXACTLY)
    short = [trial.measured > fsum(0.5 * factors[n] * t for n, t in trial.terms.items()) for trial in trials]
    assert any(short)


def test_a_smaller_world_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: a factor above the least one breaks nothing there."""
    monkeypatch.chdir(ROOT)
    read = witness.read(KEPT / "parallel-sgd.sgd-descent.printed.term.noise.toml")
    more = {place: 1.01 * factor for place, factor in read.factors.items()}
    other = witness.Witness(
        statement=read.statement,
        variant=read.variant,
        place="",
        ratio=read.ratio,
        instance=read.instance,
        factors=more,
    )
    assert not replayed(other)[0].confirmed


def test_conjectures_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    files = sorted(KEPT.glob("*.sharpened.toml"))
    assert len(files) == len(records_in(KEPT)) >= 9
    for file in files:
        assert conjecture.read(file).case().levels


@pytest.mark.nightly
@pytest.mark.parametrize("path", sorted(KEPT.glob("*.sharpened.toml")), ids=lambda path: path.stem)
def test_a_kept_conjecture_stands_with_another_seed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that stood when they were made; the others say on the page that they were not tried."""
    monkeypatch.chdir(ROOT)
    if json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["survived"]:
        case = conjecture.read(path).case()
        found = falsify(case, budget=300, seed=5, jobs=1, advance=lambda _: None)
        assert found.largest <= 1 + EXACTLY


def test_the_page_is_made_of_them() -> None:
    page, records = (ROOT / "docs" / "sharpen.md").read_text(encoding="utf-8"), records_in(KEPT)
    tables = {
        "statements": statements(records),
        "formulas": formulas(records),
        "terms": terms(records),
        "unseen": unseen(records),
        "conditions": conditions(records),
        "powers": powers(records),
    }
    assert with_tables(page, tables) == page
    assert with_tables(page, {**tables, "terms": terms(records[1:])}) != page


def test_every_file_of_the_page_is_there() -> None:
    for record in records_in(KEPT):
        for name, file in record["files"].items():
            assert (ROOT / file).is_file() or name.startswith("along") or name == "typeset"


def test_drift_needs_three_powers_of_p() -> None:
    """Where Theorem 1's terms carry p^4; and for its measure no drift is needed at all."""
    by_id = {record["statement"]: record for record in records_in(KEPT)}
    along = {
        (each["term"], each["along"]): each["change"]
        for each in by_id["docs/device_drift.py:drift-of-x"]["exponents"]
    }
    assert along["drift", "p"] == pytest.approx(-1, abs=0.02)
    assert along["drift", "of rho_1"] == pytest.approx(0, abs=0.02)
