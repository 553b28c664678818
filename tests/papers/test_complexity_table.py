"""The claim complexity-table: its rows pass, and fail on wrong orders, wrong claims and wrong noise."""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import ratecert as rc
from ratecert.claims import Budget, Check, Rows, Task
from ratecert.papers.federated_bilevel.claims import complexity_table as page
from ratecert.report.results import read
from ratecert.solvers import ALGORITHMS, LocalSGD, LowerGradient, RandomTruncation, State
from tools.pages import built
from tools.runs import complexities

(CLAIM,) = page.CLAIMS
FEW = ("FedNest", "LocalSGD", "BSA", "TTSA")


@cache
def rows_of(method: str) -> tuple[dict[str, Any], ...]:
    return tuple(page.costs_of(method))


def checks(method: str, rows: Any = None) -> list[Check]:
    return list(CLAIM.judged([Task(page.costs_of, {"method": method})], [rows or rows_of(method)]).checks)


def refuted(method: str, rows: Any = None) -> set[str]:
    return {check.name for check in checks(method, rows) if check.verdict == "fails"}


@pytest.mark.parametrize(("method", "many"), [*zip(FEW, (10, 7, 2, 1), strict=True)])
def test_the_rows_pass(method: str, many: int) -> None:
    assert [check.verdict for check in checks(method)] == ["passes"] * many


def test_fifteen_methods_in_the_table_four_in_a_quick_run_and_the_papers_claims() -> None:
    """By hand from the paper's table; K is put into the steps of those that claim no linear speedup."""
    assert [len(CLAIM.tasks(Budget(quick=quick))) for quick in (False, True)] == [15, 4]
    stated = {name: (*page.FAMILIES[name].claimed, page.FAMILIES[name].put_K) for name in page.ROWS}
    assert stated == {
        "FedNest": ("2", "2", True),
        "FedBiOAcc": ("3/2", "1", True),
        "LocalBSGM": ("2", "3/2", False),
        "LocalBSGVRM": ("3/2", "1", False),
    }
    for name, family in page.FAMILIES.items():
        assert getattr(ALGORITHMS[name], "one_machine", False) == (family.devices == (1, 1))


def test_a_wrong_claim_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(page.FAMILIES, "FedNest", replace(page.FAMILIES["FedNest"], claimed=("3/2", "2")))
    assert "FedNest: exponent of 1/eps in samples" in refuted("FedNest", rows_of("FedNest"))


def test_steps_of_another_order_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """eta ~ n^-1/3 in place of n^-1/2: the noise is n^-1/3, so it takes eps^-3 samples; the start is n^-2/3."""
    right = page.solver_of
    wrong = lambda method, n, K, *c: replace(right(method, n, K, *c), eta=(K / n) ** (1 / 3))  # noqa: E731
    monkeypatch.setattr(page, "solver_of", wrong)
    longer = replace(page.FAMILIES["LocalSGD"], sizes=(50, 54, 58, 62))
    monkeypatch.setitem(page.FAMILIES, "LocalSGD", longer)
    rows = page.costs_of("LocalSGD")
    *_, exponent = page.limit_of_exponents(Rows(rows).where(part="eps"), "samples", 1 / 3)
    assert exponent == pytest.approx(3, abs=1e-2)
    assert "LocalSGD: exponent of 1/eps in samples" in refuted("LocalSGD", rows)


def test_devices_that_share_their_noise_show_no_speedup(monkeypatch: pytest.MonkeyPatch) -> None:
    right = rc.expect
    monkeypatch.setattr(rc, "expect", lambda *given, **named: right(*given, shared_noise=True, **named))
    found = refuted("LocalSGD", page.costs_of("LocalSGD"))
    assert "LocalSGD: exponent of K in samples, tension" in found
    assert not any("1/eps" in name for name in found)


