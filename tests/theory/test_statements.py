"""The paper as data is the paper: constants, conditions, terms and orders against an independent transcription.

The second source, `oracles/the_print.py`, was written from the print alone, in plain floating point. Random positive
values separate any two different formulas, so one changed digit or exponent is seen; a sweep of such changes shows it.
"""

import ast
import inspect
import math
import random
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import sympy

from oracles import federated, many_digits, one_machine, pseudocode, sampled, the_print
from ratecert.catalogue.find import paper
from ratecert.errors import StaleErratumError, UserError, UserTypeError
from ratecert.papers.federated_bilevel.paper import PRINTED, REPAIRED
from ratecert.theory.notation import letter
from ratecert.theory.numbers.evaluation import number, with_constants
from ratecert.theory.paper import Erratum, Paper
from ratecert.theory.statements import Condition, Corollary, Counts, Definition, Factor, Scaling, Theorem

NAMES = [
    "mu", "L_0", "L_1", "L_21", "L_22", "L_12", "sigma", "sigma_H", "theta", "Q", "eta", "alpha", "beta", "rho_1",
    "rho_2", "p", "K", "T", "B", "t", "Phi_gap", "y_gap",
]  # fmt: skip
SEEDS = range(20)
IDS = [
    "problem", "assumption-1", "assumption-2", "assumption-3", "lemma-1", "estimator-tilde", "estimator-hat",
    "estimator-stochastic", "constant.L_Phi", "constant.L_hat", "constant.L_tilde", "constant.G",
    "constant.Delta_Q", "algorithm-1", "algorithm-2", "theorem-1", "theorem-2", "theorem-3", "corollary-1",
    "corollary-2", "corollary-3", "corollary-4", "corollary-5", "corollary-6", "remark-1", "remark-2", "remark-3",
    "remark-4", "table-1",
]  # fmt: skip


def point(seed: int) -> dict[str, float]:
    """Positive values of different sizes, with theta mu < 1."""
    draw = random.Random(seed)
    values = {name: math.exp(draw.uniform(-1.5, 1.5)) for name in NAMES}
    values["theta"] = draw.uniform(0.1, 0.9) / values["mu"]
    return values


def close(found: Iterable[float], expected: Iterable[float]) -> bool:
    pairs = zip_longest(found, expected, fillvalue=math.nan)
    return all(math.isclose(a, b, rel_tol=1e-12) for a, b in pairs)


def agrees(theorem: Theorem, seeds: range = SEEDS) -> bool:
    """All clauses and terms of a theorem against the transcription."""
    for seed in seeds:
        values = with_constants(PRINTED, point(seed))
        expected = the_print.CONDITIONS[theorem.id](values)
        if set(expected) != set(theorem.conditions):
            return False
        values["w"] = max(expected["w"][1]) if "w" in expected else 0.0
        parts = [(c.clauses, expected[name][1]) for name, c in theorem.conditions.items()]
        parts.append((tuple(theorem.terms.values()), the_print.TERMS[theorem.id](values)))
        if not all(close((number(each, values) for each in formulas), read) for formulas, read in parts):
            return False
    return True


@pytest.mark.smoke
def test_every_numbered_statement_has_its_id() -> None:
    assert list(PRINTED.statements) == IDS
    assert list(REPAIRED.statements) == IDS


@pytest.mark.parametrize("seed", SEEDS)
def test_constants_are_as_printed(seed: int) -> None:
    values = point(seed)
    found = with_constants(PRINTED, values)
    expected = the_print.constants(values)
    assert set(expected) == {d.symbol.name for d in PRINTED.of_kind(Definition)}
    assert close((found[name] for name in expected), expected.values())


@pytest.mark.parametrize("id", the_print.TERMS)
def test_theorems_are_as_printed(id: str) -> None:
    assert agrees(PRINTED.the(Theorem, id))


@pytest.mark.parametrize("id", the_print.TERMS)
def test_one_changed_digit_or_exponent_is_seen(id: str) -> None:
    theorem = PRINTED.the(Theorem, id)
    for name, term in theorem.terms.items():
        for digit in term.atoms(sympy.Integer) - {sympy.Integer(-1)}:
            terms = {**theorem.terms, name: term.xreplace({digit: digit + 1})}
            assert not agrees(replace(theorem, terms=terms), range(2)), (name, digit)
    for name, condition in theorem.conditions.items():
        other = replace(condition, clauses=(*condition.clauses[:-1], condition.clauses[-1] * 2 + 1))
        changed = replace(theorem, conditions={**theorem.conditions, name: other})
        assert not agrees(changed, range(2)), name


