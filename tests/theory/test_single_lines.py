"""Promises of the language and its rules that rest on a single line, and that no other test misses."""

from dataclasses import replace
from typing import Any

import pytest
import sympy

from ratecert.api.papers import admissible
from ratecert.catalogue.find import paper
from ratecert.errors import OutsideConditionsError, UserError
from ratecert.theory.language.letters import letter
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.prose import as_prose
from ratecert.theory.language.statements import (
    Algorithm,
    Corollary,
    Counts,
    Definition,
    Line,
    Scaling,
)
from ratecert.theory.lint.counts import lint_counts
from ratecert.theory.lint.lookalikes import _differ_once
from ratecert.theory.lint.noise import lint_noise
from ratecert.theory.lint.suggest import suggest
from ratecert.theory.lint.symbols import lint_symbols
from ratecert.theory.lint.units import lint_units
from ratecert.theory.lint.windows import lint_windows
from ratecert.theory.numbers.evaluation import evaluate
from ratecert.theory.orders.monomials import ONE, Monomial
from ratecert.theory.units import Misfit

REPAIRED = paper("repaired")
WORLD = {
    "mu": 0.5,
    "L_0": 2.0,
    "L_1": 1.5,
    "L_21": 0.3,
    "L_22": 0.2,
    "sigma": 0.7,
    "sigma_H": 0.4,
    "sigma_f": 0.6,
}


def changed(id: str, **parts: Any) -> Paper:
    """The repaired paper with another statement in the place of one."""
    statement: Any = REPAIRED.statements[id]
    return replace(REPAIRED, statements={**REPAIRED.statements, id: replace(statement, **parts)})


def test_a_step_that_an_equation_fixes_may_be_off_by_rounding_and_no_more() -> None:
    values = admissible("theorem-3", {**WORLD, "Phi_gap": 3.0, "y_gap": 1.1}, 8, 4, 100).values
    evaluate(REPAIRED, "theorem-3", {**values, "alpha": values["alpha"] * (1 + 1e-14)})
    for off in (1e-9, 0.5):
        with pytest.raises(OutsideConditionsError, match="alpha = "):
            evaluate(REPAIRED, "theorem-3", {**values, "alpha": values["alpha"] * (1 + off)})


def test_a_step_that_an_equation_fixes_may_be_left_out() -> None:
    values = admissible("theorem-3", {**WORLD, "Phi_gap": 3.0, "y_gap": 1.1}, 8, 4, 100).values
    total = evaluate(REPAIRED, "theorem-3", values).total
    for name in ("alpha", "beta"):
        fewer = {other: value for other, value in values.items() if other != name}
        assert evaluate(REPAIRED, "theorem-3", fewer).total == total


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("mu", "needs a value for mu; give it in the mapping"),
        ("L_1", "needs a value for L_1; give it in the mapping"),
        ("L_21", "needs a value for L_Phi, L_hat, L_tilde; give it"),
    ],
)
def test_a_constant_that_is_missing_is_told_and_no_step(name: str, told: str) -> None:
    fewer = {other: value for other, value in WORLD.items() if other != name}
    with pytest.raises(UserError, match=f"theorem-1 {told}"):
        admissible("theorem-1", {**fewer, "Phi_gap": 3.0, "y_gap": 1.1}, 8, 4, 100)


def test_of_two_terms_the_larger_leads_by_their_ratio() -> None:
    numbers = {"K": 8, "T": 2**20, "eta": 0.1, "L": 4.0, "sigma": 0.5, "Phi_gap": 2.0}
    bound = evaluate(paper("printed", "parallel-sgd"), "sgd-descent", numbers)
    low, high = sorted(bound.terms.values())
    assert bound.lead == high / low != 1


def test_matrices_do_not_commute_and_numbers_do() -> None:
    A, B = (letter(name, matrix=True) for name in "AB")
    assert A * B != B * A
    assert letter("A") * letter("B") == letter("B") * letter("A")


@pytest.mark.parametrize(
    ("shift", "fits"), [(1, "m_t"), (0, "m_1 among what is given"), (-1, "m_0 among what is given")]
)
def test_what_would_fit_is_what_is_there_already_or_what_could_be_given(shift: int, fits: str) -> None:
    line = Line("x_t = m", (("m", shift),), (("x", 0),), when="later")
    lines = REPAIRED.the(Algorithm, "algorithm-1").lines
    found = lint_symbols(changed("algorithm-1", lines=(*lines, line)))
    assert [finding.fits for finding in found if finding.place == "algorithm-1.m"] == [fits]


def test_samples_that_do_not_fall_as_1_over_K_are_told_what_linear_speedup_would_be() -> None:
    costs = REPAIRED.the(Counts, "table-1").costs
    faster = tuple(replace(cost, linear_speedup=True) if cost.method == "FEDNEST" else cost for cost in costs)
    assert lint_counts(REPAIRED) == []
    (finding,) = lint_counts(changed("table-1", costs=faster))
    assert (finding.place, finding.fits) == ("table-1.FEDNEST.samples", "samples: O(1/(K*eps^2))")


