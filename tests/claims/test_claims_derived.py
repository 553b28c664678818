"""Corollaries follow from their theorems, and what costs follow; each with wrong statements.

A wrong statement is put in place of the printed one, and it has to be noticed: a 1/K dropped from a term, a wrong
exponent of a scaling, a logarithm too few. A change that makes a bound only smaller (a smaller p, a larger B or T) is
no mistake of the rate, and must not be called one. The orders themselves are compared with SymPy's limits in
tests/theory/test_derivation.py.
"""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from sympy import Rational, log

from oracles.stored_tasks import rows_from, values_of
from ratecert.base.asked import FIRST
from ratecert.catalogue.find import paper
from ratecert.claims.check import Check, overall
from ratecert.claims.claim import Budget, Claim, Judgement
from ratecert.claims.rows import Rows
from ratecert.theory.notation import letter, names_of
from ratecert.theory.orders.derivation import free_parameters
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Corollary, Statement, Theorem
from ratecert.verdicts.collect import claims_of
from ratecert.verdicts.orders import (
    checks_of_conditions,
    checks_of_logs,
    checks_of_powers,
    derivation,
)

IDS = tuple(f"corollary-{n}" for n in range(1, 7))
CLAIMS: dict[str, Claim] = {
    id: claim
    for id, claim in claims_of(FIRST).items()
    if id.endswith(".exponents") or id.startswith("remark-3")
}
PRINTED, REPAIRED = paper("printed"), paper("repaired")
PAPERS = {"printed": PRINTED, "repaired": REPAIRED}
K, T, eps = letter("K"), letter("T"), letter("eps")
QUICK = Budget(quick=True)


def with_statements(source: Paper, *statements: Statement) -> Paper:
    """The paper with these in place of its own."""
    return replace(source, statements={**source.statements, **{s.id: s for s in statements}})


def instead(monkeypatch: pytest.MonkeyPatch, *statements: Statement, of: Paper = PRINTED) -> None:
    """The same, for all who look it up."""
    changed = with_statements(of, *statements)
    monkeypatch.setattr(f"ratecert.papers.federated_bilevel.paper.{of.variant.upper()}", changed)


def rows(id: str, *changes: Statement, source: Paper = PRINTED) -> Rows:
    changed = with_statements(source, *changes)
    return Rows(derivation(changed, changed.the(Corollary, id)))


def exponents(id: str, *changes: Statement) -> list[Check]:
    """Those that fail."""
    found = rows(id, *changes)
    return [c for c in (*checks_of_powers(found, "N"), *checks_of_conditions(found)) if c.verdict == "fails"]


def judged(id: str) -> Judgement:
    """By the paper as it is now, changed or not."""
    tasks = CLAIMS[id].tasks(QUICK)
    return CLAIMS[id].judged(tasks, [task.function(**task.arguments) for task in tasks])


@pytest.mark.by_night("remark-2.exponents", "table-1.exponents")
@pytest.mark.parametrize("id", CLAIMS)
def test_verdict_is_the_expected_one(id: str) -> None:
    tasks = CLAIMS[id].tasks(QUICK)
    assert CLAIMS[id].judged(tasks, values_of(tasks)).verdict == CLAIMS[id].expected


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
def test_a_dropped_K_is_noticed_and_its_term_named(id: str, name: str) -> None:
    theorem = PRINTED.the(Theorem, PRINTED.the(Corollary, id).theorem)
    wrong = replace(theorem, terms={**theorem.terms, name: theorem.terms[name].subs(K, 1)})
    (check,) = exponents(id, wrong)
    assert name in check.name
    assert "K = 1 " not in check.name


def shifts() -> Iterator[tuple[str, str, str, int]]:
    """Every exponent of every scaling that has one, up and down, in both parameters."""
    for id in IDS:
        corollary = PRINTED.the(Corollary, id)
        for name in corollary.scalings:
            for parameter in free_parameters(corollary):
                if name != "Q":
                    yield from ((id, name, parameter, sign) for sign in (1, -1))


