"""The claims about the constants and about the transcription of the statements: expected verdicts, twins that fail.

A twin changes the paper in theory/ and asks the same claim again. Weaker constants are exceeded somewhere; a changed
digit, a lost 1/K or an erratum too few or too many is seen, and its place is named.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sympy

from oracles.kept_pieces import values_of
from ratecert.claim.claim import Budget, Claim, Judgement
from ratecert.cli.main import main
from ratecert.papers.federated_bilevel.claims import (
    constant_G,
    constant_L_hat,
    constant_L_Phi,
    constant_L_tilde,
    statements,
)
from ratecert.papers.federated_bilevel.statements import letters
from ratecert.papers.federated_bilevel.statements.letters import G, K, eps, sigma
from ratecert.papers.federated_bilevel.transcription import corollaries
from ratecert.registry import paper
from ratecert.run.tasks import key, run_pieces
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import (
    Corollary,
    Counts,
    Definition,
    Factor,
    Scaling,
    Statement,
    Theorem,
)

MODULES = (constant_L_Phi, constant_L_hat, constant_L_tilde, constant_G, statements)
CLAIMS = {claim.id: claim for module in MODULES for claim in module.CLAIMS}
THEOREMS = ("theorem-1", "theorem-2", "theorem-3")


def judged(claim: Claim) -> Judgement:
    """With what is in place now, substitutions included."""
    asked = list(claim.pieces(Budget(quick=True)))
    outcomes = run_pieces(asked)
    assert not any(outcomes[key(piece)].failure for piece in asked)
    return claim.judged(asked, [outcomes[key(piece)].value for piece in asked])


def unchanged(claim: Claim) -> Judgement:
    asked = claim.pieces(Budget(quick=True))
    return claim.judged(asked, values_of(asked))


def with_statement(original: Paper, statement: Statement) -> Paper:
    return replace(original, statements={**original.statements, statement.id: statement})


@pytest.fixture
def print_instead(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Puts a changed statement into the paper."""

    def change(statement: Statement, variant: str = "printed") -> None:
        changed = with_statement(paper(variant), statement)
        monkeypatch.setattr(f"ratecert.papers.federated_bilevel.paper.{variant.upper()}", changed)

    return change


# What is expected.


@pytest.mark.parametrize("id", CLAIMS)
def test_the_verdict_is_the_expected_one(id: str) -> None:
    judgement = unchanged(CLAIMS[id])
    assert judgement.verdict == CLAIMS[id].expected
    assert judgement.chart is not None
    assert all(set(row) == set(judgement.table[0]) for row in judgement.table)


@pytest.mark.parametrize("id", CLAIMS)
def test_the_whole_budget_has_more_settings_of_the_same_kind(id: str) -> None:
    quick, whole = (CLAIMS[id].pieces(Budget(quick=q)) for q in (True, False))
    assert len(quick) <= len(whole)
    assert {p.function for p in quick} == {p.function for p in whole}


# Constants that are too small.


def thinner(constant: str, variant: str, before: str, after: str) -> Definition:
    """The definition with a summand of its right side, all brackets opened, replaced."""
    definition = paper(variant).the(Definition, f"constant.{constant}")
    right = sympy.expand(definition.right, multinomial=False)
    old, new = (sympy.sympify(text, locals=vars(letters)) for text in (before, after))
    assert old in right.args, f"the summands of {constant} are {right.args}"
    return replace(definition, right=right - old + new)


