"""The claim complexity-table: what it computes, and that it fails on wrong orders, wrong claims and wrong noise."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from oracles.kept_pieces import values_of
from oracles.reconstructed import unmarked
from ratecert.claim.claim import Budget, Judgement, Piece
from ratecert.claim.rows import Rows
from ratecert.claim.worlds import build
from ratecert.errors import DivergedError
from ratecert.papers.federated_bilevel.claims import complexity_table
from ratecert.papers.federated_bilevel.claims.complexity_table import (
    WORLDS,
    Claimed,
    claimed,
    costs_of,
    exponent_of_eps,
    exponent_of_K,
    limit_of_exponents,
)
from ratecert.papers.federated_bilevel.evidence import runs
from ratecert.papers.federated_bilevel.evidence.complexity import best_constants
from ratecert.papers.federated_bilevel.evidence.complexity.families import CUT, FAMILIES, At
from ratecert.papers.federated_bilevel.evidence.complexity.measured_runs import measured_run
from ratecert.report.results import read
from ratecert.solvers import ALGORITHMS, TTSA, LocalSGD, LowerGradient, Power, RandomTruncation, State, expect
from tools.pages import built
from tools.verdicts import _complexities

pytestmark = pytest.mark.nightly  # its rows are fifteen methods, each tuned: a minute

FEW = ("FedNest", "FedBiOAcc", "LocalSGD", "TTSA")


(CLAIM,) = complexity_table.CLAIMS
Values = dict[str, list[Any]]  # method -> rows


@pytest.fixture(scope="module")
def values() -> Values:
    return dict(zip(FEW, values_of(Piece(costs_of, {"method": method}) for method in FEW), strict=True))


def judged(values: Values) -> Judgement:
    pieces = [Piece(costs_of, {"method": method}) for method in values]
    return CLAIM.judged(pieces, list(values.values()))


def verdicts(values: Values) -> dict[str, str]:
    return {check.name: check.verdict for check in judged(values).checks}


def violated(values: Values) -> set[str]:
    return {name for name, verdict in verdicts(values).items() if verdict == "fails"}


def changed(rows: list[Any], part: str, **columns: Any) -> list[Any]:
    """With other columns in the first row of this part."""
    at = next(i for i, row in enumerate(rows) if row["part"] == part)
    return [*rows[:at], {**rows[at], **columns}, *rows[at + 1 :]]


def test_the_rows_hold(values: Values) -> None:
    found = verdicts(values)
    assert set(found.values()) == {"passes"}
    assert len(found) == 2 + 8 + 3 + 8 + 3 + 4 + 1  # in eps, p and in K: FedNest, FedBiOAcc, LocalSGD, TTSA


def test_who_shows_linear_speedup_without_a_proof(values: Values) -> None:
    notes = "\n".join(judged(values).notes)
    assert (
        "FedNest does not show it on the world with tension and shows it on the world with no tension"
        in notes
    )
    assert "FedBiOAcc (reconstructed) shows it on the world with tension and shows it" in notes
    assert "TTSA" not in notes  # it knows no devices


def test_reconstructed_is_shown_with_the_name(values: Values) -> None:
    found = judged(values)
    assert found.chart is not None
    names = [name for panel in found.chart.panels for name in panel.y_names]
    checks = [check.name for check in found.checks]
    rows = [str(row["method"]) for row in found.table]
    shown = "\n".join([*names, *checks, *rows, *found.notes, found.chart.caption])
    assert "FedBiOAcc (reconstructed)" in shown
    assert not unmarked(shown)


def test_the_rows_are_algorithms_and_a_quick_run_has_those_of_the_table() -> None:
    assert set(FAMILIES) <= set(ALGORITHMS)
    assert len(FAMILIES) == 15
    for name, family in FAMILIES.items():
        assert getattr(ALGORITHMS[name], "one_machine", False) == (family.devices is None)
    quick = [piece.arguments["method"] for piece in complexity_table.pieces(Budget(quick=True))]
    assert sorted(quick) == ["FedBiOAcc", "FedNest", "LocalBSGM", "LocalBSGVRM"]
    assert len(complexity_table.pieces(Budget())) == len(FAMILIES)


def test_claimed_orders() -> None:
    """By hand from the paper's table."""
    assert claimed("FedNest") == Claimed(Fraction(2), Fraction(2), False, "Table 1")
    assert claimed("FedBiOAcc") == Claimed(Fraction(3, 2), Fraction(1), False, "Table 1")
    assert claimed("LocalBSGM") == Claimed(Fraction(2), Fraction(3, 2), True, "Table 1")
    assert claimed("LocalBSGVRM") == Claimed(Fraction(3, 2), Fraction(1), True, "Table 1")


