"""The second paper: a sound bound comes out clean, and its false relatives do not."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from oracles.kept_pieces import KEPT, values_of
from ratecert.claim.claim import Budget
from ratecert.cli.main import main
from ratecert.cli.verify import judged
from ratecert.counterexamples.cases import case as case_of
from ratecert.counterexamples.falsifiable import Falsifiable
from ratecert.counterexamples.finding import falsify
from ratecert.counterexamples.search import search
from ratecert.errors import OutsideConditionsError, UserError
from ratecert.papers.parallel_sgd.claims import THEOREM, DescentCase, Run
from ratecert.papers.parallel_sgd.paper import DESCENT, PRINTED
from ratecert.registry import claims, holding
from ratecert.theory.language.letters import letters
from ratecert.theory.language.paper import Paper
from ratecert.theory.lint import lint

K, T, eta, L, sigma, Phi_gap = letters("K T eta L sigma Phi_gap")
ID = "parallel-sgd:sgd-descent"
FALSE = {
    "start without its 2": {"start": Phi_gap / (eta * T)},
    "noise over K^2": {"noise": L * eta * sigma**2 / K**2},
    "half the noise": {"noise": L * eta * sigma**2 / (2 * K)},
    "three quarters of the noise": {"noise": 3 * L * eta * sigma**2 / (4 * K)},
    "start over T^2": {"start": 2 * Phi_gap / (eta * T**2)},
}


def with_terms(**terms: Any) -> Paper:
    theorem = replace(DESCENT, terms={**DESCENT.terms, **terms})
    return replace(PRINTED, statements={**PRINTED.statements, THEOREM: theorem})


def largest_ratio(source: Paper, budget: int = 128) -> float:
    case = DescentCase(THEOREM, "printed")

    def score(numbers: Any) -> float:
        return case.draw(numbers, source).ratio

    return search(score, case.levels, case.subspaces, budget=budget, seed=0, jobs=1, enough=1.2).score


# The claims.


@pytest.mark.untraced
@pytest.mark.parametrize("id", ["parallel-sgd:sgd-descent", "parallel-sgd:sgd-rate"])
def test_the_claims_hold(id: str) -> None:
    (entry,) = judged([claims()[id]], Budget(quick=True), store=KEPT)
    assert entry["verdict"] == "not refuted", entry["reason"]
    assert "Ghadimi and Lan (2013)" in entry["statement"]


@pytest.mark.untraced
def test_a_finding_of_the_linter_is_violated() -> None:
    claim = claims()[ID]
    pieces = claim.pieces(Budget(quick=True))
    values = values_of(pieces)
    assert claim.judged(pieces, values).verdict == "not refuted"
    values[-1] = [{"place": "sgd-descent", "finding": "units"}]
    assert claim.judged(pieces, values).verdict == "refuted"


# The search.


@pytest.mark.untraced
def test_a_search_does_not_falsify_it() -> None:
    outcome = falsify(DescentCase(THEOREM, "printed"), budget=128, seed=1, jobs=1, advance=lambda _: None)
    assert not outcome.falsified
    assert 0.9 < outcome.largest <= 1 + 1e-12  # it is attained at eta = 1/L


@pytest.mark.untraced
@pytest.mark.parametrize("terms", FALSE.values(), ids=FALSE)
def test_a_search_falsifies_its_false_relatives(terms: dict[str, Any]) -> None:
    assert largest_ratio(with_terms(**terms)) > 1.2


def test_the_case_is_known_to_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    case: Falsifiable = case_of(ID, "printed")
    assert isinstance(case, DescentCase)
    assert main(["falsify", ID, "--budget", "64", "--jobs", "1", "--out", str(tmp_path)]) == 0
    assert "sgd-descent (printed): not falsified (largest ratio" in capsys.readouterr().out
    assert main(["falsify", "sgd-nonsense", "--out", str(tmp_path)]) == 2
    assert "no statement has the id 'sgd-nonsense'" in capsys.readouterr().err


# Both sides.


@pytest.mark.parametrize("K", [1, 8])
@pytest.mark.parametrize("T", [1, 7, 10**6])
def test_two_ways_agree(K: int, T: int) -> None:
    run = Run([2.0, 0.3], 0.5, 1.0, K, T, 0.4)
    measured, precision = run.measured()
    again, bound = run.again()
    assert measured == pytest.approx(again, rel=1e-12 + precision)
    assert DescentCase(THEOREM, "printed").right_side(run.values(), PRINTED) == pytest.approx(
        bound, rel=1e-14
    )
    assert Run([2.0, 0.31], 0.5, 1.0, K, T, 0.4).measured()[0] != pytest.approx(again, rel=1e-4)


def test_by_hand() -> None:
    """T = 1, P = 3, x_0 = 2: the gradient is 6, and the bound at eta = 1/3 is 2 * 6/(1/3) = 36."""
    run = Run([3.0], 0.0, 2.0, 1, 1, 1 / 3)
    assert run.measured()[0] == pytest.approx(36.0, rel=1e-14)
    assert run.again() == pytest.approx((36.0, 36.0), rel=1e-14)


def test_what_is_no_instance_is_refused() -> None:
    case = DescentCase(THEOREM, "printed")
    numbers = {level.name: math.sqrt(level.low * level.high) for level in case.levels}
    good = case.instance({**numbers, "K": 4.0, "T": 9.0}, PRINTED)
    case.require(good)
    for table, name, wrong in (
        ("run", "K", 0),
        ("run", "T", 2.5),
        ("world", "P", [-1.0]),
        ("world", "P", []),
    ):
        with pytest.raises(OutsideConditionsError, match=f"{table}.{name} must be"):
            case.require({**good, table: {**good[table], name: wrong}})
    with pytest.raises(ValueError, match=r"steps\.eta is missing"):
        case.require({**good, "steps": {}})
    with pytest.raises(OutsideConditionsError, match=r"sgd-descent .* says nothing here: eta <= 1/L"):
        case.attempt({**good, "steps": {"eta": 10.0 * good["steps"]["eta"] / 1e-6}}, PRINTED)


# The paper.


def test_the_linter_finds_nothing_in_it_and_something_in_a_wrong_one() -> None:
    assert lint(PRINTED) == []
    assert any(f.kind == "units" for f in lint(with_terms(noise=eta * sigma**2 / K)))


def test_explain_finds_the_paper_of_a_statement(capsys: pytest.CaptureFixture[str]) -> None:
    for id, words in (
        (ID, "Convergence of parallel SGD"),
        ("theorem-1", "Convergence of LocalBSGM"),
    ):
        assert main(["explain", id]) == 0
        assert words in capsys.readouterr().out
    assert main(["explain", "sgd-descent", "--paper", "federated-bilevel"]) == 2
    assert f"no statement 'sgd-descent'; did you mean {ID}?" in capsys.readouterr().err


def test_a_bare_id_means_the_first_paper_and_a_refusal_says_where_else_it_is() -> None:
    assert holding(ID, "repaired").key == "parallel-sgd"
    assert holding(ID, "repaired").variant == "repaired"
    assert holding("theorem-1").key == "federated-bilevel"
    with pytest.raises(UserError, match=f"no statement 'sgd-descent'; did you mean {ID}"):
        holding("sgd-descent")
    with pytest.raises(UserError, match="no statement has the id 'theorem-9'; did you mean theorem-"):
        holding("theorem-9")


def test_results_name_the_paper_of_their_claims(tmp_path: Path) -> None:
    assert (
        main(
            ["verify", "parallel-sgd:sgd-rate", "remark-3", "--quick", "--jobs", "1", "--out", str(tmp_path)]
        )
        == 0
    )
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert results["paper"] == "federated-bilevel, parallel-sgd"
    assert "Nonconvex Stochastic Programming" in results["title"]
