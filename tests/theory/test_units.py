"""Units follow from a change of units: an expression is homogeneous exactly if rescaling f and x rescales all of it.

With f counted in another unit (times 2^12) and x in another (times 3^12), every letter is multiplied by a known power;
the value of a homogeneous expression is then multiplied by the power its units say, and that of an inhomogeneous one
is not, at least on the way there or on the way back. `readings` must agree with this, and name the summand to blame;
`solve` must agree with Gaussian elimination.
"""

from math import prod
from random import Random

import pytest
import sympy
from sympy import Max, Min, Product, Rational, Sum, exp, log, sqrt

from ratecert.theory.language.letters import letter, letters
from ratecert.theory.orders.monomials import ONE, Monomial
from ratecert.theory.units import Units, UnitsReading, forced, ratios, readings, solve, units_of

mu, L_0, L_1, L_21, sigma, Q, x, eta = letters("mu L_0 L_1 L_21 sigma Q x eta")
q, j = sympy.symbols("q j", integer=True)
hessian = sympy.Function("hessian_g")
KNOWN = {
    "mu": units_of("f x^-2"),
    "L_0": units_of("f x^-1"),
    "L_1": units_of("f x^-2"),
    "L_21": units_of("f x^-3"),
    "sigma": units_of("f x^-1"),
    "Q": units_of("1"),
    "x": units_of("x"),
    "hessian_g": units_of("f x^-2"),
}
NEW_UNITS = {"f": 2**12, "x": 3**12}
VALUES = {mu: 3, L_0: 5, L_1: 7, L_21: 11, sigma: 13, Q: 4, x: 17}

HOMOGENEOUS = {
    L_1: "f x^-2",
    3 * mu / 7: "f x^-2",
    L_1 + L_0 * L_21 / mu: "f x^-2",
    (2 * L_1**2 + L_21 * L_0) / mu + L_1**3 / mu**2: "f x^-2",
    sqrt(L_1**2 + mu**2): "f x^-2",
    (mu**2 + L_1**2) ** Rational(1, 4) * sigma: "f^3/2 x^-2",
    1 / sqrt(4 * L_1**2 + 1 / (1 / mu + 1 / L_1) ** 2): "f^-1 x^2",
    Min(1 / L_1, 1 / mu): "f^-1 x^2",
    Max(sigma**2, L_0 * Min(L_0, sigma)): "f^2 x^-2",
    log(1 + L_1 / mu) * sigma * x: "f",
    (mu / L_1) ** (Q + 1) * L_0: "f x^-1",
    exp(-mu / L_1) * L_1: "f x^-2",
    Sum(mu * (q + 1), (q, 0, 5)): "f x^-2",
    Product(1 - mu / L_1, (j, 1, 3)) * L_0: "f x^-1",
    Sum(Product(1 - mu / (L_1 + j * mu), (j, 0, q)), (q, 0, 3)) / mu: "f^-1 x^2",
    sympy.pi * sqrt(2) * x: "x",
}

INHOMOGENEOUS = (
    L_1 + L_0,
    L_1 + L_0**2 * L_21 / mu,
    sqrt(L_1 + mu**2),
    1 + mu,
    1 / (mu + sigma),
    Min(1 / L_1, 1 / sigma),
    Max(sigma, L_0 * Min(L_0, sigma)),
    log(mu) * sigma,
    log(1 + sigma),
    mu**Q,
    2**mu,
    exp(-mu),
    sigma * (L_1 + (mu + L_0) / 2),
    Sum(mu + q, (q, 0, 5)),
    Product(mu, (q, 1, 3)),
    Product(1 - mu, (q, 1, 3)),
)


def factor(units: Units, way: int) -> sympy.Expr:
    """What one of these units is in the new units; way = -1 leads back."""
    powers = ((base, Rational(a.numerator, a.denominator)) for base, a in units.powers)
    return prod(NEW_UNITS[base] ** (way * power) for base, power in powers)


def changes_by(expression: sympy.Expr, units: Units) -> bool:
    """Whether the value changes by the factor of these units when f and x do, there and back."""
    before = sympy.N(expression.subs(VALUES).doit(), 60)
    for way in (1, -1):
        rescaled = {s: value * factor(KNOWN[s.name], way) for s, value in VALUES.items()}
        after = sympy.N(expression.subs(rescaled).doit(), 60)
        if abs(after / before / factor(units, way) - 1) > Rational(1, 10**40):
            return False
    return True


