"""The counts of false alarms: a sound claim passes, one that misstates its error or its rate is caught.

The toy claims draw their runs from a gamma law of shape 4, whose skewness is 1, with mean T^(-1/2). Their seeds are
fixed, so nothing here is a matter of chance from one run to the next.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from ratecert.claim.check import Check
from ratecert.claim.checks import equal
from ratecert.claim.claim import Budget, Claim, Json, Piece
from ratecert.claim.rows import Rows
from ratecert.errors import UndecidedError, UserError
from ratecert.from_data import claims as known
from ratecert.papers.federated_bilevel.evidence.sampled import slope_of
from ratecert.power import false_alarms
from ratecert.power.false_alarms import (
    FIRST_SEED,
    LEVEL,
    POWER,
    RUNS,
    contradictions,
    count_false_alarms,
    held_against,
    pooled,
    print_false_alarms,
    reduced,
)
from ratecert.run.store import DiskStore

pytestmark = pytest.mark.nightly

DOCS = Path(__file__).parents[2] / "docs"
REPEATS = 250
KEPT = 1000  # in docs/false_alarms.json


def gamma_point(*, T: int, role: str, seed: int, replicates: int, stated: float) -> list[Json]:
    """A mean of gamma variables; `stated` times its standard error is what it says of its own error."""
    if replicates < 2:
        raise UndecidedError(f"{replicates} runs have no spread.")
    runs = np.random.default_rng([seed, T]).gamma(4.0, 0.25 / T**0.5, replicates)
    error = stated * runs.std(ddof=1) / replicates**0.5
    return [{"replicates": replicates, "measure": float(runs.mean()), "measure_error": float(error)}]


def toy(*, stated: float = 1.0, tolerance: float = 0.05) -> Claim:
    def pieces(budget: Budget) -> list[Piece]:
        points = [{"T": T, "role": "printed", "seed": budget.seed, "stated": stated} for T in (16, 64, 256)]
        return [Piece(gamma_point, {**p, "relative_error": 0.1}, seconds=p["T"]) for p in points]

    def checks(rows: Rows) -> Iterator[Check]:
        slope = slope_of(rows, "measure")
        yield equal("exponent of the measure in T", slope.value, -1 / 2, tolerance, slope.uncertainty)

    names: dict[str, Any] = {"id": "toy", "of": (), "sentence": "", "evidence": ("sampled",), "settings": {}}
    names |= {"regime": "", "method": ""}
    return Claim(**names, pieces=pieces, checks=checks, false_alarm=1e-5)


@cache
def counted(stated: float) -> dict[str, Any]:
    return count_false_alarms([toy(stated=stated)], repeats=REPEATS)


def test_a_sound_claim_passes() -> None:
    found = counted(1.0)
    assert contradictions(found) == []
    (entry,) = found["claims"]
    assert entry["pooled"] == "not refuted"
    assert entry["count"] == entry["verdicts"].get("refuted", 0) == 0
    assert sum(entry["verdicts"].values()) == REPEATS
    (check,) = entry["checks"]
    assert (
        abs(check["value"] + 0.5) < check["uncertainty"] < 0.05
    )  # the exponent of T^(-1/2), which is known here


@pytest.mark.parametrize("stated", [0.7, 2.0])
def test_an_interval_too_narrow_or_too_wide_is_caught(stated: float) -> None:
    (entry,) = counted(stated)["claims"]
    assert not entry["contradicts"]  # the rate of 1e-5 itself tells nothing
    assert [check["contradicts"] for check in entry["checks"]] == [True]
    (sentence,) = contradictions(counted(stated))
    assert "toy, exponent of the measure in T" in sentence


def test_false_alarms_more_often_than_stated_are_caught() -> None:
    """Errors stated as nearly nothing: the verdict itself is wrong time and again."""
    (entry,) = counted(0.05)["claims"]
    assert entry["count"] == entry["verdicts"]["refuted"] > 2
    assert entry["contradicts"]


def test_where_the_truth_violates_the_claim_it_is_no_false_alarm_to_say_so() -> None:
    exact = toy(stated=1e-9, tolerance=0.0)  # no sample has the exponent -1/2 exactly
    (entry,) = count_false_alarms([exact], repeats=20)["claims"]
    assert entry["pooled"] == "refuted"
    assert entry["verdicts"] == {"refuted": 20}
    assert entry["count"] == 0


def test_claims_that_sample_nothing_are_left_alone() -> None:
    assert count_false_alarms([known.claims()["lemma-1"]], repeats=2)["claims"] == []


def test_pooling_is_one_larger_sample() -> None:
    """Up to the spread between repeats, which is part of the larger sample's own."""
    parts = [gamma_point(T=16, role="", seed=s, replicates=RUNS, stated=1.0) for s in range(50)]
    together = pooled([{"T": 16, **row} for (row,) in parts])
    runs = np.concatenate([np.random.default_rng([s, 16]).gamma(4.0, 0.25 / 4, RUNS) for s in range(50)])
    assert together["replicates"] == len(runs)
    assert together["measure"] == pytest.approx(runs.mean(), rel=1e-12)
    assert together["measure_error"] == pytest.approx(runs.std(ddof=1) / len(runs) ** 0.5, rel=0.02)
    assert together["T"] == 16


