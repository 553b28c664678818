"""Units follow from a change of units: an expression is homogeneous exactly if rescaling f and x rescales all of it.

With f counted in another unit (times 2^12) and x in another (times 3^12), every letter is multiplied by a known power;
the value of a homogeneous expression is then multiplied by the power its units say, and that of an inhomogeneous one
is not, at least on the way there or on the way back. `readings` must agree with this, and name the summand to blame;
`solve` must agree with Gaussian elimination.
"""

from math import prod
from random import Random
from typing import Any

import pytest
import sympy
from sympy import Max, Min, Product, Rational, Sum, exp, log, sqrt

from ratecert.theory.notation import letter, letters
from ratecert.theory.orders.monomials import ONE, Monomial
from ratecert.theory.units import Units, UnitsReading, forced, ratios, readings, solve, units_of

mu, L_0, L_1, L_21, sigma, Q, x, eta = letters("mu L_0 L_1 L_21 sigma Q x eta")
q, j = sympy.symbols("q j", integer=True)
hessian = sympy.Function("hessian_g")
CURVATURE, SLOPE, LENGTH = units_of("f x^-2"), units_of("f x^-1"), units_of("x")
KNOWN = {
    **dict.fromkeys(("mu", "L_1", "hessian_g"), CURVATURE),
    **dict.fromkeys(("L_0", "sigma"), SLOPE),
    "L_21": units_of("f x^-3"),
    "Q": ONE,
    "x": LENGTH,
}
NEW_UNITS = {"f": 2**12, "x": 3**12}
VALUES = {mu: 3, L_0: 5, L_1: 7, L_21: 11, sigma: 13, Q: 4, x: 17}

HOMOGENEOUS = {
    L_1: "f x^-2", 3 * mu / 7: "f x^-2", L_1 + L_0 * L_21 / mu: "f x^-2",
    (2 * L_1**2 + L_21 * L_0) / mu + L_1**3 / mu**2: "f x^-2", sqrt(L_1**2 + mu**2): "f x^-2",
    (mu**2 + L_1**2) ** Rational(1, 4) * sigma: "f^3/2 x^-2",
    1 / sqrt(4 * L_1**2 + 1 / (1 / mu + 1 / L_1) ** 2): "f^-1 x^2", Min(1 / L_1, 1 / mu): "f^-1 x^2",
    Max(sigma**2, L_0 * Min(L_0, sigma)): "f^2 x^-2", log(1 + L_1 / mu) * sigma * x: "f",
    (mu / L_1) ** (Q + 1) * L_0: "f x^-1", exp(-mu / L_1) * L_1: "f x^-2", Sum(mu * (q + 1), (q, 0, 5)): "f x^-2",
    Product(1 - mu / L_1, (j, 1, 3)) * L_0: "f x^-1",
    Sum(Product(1 - mu / (L_1 + j * mu), (j, 0, q)), (q, 0, 3)) / mu: "f^-1 x^2", sympy.pi * sqrt(2) * x: "x",
}  # fmt: skip

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
    whole, each = ratios(expression, KNOWN)
    assert whole == reading.units
    assert set(each) <= {ONE}


@pytest.mark.parametrize("expression", INHOMOGENEOUS, ids=str)
def test_an_inhomogeneous_expression_has_no_reading_without_a_misfit(expression: sympy.Expr) -> None:
    found = readings(expression, KNOWN)
    assert all(reading.cost >= 1 for reading in found.values())
    assert not any(changes_by(expression, units) for units in found)
    assert set(ratios(expression, KNOWN)[1]) - {ONE}


# Who is to blame


ODD = L_0**2 * L_21 / mu
OPEN = Product(1 - hessian(j) / mu, (j, 1, Q))
BLAMED: list[
    tuple[Any, Units | None, Any]
] = [  # an expression, the units it needs, and (piece, has, needs) or None
    (L_1 + ODD + L_1**2 / mu, None, (ODD, units_of("f^2 x^-3"), CURVATURE)),  # the odd one out
    (L_1 + ODD / L_0 + L_1**2 / mu, None, None),
    (L_1 + L_0, CURVATURE, (L_0, SLOPE, CURVATURE)),  # the context decides between two
    (L_1 + L_0, SLOPE, (L_1, CURVATURE, SLOPE)),
    (sigma * (L_1 + L_0) + L_0**2, None, (L_1, CURVATURE, SLOPE)),
    (L_1**2, CURVATURE, (L_1**2, CURVATURE**2, CURVATURE)),  # a whole, as a whole
    (L_1**2, CURVATURE**2, None),
    (0, CURVATURE, None),  # zero fits everywhere, and another number does not
    (7, CURVATURE, (7, ONE, CURVATURE)),
    (7, ONE, None),
    (Product(mu / L_1, (j, 1, Q)), None, None),  # factors of an open product have no units
    (Product(mu, (j, 1, Q)), None, (mu, CURVATURE, ONE)),
    (OPEN, None, None),  # a numbered sample has the units of its name
    (hessian(j) + mu, None, None),
    (hessian(j), SLOPE, (hessian(j), CURVATURE, SLOPE)),
]