def cheapest(expression: sympy.Expr) -> UnitsReading:
    return min(readings(expression, KNOWN).values(), key=lambda reading: reading.cost)


@pytest.mark.parametrize(("expression", "units"), HOMOGENEOUS.items(), ids=str)
def test_a_homogeneous_expression_changes_by_its_units(expression: sympy.Expr, units: str) -> None:
    reading = cheapest(expression)
    assert reading == UnitsReading(units_of(units))
    assert changes_by(expression, reading.units)
    assert not changes_by(expression, reading.units * KNOWN["mu"])


@pytest.mark.parametrize("expression", INHOMOGENEOUS, ids=str)
def test_an_inhomogeneous_expression_has_no_reading_without_a_misfit(expression: sympy.Expr) -> None:
    assert all(reading.cost >= 1 for reading in readings(expression, KNOWN).values())
    assert not any(changes_by(expression, units) for units in readings(expression, KNOWN))


@pytest.mark.parametrize("expression", HOMOGENEOUS, ids=str)
def test_ratios_of_a_homogeneous_expression_are_one(expression: sympy.Expr) -> None:
    units, found = ratios(expression, KNOWN)
    assert units == cheapest(expression).units
    assert set(found) <= {ONE}


@pytest.mark.parametrize("expression", INHOMOGENEOUS, ids=str)
def test_ratios_of_an_inhomogeneous_expression_are_not_all_one(expression: sympy.Expr) -> None:
    assert set(ratios(expression, KNOWN)[1]) - {ONE}


# Who is to blame


def misfits(reading: UnitsReading) -> list[tuple[sympy.Expr, Units, Units]]:
    return [(m.piece, m.has, m.needs) for m in reading.misfits]


def test_the_odd_one_out_is_blamed() -> None:
    odd = L_0**2 * L_21 / mu
    reading = cheapest(L_1 + odd + L_1**2 / mu)
    assert misfits(reading) == [(odd, units_of("f^2 x^-3"), KNOWN["mu"])]
    assert misfits(cheapest(L_1 + odd / L_0 + L_1**2 / mu)) == []


def test_the_context_decides_between_two() -> None:
    both = L_1 + L_0
    assert misfits(forced(both, KNOWN["L_1"], KNOWN)) == [(L_0, KNOWN["L_0"], KNOWN["L_1"])]
    assert misfits(forced(both, KNOWN["L_0"], KNOWN)) == [(L_1, KNOWN["L_1"], KNOWN["L_0"])]
    assert misfits(cheapest(sigma * both + L_0**2)) == [(L_1, KNOWN["L_1"], KNOWN["L_0"])]


def test_the_misfit_stands_among_its_summands() -> None:
    (misfit,) = cheapest(sigma * (L_1 + mu + L_0)).misfits
    assert misfit.piece == L_0
    assert misfit.among == L_1 + mu + L_0


def test_a_whole_that_does_not_fit_is_blamed_as_a_whole() -> None:
    assert misfits(forced(L_1**2, KNOWN["L_1"], KNOWN)) == [(L_1**2, units_of("f^2 x^-4"), KNOWN["L_1"])]
    assert misfits(forced(L_1**2, KNOWN["L_1"] ** 2, KNOWN)) == []


def test_zero_fits_everywhere_and_another_number_does_not() -> None:
    assert readings(0, KNOWN) == {}
    assert misfits(forced(0, KNOWN["mu"], KNOWN)) == []
    assert misfits(forced(7, KNOWN["mu"], KNOWN)) == [(7, ONE, KNOWN["mu"])]
    assert misfits(forced(7, ONE, KNOWN)) == []


@pytest.mark.parametrize("function", [log, exp, lambda e: 2**e, lambda e: (mu / L_1) ** e, lambda e: e**Q])
def test_arguments_of_functions_have_no_units(function: object) -> None:
    assert misfits(cheapest(function(mu / L_1))) == []
    assert (mu, KNOWN["mu"], ONE) in misfits(cheapest(function(mu)))


def test_an_index_counts_whatever_the_letter_means_elsewhere() -> None:
    lengths = {**KNOWN, "q": units_of("x")}
    assert readings(Sum(q * mu, (q, 1, 3)), lengths) == {KNOWN["mu"]: UnitsReading(KNOWN["mu"])}
    assert readings(q * mu, lengths) == {units_of("f x^-1"): UnitsReading(units_of("f x^-1"))}
    assert ratios(Sum(q + 1, (q, 1, 3)), lengths) == (ONE, [ONE])
    assert ratios(q + 1, lengths)[1] != [ONE]