@pytest.mark.parametrize(
    "source",
    [sampled, federated, one_machine, pseudocode, many_digits, the_print],
    ids=lambda source: source.__name__,
)
def test_second_sources_share_no_code_with_what_they_judge(source: ModuleType) -> None:
    tree = ast.parse(inspect.getsource(source))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    allowed = {
        *["collections", "dataclasses", "inspect", "math", "oracles", "textwrap", "typing", "numpy", "mpmath"]
    }
    assert {name.partition(".")[0] for name in names} <= allowed


def relation(condition: Condition) -> str:
    return f"{condition.relation} max" if condition.of is sympy.Max else condition.relation


@pytest.mark.parametrize("id", the_print.TERMS)
def test_relations_are_as_printed(id: str) -> None:
    """Strict and non-strict inequalities, equations, and the largest for w_t."""
    conditions = PRINTED.the(Theorem, id).conditions
    printed = the_print.CONDITIONS[id](with_constants(PRINTED, point(0)))
    assert {name: relation(c) for name, c in conditions.items()} == {
        name: r for name, (r, _) in printed.items()
    }
    if id == "theorem-2":
        in_sympy = conditions["eta"].as_relation()
        assert isinstance(in_sympy, sympy.Le)
        assert isinstance(in_sympy.rhs, sympy.Min)


def orders(of: Paper) -> dict[str, Scaling]:
    """place -> the order that a corollary, a remark or the table has there."""
    found: dict[str, Scaling] = {}
    for each in of.of_kind(Corollary):
        found |= {f"{each.id}.{name}": order for name, order in {**each.scalings, "rate": each.claim}.items()}
    for counts in of.of_kind(Counts):
        found |= {
            f"{counts.place(c)}.{name}": order for c in counts.costs for name, order in c.counts.items()
        }
    return found | {f"{each.id}.factor": each.factor for each in of.of_kind(Factor)}


def is_printed(place: str, scaling: Scaling) -> bool:
    """At two points, where different orders differ; K, T and 1/eps are above 1, so that no logarithm is near 0."""
    for K, T, eps in ((3.7, 11.3, 0.13), (1.9, 5.2, 0.41)):
        kind, value = the_print.orders(K, T, eps)[place]
        if scaling.kind != kind or not close([number(scaling.order, {"K": K, "T": T, "eps": eps})], [value]):
            return False
    return True


def test_orders_are_as_printed() -> None:
    found = orders(PRINTED)
    assert set(found) == set(the_print.orders(2.0, 3.0, 0.5))
    assert all(is_printed(place, scaling) for place, scaling in found.items())


@pytest.mark.parametrize("place", orders(PRINTED))
def test_one_changed_number_in_an_order_is_seen(place: str) -> None:
    """And another kind of order."""
    scaling = orders(PRINTED)[place]
    assert not is_printed(place, replace(scaling, kind="O" if scaling.kind == "O~" else "O~"))
    for old in scaling.order.atoms(sympy.Rational) - {sympy.Integer(-1)}:
        new = sympy.Rational(old.p + 1, old.q)
        assert not is_printed(place, replace(scaling, order=scaling.order.xreplace({old: new}))), old


def formulas(of: Paper) -> dict[str, tuple[sympy.Expr, ...]]:
    """place -> the expressions of a constant's side, a condition or a term."""
    found: dict[str, tuple[sympy.Expr, ...]] = {}
    for each in of.of_kind(Definition):
        found |= {f"{each.id}.left": (each.left,), f"{each.id}.right": (each.right,)}
    for theorem in of.of_kind(Theorem):
        found |= {f"{theorem.id}.condition.{name}": c.clauses for name, c in theorem.conditions.items()}
        found |= {f"{theorem.id}.term.{name}": (term,) for name, term in theorem.terms.items()}
    return found


def test_formulas_are_repaired_exactly_where_an_erratum_says_so() -> None:
    printed, repaired = formulas(PRINTED), formulas(REPAIRED)
    named = {e.place for e in REPAIRED.errata if e.place in printed}
    assert {place for place in printed if printed[place] != repaired[place]} == named
    assert named == set(the_print.readings(with_constants(PRINTED, point(0))))


@pytest.mark.parametrize("place", the_print.readings(with_constants(PRINTED, point(0))))
def test_an_erratum_reads_what_is_transcribed(place: str) -> None:
    """Everywhere; what is printed, and what is off by 1 %, is another number somewhere."""

    def agrees_with(expressions: tuple[sympy.Expr, ...], factor: float = 1.0) -> bool:
        for seed in SEEDS:
            values = with_constants(PRINTED, point(seed))
            read = the_print.readings(values)[place]
            if not close((factor * number(each, values) for each in expressions), read):
                return False
        return True

    assert agrees_with(formulas(REPAIRED)[place])
    assert not agrees_with(formulas(PRINTED)[place])
    assert not agrees_with(formulas(REPAIRED)[place], factor=1.01)