def harmless(id: str, name: str, parameter: str, sign: int) -> bool:
    """Makes the bound only smaller: p down; B or T up; B has a spare K in 6."""
    larger = (sign > 0) != (parameter == "eps")
    if name == "B":
        return larger or (id == "corollary-6" and parameter == "K")
    return (name == "p" and not larger) or (name == "T" and larger)


def shifted(id: str, name: str, parameter: str, sign: int, source: Paper = PRINTED) -> Corollary:
    corollary = source.the(Corollary, id)
    scaling = corollary.scalings[name]
    order = scaling.order * letter(parameter) ** Rational(sign, 10)
    return replace(corollary, scalings={**corollary.scalings, name: replace(scaling, order=order)})


@pytest.mark.parametrize("id", IDS)
def test_a_shifted_exponent_of_a_scaling_is_noticed(id: str) -> None:
    for shift in shifts():
        if shift[0] == id:
            assert (not exponents(id, shifted(*shift))) == harmless(*shift), shift


@pytest.mark.parametrize("id", IDS)
def test_logarithms_are_counted_unless_they_are_forgiven(id: str) -> None:
    (printed,) = list(checks_of_logs(rows(id))) or [None]
    (repaired,) = checks_of_logs(rows(id, source=REPAIRED))
    assert repaired.verdict == "passes"
    assert (printed and printed.verdict) == ("fails" if id != "corollary-6" else None)
    corollary = REPAIRED.the(Corollary, id)
    logarithm = log(1 / eps) if "T" in corollary.scalings else log(T)
    for power, verdict in ((1, "passes"), (-1, "fails")):
        claim = replace(corollary.claim, order=corollary.claim.order * logarithm**power)
        (check,) = checks_of_logs(rows(id, replace(corollary, claim=claim), source=REPAIRED))
        assert check.verdict == verdict


@pytest.mark.parametrize(("name", "what"), [("T", "iterations"), ("p", "rounds")])
def test_a_shifted_T_or_p_changes_the_counts(name: str, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more devices, each takes more iterations than is printed; with shorter periods there are more rounds."""
    sign = 1 if name == "T" else -1
    instead(monkeypatch, shifted("corollary-2", name, "K", sign, REPAIRED), of=REPAIRED)
    failing = [check.name for check in judged("remark-1.exponents").checks if check.verdict == "fails"]
    assert any(f"exponent of K in the {what} of a device" in name for name in failing)


def test_remark_3_speaks_of_the_printed_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    corollary = PRINTED.the(Corollary, "corollary-5")
    squared = replace(corollary.claim, order=log(T + 1) ** 2 / (K * T) ** Rational(2, 3))
    instead(monkeypatch, replace(corollary, claim=squared))
    assert judged("remark-3").verdict == "refuted"
    rate = replace(corollary.claim, order=log(T + 1) / (K * T) ** Rational(1, 2))
    instead(monkeypatch, replace(corollary, claim=rate))
    assert "claimed power of N, printed, K = 1" in {
        c.name for c in judged("remark-3").checks if c.verdict == "fails"
    }


def test_remark_3_would_hold_of_bounds_that_differ_by_one_logarithm() -> None:
    """The printed ones differ by log^-3, the repaired ones by nothing."""
    claim = CLAIMS["remark-3.derived"]
    found = rows_from(claim, QUICK)
    logs = [c for c in claim.checks(found) if "power of the logarithm" in c.name and "K = 1" in c.name]
    assert [(c.measured, c.predicted) for c in logs] == [(-3.0, 1.0), (0.0, 1.0)]
    assert all(c.verdict == "passes" for c in claim.checks(found) if "power of N" in c.name)
    third, fifth = (found.where(part="derived", corollary=f"corollary-{n}") for n in (3, 5))
    second = {(row["variant"], row["kappa"]): row["log"] for row in third}
    alike = [{**row, "log": second[row["variant"], row["kappa"]] + 1} for row in fifth]
    assert overall(claim.checks(Rows([*third, *alike]))) == "passes"
    assert overall(claim.checks(third)) == "undecided"