def test_a_wrong_claim_is_violated(values: Values, monkeypatch: pytest.MonkeyPatch) -> None:
    better = Claimed(Fraction(3, 2), Fraction(3, 2), False, "nobody")
    monkeypatch.setattr(
        complexity_table, "claimed", lambda method: better if FAMILIES[method].devices else claimed(method)
    )
    found = violated(values)
    assert "FedNest: exponent of 1/eps in samples" in found
    assert "FedNest: exponent of 1/eps in rounds" in found
    assert "FedBiOAcc (reconstructed): exponent of 1/eps in samples" not in found


def test_steps_of_another_order_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """eta ~ n^-1/3 in place of n^-1/2: the noise is n^-1/3, so it takes eps^-3 samples; the start is n^-2/3."""
    family = FAMILIES["LocalSGD"]

    def wrong(at: At) -> Any:
        solver, T = family.make(at)
        return replace(solver, eta=(at.K / at.n) ** (1 / 3)), T

    monkeypatch.setitem(FAMILIES, "LocalSGD", replace(family, make=wrong, sizes=(50, 54, 58, 62)))
    rows = costs_of("LocalSGD")
    *_, exponent = limit_of_exponents(Rows(rows).where(part="eps"), "samples", 1 / 3)
    assert exponent == pytest.approx(3, abs=1e-2)
    assert "LocalSGD: exponent of 1/eps in samples" in violated({"LocalSGD": rows})


def test_devices_that_share_their_noise_show_no_speedup(monkeypatch: pytest.MonkeyPatch) -> None:
    def shared(*arguments: Any, **more: Any) -> Any:
        return expect(*arguments, shared_noise=True, **more)

    monkeypatch.setattr(runs, "expect", shared)
    found = violated({"LocalSGD": costs_of("LocalSGD")})
    assert "LocalSGD: exponent of K in samples, tension" in found
    assert not any("1/eps" in name for name in found)


@dataclass(frozen=True, kw_only=True)
class OwnDraws(LocalSGD):
    """Local SGD with the series cut at random, by a draw of each device's own."""

    def step(self, t: int, s: State, oracle: Any) -> State:
        h, g = oracle.sample(RandomTruncation(**CUT), t), oracle.sample(LowerGradient(), t)
        x = s.x - (self.rho_1 * self.step_size(t)) * h(s.x, s.y)
        return State(x=x, y=s.y - (self.rho_2 * self.step_size(t)) * g(s.x, s.y))