@pytest.mark.parametrize(("rate", "sides"), [(1e-5, 1), (LEVEL, 2)])
def test_the_test_keeps_its_error_and_has_the_power_it_states(rate: float, sides: int) -> None:
    error, n = 1e-3, 100
    counts = np.arange(n + 1)
    tests = [held_against(rate, int(c), n, error, sides=sides) for c in counts]
    rejected = np.array([test["contradicts"] for test in tests])
    assert binom.pmf(counts[rejected], n, rate).sum() < error
    noticed = tests[0]["noticed"]
    above = rejected & (counts > rate * n)
    assert binom.pmf(counts[above], n, noticed).sum() == pytest.approx(POWER, abs=1e-6)
    assert binom.pmf(counts[above], n, (noticed + rate) / 2).sum() < 0.7  # twin: half as far away


@pytest.mark.parametrize(
    "claim", [c for c in known.claims().values() if c.false_alarm > 0], ids=lambda c: c.id
)
def test_a_repeat_is_the_claim_itself_with_fewer_runs(claim: Claim) -> None:
    """Its pieces are those of the quick budget but for seed and runs, and its checks take them as they are."""
    whole = claim.pieces(Budget(quick=True, seed=FIRST_SEED + 7))
    quick = [dict(piece.arguments) for piece in whole]
    for arguments in quick:
        arguments.pop("relative_error", None)
        arguments["replicates"] = RUNS
    repeat = reduced(claim, 7)
    assert all(piece.arguments in quick for piece in repeat)
    assert all(piece.arguments != other.arguments for piece in repeat for other in reduced(claim, 8))
    short = [piece.function(**{**piece.arguments, "replicates": 16}) for piece in repeat]
    values = [[{**short[0][0], **{name: a[name] for name in ("T", "K", "role")}}] for a in quick]
    assert len(claim.judged(repeat, short).checks) == len(claim.judged(whole, values).checks)


def test_it_prints_writes_goes_on_and_fails_with_the_claim(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for stated, code in [(1.0, 0), (0.4, 1)]:
        toys = {"toy": toy(stated=stated)}
        monkeypatch.setattr(known, "claims", lambda toys=toys: toys)
        assert print_false_alarms(out=tmp_path / str(stated), jobs=1, repeats=60) == code
        out = capsys.readouterr().out
        assert "60 repeats" in out
        assert ("contradicts" in out) is (code == 1)
    found = json.loads((tmp_path / "1.0" / "false-alarms.json").read_text(encoding="utf-8"))
    monkeypatch.setattr(known, "claims", lambda: {"toy": toy()})
    store = DiskStore(tmp_path / "1.0" / "false-alarms")
    assert count_false_alarms([toy()], repeats=61, store=store)["claims"] != found["claims"]
    assert (store.reused, store.computed) == (120, 2)


def test_wrong_calls_are_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="repeats must be"):
        print_false_alarms(out=tmp_path / "new", jobs=1, repeats=1)
    with pytest.raises(ValueError, match="jobs must be"):
        print_false_alarms(out=tmp_path / "new", jobs=0)
    assert not (tmp_path / "new").exists()


def test_a_repeat_that_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(false_alarms, "RUNS", 0)
    with pytest.raises(UserError, match=r"a repeat failed.*0 runs have no spread"):
        count_false_alarms([toy()], repeats=2)