def test_a_step_that_is_constant_for_a_part_of_all_iterations_is_seen() -> None:
    """p without its logarithm: the floor of the decaying step is then of the order of T."""
    K, T = letter("K"), letter("T")
    scalings = REPAIRED.the(Corollary, "corollary-5").scalings
    longer = {**scalings, "p": Scaling(sympy.cbrt(T) / sympy.cbrt(K) ** 2)}
    assert lint_windows(REPAIRED) == []
    (finding,) = lint_windows(changed("corollary-5", scalings=longer))
    assert finding.place == "corollary-5.eta"
    assert "the order of 1 times T" in finding.because


def test_of_several_steps_that_do_not_exist_the_first_is_named() -> None:
    with pytest.raises(ValueError, match="beta_1 is not one of them"):
        admissible("theorem-1", WORLD, 8, 4, 100, fixed={"rho1": 1.0, "beta_1": 1.0})


def test_a_line_of_later_iterations_is_read_too() -> None:
    """At t = 0 it does not run, so only the second pass can see that nothing assigns m."""
    line = Line("x_t = x_t - m_t", (("x", 0), ("m", 0)), (("x", 0),), when="later")
    lines = REPAIRED.the(Algorithm, "algorithm-1").lines
    assert "algorithm-1.m" not in {finding.place for finding in lint_symbols(REPAIRED)}
    assert "algorithm-1.m" in {
        finding.place for finding in lint_symbols(changed("algorithm-1", lines=(*lines, line)))
    }


def test_a_definition_that_lost_the_square_of_a_square_is_told_the_fourth_power() -> None:
    right = REPAIRED.the(Definition, "constant.G").right
    (finding,) = lint_units(changed("constant.G", right=right**2))
    assert (finding.place, finding.fits.partition(" ")[0]) == ("constant.G", "G**4")


def test_a_definition_of_too_high_a_power_is_told_the_constant_itself() -> None:
    """The notation has G in the units of L_0; the root of what is G^2 has these, and G^4 has not."""
    G, L_0 = REPAIRED.notation["G"], REPAIRED.notation["L_0"]
    right = sympy.sqrt(REPAIRED.the(Definition, "constant.G").right)
    wrong = changed("constant.G", left=letter("G") ** 4, right=right)
    wrong = replace(wrong, notation={**REPAIRED.notation, "G": replace(G, units=L_0.units)})
    (finding,) = lint_units(wrong)
    assert (finding.place, finding.fits) == ("constant.G", f"G = {right}")


def test_sums_look_alike_whichever_has_the_larger_coefficient() -> None:
    x, y, z = sympy.symbols("x y z")
    first, alike, other, shorter = (
        sum_.as_coefficients_dict()
        for sum_ in (x + 2 * y + 3 * z, x + 2 * y + 4 * z, x + 5 * y + 4 * z, x + 2 * y)
    )
    assert _differ_once(first, alike)
    assert _differ_once(alike, first)
    for wrong in (first, other, shorter):
        assert not _differ_once(first, wrong)
        assert not _differ_once(wrong, first)


def test_an_index_may_be_greek() -> None:
    assert as_prose("c_alpha, c_max, c_{2}", {}) == r"$c_{\alpha}$, $c_{\mathrm{max}}$, $c_{2}$"


def test_three_statements_of_nearly_this_name_are_told() -> None:
    with pytest.raises(UserError, match="theorem-3 or theorem-2 or theorem-1"):
        _ = REPAIRED["theorem-4"]


def test_one_weight_and_the_noise_of_another_are_a_finding() -> None:
    assert [f.place for f in lint_noise(paper())] == ["theorem-1.term.noise_u", "theorem-3.term.noise_u"]
    assert lint_noise(REPAIRED) == []


def test_a_wrong_exponent_is_likelier_than_a_missing_factor() -> None:
    (found,) = (f for f in lint_units(paper(key="storm")) if f.place == "theorem-1.term.noise")
    assert found.fits == (
        "2*sigma/T**(1/3) or 2*sigma**(1/3)*w**(1/3)/T**(1/3) or 2*sqrt(M)*sigma**(1/3)/T**(1/3)"
    )


def test_of_two_exponents_that_might_be_wrong_the_one_is_likelier_that_becomes_smaller() -> None:
    a, b = letter("a"), letter("b")
    unit = Monomial.of(x=1)
    piece = b**3 / a**4
    misfit = Misfit(piece=piece, among=piece, has=unit**-1, needs=ONE)
    assert suggest(misfit, {"a": unit, "b": unit}, ()) == "b**3/a**3 or b**4/a**4"
