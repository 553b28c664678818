"""Proofs of runs whose steps change with t, or that start with several fields, and of measures that mix fields."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

import ratecert as rc
from oracles.edited_numbers import fails, survivors
from ratecert.base.errors import NotExactError, WitnessError
from ratecert.catalogue.cases import case_for, case_of, stored
from ratecert.catalogue.find import paper
from ratecert.proofs.formulas import Formulas
from ratecert.proofs.known import Known
from ratecert.proofs.measure import form_of
from ratecert.proofs.method import MOST, write_changing, written
from ratecert.proofs.prove import Proof, prove
from ratecert.proofs.script import Script
from ratecert.proofs.theorem import refuted
from ratecert.proofs.world import directions_of, further_fields
from ratecert.search import witness
from ratecert.search.witness import Witness
from ratecert.solvers.contract.schedule import CubeRoot, Power, Product
from ratecert.theory.notation import letter
from ratecert.theory.statements import Theorem

s = rc.statements
STORED = {w.statement: w for w in map(witness.read, stored()) if ":" in w.statement}
ITEM, ROBUST = "pep-item:item", "pep-robust-momentum:robust-momentum-mixed"
Q = Fraction(1, 10)


def proved(found: Witness) -> Proof:
    return prove(case_for(found), found)


@pytest.fixture
def formulas() -> Formulas:
    """With the letters q = 1/10 and w = 2."""
    source = paper("printed", "pep-item")
    found = Formulas(Script(many=False), source, source.the(Theorem, "item"), {})
    found.script.line("zero, one = Fraction(0), Fraction(1)")
    for name, value in (("q", Q), ("w", Fraction(2))):
        found.script.set(name, value)
        found.values[name] = value
    return found


def changed(statement: str, **tables) -> dict[str, Any]:
    instance = STORED[statement].instance
    return {name: {**table, **tables.get(name, {})} for name, table in instance.items()}


# Statements.


@pytest.mark.by_night("pep-item:item")
@pytest.mark.parametrize(
    ("statement", "tables"),
    [
        (ITEM, {"run": {"T": 3}, "quadratics": {"spread": 20.0}}),
        (ITEM, {"run": {"T": 2}, "quadratics": {"spread": 6.0}}),  # its one root is a fraction
        (ROBUST, {"two_points": {"spread": 4.0, "depth": 2.0, "angle": 0.0}, "letters": {"lam": 0.5}}),
    ],
)
def test_the_ratio_is_that_of_the_engines(statement, tables):
    """And no edited number is left unnoticed."""
    case, instance = case_of(statement, "printed"), changed(statement, **tables)
    found = refuted(case, "", instance)
    assert math.isclose(found.ratio, case.attempt(instance, paper("printed", case.key)).ratio, rel_tol=1e-8)
    assert not fails(found.text)
    assert survivors(found.text) == []


@pytest.mark.parametrize("statement", [ITEM, ROBUST])
def test_the_method_as_the_code_has_it_is_not_refuted(statement):
    with pytest.raises(WitnessError, match="the measure does not exceed the bound there"):
        refuted(
            case_of(f"{statement.removesuffix('-mixed')}-code", "printed"), "", STORED[statement].instance
        )


def test_a_long_run_of_such_steps_is_told():
    long = replace(STORED[ITEM], instance=changed(ITEM, run={"T": 40}))
    with pytest.raises(
        NotExactError, match=f"beta changes with t, and such proofs have {MOST} iterations at most"
    ):
        refuted(case_of(ITEM, "printed"), "", long.instance)
    assert "iterations at most" in proved(long).instead


# Steps that change with t.


@dataclass(frozen=True)
class InDoubles:
    """A schedule that rounds."""

    q: float
    largest, constant_until = 1.0, 0.0

    def __call__(self, t: float) -> float:
        return math.exp(-self.q * t)


@dataclass(frozen=True)
class Rational:
    """1/(w + t)."""

    w: float
    largest, constant_until = 1.0, 0.0

    def __call__(self, t: float) -> float:
        return 1 / (self.w + t)


@pytest.mark.parametrize(
    ("schedule", "exact"),
    [
        (rc.methods.FISTA(alpha=0.1).beta, False),
        (rc.methods.ITEM(alpha=0.1, q=0.1).beta, False),
        (rc.methods.ITEM(alpha=0.1, q=0.1).delta, False),
        (Rational(2.0), True),
        (Product(Rational(2.0), Rational(2.0)), True),
    ],
)
def test_numbers_of_a_recursion_are_those_of_the_method(formulas, schedule, exact):
    write_changing(formulas, {"q": Q, "w": Fraction(2)}, 6, "b", schedule)
    for t, found in enumerate(formulas.script.names["b_over_t"]):
        low, high = formulas.ends(letter(f"b_{t}"))
        assert low <= high <= low + Fraction(1, 10**9)
        assert math.isclose(float(low), schedule(t), rel_tol=1e-9)
        assert isinstance(found, Fraction) or not exact


@pytest.mark.parametrize(
    ("schedule", "why"),
    [
        (InDoubles(0.1), "b, which changes with t, cannot be written .*asks for the double of a letter"),
        (Power(scale=2.0, exponent=0.1), "b, which changes with t, cannot be written in fractions"),
        (CubeRoot(scale=2.0), "b, which changes with t, cannot be written in fractions"),
        (Rational(0.3), r"makes w = 0\.3 of its hyperparameters in doubles"),
    ],
)
def test_doubles_are_never_taken_as_given(formulas, schedule, why):
    with pytest.raises(NotExactError, match=why):
        write_changing(formulas, {"q": Q, "w": Fraction(2)}, 3, "b", schedule)


def test_a_step_has_a_letter_for_what_changes():
    names = []
    solver = rc.methods.ITEM(alpha=0.1, q=0.2)
    values = {"alpha": Fraction(1, 10), "q": Fraction(1, 5)}
    found = written(solver, values, write_changing=lambda name, _: names.append(name))
    assert names == ["beta", "delta"] == list(found.changing)
    assert "beta_t*(x - z)" in str(found.later.after["x"])
    assert found.first == found.later


# Starts.


def test_a_run_may_start_with_several_fields():
    world, start = rc.worlds.SingleLevel(H=2.0), {"x": [0.0], "last": [0.1]}
    setting = s.Setting(world, 1, 1, start)
    (axis,) = directions_of(setting)
    assert further_fields(setting) == ("last",)
    assert (axis.start, axis.others, axis.silent) == (0, (Fraction(1, 10),), False)
    with pytest.raises(NotExactError, match="the devices start with x, last"):
        directions_of(s.Setting(world, 2, 1, start))


def test_a_field_that_the_run_starts_with_is_what_it_is():
    solver = rc.methods.HeavyBall(alpha=0.1, beta=0.5)
    values = {"alpha": Fraction(1, 10), "beta": Fraction(1, 2)}
    found = written(solver, values, ("x", "m"))
    assert found.start.before == ("x", "m")
    assert str(found.start.after["m"]) == "m"
    with pytest.raises(NotExactError, match="starts with z, which the method does not have"):
        written(solver, values, ("x", "z"))


# Measures.

h, x, m, mean_x = sympy.symbols("curvature x m mean_x")
MIXED = rc.measures.form(lambda problem, state: problem.gradient(state.x) + 2 * (state.x - state.m))


def axes(a: float = 0.0):
    return directions_of(s.Setting(rc.worlds.SingleLevel(H=2.0, a=a), 1, 1, {"x": [3.0]}))


@pytest.mark.parametrize("place", [0.0, 1.0])
@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (rc.measures.gradient(), h**2 * x**2),
        (rc.measures.gap().last(), h * x**2 / 2),
        (rc.measures.gap().at_mean(), h * mean_x**2 / 2),
        (0.25 * rc.measures.distance().largest(), x**2 / 4),
        (rc.measures.gap() + 2.0 * rc.measures.gradient("m"), h * x**2 / 2 + 2 * h**2 * m**2),
        (rc.measures.distance() + rc.measures.drift("x"), x**2),  # of one device there is none
        (rc.measures.form(lambda p, s: s.x - p.x_star[:, None]), x**2),
        (0.5 * MIXED, (h * x + 2 * (x - m)) ** 2 / 2),
    ],
)
def test_a_measure_is_a_form_in_letters(formulas, measure, expected, place):
    formulas.script.line("centers, curvatures = [zero], [one]")
    formulas.script.part()
    found = form_of(formulas, measure, axes(place), ["x", "m"])
    assert sympy.expand(found - expected) == 0
    assert formulas.script.part() == ([] if place else ['require(not any(centers), "x* is the origin")'])


@pytest.mark.parametrize(
    ("measure", "place", "many", "why"),
    [
        (rc.measures.form(lambda _, state: state.x), 1.0, False, "no quadratic form of distances"),
        (rc.measures.form(lambda _, state: state.x + 1), 0.0, False, "no quadratic form of distances"),
        (rc.measures.form(lambda _, state: 0 * state.x + 1), 0.0, False, "no quadratic form of distances"),
        (rc.measures.form(lambda _, state: np.exp(state.x)), 0.0, False, "cannot be written in fractions"),
        (rc.measures.form(lambda _, s: s.x, weight=[[3.0, 0.0], [0.0, 1.0]]), 0.0, False, "in fractions"),
        (
            rc.measures.form(lambda p, s: p.x_star * (s.x - p.x_star[:, None])),
            1.0,
            False,
            "no quadratic form",
        ),
        (rc.measures.drift("x"), 0.0, False, "zero on one device"),
        (rc.measures.drift("x"), 0.0, True, "more of the devices than their mean"),
        (rc.measures.control("x"), 0.0, False, "more of the devices than their mean"),
        (rc.measures.gap().at_mean(lambda t: 1.0 + t), 0.0, False, "does not count all iterates alike"),
        (rc.measures.gap().drawn(lambda t: 1.0), 0.0, False, "does not count all iterates alike"),
    ],
)
def test_measures_that_are_no_forms_are_refused(formulas, measure, place, many, why):
    formulas.script.line("centers, curvatures = [zero], [one]")
    with pytest.raises(NotExactError, match=why):
        form_of(formulas, measure, axes(place), ["x"], many=many)


def test_a_letter_with_the_name_of_a_field_is_refused(formulas):
    formulas.script.line("centers, curvatures = [zero], [one]")
    own = rc.measures.distance() * Known(formulas, letter("h"))
    assert form_of(formulas, own, axes(), ["x"]) == letter("h") * x**2
    with pytest.raises(NotExactError, match="x is a field of the state"):
        form_of(formulas, rc.measures.distance() * Known(formulas, letter("x")), axes(), ["x"])


def test_what_a_difference_of_zero_multiplies_is_left_out(formulas):
    q, w = letter("q"), letter("w")
    assert formulas.text(q + (w - 2) * sympy.sqrt(1 + q)) == "q"
    assert formulas.script.part()[-1] == 'require(-2 + w == zero, "what w - 2 multiplies vanishes")'
    with pytest.raises(NotExactError, match="is not defined there"):
        formulas.text(q * (w - 2) + q / (w - 2))


# Numbers in letters.


def test_a_number_in_letters_compares_by_its_value(formulas):
    q, w = (Known(formulas, letter(name)) for name in "qw")
    root = (w * 1.0).sqrt()
    assert all((q < w, w >= 2, w == 2, not w > 2, q <= Q, 1.41 < root < 1.42, root != Fraction(7, 5)))
    assert all((w > 1, not w < 1, w < Fraction(5, 2), w != 3, w < math.inf, not w > math.inf, w - 3 < 0))
    assert str(((1 - q) ** 2 / w - -q).expression) == "q + (1 - q)**2/w"
    assert (w + math.inf, math.inf - w, w * -math.inf) == (math.inf, math.inf, -math.inf)
    assert (q / math.inf).expression == 0
    assert (w + w - 3 + 0 * w).sqrt() == 1
    for wrong in (lambda: root * root > 2, lambda: q**0.5, lambda: q + 0.123456789012):
        with pytest.raises(NotExactError):
            wrong()
    with pytest.raises(TypeError):
        float(q)
    assert w != "2"
    assert int(Known(formulas, 2)) == 2
    with pytest.raises(NotExactError, match="w is no whole number as it is written"):
        int(w)


def test_what_fails_leaves_nothing(formulas):
    lines, names = list(formulas.script.lines), set(formulas.script.names)

    def tried():
        with formulas.trying():
            return Known(formulas, letter("w")).sqrt() ** 0.5

    with pytest.raises(NotExactError, match="is no whole one"):
        tried()
    assert (formulas.script.lines, set(formulas.script.names), formulas.roots) == (lines, names, {})


def test_what_nothing_needs_is_left_out(formulas):
    q = letter("q")
    formulas.give("b", formulas.name(1 / (1 + q)) + 1)
    unused = formulas.name(2 / (1 + q))
    assert "part_2" in "".join(formulas.script.lines)
    formulas.drop_unused()
    assert str(unused) == "part_2"
    assert formulas.parts == ["part_1"]
    assert "part_2" not in "".join(formulas.script.lines)
    assert "part_2" not in formulas.script.names