WEAKER = [
    ("L_Phi.printed", "L_1**3/mu**2", "0"),
    ("L_Phi.printed", "2*L_1**2/mu", "-L_1"),
    ("L_Phi.repaired", "L_1**3/mu**2", "0"),
    ("L_Phi.repaired", "L_0*L_21/mu", "0"),
    ("L_Phi.repaired", "L_0*L_1*L_21/mu**2", "0"),
    ("L_Phi.repaired", "L_0*L_1*L_22/mu**2", "0"),
    ("L_Phi.repaired", "L_0*L_1**2*L_22/mu**3", "0"),
    ("L_tilde", "L_1**2/mu", "0"),
    ("L_tilde", "L_1**2/mu", "0.9*L_1**2/mu"),
    ("L_hat", "2*L_1**2", "0"),
    ("L_hat", "8*theta**2*L_1**4*(Q + 1)**2", "0"),
    ("L_hat", "8*theta**2*L_1**4*(Q + 1)**2", "theta**2*L_1**4*(Q + 1)**2/2"),
    ("L_hat", "8*theta**2*L_1**4*(Q + 1)**2", "8*theta**2*L_1**4*(Q + 1)"),
    ("G.repaired", "2*L_0**2", "0"),
    ("G.repaired", "12*theta**2*L_0**2*L_1**2*(Q + 1)**2", "0"),
    ("G.repaired", "12*theta**2*L_0**2*L_1**2*(Q + 1)**2", "12*theta**2*L_0**2*L_1**2*(Q + 1)"),
]


@pytest.mark.parametrize(("id", "before", "after"), WEAKER)
def test_a_weaker_constant_is_exceeded(
    id: str, before: str, after: str, print_instead: Callable[..., None]
) -> None:
    constant, _, variant = id.partition(".")
    print_instead(thinner(constant, variant or "printed", before, after), variant or "printed")
    judgement = judged(CLAIMS[id])
    assert judgement.verdict == "refuted"
    assert judgement.decisive is not None
    assert judgement.decisive.measured > 1


def test_the_printed_G_holds_once_it_is_read_as_a_square(print_instead: Callable[..., None]) -> None:
    definition = paper("printed").the(Definition, "constant.G")
    print_instead(replace(definition, left=G**2))
    assert judged(CLAIMS["G.printed"]).verdict == "not refuted"


def test_even_the_noise_alone_exceeds_the_printed_G() -> None:
    found = {check.name: check for check in judged(CLAIMS["G.printed"]).checks}
    variances = [check for name, check in found.items() if "f of size 1e-08, variance" in name]
    assert [check.verdict for check in variances] == ["fails"]
    assert all(check.verdict == "passes" for name, check in found.items() if "f of size 1, " in name)


# The transcription.


def judged_with(statement: Statement) -> Judgement:
    """As if this were printed in place of the statement with its id; few points are enough."""
    asked = list(CLAIMS["statements"].pieces(Budget(quick=True)))
    values = values_of(asked)
    i = next(i for i, piece in enumerate(asked) if piece.arguments.get("statement") == statement.id)
    others = [row for row in values[i] if row["form"] != "printed"]
    values[i] = [*statements.side_by_side("printed", statement, points=2), *others]
    return CLAIMS["statements"].judged(asked, values)


def missed(judgement: Judgement) -> list[str]:
    return [check.name for check in judgement.checks if check.verdict != "passes"]


def with_part(statement: Statement, place: str, change: Callable[[Any], Any]) -> Statement:
    """The statement with one part changed: a term, the clauses of a condition, a side of a definition or an order."""
    if place in statements.scalings(statement):
        return with_order(statement, place, lambda scaling: replace(scaling, order=change(scaling.order)))
    kind, _, name = place.removeprefix(f"{statement.id}.").partition(".")
    match statement:
        case Definition():
            return replace(statement, **{kind: change(getattr(statement, kind))})
        case Theorem(terms=terms, conditions=conditions):
            if kind == "term":
                return replace(statement, terms={**terms, name: change(terms[name])})
            clauses = tuple(change(clause) for clause in conditions[name].clauses)
            condition = replace(conditions[name], clauses=clauses)
            return replace(statement, conditions={**conditions, name: condition})
    raise TypeError(statement.id)


def with_order(statement: Statement, place: str, change: Callable[[Scaling], Scaling]) -> Statement:
    name = place.rpartition(".")[2]
    match statement:
        case Corollary(scalings=scalings, claim=claim):
            if name == "rate":
                return replace(statement, claim=change(claim))
            return replace(statement, scalings={**scalings, name: change(scalings[name])})
        case Counts(costs=costs):
            costs = tuple(
                replace(c, counts={**c.counts, name: change(c.counts[name])})
                if place == f"{statement.place(c)}.{name}"
                else c
                for c in costs
            )
            return replace(statement, costs=costs)
        case Factor(factor=factor):
            return replace(statement, factor=change(factor))
    raise TypeError(statement.id)