def misfits(expression: Any, needs: Units | None = None, known: Any = KNOWN) -> list[Any]:
    reading = cheapest(expression) if needs is None else forced(expression, needs, known)
    return [(m.piece, m.has, m.needs) for m in reading.misfits]


@pytest.mark.parametrize(("expression", "needs", "blamed"), BLAMED)
def test_the_piece_that_does_not_fit_is_blamed(expression: Any, needs: Units | None, blamed: Any) -> None:
    assert misfits(expression, needs) == ([blamed] if blamed else [])


@pytest.mark.parametrize("function", [log, exp, lambda e: 2**e, lambda e: (mu / L_1) ** e, lambda e: e**Q])
def test_arguments_of_functions_have_no_units(function: Any) -> None:
    assert misfits(function(mu / L_1)) == []
    assert (mu, CURVATURE, ONE) in misfits(function(mu))


def test_the_misfit_stands_among_its_summands() -> None:
    (misfit,) = cheapest(sigma * (L_1 + mu + L_0)).misfits
    assert (misfit.piece, misfit.among) == (L_0, L_1 + mu + L_0)
    assert readings(0, KNOWN) == {}
    assert ratios(Product(mu, (j, 1, Q)), KNOWN) == (ONE, [CURVATURE])


def test_an_index_counts_whatever_the_letter_means_elsewhere() -> None:
    lengths = {**KNOWN, "q": LENGTH}
    assert readings(Sum(q * mu, (q, 1, 3)), lengths) == {CURVATURE: UnitsReading(CURVATURE)}
    assert readings(q * mu, lengths) == {SLOPE: UnitsReading(SLOPE)}
    assert ratios(Sum(q + 1, (q, 1, 3)), lengths) == (ONE, [ONE])
    assert ratios(q + 1, lengths)[1] != [ONE]


def test_letters_of_the_same_name_have_the_same_units() -> None:
    """Matrices are other SymPy symbols, which do not commute; units go by the name."""
    A, B = (letter(name, matrix=True) for name in ("mu", "L_0"))
    assert readings(A, KNOWN) == readings(mu, KNOWN) != readings(B, KNOWN)
    assert A * B != B * A
    assert mu * L_0 == L_0 * mu


# Solving for unknown units


def test_an_unknown_letter_stands_for_its_own_units_until_an_update_fixes_them() -> None:
    (units,) = readings(eta * mu, KNOWN)
    assert units == Monomial.of(eta=1) * CURVATURE
    assert ratios(1 - eta * mu, KNOWN)[1] in ([units], [units**-1])
    solved, wrong = solve(ratios(sympy.Eq(x, x - eta * sigma, evaluate=False), KNOWN)[1], ["eta"])
    assert (solved, wrong) == ({"eta": CURVATURE**-1}, [])
    assert misfits(eta * mu, ONE, KNOWN | solved) == []
    assert misfits(eta * sigma, ONE, KNOWN | solved) != []


ETA, RHO, HALF = Monomial.of(eta=1), Monomial.of(rho=1), Rational(1, 2)


@pytest.mark.parametrize(
    ("equations", "unknown", "solved", "wrong"),
    [  # those listed first stay free; what no units can mend is returned
        ([ETA * RHO**2 / LENGTH], ["eta", "rho"], {"rho": (LENGTH / ETA) ** HALF}, []),
        ([ETA * RHO**2 / LENGTH], ["rho", "eta"], {"eta": LENGTH / RHO**2}, []),
        ([ETA / LENGTH, ETA / LENGTH**2], ["eta"], {"eta": LENGTH}, [LENGTH**-1]),
        ([ETA / LENGTH, ETA**2 / LENGTH**2], ["eta"], {"eta": LENGTH}, []),
    ],
)
def test_equations_are_solved_or_returned(equations: Any, unknown: Any, solved: Any, wrong: Any) -> None:
    assert solve(equations, unknown) == (solved, wrong)


UNKNOWN = ("a", "b", "c")


def random_system(seed: int) -> list[Units]:
    draw, names = Random(seed), (*UNKNOWN, "f", "x")
    rows = range(draw.choice((2, 3, 4)))
    return [Monomial.of(**{name: draw.choice((-2, -1, 0, 0, 1)) for name in names}) for _ in rows]


def consistent(equations: list[Units]) -> bool:
    """By ranks: the unknowns alone, and with the base units beside them."""
    rows = [[Rational(str(e.exponent(name))) for name in (*UNKNOWN, "f", "x")] for e in equations]
    whole = sympy.Matrix(rows)
    return whole[:, :3].rank() == whole.rank()


def test_solve_agrees_with_ranks() -> None:
    verdicts = set()
    for seed in range(80):
        equations = random_system(seed)
        solved, wrong = solve(equations, UNKNOWN)
        free = {name for units in solved.values() for name, _ in units.powers} & set(UNKNOWN)
        assert not free & set(solved)
        left_over = [e.at(**solved) for e in equations]
        assert sorted(map(str, wrong)) == sorted(str(r) for r in left_over if r != ONE)
        assert (not wrong) == consistent(equations)
        verdicts.add(not wrong)
    assert verdicts == {True, False}
