"""Claims that corollaries follow from their theorems, and what the remarks count; each with wrong statements.

A wrong statement is put in place of the printed one, and the claim has to notice: a 1/K dropped from a term, a wrong
exponent of a scaling, a logarithm too few. A change that makes a bound only smaller (a smaller p, a larger B or T) is
no mistake of the rate, and the claims must not call it one; those of T and p are then found by the remarks' counts.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sympy import Integer, Rational, log

from oracles.kept_pieces import rows_from, values_of
from ratecert.claim.check import overall
from ratecert.claim.claim import Budget, Claim, Judgement
from ratecert.claim.rows import Rows
from ratecert.cli.main import main
from ratecert.papers.federated_bilevel.claims import corollaries_derived, remark_3, remarks
from ratecert.papers.federated_bilevel.claims.corollaries_derived import IDS, WIDEST
from ratecert.papers.federated_bilevel.evidence.derived.derivations import derivation
from ratecert.registry import paper
from ratecert.theory.language.letters import letter, names_of
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Corollary, Scaling, Statement, Theorem
from ratecert.theory.orders.derivation import free_parameters

CLAIMS: dict[str, Claim] = {
    claim.id: claim for module in (corollaries_derived, remarks, remark_3) for claim in module.CLAIMS
}
PRINTED, REPAIRED = paper("printed"), paper("repaired")
K, T, eps = letter("K"), letter("T"), letter("eps")
QUICK, STANDARD = Budget(quick=True), Budget()


def judged(id: str, budget: Budget = QUICK) -> Judgement:
    """By the paper as it is now, changed or not."""
    pieces = CLAIMS[id].pieces(budget)
    return CLAIMS[id].judged(pieces, [piece.function(**piece.arguments) for piece in pieces])


def unchanged(id: str, budget: Budget = QUICK) -> list[Any]:
    """The values by the unchanged paper."""
    assert paper("printed") is PRINTED
    assert paper("repaired") is REPAIRED
    return values_of(CLAIMS[id].pieces(budget))


def as_printed(id: str, budget: Budget = QUICK, *, by: str = "") -> Judgement:
    """The unchanged paper's numbers, judged by their own claim or `by` another one."""
    return CLAIMS[by or id].judged(CLAIMS[id].pieces(budget), unchanged(id, budget))


def violated(judgement: Judgement) -> list[str]:
    return [check.name for check in judgement.checks if check.verdict == "fails"]


@pytest.mark.parametrize("id", CLAIMS)
def test_verdict_is_the_expected_one(id: str) -> None:
    assert as_printed(id).verdict == CLAIMS[id].expected


@pytest.mark.parametrize("id", [id for id in CLAIMS if id.startswith("remark")])
def test_verdict_of_the_standard_budget_is_the_same(id: str) -> None:
    assert as_printed(id, STANDARD).verdict == CLAIMS[id].expected


# Corollaries


def instead(monkeypatch: pytest.MonkeyPatch, *statements: Statement, of: Paper = PRINTED) -> None:
    """The paper with these statements in place of its own."""
    changed = replace(of, statements={**of.statements, **{s.id: s for s in statements}})
    monkeypatch.setattr(f"ratecert.papers.federated_bilevel.paper.{of.variant.upper()}", changed)


def judged_by_algebra(id: str, *changes: Statement, monkeypatch: pytest.MonkeyPatch) -> Judgement:
    """With the derivation of a changed paper and the unchanged paper's numbers."""
    numbers = unchanged(id)[1:]
    variant = "repaired" if id.endswith("repaired") else "printed"
    with monkeypatch.context() as patch:
        instead(patch, *changes, of=paper(variant))
        derived = derivation(id.partition(".")[0], variant)
        return CLAIMS[id].judged(CLAIMS[id].pieces(QUICK), [derived, *numbers])


def terms_with_K_below() -> Iterator[tuple[str, str]]:
    """The terms that fall with K, with each corollary of their theorem; the bias is smaller than every power.

    Without those that have a K to spare: Corollary 6 takes a batch that is larger by K than Corollary 5's.
    """
    spare = [("corollary-6", "start_u"), ("corollary-6", "start_v")]
    for id in IDS:
        theorem = PRINTED.the(Theorem, PRINTED.the(Corollary, id).theorem)
        for name, term in theorem.terms.items():
            if "K" in names_of(term) and name != "bias" and (id, name) not in spare:
                yield id, name