def test_repaired_differs_exactly_where_an_erratum_says_so() -> None:
    touched = {e.place for e in REPAIRED.errata}
    assert all(e.reason and e.evidence for e in REPAIRED.errata)
    for id, printed in PRINTED.statements.items():
        named = any(place == id or place.startswith(f"{id}.") for place in touched)
        assert (printed != REPAIRED[id]) == named


NOWHERE = Erratum(
    place="theorem-1.term.bias", printed=sympy.Symbol("z"), read=sympy.Symbol("z2"), reason="", evidence=""
)
ALPHA = sympy.Symbol("alpha", positive=True)
IN_ALPHA = replace(NOWHERE, place="theorem-1.condition.eta", printed=ALPHA, read=2 * ALPHA)
COUNTED = PRINTED.the(Counts, "remark-1")


def put(id: str, **changes: Any) -> Paper:
    return replace(PRINTED, statements={**PRINTED.statements, id: replace(PRINTED[id], **changes)})


REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: PRINTED.repaired((NOWHERE,)), StaleErratumError, r"theorem-1\.term\.bias replaces z"),
    (lambda: PRINTED.repaired((replace(NOWHERE, place="theorem-1.condition.eta"),)), StaleErratumError, "not occur"),
    (lambda: PRINTED.repaired((replace(NOWHERE, place="theorem-9.term.bias"),)), ValueError, "no place in the paper"),
    # 1/alpha and 1/beta stand in one clause each, p in one, and alpha in two
    (lambda: PRINTED.repaired((IN_ALPHA,)), ValueError, "an erratum on eta changes 2 clauses"),
    (lambda: PRINTED["theorem-11"], ValueError, "did you mean theorem-1"),
    (lambda: REPAIRED["theorem-4"], UserError, "theorem-3 or theorem-2 or theorem-1"),
    (lambda: PRINTED.the(Corollary, "theorem-1"), ValueError, "theorem-1 is a theorem, not a corollary"),
    (lambda: paper("fixed"), ValueError, "printed, repaired, got 'fixed'"),
    (lambda: setattr(PRINTED["theorem-1"], "title", "another"), AttributeError, "cannot assign"),
    (lambda: put("corollary-1", theorem="theorem-9"), UserError, "'theorem-9', which is no theorem"),
    (lambda: put("corollary-2", same_as="theorem-1"), UserError, "'theorem-1', which is no corollary"),
    (lambda: put("remark-3", second="corollary-7"), UserError, "'corollary-7', which is no corollary"),
    (lambda: put("remark-1", costs=(replace(COUNTED.costs[0], corollary="corollary-9"),)), UserError,
     "'corollary-9', which is no corollary"),
    (lambda: put("corollary-1", claim=sympy.Integer(1)), UserError, "corollary-1: claim must .* got 1"),
    (lambda: put("corollary-1", window=sympy.Ge(letter("T"), letter("K"))), UserError, "corollary-1: window must"),
    (lambda: Scaling(letter("T"), "Otilde"), UserError, "'O', 'Theta', 'O~', got 'Otilde'"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "words"), REFUSED, ids=[row[2] for row in REFUSED])
def test_a_wrong_statement_or_erratum_is_refused_by_name(
    call: Callable[[], Any], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        call()


def test_an_erratum_on_a_condition_names_one_clause() -> None:
    one = replace(IN_ALPHA, printed=1 / ALPHA, read=2 / ALPHA)
    assert PRINTED.repaired((one,))["theorem-1"] != PRINTED["theorem-1"]


@pytest.mark.parametrize(
    "made",
    [
        lambda text: replace(paper("printed")["theorem-1"], terms={"x": text}),
        lambda text: Condition(letter("eta"), "<=", (text,)),
        lambda text: Condition(text, "<=", (1,)),
        lambda text: replace(paper("printed")["constant.L_hat"], right=text),
        lambda text: replace(paper("printed")["algorithm-1"], updates={"x": (letter("x"), text)}),
        lambda text: replace(paper("printed")["corollary-1"], window=(text,)),
        lambda text: Scaling(text),
        lambda text: Erratum(place="theorem-1", printed=letter("x"), read=text, reason="", evidence=""),
    ],
)
def test_a_text_in_the_place_of_a_formula_is_refused_and_not_run(made: Any, tmp_path: Path) -> None:
    """SymPy takes a text for Python: this one would make a file."""
    mark = tmp_path / "mark"
    with pytest.raises(UserTypeError, match="Path"):
        made(f"__import__('pathlib').Path({str(mark)!r}).touch()")
    assert not mark.exists()