def test_it_is_the_shared_draw_that_costs_FedNest_its_speedup(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a draw of each device's own the noise of the cut is averaged like any other, tension or not."""

    def make(at: At) -> Any:
        solver, T = FAMILIES["LocalSGD"].make(at)
        return OwnDraws(**{**vars(solver), "p": 1}), T

    monkeypatch.setitem(FAMILIES, "own draws", replace(FAMILIES["LocalSGD"], make=make))
    world = build(WORLDS["tension"])
    pair = (
        measured_run("own draws", world, n=n, K=K, c=(0.5, 4.0)) for n, K in ((2**48, 256), (2**44, 4096))
    )
    assert exponent_of_K(Rows(pair), "samples", 2.0)[0] == pytest.approx(-1, abs=1e-3)


# The search for constants.


def test_every_method_gets_the_same_number_of_trials(values: Values) -> None:
    assert {rows[0]["trials"] for rows in values.values()} == {best_constants.TRIALS}


def test_the_search_finds_a_known_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    best = (0.5, 4.0)

    def bowl(method: str, world: Any, *, n: int, K: int, c: Any, certified: bool) -> dict[str, float]:
        if c[0] > 8:
            raise DivergedError("too large")
        return {"gradient": math.exp(sum(math.log(a / b) ** 2 for a, b in zip(c, best, strict=True)))}

    monkeypatch.setattr(best_constants, "measured_run", bowl)
    found = best_constants.best_constants("LocalSGD", None)
    assert found.constants == pytest.approx(best, rel=0.05)
    assert found.trials == best_constants.TRIALS
    assert 0 < found.lost < found.trials


def test_constants_of_which_none_converges_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def diverges(*_: Any, **__: Any) -> Any:
        raise DivergedError("always")

    monkeypatch.setattr(best_constants, "measured_run", diverges)
    with pytest.raises(ArithmeticError, match="LocalSGD: none of 32 constants"):
        best_constants.best_constants("LocalSGD", None)


# Exponents.


def runs_of(measure: Any, cost: Any, sizes: Any) -> Rows:
    return Rows({"n": n, "gradient": measure(n), "samples": cost(n)} for n in sizes)


def test_exponents_of_power_laws() -> None:
    runs = runs_of(lambda n: 3 / n**0.5, lambda n: 7 * n, (1e4, 1e6, 1e8))
    assert exponent_of_eps(runs, "samples") == pytest.approx((2, 0), abs=1e-12)


def test_a_known_correction_is_taken_out() -> None:
    sizes = [2.0**m for m in (48, 52, 56, 60)]
    runs = runs_of(lambda n: n ** (-2 / 5) * (1 + 3 * n ** (-1 / 5)), lambda n: n, sizes)
    assert abs(exponent_of_eps(runs, "samples")[0] - 2.5) > 1e-3
    assert exponent_of_eps(runs, "samples", 1 / 5)[0] == pytest.approx(2.5, abs=1e-4)


def test_an_exponent_of_K_at_the_same_eps() -> None:
    """cost = n, measure = (K n)^-1/2: at the same measure n ~ 1/K, whatever sizes the two runs have."""
    runs = Rows({"K": K, "gradient": (K * n) ** -0.5, "samples": n} for K, n in ((4, 1e6), (64, 3e5)))
    assert exponent_of_K(runs, "samples", 2.0)[0] == pytest.approx(-1, abs=1e-12)
    assert exponent_of_K(runs, "samples", 1.5)[0] != pytest.approx(-1, abs=1e-3)


def test_a_curved_row_is_inconclusive_not_confirmed(values: Values) -> None:
    """Where the exponent still moves with the size of the runs, that is its uncertainty."""
    rows = values["LocalSGD"]
    first = Rows(rows).where(part="eps")[0]
    bent = {"LocalSGD": changed(rows, "eps", gradient=first["gradient"] * 1.2)}
    assert judged(bent).checks[0].verdict == "undecided"


# The page.

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.skipif(not DOCS.is_dir(), reason="the pages are not part of the installed wheel")
def test_page_and_results_agree() -> None:
    text = built("methods", (DOCS / "methods.md").read_text(encoding="utf-8"))
    assert not unmarked(text)
    (claim,) = (each for each in read(DOCS / "results.json")["claims"] if each["id"] == "complexity-table")
    (check,) = (each for each in claim["checks"] if each["name"] == "TTSA: exponent of 1/eps in samples")
    (row,) = (line for line in text.splitlines() if line.startswith("| TTSA | 2.5 |"))
    assert row.split(" | ")[2] == f"{check['measured']:.4f}"


@pytest.mark.skipif(not DOCS.is_dir(), reason="the pages are not part of the installed wheel")
def test_a_row_of_the_page_by_hand() -> None:
    """A method on one level has a world of its own where others have one with tension; what is missing is a dash."""
    checks = {
        "1/eps in samples": {"measured": 1.5, "predicted": 1.5},
        "K in samples, one level": {"measured": -1.0, "predicted": -1},
    }
    assert _complexities("STEM", checks) == (
        "STEM",
        "1.5",
        "1.5000",
        "–",
        "–",
        "-1.0000",
        "–",
        "–",
        "–",
    )


def test_a_period_that_costs_accuracy_is_seen(values: Values) -> None:
    rows, part = values["LocalSGD"], "averaged after every step"
    often = Rows(rows).where(part=part).only()
    worse = {"LocalSGD": changed(rows, part, gradient=0.99 * often["gradient"])}
    assert violated(worse) == {"LocalSGD: measure with its p over that with p = 1"}


def test_constants_at_the_edge_of_the_box_are_said(values: Values) -> None:
    edge = best_constants.Best((1.0, best_constants.LARGEST), 1.0, 64, 0)
    inside = best_constants.Best((1.0, 2.0), 1.0, 64, 0)
    assert edge.at_edge
    assert not inside.at_edge
    told = "A constant of LocalSGD is at the edge of the box."
    for at_edge in (True, False):
        rows = changed(values["LocalSGD"], "constants", **{"at edge": at_edge})
        assert (told in judged({"LocalSGD": rows}).notes) is at_edge


def test_with_its_decaying_steps_TTSA_is_better_than_its_bound_here() -> None:
    """Where Phi is strongly convex the start is forgotten, and what is left falls as the step of x: eps^-5/3."""
    decaying = {
        name: Power(scale=1.0, offset=4.0, exponent=r) for name, r in (("alpha", 3 / 5), ("beta", 2 / 5))
    }
    solver = TTSA(**decaying, theta=0.8, N=4)
    problem = build(WORLDS["tension"])
    few, many = (expect(problem, solver, K=1, T=T, x0=1.0, y0=0.0, times=[]).gradient for T in (2**14, 2**18))
    assert math.log(few / many) / math.log(16) == pytest.approx(3 / 5, abs=0.02)
