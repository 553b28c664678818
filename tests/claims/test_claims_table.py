"""Table 1 measured: the claims hold, the search finds the right T, and wrong runs are noticed.

Wrong runs: a step whose exponent is another, noise that all devices share, a period with another exponent. The search
is held against bisection over whole numbers, and against the measure itself on both sides of the T that it found.
"""

import math
from dataclasses import replace
from typing import Any

import pytest
from sympy import Rational

from oracles.kept_pieces import values_of
from ratecert.claim.claim import Budget, Judgement
from ratecert.errors import UndecidedError
from ratecert.papers.federated_bilevel.claims.table_1 import CLAIMS, CLOSE, ROWS, TableRow, cost_to_reach
from ratecert.papers.federated_bilevel.evidence import runs
from ratecert.registry import paper
from ratecert.solvers import CubeRoot, expect
from ratecert.theory.language.letters import letter
from ratecert.theory.language.statements import Corollary

PRINTED = paper("printed")
MOMENTUM, CONSTANT, DECAYING = ROWS
BY_ID = {claim.id: claim for claim in CLAIMS}


def judged(row: TableRow) -> Judgement:
    claim = BY_ID[row.id]
    pieces = claim.pieces(Budget(quick=True))
    return claim.judged(pieces, [piece.function(**piece.arguments) for piece in pieces])


def violated(judgement: Judgement) -> list[str]:
    return [check.name for check in judgement.checks if check.verdict == "fails"]


def time_to(row: TableRow, K: int, eps: float, *, off: float = 1.0) -> float:
    """T(eps), searched for from a first T that is so many times the usual one."""
    experiment = row.along(row.in_T)
    return experiment.reach(eps, K=K, first=off * row.first(K, eps), close=CLOSE).corrected


@pytest.mark.untraced
@pytest.mark.parametrize("row", ROWS, ids=[row.id for row in ROWS])
def test_verdict_is_the_expected_one(row: TableRow) -> None:
    pieces = BY_ID[row.id].pieces(Budget(quick=True))
    judgement = BY_ID[row.id].judged(pieces, values_of(pieces))
    assert judgement.verdict == "not refuted" == BY_ID[row.id].expected
    assert all(check.tolerance == 1e-3 for check in judgement.checks)


# The search


@pytest.mark.parametrize("row", [MOMENTUM, CONSTANT], ids=["momentum", "constant"])
def test_the_search_ends_where_the_measure_is_eps(row: TableRow) -> None:
    K, eps = row.devices[True][0], row.epsilon(2)
    (found,) = cost_to_reach(row.id, K, eps)
    here = row.along(row.in_T)
    for factor, relation in ((0.999, 1), (1.001, -1)):
        run = here.run(K=K, T=math.ceil(factor * found["iterations"]))
        assert (here.row(run)["measure"] - eps) * relation > 0


@pytest.mark.parametrize("off", [0.02, 30.0])
def test_the_search_may_begin_anywhere(off: float) -> None:
    eps = MOMENTUM.epsilon(2)
    assert time_to(MOMENTUM, 64, eps, off=off) == pytest.approx(time_to(MOMENTUM, 64, eps), rel=CLOSE**1.5)


def test_bisection_over_whole_numbers_finds_the_same_T() -> None:
    """The smallest T, at one device, where p plays no part, and far from any limit."""
    here, eps = MOMENTUM.along(MOMENTUM.in_T), 0.3

    def reached(T: int) -> bool:
        return bool(here.row(here.run(K=1, T=T, p=1))["measure"] <= eps)

    low, high = 1, 2**20
    assert not reached(low)
    assert reached(high)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    assert time_to(MOMENTUM, 1, eps) == pytest.approx(high, rel=2e-3)


def test_a_measure_that_does_not_fall_is_refused() -> None:
    """With one Neumann term there is a floor, and eps lies below it."""
    one_term = replace(MOMENTUM, units={"Q": 1e-9})
    with pytest.raises(UndecidedError, match="does not fall with T"):
        time_to(one_term, 64, MOMENTUM.epsilon(2))


