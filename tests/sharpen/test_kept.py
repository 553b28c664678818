"""docs/sharpened.json: every lower bound is computed again, and conjectures can be read."""

import json
from dataclasses import replace
from math import fsum
from pathlib import Path
from typing import Any

import pytest

from ratecert.base.asked import asked
from ratecert.catalogue.cases import case_of, conjectured, read_conjecture, replayed
from ratecert.catalogue.find import paper
from ratecert.search import witness
from ratecert.search.finding import falsify
from ratecert.sharpening.sharpen import EXACTLY

ROOT = Path(__file__).parents[2]
asked("docs/device_drift.py")  # of which some worlds are, seen from the root
RECORDS = json.loads((ROOT / "docs" / "sharpened.json").read_text(encoding="utf-8"))
FILES = {
    f"{r['statement']}.{r['variant']}, {name}": text for r in RECORDS for name, text in r["files"].items()
}
WORLDS = {name: text for name, text in FILES.items() if not name.endswith("conjecture")}
CONJECTURES = {name: text for name, text in FILES.items() if name.endswith("conjecture")}
LONG = ("theorem-", "proxskip", "sg:", "stich")  # eighty digits take their time


@pytest.fixture(autouse=True)
def _in_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """From which the record names the file of one statement."""
    monkeypatch.chdir(ROOT)


def written(text: str, folder: Path) -> Path:
    path = folder / "kept.toml"
    path.write_text(text, encoding="utf-8")
    return path


def by_day(values: Any) -> list[Any]:
    """By name, those that take long by night."""
    marks = {name: pytest.mark.nightly if name.startswith(LONG) else () for name in values}
    return [pytest.param(value, id=name, marks=marks[name]) for name, value in values.items()]


@pytest.mark.parametrize("name", by_day({name: name for name in WORLDS}))
def test_a_lower_bound_is_confirmed(name: str, tmp_path: Path) -> None:
    read = witness.read(written(WORLDS[name], tmp_path))
    assert len(read.factors) == 1
    assert not read.statement.startswith("/")  # another machine has other folders
    check = replayed(read)
    assert check.confirmed
    assert check.again.measured is not None


@pytest.mark.parametrize("record", by_day({r["statement"]: r for r in RECORDS}))
def test_no_kept_world_exceeds_the_conjecture(record: Any, tmp_path: Path) -> None:
    """And some exceed half of it."""
    own = case_of(record["statement"], record["variant"])
    source = paper(record["variant"], own.key)
    factors = {each["term"]: each["sharpened"] for each in record["terms"]}
    worlds = [written(text, tmp_path) for name, text in record["files"].items() if name.startswith("term.")]
    trials = [own.attempt(witness.read(world).instance, source) for world in worlds]
    for trial in trials:
        assert trial.measured <= fsum(factors[n] * t for n, t in trial.terms.items()) * (1 + EXACTLY)
    short = [trial.measured > fsum(0.5 * factors[n] * t for n, t in trial.terms.items()) for trial in trials]
    assert any(short)


def test_a_smaller_world_is_not(tmp_path: Path) -> None:
    """A factor above the least one breaks nothing there."""
    read = witness.read(written(WORLDS["parallel-sgd:sgd-descent.printed, term.noise"], tmp_path))
    more = {place: 1.01 * factor for place, factor in read.factors.items()}
    assert not replayed(replace(read, factors=more)).confirmed


def test_conjectures_can_be_read(tmp_path: Path) -> None:
    assert len(CONJECTURES) == len(RECORDS) >= 9
    for text in CONJECTURES.values():
        assert conjectured(read_conjecture(written(text, tmp_path))).levels


@pytest.mark.nightly
@pytest.mark.parametrize("record", [pytest.param(r, id=r["statement"]) for r in RECORDS if r["survived"]])
def test_a_kept_conjecture_stands_with_another_seed(record: Any, tmp_path: Path) -> None:
    """Those that stood when they were made; the others say on the page that they were not tried."""
    case = conjectured(read_conjecture(written(record["files"]["conjecture"], tmp_path)))
    found = falsify(case, budget=300, seed=5, jobs=1, advance=lambda _: None)
    assert found.largest <= 1 + EXACTLY


def test_drift_needs_three_powers_of_p() -> None:
    """Where Theorem 1's terms carry p^4; and for its measure no drift is needed at all."""
    by_id = {record["statement"]: record for record in RECORDS}
    along = {
        (each["term"], each["along"]): each["change"]
        for each in by_id["docs/device_drift.py:drift-of-x"]["exponents"]
    }
    assert along["drift", "p"] == pytest.approx(-1, abs=0.02)
    assert along["drift", "of rho_1"] == pytest.approx(0, abs=0.02)