def test_factors_of_an_open_product_have_no_units() -> None:
    assert misfits(cheapest(Product(mu / L_1, (j, 1, Q)))) == []
    assert misfits(cheapest(Product(mu, (j, 1, Q)))) == [(mu, KNOWN["mu"], ONE)]
    assert ratios(Product(mu, (j, 1, Q)), KNOWN) == (ONE, [KNOWN["mu"]])


def test_a_numbered_sample_has_the_units_of_its_name() -> None:
    neumann = sympy.Product(1 - hessian(j) / mu, (j, 1, Q))
    assert misfits(cheapest(neumann)) == []
    assert misfits(cheapest(hessian(j) + mu)) == []
    assert misfits(forced(hessian(j), KNOWN["sigma"], KNOWN)) == [
        (hessian(j), KNOWN["hessian_g"], KNOWN["sigma"])
    ]


def test_an_unknown_letter_stands_for_its_own_units() -> None:
    (units,) = readings(eta * mu, KNOWN)
    assert units == Monomial.of(eta=1) * KNOWN["mu"]
    assert ratios(1 - eta * mu, KNOWN)[1] in ([units], [units**-1])
    assert ratios(sympy.Eq(x, x - eta * sigma, evaluate=False), KNOWN)[1]


# Solving for unknown units


def test_an_update_fixes_the_units_of_its_step() -> None:
    equations = ratios(sympy.Eq(x, x - eta * sigma, evaluate=False), KNOWN)[1]
    solved, wrong = solve(equations, ["eta"])
    assert solved == {"eta": units_of("f^-1 x^2")}
    assert wrong == []
    assert misfits(forced(eta * mu, ONE, KNOWN | solved)) == []
    assert misfits(forced(eta * sigma, ONE, KNOWN | solved)) != []


def test_those_listed_first_stay_free() -> None:
    equation = Monomial.of(eta=1, rho=2) / units_of("x")
    assert solve([equation], ["eta", "rho"])[0] == {
        "rho": (units_of("x") / Monomial.of(eta=1)) ** Rational(1, 2)
    }
    assert solve([equation], ["rho", "eta"])[0] == {"eta": units_of("x") / Monomial.of(rho=2)}


def test_what_no_units_can_mend_is_returned() -> None:
    eta_, length = Monomial.of(eta=1), units_of("x")
    assert solve([eta_ / length, eta_ / length**2], ["eta"]) == ({"eta": length}, [length**-1])
    assert solve([eta_ / length, eta_**2 / length**2], ["eta"]) == ({"eta": length}, [])


UNKNOWN = ("a", "b", "c")


def random_system(seed: int) -> list[Units]:
    draw = Random(seed)
    return [
        Monomial.of(**{name: draw.choice((-2, -1, 0, 0, 1)) for name in (*UNKNOWN, "f", "x")})
        for _ in range(draw.choice((2, 3, 4)))
    ]


def consistent(equations: list[Units]) -> bool:
    """By ranks: the unknowns alone, and with the base units beside them."""
    rows = [[Rational(str(e.exponent(name))) for name in (*UNKNOWN, "f", "x")] for e in equations]
    whole = sympy.Matrix(rows)
    return whole[:, :3].rank() == whole.rank()


def test_solve_agrees_with_ranks() -> None:
    verdicts = []
    for seed in range(80):
        equations = random_system(seed)
        solved, wrong = solve(equations, UNKNOWN)
        free = {name for units in solved.values() for name, _ in units.powers} & set(UNKNOWN)
        assert not free & set(solved)
        left_over = [e.at(**solved) for e in equations]
        assert sorted(map(str, wrong)) == sorted(str(r) for r in left_over if r != ONE)
        assert (not wrong) == consistent(equations)
        verdicts.append(not wrong)
    assert set(verdicts) == {True, False}


def test_letters_of_the_same_name_have_the_same_units() -> None:
    """Matrices are other SymPy symbols; units go by the name."""
    assert readings(letter("mu", matrix=True), KNOWN) == readings(mu, KNOWN)
    assert readings(letter("L_0", matrix=True), KNOWN) != readings(mu, KNOWN)