@pytest.mark.parametrize("row", [MOMENTUM, CONSTANT], ids=["momentum", "constant"])
def test_samples_and_rounds_are_those_of_the_run(row: TableRow) -> None:
    """T (Q + 3) samples, and (B - 1)(Q + 3) more where the first batch is larger; T/p rounds."""
    K = row.devices[True][-1]
    (found,) = cost_to_reach(row.id, K, row.epsilon(0))
    run = row.along(row.in_T).run(K=K, T=int(found["iterations"]))
    batch = getattr(run.solver, "B", 1)
    assert found["samples"] == (found["iterations"] + batch - 1) * (found["Q"] + 3)
    assert found["rounds"] == found["iterations"] / found["p"]
    assert found["p"] == row.period


# Wrong runs


def with_order(monkeypatch: pytest.MonkeyPatch, id: str, name: str, factor: Any) -> None:
    """A corollary of the paper with one scaling times a factor."""
    corollary = PRINTED.the(Corollary, id)
    scaling = replace(corollary.scalings[name], order=corollary.scalings[name].order * factor)
    wrong = replace(corollary, scalings={**corollary.scalings, name: scaling})
    changed = replace(PRINTED, statements={**PRINTED.statements, id: wrong})
    monkeypatch.setattr("ratecert.papers.federated_bilevel.paper.PRINTED", changed)


T_SHIFT, EPS_SHIFT = letter("T") ** Rational(1, 20), letter("eps") ** Rational(1, 20)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("row", "factor"), [(MOMENTUM, 1 / T_SHIFT), (CONSTANT, T_SHIFT)], ids=["momentum", "constant"]
)
def test_a_step_with_another_exponent_is_noticed(
    row: TableRow, factor: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_order(monkeypatch, row.in_T, "eta", factor)
    found = violated(judged(row))
    for K in row.devices[True]:
        assert f"samples/(Q + 3): exponent of eps, K = {K}" in found
        assert f"rounds: exponent of eps, K = {K}" in found
    assert not any("measure along" in name for name in found)


class FourthRoot(CubeRoot):
    """A step that decays more slowly."""

    def __call__(self, t: float) -> float:
        return float(self.scale / max(self.offset + t, self.floor) ** 0.25)


@pytest.mark.untraced
@pytest.mark.nightly
def test_another_decay_has_another_exponent(monkeypatch: pytest.MonkeyPatch) -> None:
    """At one device; the step decays from t = T/2 on, which is quick."""
    monkeypatch.setattr("ratecert.papers.federated_bilevel.scalings.CubeRoot", FourthRoot)
    row = replace(DECAYING, units={**DECAYING.units, "floor": 2.0**17})
    few, many = (time_to(row, 1, DECAYING.epsilon(level)) for level in (0, 1))
    assert abs(math.log(many / few) / math.log(4) - 1.5) > 0.1


@pytest.mark.parametrize("name", ["eta", "T"])
def test_a_run_in_eps_with_another_exponent_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with_order(monkeypatch, MOMENTUM.in_eps, name, EPS_SHIFT)
    found = violated(judged(MOMENTUM))
    assert found == ["measure along corollary-2: exponent of eps, K = 64"]


def test_a_period_with_another_exponent_changes_the_rounds_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with_order(monkeypatch, CONSTANT.in_T, "p", 1 / T_SHIFT)
    found = violated(judged(CONSTANT))
    assert found
    assert all(name.startswith("rounds") for name in found)


def test_noise_shared_by_all_devices_destroys_the_speedup(monkeypatch: pytest.MonkeyPatch) -> None:
    def shared(*arguments: Any, **options: Any) -> Any:
        return expect(*arguments, **{**options, "shared_noise": True})

    monkeypatch.setattr(runs, "expect", shared)
    judgement = judged(MOMENTUM)
    found = violated(judgement)
    assert any(name.startswith("samples/(Q + 3): exponent of K") for name in found)
    assert any(name.startswith("measure along corollary-2: exponent of K") for name in found)
    in_K = next(check for check in judgement.checks if "samples/(Q + 3): exponent of K" in check.name)
    assert in_K.measured > 0