def parts(id: str) -> Iterator[tuple[str, Any]]:
    """place -> its expressions as one."""
    for place, expressions in statements.formulas(paper("printed")[id]).items():
        yield place, sympy.Tuple(*expressions)


def swapped(old: Any, new: Any) -> Callable[[Any], Any]:
    return lambda expression: expression.xreplace({old: new})


@pytest.mark.parametrize("id", THEOREMS)
def test_a_lost_division_by_K_is_seen_and_named(id: str) -> None:
    seen = 0
    for place, expression in parts(id):
        for power in expression.atoms(sympy.Pow):
            if power.base == K and power.exp.is_negative:
                changed = with_part(paper("printed")[id], place, swapped(power, sympy.Integer(1)))
                assert missed(judged_with(changed)) == [place]
                seen += ".term." in place
    assert seen >= {"theorem-1": 2, "theorem-2": 5, "theorem-3": 7}[id]


@pytest.mark.parametrize("id", statements.STATEMENTS)
def test_a_changed_number_is_seen_and_named(id: str) -> None:
    """Coefficients and exponents, integers and fractions: 500/3 becomes 501/3."""
    for place, expression in parts(id):
        for old in sorted(expression.atoms(sympy.Rational) - {sympy.Integer(-1)}, key=str):
            new = sympy.Rational(old.p + 1, old.q)
            assert missed(judged_with(with_part(paper("printed")[id], place, swapped(old, new)))) == [place]


def test_a_term_too_few_and_a_condition_too_many_are_named() -> None:
    theorem = paper("printed").the(Theorem, "theorem-2")
    fewer = replace(theorem, terms={n: t for n, t in theorem.terms.items() if n != "bias"})
    assert missed(judged_with(fewer)) == ["theorem-2.term.bias"]
    more = replace(theorem, conditions={**theorem.conditions, "p": theorem.conditions["rho_1"]})
    assert missed(judged_with(more)) == ["theorem-2.condition.p"]


@pytest.mark.parametrize("changes", [{"relation": "<="}, {"of": sympy.Max}], ids=str)
def test_another_relation_is_named(changes: dict[str, Any]) -> None:
    theorem = paper("printed").the(Theorem, "theorem-1")
    condition = replace(theorem.conditions["eta"], **changes)
    changed = replace(theorem, conditions={**theorem.conditions, "eta": condition})
    assert missed(judged_with(changed)) == ["theorem-1.condition.eta"]


@pytest.mark.parametrize(
    ("place", "order"),
    [
        ("corollary-6.B", 1 / (K * sympy.sqrt(eps))),
        ("corollary-3.rate", K ** sympy.Rational(-2, 3)),
        ("remark-2.rounds", 1 / eps**2),
        ("table-1.LocalBSGVR-constant.samples", eps ** sympy.Rational(-3, 2)),
    ],
)
def test_another_order_in_the_print_is_named(
    place: str, order: Any, print_instead: Callable[..., None]
) -> None:
    print_instead(with_part(paper("printed")[place.partition(".")[0]], place, lambda _: order))
    assert missed(judged(CLAIMS["statements"])) == [place]


@pytest.mark.parametrize("id", corollaries.STATEMENTS)
def test_another_kind_of_order_is_named(id: str) -> None:
    for place in statements.scalings(paper("printed")[id]):
        changed = with_order(paper("printed")[id], place, other_kind)
        assert missed(judged_with(changed)) == [place]


def other_kind(scaling: Scaling) -> Scaling:
    return replace(scaling, kind="O" if scaling.kind == "O~" else "O~")


def test_an_order_too_few_and_one_too_many_are_named() -> None:
    corollary = paper("printed").the(Corollary, "corollary-6")
    fewer = replace(corollary, scalings={n: s for n, s in corollary.scalings.items() if n != "B"})
    assert missed(judged_with(fewer)) == ["corollary-6.B"]
    more = replace(corollary, scalings={**corollary.scalings, "eta": Scaling(K * eps)})
    assert missed(judged_with(more)) == ["corollary-6.eta"]