@pytest.mark.parametrize(
    ("id", "name"), [pytest.param(*case, id="-".join(case)) for case in terms_with_K_below()]
)
def test_a_dropped_K_is_noticed_and_its_term_named(
    id: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    theorem = PRINTED.the(Theorem, PRINTED.the(Corollary, id).theorem)
    wrong = replace(theorem, terms={**theorem.terms, name: theorem.terms[name].subs(K, 1)})
    judgement = judged_by_algebra(f"{id}.exponents", wrong, monkeypatch=monkeypatch)
    assert judgement.verdict == "refuted"
    assert judgement.decisive is not None
    assert name in judgement.decisive.name


@pytest.mark.parametrize("name", ["noise_u", "noise_v"])
def test_the_evaluated_bound_shows_a_dropped_K_as_well(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    theorem = PRINTED.the(Theorem, "theorem-1")
    instead(monkeypatch, replace(theorem, terms={**theorem.terms, name: theorem.terms[name] * K}))
    found = violated(judged("corollary-1.exponents"))
    assert f"exponent of N, K = N^(1/3), evaluated ({name})" in found
    assert not any("K = 1," in check for check in found)


def shifts() -> Iterator[tuple[str, str, str, int]]:
    """Every exponent of every scaling that has one, up and down, in both parameters."""
    for id in IDS:
        corollary = PRINTED.the(Corollary, id)
        for name in corollary.scalings:
            for parameter in free_parameters(corollary):
                if name != "Q":
                    yield from ((id, name, parameter, sign) for sign in (1, -1))


def harmless(id: str, name: str, parameter: str, sign: int) -> bool:
    """Makes the bound only smaller: p down; B or T up, where another term keeps the rate; B has a spare K in 6."""
    larger = (sign > 0) != (parameter == "eps")
    if name == "B":
        return larger or (id == "corollary-6" and parameter == "K")
    return (name == "p" and not larger) or (name == "T" and larger and id != "corollary-6")


def shifted(id: str, name: str, parameter: str, sign: int) -> Corollary:
    corollary = PRINTED.the(Corollary, id)
    scaling = corollary.scalings[name]
    order = scaling.order * letter(parameter) ** Rational(sign, 10)
    return replace(corollary, scalings={**corollary.scalings, name: replace(scaling, order=order)})


@pytest.mark.parametrize("id", IDS)
def test_a_shifted_exponent_of_a_scaling_is_noticed(id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for shift in shifts():
        if shift[0] == id:
            judgement = judged_by_algebra(f"{id}.exponents", shifted(*shift), monkeypatch=monkeypatch)
            assert (judgement.verdict == "not refuted") == harmless(*shift), shift


COUNTED = {"corollary-2": "remark-1", "corollary-4": "remark-2", "corollary-6": "remark-4"}
COUNTED_SHIFTS = [shift for shift in shifts() if shift[0] in COUNTED and shift[1] in ("T", "p")]


@pytest.mark.parametrize("shift", COUNTED_SHIFTS, ids=["-".join(map(str, shift)) for shift in COUNTED_SHIFTS])
def test_a_shifted_T_or_p_changes_the_counts(shift: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    instead(monkeypatch, shifted(*shift))
    found = violated(judged(COUNTED[shift[0]]))
    what = "iterations" if shift[1] == "T" else "rounds"
    for how in ("from the scalings", "counted"):
        assert f"{what}: exponent of {shift[2]}, {how}" in found


@pytest.mark.parametrize("id", IDS)
def test_a_claim_with_another_exponent_does_not_follow(id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    corollary = PRINTED.the(Corollary, id)
    for parameter in free_parameters(corollary):
        for sign in (1, -1):
            order = corollary.claim.order * letter(parameter) ** Rational(sign, 100)
            wrong = replace(corollary, claim=replace(corollary.claim, order=order))
            judgement = judged_by_algebra(f"{id}.exponents", wrong, monkeypatch=monkeypatch)
            assert judgement.verdict == "refuted"


@pytest.mark.parametrize("id", IDS)
def test_the_printed_statement_is_judged_by_its_logarithms_alone(id: str) -> None:
    """The repaired one, judged by the same rule, passes: there is nothing else that the rule objects to."""
    assert as_printed(f"{id}.repaired", by=f"{id}.printed").verdict == "not refuted"
    assert not any("exponent" in name for name in violated(as_printed(f"{id}.printed")))


def test_O_tilde_forgives_the_rate_and_not_alpha() -> None:
    names, before = (violated(as_printed(id)) for id in ("corollary-6.printed", "corollary-5.printed"))
    assert names == ["scalings outside the conditions (alpha, beta)"]
    assert "power of the logarithm, derived (drift)" in before


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("power", [1, -1])
def test_a_repaired_claim_with_a_logarithm_more_or_less_is_violated(
    id: str, power: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    corollary = REPAIRED.the(Corollary, id)
    logarithm = log(1 / eps) if "T" in corollary.scalings else log(T)
    claim = replace(corollary.claim, order=corollary.claim.order * logarithm**power)
    wrong = replace(corollary, claim=claim)
    assert judged_by_algebra(f"{id}.repaired", wrong, monkeypatch=monkeypatch).verdict == "refuted"


def test_a_repaired_scaling_outside_the_conditions_is_violated(monkeypatch: pytest.MonkeyPatch) -> None:
    corollary = REPAIRED.the(Corollary, "corollary-1")
    scalings = {
        **corollary.scalings,
        "rho_1": Scaling(Integer(1), "Theta"),
        "rho_2": Scaling(Integer(1), "Theta"),
    }
    wrong = replace(corollary, scalings=scalings)
    judgement = judged_by_algebra("corollary-1.repaired", wrong, monkeypatch=monkeypatch)
    assert "scalings outside the conditions (rho_1, rho_2)" in violated(judgement)


@pytest.mark.parametrize("id", IDS)
def test_the_bound_is_evaluated_on_the_edges_of_the_window(id: str) -> None:
    for variant in ("printed", "repaired"):
        assert Rows(derivation(id, variant)).cells("kappa") == ["0", WIDEST[id]]


# Remarks


def test_samples_are_iterations_where_Q_does_not_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin of what Remark 1 is violated for."""
    corollary = PRINTED.the(Corollary, "corollary-2")
    constant = {**corollary.scalings, "Q": Scaling(Integer(1))}
    instead(monkeypatch, replace(corollary, scalings=constant))
    assert judged("remark-1.samples").verdict == "not refuted"


def test_samples_of_an_iteration_are_counted_from_the_algorithm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remarks, "INDEPENDENT_OF_Q", 2)
    assert "samples of an iteration, relative to Q + 3" in violated(judged("remark-1.samples"))


def test_outside_the_window_rounds_depend_on_K(monkeypatch: pytest.MonkeyPatch) -> None:
    """eps = 4^-5 is above 1/K^2 at K = 64, and p cannot be below 1."""
    monkeypatch.setattr(remarks, "LEVELS", (5, 30))
    assert violated(judged("remark-1", STANDARD)) == ["rounds: exponent of K, counted"]


def test_remark_3_speaks_of_the_printed_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    corollary = PRINTED.the(Corollary, "corollary-5")
    claim, values = CLAIMS["remark-3"], unchanged("remark-3")
    for power, verdict in ((1, "not refuted"), (2, "refuted"), (0, "refuted")):
        rate = replace(corollary.claim, order=log(T + 1) ** power / (K * T) ** Rational(2, 3))
        instead(monkeypatch, replace(corollary, claim=rate))
        values[2] = derivation("corollary-5", "printed")
        assert claim.judged(claim.pieces(QUICK), values).verdict == verdict


def test_remark_3_would_hold_of_bounds_that_differ_by_one_logarithm() -> None:
    claim = CLAIMS["remark-3.derived"]
    rows = rows_from(claim, QUICK)
    second = {
        (row["part"], row["variant"]): row["log"]
        for row in rows.where(corollary="corollary-3", kappa="0").having("log")
    }
    alike = [
        {**row, "log": second[row["part"], row["variant"]] + 1}
        if row.get("corollary") == "corollary-5" and row.get("kappa") == "0"
        else row
        for row in rows
    ]
    assert overall(claim.checks(Rows(alike))) == "passes"


# The command


def test_the_command_names_the_claim_and_the_term(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["verify", "corollary-1.exponents", "--quick", "--jobs", "1", "--out"]
    theorem = PRINTED.the(Theorem, "theorem-1")
    instead(monkeypatch, replace(theorem, terms={**theorem.terms, "noise_v": theorem.terms["noise_v"] * K}))
    assert main([*arguments, str(tmp_path)]) == 1
    told = capsys.readouterr().err
    assert "corollary-1.exponents is refuted, expected was not refuted" in told
    assert "noise_v" in told
