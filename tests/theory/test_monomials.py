"""The algebra of orders is exact: monomials are a group, cones their extreme rays, sums their largest monomials.

Independent witness is the logarithm: log of K^a T^b log^d at log K = k, log T = t is a k + b t + d log(size), so
along a direction (k, t) only the rational a k + b t and, where that is zero, d decide. Cones are compared with all
integer directions in a box that is large enough to contain their extreme rays.
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations, product
from math import log, prod
from random import Random
from typing import Any

import pytest
import sympy

from ratecert.errors import UserError
from ratecert.theory.notation import letters
from ratecert.theory.orders.derivation import as_monomial, in_pieces
from ratecert.theory.orders.growth import Growth, Scaled, TieError
from ratecert.theory.orders.monomials import LOG, ONE, Cone, Monomial, as_fraction

Direction = tuple[int, ...]
Order = tuple[Fraction, Fraction]  # the power of the size and that of its logarithm, along a direction

K, T, E = Monomial.of(K=1), Monomial.of(T=1), Monomial.of(eps=-1)
QUADRANT = Cone.where(K, T)
CUBIC = Cone.where(K, T, T / K**3)
k, t, Q, L, theta, mu = letters("K T Q L theta mu")
FRACTION = 1 - theta * mu
HALF = Fraction(1, 2)


def random_monomials(seed: int, count: int, names: str = "KT") -> list[Monomial]:
    draw = Random(seed)

    def fraction() -> Fraction:
        return Fraction(draw.choice(range(-3, 4)), draw.choice((1, 2, 3)))

    return [Monomial.of(fraction(), **{name: fraction() for name in names}) for _ in range(count)]


def order_at(m: Monomial, logs: Mapping[str, Fraction | int]) -> Order:
    return sum((power * logs[name] for name, power in m.powers), Fraction(0)), m.log


def at_direction(m: Monomial, cone: Cone, direction: Direction) -> Order:
    """Logarithms are those of T or 1/eps, which are constants where K alone grows."""
    logs = dict(zip(cone.names, direction, strict=True))
    power, of_log = order_at(m, logs)
    large = [logs[name] for name in ("T", "eps") if name in logs]
    return power, of_log if any(large) or not large else Fraction(0)


# Algebra


def test_products_quotients_and_powers_are_those_of_the_logarithms() -> None:
    logs = {"K": Fraction(2, 7), "T": Fraction(5, 3)}
    for m, n in combinations(random_monomials(seed=1, count=12), 2):
        (a, d), (b, e) = order_at(m, logs), order_at(n, logs)
        assert order_at(m * n, logs) == (a + b, d + e)
        assert order_at(m / n, logs) == (a - b, d - e)
        assert order_at(m ** Fraction(-2, 5), logs) == (a * Fraction(-2, 5), d * Fraction(-2, 5))
        assert m * n == n * m
        assert (m / n) * n == m
        assert (m * n == m) == (n == ONE)  # a wrong product is another monomial


def test_exponents_are_exact_and_vanish_with_their_names() -> None:
    third = Monomial.of(T=sympy.Rational(1, 3))
    assert third * third * third == third**3 == T != Monomial.of(T=0.3333333333333333) ** 3
    assert as_fraction(sympy.Rational(-2, 6)) == as_fraction(Fraction(-1, 3)) != as_fraction(-1)
    assert K / K == ONE == Monomial.of(K=0, T=sympy.Integer(0)) == LOG.without_log()
    assert (K * T / K).powers == T.powers
    assert Monomial.of(1) == LOG != ONE
    assert [(K**2).exponent(name) for name in "TK"] == [0, 2]


def test_at_puts_orders_in_for_names() -> None:
    logs = {"K": Fraction(1, 3), "eps": Fraction(-4)}
    others = random_monomials(seed=3, count=9, names=("K", "eps"))
    for m, n in zip(random_monomials(seed=2, count=9), others, strict=True):
        a, d = order_at(n, logs)
        power, own_log = order_at(m, {"K": logs["K"], "T": a})
        assert order_at(m.at(T=n), logs) == (power, own_log + m.exponent("T") * d)
    assert (K * T).at(T=E) == K * E != K * T


@pytest.mark.parametrize("m", random_monomials(seed=4, count=10, names=("K", "T", "eps")), ids=str)
def test_text_reads_back(m: Monomial) -> None:
    names = {name: sympy.Symbol(name, positive=True) for name in ("K", "T", "eps", "log")}
    powers = {**dict(m.powers), "log": m.log}
    wanted = prod(names[n] ** sympy.Rational(a.numerator, a.denominator) for n, a in powers.items())
    assert sympy.sympify(str(m).replace("^", "**"), locals=names) == wanted
    assert sympy.sympify(str(m * K).replace("^", "**"), locals=names) != wanted


# Cones


def contains(cone: Cone, direction: Direction) -> bool:
    return all(at_direction(m, cone, direction)[0] >= 0 for m in cone.at_least_one)


def box(cone: Cone, size: int) -> Iterator[Direction]:
    """All integer directions of the cone, up to a size."""
    everywhere = product(range(-size, size + 1), repeat=len(cone.names))
    return (d for d in everywhere if any(d) and contains(cone, d))


def spanned(direction: Direction, rays: list[tuple[Fraction, ...]]) -> bool:
    """Whether nonnegative multiples of some independent rays add up to the direction; exact."""
    target = sympy.Matrix(direction)
    for count in range(1, len(direction) + 1):
        for chosen in combinations(rays, count):
            matrix = sympy.Matrix([[sympy.Rational(c.numerator, c.denominator) for c in r] for r in chosen]).T
            if matrix.rank() == count:
                weights = (matrix.T * matrix).LUsolve(matrix.T * target)
                if matrix * weights == target and all(w >= 0 for w in weights):
                    return True
    return False


CONES = pytest.mark.parametrize(
    "cone",
    [
        *(Cone.where(*more) for more in ((T,), (T, T**3), (K, E, E / K, E**2 / K), (K, T, T / K, K**2 / T))),
        *(Cone.where(K, T, *more) for more in ((), (T / K**3,), (T**2 / K**3,), (T / K,), (T * K,))),
        *(Cone.where(K, T, E, *more) for more in ((T / K,), (T / K, E / T), (T / (K * E),))),
    ],
    ids=str,
)


@CONES
def test_the_rays_span_the_cone_and_none_is_spanned_by_the_others(cone: Cone) -> None:
    rays = list(cone.rays)
    assert all(contains(cone, ray) for ray in rays)
    assert all(spanned(direction, rays) for direction in box(cone, size=2))
    assert not any(spanned(ray, [r for r in rays if r != ray]) for ray in rays)


def grows(m: Monomial, cone: Cone, direction: Direction) -> bool:
    """Whether log m, evaluated deep in the cone along the direction, is still rising."""
    power, of_log = map(float, at_direction(m, cone, direction))
    return power * (1e12 - 1e8) + of_log * log(1e12 / 1e8) > 1


@CONES
def test_bounded_means_rising_in_no_direction(cone: Cone) -> None:
    directions, ends = list(box(cone, size=3)), cone.at_least_one
    verdicts = set()
    for m in [*random_monomials(5, 60, cone.names), *ends, *(LOG / c for c in ends)]:
        bounded, vanishes = cone.bounded(m), cone.vanishes(m)
        assert bounded == (not any(grows(m, cone, d) for d in directions))
        assert vanishes == all(grows(m**-1, cone, d) for d in directions)
        verdicts.add((bounded, vanishes))
    assert {(True, True), (False, False)} <= verdicts


@pytest.mark.parametrize(
    ("cone", "monomial", "bounded"),
    [
        # a logarithm is unbounded where all parameters grow; on a cone of K alone it could be of no other size
        *((cone, LOG, False) for cone in (Cone.where(K), Cone.where(K, T / K), Cone.where(T), Cone.where(E))),
        *((cone, LOG**-1, True) for cone in (Cone.where(K), Cone.where(K, T / K), Cone.where(T), Cone.where(E))),
        # on K >= 1, T >= 1 one ray has T fixed, where log T is a constant
        *((QUADRANT, m, bounded) for m, bounded in ((LOG / T, True), (LOG / K, False), (LOG, False))),
        # T/K >= 1 alone leaves T/K without a bound, but has no extreme rays that show it
        (Cone.where(K, T / K), T / K, False),
    ],
    ids=str,
)  # fmt: skip
def test_where_a_logarithm_is_bounded(cone: Cone, monomial: Monomial, bounded: bool) -> None:
    assert cone.bounded(monomial) == bounded
    assert cone.vanishes(monomial) == (monomial == LOG**-1)


def test_equal_means_bounded_both_ways() -> None:
    tight = Cone.where(K, T, T / K**2, K**2 / T)
    assert tight.equal(T, K**2)
    assert not tight.equal(T, K)
    assert not QUADRANT.equal(T, K**2)
    assert not tight.equal(T * LOG, K**2)


def scaled(cone: Cone) -> Scaled:
    symbols = {"K": Growth.of(cone, K), "T": Growth.of(cone, T), "Q": Growth.of(cone, LOG)}
    return Scaled(cone, symbols, fractions=(FRACTION,))


@pytest.mark.parametrize(
    ("ask", "kind", "message"),
    [
        (lambda: Cone.where(K, T, ONE / (K * T)), ValueError, r"no parameters satisfy K >= 1, T >= 1, 1/\(K\*T\) >= 1"),
        (lambda: CUBIC.within(K**2 / T), ValueError, r"K >= 1, T >= 1, T/K\^3 >= 1, K\^2/T >= 1"),
        (lambda: Cone.where(), ValueError, "a cone needs a monomial that is at least 1"),
        (lambda: Cone.where(LOG), ValueError, "a cone needs a monomial that is at least 1"),
        (lambda: Cone.where(T / K), UserError, "leaves a direction free in both ways"),
        (lambda: QUADRANT.bounded(E), ValueError, r"eps has no place in a cone of K, T\."),
        (lambda: QUADRANT.vanishes(E), ValueError, r"eps has no place in a cone of K, T\."),
        (lambda: Growth.of(CUBIC) ** Fraction(-1), ZeroDivisionError, "a divisor is smaller than every power"),
        (lambda: scaled(QUADRANT).growth(sympy.log(k / t)), ValueError, r"log\(K/T\) has no single order on K >= 1, T"),
        (lambda: scaled(QUADRANT).growth(sympy.sin(t)), ValueError, "the order of sin is not known here"),
        (lambda: scaled(CUBIC).growth(mu**Q), ValueError, r"has an order only if mu is known to lie in \(0, 1\)"),
        (lambda: scaled(CUBIC).growth(1 / FRACTION**Q), ValueError, "has an order only if"),
        (lambda: in_pieces(QUADRANT, lambda piece: scaled(piece).growth(mu**t)), ValueError, "only if mu is known"),
        (lambda: as_monomial(k + t), ValueError, r"K \+ T is not a product of powers of K, T, eps and logarithms"),
    ],
)  # fmt: skip
def test_what_has_no_cone_or_no_order_is_refused(
    ask: Callable[[], Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        ask()


# Growth


@pytest.mark.parametrize("cone", [QUADRANT, CUBIC], ids=str)
def test_a_sum_keeps_its_largest_monomials(cone: Cone) -> None:
    dropped = 0
    for seed in range(20):
        summands = random_monomials(seed, 5)
        largest = Growth.of(cone, *summands).monomials
        assert set(largest) <= set(summands)
        assert all(any(cone.bounded(m / n) for n in largest) for m in summands)
        assert not any(cone.bounded(m / n) for m in largest for n in largest if m != n)
        for direction in box(cone, size=3):
            power = max(at_direction(m, cone, direction) for m in summands)
            assert max(at_direction(m, cone, direction) for m in largest) == power
        dropped += len(summands) - len(largest)
    assert dropped > 0


def test_sums_products_powers_and_excesses_of_growths() -> None:
    both = Growth.of(QUADRANT, K, T)
    assert set((both + Growth.of(QUADRANT, K * T)).monomials) == {K * T}
    assert set((both * both).monomials) == {K**2, K * T, T**2}
    assert set((both**HALF).monomials) == {K**HALF, T**HALF}
    assert str(Growth.of(CUBIC, K, T)) == "T"
    assert both.excess(both) == both.excess(Growth.of(QUADRANT, K * T)) == ()
    assert both.excess(Growth.of(QUADRANT, K)) == (T / K,)


def test_nothing_is_smaller_than_every_power() -> None:
    nothing, tiny = Growth.of(CUBIC), Growth.of(CUBIC, T**-9)
    assert (nothing.negligible, tiny.negligible, str(nothing)) == (True, False, "0")
    assert (nothing + tiny).monomials == tiny.excess(nothing) == (T**-9,)
    assert (nothing * tiny).negligible
    assert nothing.excess(tiny) == ()


def test_a_tie_below_the_line_is_named_and_above_it_is_not() -> None:
    assert set(scaled(QUADRANT).growth(k + t**2).monomials) == {K, T**2}
    with pytest.raises(TieError, match=r"neither (K nor T\^2|T\^2 nor K) dominates") as caught:
        scaled(QUADRANT).growth(1 / (k + t**2))
    assert caught.value.ratio in (K / T**2, T**2 / K)


DIVISORS = {
    1 / (k + t**2): lambda a, b: -max(a, 2 * b),
    sympy.Min(k, t): min,
    sympy.Min(k**2, k * t, t**3): lambda a, b: min(2 * a, a + b, 3 * b),
    k / (k + t) + t / (k**2 + t): lambda a, b: max(a - max(a, b), b - max(2 * a, b)),
    1 / sympy.sqrt(1 / (k + t) + 1 / k**2): lambda a, b: -max(-max(a, b), -2 * a) / 2,
    sympy.Max(k, 1 / sympy.Min(k, 1 / t)): lambda a, b: max(a, -min(a, -b)),
}


@pytest.mark.parametrize("expression", DIVISORS, ids=str)
@pytest.mark.parametrize("cone", [QUADRANT, CUBIC], ids=["K,T>=1", "T>=K^3"])
def test_pieces_cover_the_cone_and_each_has_the_order_of_the_whole(
    cone: Cone, expression: sympy.Expr
) -> None:
    pieces = in_pieces(cone, lambda piece: scaled(piece).growth(expression))
    for a, b in box(cone, size=6):
        there = [growth for growth in pieces if contains(growth.cone, (a, b))]
        assert there
        for growth in there:
            power = max(at_direction(m, growth.cone, (a, b))[0] for m in growth.monomials)
            assert power == DIVISORS[expression](Fraction(a), Fraction(b))


def test_only_a_tie_cuts_the_cone() -> None:
    """A logarithm may tie with a power: 1/(K + Q), Q = log, is at most 1/K."""
    assert len(in_pieces(QUADRANT, lambda piece: scaled(piece).growth(1 / (k + t)))) == 2
    assert len(in_pieces(CUBIC, lambda piece: scaled(piece).growth(1 / (k + t)))) == 1
    (growth,) = in_pieces(QUADRANT, lambda piece: scaled(piece).growth(1 / (k + Q)))
    assert growth.monomials == (K**-1,)


ORDERS: dict[Any, Monomial | None] = {  # None: smaller than every power
    5 * t**2 * L / 3: T**2,
    sympy.pi * sympy.sqrt(2): ONE,
    sympy.Integer(0): None,
    sympy.log(k * t) ** 3 * t: T * LOG**3,
    sympy.log(1 / t): LOG,
    t * sympy.log(2): T,
    t * sympy.log(L / mu): T,
    1 / (k + t**2): T**-2,
    2**L: ONE,
    FRACTION**7: ONE,
    FRACTION**L: ONE,
    FRACTION ** sympy.sqrt(Q): ONE,
    FRACTION ** (Q + 1): None,
}


@pytest.mark.parametrize(("expression", "order"), ORDERS.items(), ids=str)
def test_orders_of_the_functions_that_bounds_use(expression: Any, order: Monomial | None) -> None:
    assert scaled(CUBIC).growth(expression).monomials == (() if order is None else (order,))


def test_products_of_powers_and_logarithms_are_monomials() -> None:
    assert as_monomial(7 * sympy.sqrt(k) / t * sympy.log(t + 1) ** 2) == K**HALF / T * LOG**2
    assert as_monomial(sympy.Integer(3)) == ONE
