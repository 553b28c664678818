"""Comparisons of letters are recorded: nothing is decided, lost or turned without being said."""

from typing import Any

import pytest
import sympy
from sympy import Rational, sqrt

import ratecert as rc
from ratecert.short.formulas import Comparison

T, p, gamma, beta, L, mu, R = rc.letters("T p gamma beta L mu R")


def step(x: Any, m: Any = 0, *, grad: Any, gamma: Any, beta: Any) -> Any:
    m = beta * m + grad(x)
    return x - gamma * m, m


def conditions(*where: Any) -> dict[str, str]:
    """The conditions of a theorem, as they are printed."""
    bound = (1 - gamma * beta * mu) ** T * R**2
    stated = rc.theorem(step, measure=rc.measures.distance().last(), bound=bound, where=list(where))
    found = stated.theorem.conditions
    return {name: f"{c.left} {c.relation} {', '.join(map(str, c.clauses))}" for name, c in found.items()}


RECORDED = [
    (gamma <= 1 / L, "gamma <= 1/L"),
    (beta >= 0, "beta >= 0"),  # always true, and printed
    (gamma > 0, "gamma > 0"),
    (0 < gamma, "gamma > 0"),  # noqa: SIM300
    (1 >= gamma * L, "gamma <= 1/L"),  # noqa: SIM300  as it is turned by Python
    (gamma * L <= 1, "gamma <= 1/L"),
    (2 / gamma >= L, "gamma <= 2/L"),
    (gamma**2 * L**2 < 1, "gamma < 1/L"),
    (1 / L >= gamma, "gamma <= 1/L"),  # noqa: SIM300
    (L * mu >= 1 / gamma**2, "gamma >= 1/(sqrt(L)*sqrt(mu))"),
    (sqrt(L) * gamma <= 1 / sqrt(mu), "gamma <= 1/(sqrt(L)*sqrt(mu))"),
    (rc.equal(gamma, 2 / (L + mu)), "gamma = 2/(L + mu)"),
    (rc.equal(gamma * L, 1), "gamma = 1/L"),
    (gamma <= rc.Min(1 / (2 * L), 1 / mu), "gamma <= 1/(2*L), 1/mu"),
    (gamma <= rc.Min(1 / mu, 1 / (2 * L)), "gamma <= 1/mu, 1/(2*L)"),  # in their order
    (gamma >= rc.Max(1 / mu, 1 / (2 * L)), "gamma >= 1/mu, 1/(2*L)"),
    (gamma <= 0.1 / L, "gamma <= 1/(10*L)"),  # 0.1 is a tenth
    (gamma * L + gamma**2 * L**2 <= 1, "L**2*gamma**2 + L*gamma <= 1"),  # no power of one letter
    (mu <= L, "mu <= L"),
    (sympy.Le(*(sympy.sympify(each) for each in (gamma, 1 / L)), evaluate=False), "gamma <= 1/L"),
]


@pytest.mark.parametrize(("comparison", "printed"), RECORDED, ids=[printed for _, printed in RECORDED])
def test_it_is_kept_and_solved_for_the_letter_that_is_chosen(comparison: Any, printed: str) -> None:
    assert [*conditions(comparison).values()] == [printed]


def test_two_upper_bounds_are_the_smallest_of_both() -> None:
    assert conditions(gamma <= 1 / (2 * L), gamma <= 1 / mu) == {"gamma": "gamma <= 1/(2*L), 1/mu"}
    both = conditions(gamma > 0, gamma <= 1 / L)
    assert both == {"gamma": "gamma > 0", "gamma_2": "gamma <= 1/L"}


def test_chains_are_refused_with_the_line_and_the_cure() -> None:
    with pytest.raises(
        rc.errors.UserError, match=r"line \d+: .*0 < gamma <= 1 / L.*where=\[0 < gamma, gamma <= 1/L\]"
    ):
        conditions(0 < gamma <= 1 / L)
    with pytest.raises(rc.errors.UserError, match=r"test_comparisons\.py, line .*, and of `and`"):
        conditions(gamma <= 1 / L and beta < 1)


@pytest.mark.parametrize("sign", ["==", "!="])
def test_equality_of_python_is_refused(sign: str) -> None:
    with pytest.raises(rc.errors.UserError, match=r"rc.equal\(gamma, 2/\(L \+ mu\)\)"):
        eval(f"gamma {sign} 2 / (L + mu)", {"gamma": gamma, "L": L, "mu": mu})


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (True, "where\\[0\\] must be a condition, got True, which Python or SymPy has decided"),
        (sympy.Symbol("a", positive=True) > 0, "SymPy has decided"),
        ("gamma <= 1/L", "must be a condition"),
        (gamma, "where\\[0\\] must be a condition, got gamma; "),
    ],
)
def test_what_is_no_condition_is_refused(given: Any, says: str) -> None:
    with pytest.raises(rc.errors.UserTypeError, match=says):
        conditions(given)


def test_sums_stay_in_the_order_in_which_they_are_written() -> None:
    """Each summand is a term of the bound; SymPy alone would sort them."""
    found = rc.theorem(
        step, measure=rc.measures.distance().last(), bound=R**2 / T + beta * R**2 - R**2 / T**2
    )
    assert [str(term) for term in found.theorem.terms.values()] == ["R**2/T", "R**2*beta", "-R**2/T**2"]
    other = rc.theorem(step, measure=rc.measures.distance().last(), bound={"b": beta * R**2, "a": R**2 / T})
    assert [*other.theorem.terms] == ["b", "a"]


def test_functions_of_sympy_and_numbers_go_with_letters() -> None:
    assert isinstance(sqrt(L) <= gamma, Comparison)
    assert isinstance(Rational(1, 3) * gamma <= sympy.Min(1, L), Comparison)
    assert str(-gamma + 1 - L / 2) == "-L/2 - gamma + 1"
    with pytest.raises(TypeError):
        _ = gamma + "1"