# The readings.


READINGS = {
    "theorem-1.term.noise_u": swapped(G, G / 30),
    "theorem-3.term.noise_u": swapped(G, G / 30),
    "constant.G.right": swapped(letters.sigma_H, 2 * letters.sigma_H),
    "constant.G.left": swapped(G**2, G**3),
    "constant.L_Phi.right": swapped(letters.L_21, 2 * letters.L_21),
    "theorem-1.condition.rho_2": swapped(letters.L_tilde, 2 * letters.L_tilde),
    "theorem-2.condition.rho_2": swapped(letters.L_hat, 2 * letters.L_hat),
    "theorem-3.condition.rho_2": swapped(letters.L_hat, 2 * letters.L_hat),
}


def test_every_reading_has_a_twin() -> None:
    names = {check.name for check in unchanged(CLAIMS["statements"]).checks}
    assert {name.removesuffix(", as read") for name in names if name.endswith(", as read")} == set(READINGS)


@pytest.mark.parametrize("place", READINGS)
def test_an_erratum_that_reads_something_else_is_named(
    place: str, print_instead: Callable[..., None]
) -> None:
    id = next(id for id in statements.FORMULAS if place.startswith(f"{id}."))
    print_instead(with_part(paper("repaired")[id], place, READINGS[place]), "repaired")
    assert missed(judged(CLAIMS["statements"])) == [f"{place}, as read"]


def test_an_erratum_left_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the repair nor its erratum is there: the print stands in the repaired paper."""
    place, repaired = "theorem-1.term.noise_u", paper("repaired")
    theorem = with_part(repaired["theorem-1"], place, swapped(G, sigma))
    fewer = replace(
        with_statement(repaired, theorem), errata=tuple(e for e in repaired.errata if e.place != place)
    )
    monkeypatch.setattr("ratecert.papers.federated_bilevel.paper.REPAIRED", fewer)
    assert missed(judged(CLAIMS["statements"])) == [f"{place}, as read"]


def test_a_repair_without_an_erratum_is_named(print_instead: Callable[..., None]) -> None:
    theorem = paper("repaired").the(Theorem, "theorem-2")
    print_instead(with_part(theorem, "theorem-2.term.bias", lambda term: 2 * term), "repaired")
    assert missed(judged(CLAIMS["statements"])) == ["places changed without an erratum (theorem-2.term.bias)"]


@pytest.mark.parametrize(
    ("id", "place"), [("theorem-1", "theorem-1.term.noise_u"), ("algorithm-1", "algorithm-1")]
)
def test_an_erratum_that_changes_nothing_is_named(
    id: str, place: str, print_instead: Callable[..., None]
) -> None:
    """The printed statement stands in the repaired paper again."""
    statement = paper("printed")[id]
    if isinstance(statement, Theorem):
        statement = with_part(paper("repaired")[id], place, swapped(G, sigma))
    print_instead(statement, "repaired")
    *as_read, last = missed(judged(CLAIMS["statements"]))
    assert last == f"places named by an erratum and not changed ({place})"
    assert as_read == ([f"{place}, as read"] if isinstance(statement, Theorem) else [])


def test_a_statement_in_words_is_not_transcribed() -> None:
    with pytest.raises(TypeError, match="assumption-1 has no formulas that are transcribed"):
        statements.formulas(paper("printed")["assumption-1"])


def test_the_command_tells_of_a_lost_division_by_K(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], print_instead: Callable[..., None]
) -> None:
    theorem = paper("printed").the(Theorem, "theorem-1")
    print_instead(with_part(theorem, "theorem-1.term.noise_u", lambda term: term * K))
    assert main(["verify", "statements", "--quick", "--jobs", "1", "--out", str(tmp_path)]) == 1
    told = capsys.readouterr().err
    assert "statements is refuted, expected was not refuted: theorem-1.term.noise_u" in told