@dataclass(frozen=True, kw_only=True)
class OwnDraws(LocalSGD):
    """Local SGD with the series cut at random, by a draw of each device's own."""

    def step(self, t: int, s: State, oracle: Any) -> State:
        h, g = oracle.sample(RandomTruncation(**page.CUT), t), oracle.sample(LowerGradient(), t)
        x = s.x - (self.rho_1 * self.step_size(t)) * h(s.x, s.y)
        return State(x=x, y=s.y - (self.rho_2 * self.step_size(t)) * g(s.x, s.y))


def test_it_is_the_shared_draw_that_costs_FedNest_its_speedup(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a draw of each device's own the noise of the cut is averaged like any other, tension or not."""
    right = page.solver_of
    own = lambda *given: OwnDraws(**{**vars(right(*given)), "p": 1})  # noqa: E731
    monkeypatch.setattr(page, "solver_of", own)
    pair = Rows(page.run("LocalSGD", "tension", n, K) for n, K in ((2**48, 256), (2**44, 4096)))
    assert page.exponent_of_K(pair, "samples", 2.0)[0] == pytest.approx(-1, abs=1e-3)


def power_law(measure: Any, cost: Any, sizes: Any) -> Rows:
    return Rows({"n": n, "gradient": measure(n), "samples": cost(n)} for n in sizes)


def test_exponents_of_power_laws_and_of_one_with_a_known_correction() -> None:
    runs = power_law(lambda n: 3 / n**0.5, lambda n: 7 * n, (1e4, 1e6, 1e8))
    assert page.exponent_of_eps(runs, "samples") == pytest.approx((2, 0), abs=1e-12)
    sizes = [2.0**m for m in (48, 52, 56, 60)]
    runs = power_law(lambda n: n ** (-2 / 5) * (1 + 3 * n ** (-1 / 5)), lambda n: n, sizes)
    assert abs(page.exponent_of_eps(runs, "samples")[0] - 2.5) > 1e-3
    assert page.exponent_of_eps(runs, "samples", 1 / 5)[0] == pytest.approx(2.5, abs=1e-4)
    runs = Rows({"K": K, "gradient": (K * n) ** -0.5, "samples": n} for K, n in ((4, 1e6), (64, 3e5)))
    assert page.exponent_of_K(runs, "samples", 2.0)[0] == pytest.approx(-1, abs=1e-12)
    assert page.exponent_of_K(runs, "samples", 1.5)[0] != pytest.approx(-1, abs=1e-3)


def test_a_curved_row_decides_nothing_and_a_period_that_costs_accuracy_is_seen() -> None:
    """Where the exponent still moves with the size of the runs, that is its uncertainty."""
    first, *others = rows_of("LocalSGD")
    bent = [{**first, "gradient": 1.2 * first["gradient"]}, *others]
    assert checks("LocalSGD", bent)[0].verdict == "undecided"
    often = "averaged after every step"
    worse = [
        {**row, "gradient": row["gradient"] * (0.99 if row["part"] == often else 1)}
        for row in rows_of("LocalSGD")
    ]
    assert refuted("LocalSGD", worse) == {"LocalSGD: measure with its p over that with p = 1"}


DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_shows_the_record_with_a_dash_where_there_is_none() -> None:
    """STEM has a world of its own where others have one with tension."""
    text = built("methods", (DOCS / "methods.md").read_text(encoding="utf-8"))
    (claim,) = (each for each in read(DOCS / "results.json")["claims"] if each["id"] == "complexity-table")
    (check,) = (each for each in claim["checks"] if each["name"] == "TTSA: exponent of 1/eps in samples")
    (row,) = (line for line in text.splitlines() if line.startswith("| TTSA | 2.5 |"))
    assert row.split(" | ")[2] == f"{check['measured']:.4f}"
    found = {"1/eps in samples": (1.5, 1.5), "K in samples, one level": (-1.0, -1)}
    record = {of: {"measured": measured, "predicted": right} for of, (measured, right) in found.items()}
    shown = complexities({"STEM": record}).splitlines()[-1]
    assert shown == "| STEM | 1.5 | 1.5000 | – | – | -1.0000 | – | – | – |"
