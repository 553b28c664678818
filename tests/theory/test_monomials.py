"""The algebra of orders is exact: monomials are a group, cones their extreme rays, sums their largest monomials.

Independent witness is the logarithm: log of K^a T^b log^d at log K = k, log T = t is a k + b t + d log(size), so
along a direction (k, t) only the rational a k + b t and, where that is zero, d decide. Cones are compared with all
integer directions in a box that is large enough to hold their extreme rays.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations, product
from math import log, prod
from random import Random
from typing import Any

import pytest
import sympy

from ratecert.errors import UnderivableError, UserError
from ratecert.theory.language.letters import letters
from ratecert.theory.orders.derivation import as_monomial, in_pieces
from ratecert.theory.orders.growth import Growth, Scaled, TieError
from ratecert.theory.orders.monomials import LOG, ONE, Cone, Monomial, as_fraction

Direction = tuple[int, ...]
Order = tuple[Fraction, Fraction]  # the power of the size and that of its logarithm, along a direction

K, T, E = Monomial.of(K=1), Monomial.of(T=1), Monomial.of(eps=-1)
QUADRANT = Cone.where(K, T)
CUBIC = Cone.where(K, T, T / K**3)
k, t, Q, L, theta, mu = letters("K T Q L theta mu")


def random_monomials(seed: int, count: int, names: str = "KT") -> list[Monomial]:
    draw = Random(seed)
    sizes = range(-3, 4)

    def fraction() -> Fraction:
        return Fraction(draw.choice(sizes), draw.choice((1, 2, 3)))

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
    for m, n in zip(
        random_monomials(seed=2, count=9), random_monomials(seed=3, count=9, names=("K", "eps")), strict=True
    ):
        a, d = order_at(n, logs)
        power, own_log = order_at(m, {"K": logs["K"], "T": a})
        assert order_at(m.at(T=n), logs) == (power, own_log + m.exponent("T") * d)
    assert (K * T).at(T=E) == K * E != K * T
    assert K.at(T=E) == K


@pytest.mark.parametrize("m", random_monomials(seed=4, count=10, names=("K", "T", "eps")), ids=str)
def test_text_reads_back(m: Monomial) -> None:
    names = {name: sympy.Symbol(name, positive=True) for name in ("K", "T", "eps", "log")}
    powers = {**dict(m.powers), "log": m.log}
    wanted = prod(names[n] ** sympy.Rational(a.numerator, a.denominator) for n, a in powers.items())
    read = sympy.sympify(str(m).replace("^", "**"), locals=names)
    assert read == wanted
    assert sympy.sympify(str(m * K).replace("^", "**"), locals=names) != wanted


# Cones


def holds(cone: Cone, direction: Direction) -> bool:
    return all(at_direction(m, cone, direction)[0] >= 0 for m in cone.at_least_one)


def box(cone: Cone, size: int) -> Iterator[Direction]:
    """All integer directions of the cone, up to a size."""
    everywhere = product(range(-size, size + 1), repeat=len(cone.names))
    return (d for d in everywhere if any(d) and holds(cone, d))


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


PLANE = [Cone.where(K, T, m) for m in (T / K**3, T**2 / K**3, T / K, T * K)] + [
    Cone.where(K, T, T / K, K**2 / T),
    Cone.where(K, E, E / K, E**2 / K),
    QUADRANT,
]
SPACE = [Cone.where(K, T, E, T / K), Cone.where(K, T, E, T / K, E / T), Cone.where(K, T, E, T / (K * E))]
LINES = [Cone.where(T), Cone.where(T, T**3)]
CONES = pytest.mark.parametrize("cone", [*LINES, *PLANE, *SPACE], ids=str)


@CONES
def test_the_rays_span_the_cone_and_none_is_spanned_by_the_others(cone: Cone) -> None:
    rays = list(cone.rays)
    assert all(holds(cone, ray) for ray in rays)
    assert all(spanned(direction, rays) for direction in box(cone, size=2))
    assert not any(spanned(ray, [r for r in rays if r != ray]) for ray in rays)


def grows(m: Monomial, cone: Cone, direction: Direction) -> bool:
    """Whether log m, evaluated deep in the cone along the direction, is still rising."""

    def log_m(scale: float) -> float:
        power, of_log = at_direction(m, cone, direction)
        return float(power) * scale + float(of_log) * log(scale)

    return log_m(1e12) > log_m(1e8) + 1


def falls(m: Monomial, cone: Cone, direction: Direction) -> bool:
    return grows(m**-1, cone, direction)


@CONES
def test_bounded_means_rising_in_no_direction(cone: Cone) -> None:
    directions = list(box(cone, size=3))
    verdicts = []
    for m in [
        *random_monomials(5, 60, cone.names),
        *cone.at_least_one,
        *(LOG / c for c in cone.at_least_one),
    ]:
        bounded, vanishes = cone.bounded(m), cone.vanishes(m)
        assert bounded == (not any(grows(m, cone, d) for d in directions))
        assert vanishes == all(falls(m, cone, d) for d in directions)
        verdicts += [(bounded, vanishes)]
    assert {(True, True), (False, False)} <= set(verdicts)


@pytest.mark.parametrize("cone", [Cone.where(K), Cone.where(K, T / K), Cone.where(T), Cone.where(E)], ids=str)
def test_a_logarithm_is_unbounded_where_all_parameters_grow(cone: Cone) -> None:
    """On a cone of K alone K is the only size that the logarithm could be of."""
    assert not cone.bounded(LOG)
    assert cone.vanishes(LOG**-1)


def test_a_logarithm_of_T_is_a_constant_where_K_grows_alone() -> None:
    """On K >= 1, T >= 1 one ray has T fixed: log T beside 1/T is bounded, and beside 1/K it is not."""
    cone = Cone.where(K, T)
    assert cone.bounded(LOG / T)
    assert not cone.bounded(LOG / K)
    assert not cone.bounded(LOG)


def test_equal_means_bounded_both_ways() -> None:
    tight = Cone.where(K, T, T / K**2, K**2 / T)
    assert tight.equal(T, K**2)
    assert not tight.equal(T, K)
    assert not QUADRANT.equal(T, K**2)
    assert not tight.equal(T * LOG, K**2)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: Cone.where(K, T, ONE / (K * T)), r"no parameters satisfy K >= 1, T >= 1, 1/\(K\*T\) >= 1"),
        (lambda: CUBIC.within(K**2 / T), r"K >= 1, T >= 1, T/K\^3 >= 1, K\^2/T >= 1"),
        (lambda: Cone.where(), "a cone needs a monomial that is at least 1"),
        (lambda: Cone.where(LOG), "a cone needs a monomial that is at least 1"),
        (lambda: QUADRANT.bounded(E), r"eps has no place in a cone of K, T\."),
        (lambda: QUADRANT.vanishes(E), r"eps has no place in a cone of K, T\."),
        (lambda: scaled(QUADRANT).growth(sympy.log(k / t)), r"log\(K/T\) has no single order on K >= 1, T >= 1"),
        (lambda: scaled(QUADRANT).growth(sympy.sin(t)), "the order of sin is not known here"),
        (lambda: scaled(CUBIC).growth(mu**Q), r"has an order only if mu is known to lie in \(0, 1\)"),
        (lambda: as_monomial(k + t), r"K \+ T is not a product of powers of K, T, eps and logarithms"),
    ],
)  # fmt: skip
def test_what_has_no_cone_or_no_order_is_refused_in_a_sentence(ask: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ask()


def test_what_bounds_a_half_plane_is_not_bounded_on_it() -> None:
    """T/K >= 1 alone leaves T/K without a bound, but has no extreme rays that show it."""
    assert not Cone.where(K, T / K).bounded(T / K)
    with pytest.raises(UserError, match="leaves a direction free in both ways"):
        Cone.where(T / K)


# Growth


@pytest.mark.parametrize("cone", [QUADRANT, CUBIC], ids=str)
def test_a_sum_keeps_its_largest_monomials(cone: Cone) -> None:
    dropped = 0
    for seed in range(20):
        summands = random_monomials(seed, 5)
        kept = Growth.of(cone, *summands).monomials
        assert set(kept) <= set(summands)
        assert all(any(cone.bounded(m / n) for n in kept) for m in summands)
        assert not any(cone.bounded(m / n) for m in kept for n in kept if m != n)
        for direction in box(cone, size=3):
            largest = max(at_direction(m, cone, direction) for m in summands)
            assert max(at_direction(m, cone, direction) for m in kept) == largest
        dropped += len(summands) - len(kept)
    assert dropped > 0


def test_sums_products_and_powers_of_growths() -> None:
    both = Growth.of(QUADRANT, K, T)
    assert set((both + Growth.of(QUADRANT, K * T)).monomials) == {K * T}
    assert set((both * both).monomials) == {K**2, K * T, T**2}
    assert set((both ** Fraction(1, 2)).monomials) == {K ** Fraction(1, 2), T ** Fraction(1, 2)}
    assert Growth.of(CUBIC, K, T).monomials == (T,)
    assert str(Growth.of(CUBIC, K, T)) == "T"
    assert str(Growth.of(CUBIC)) == "0"


def test_nothing_is_smaller_than_every_power() -> None:
    nothing = Growth.of(CUBIC)
    assert nothing.negligible
    assert not Growth.of(CUBIC, T**-9).negligible
    assert (nothing + Growth.of(CUBIC, T)).monomials == (T,)
    assert (nothing * Growth.of(CUBIC, T)).negligible
    assert nothing.excess(Growth.of(CUBIC, T**-9)) == ()
    assert Growth.of(CUBIC, T).excess(nothing) == (T,)
    with pytest.raises(ZeroDivisionError, match="a divisor is smaller than every power"):
        nothing ** Fraction(-1)


def test_a_sum_does_not_exceed_itself() -> None:
    both = Growth.of(QUADRANT, K, T)
    assert both.excess(both) == ()
    assert both.excess(Growth.of(QUADRANT, K * T)) == ()
    assert both.excess(Growth.of(QUADRANT, K)) == (T / K,)


def scaled(cone: Cone) -> Scaled:
    symbols = {"K": Growth.of(cone, K), "T": Growth.of(cone, T), "Q": Growth.of(cone, LOG)}
    return Scaled(cone, symbols, fractions=(1 - theta * mu,))


def test_a_tie_below_the_line_is_named_and_above_it_is_not() -> None:
    assert set(scaled(QUADRANT).growth(k + t**2).monomials) == {K, T**2}
    with pytest.raises(TieError, match=r"neither (K nor T\^2|T\^2 nor K) dominates") as caught:
        scaled(QUADRANT).growth(1 / (k + t**2))
    assert caught.value.ratio in (K / T**2, T**2 / K)
    assert scaled(CUBIC).growth(1 / (k + t**2)).monomials == (T**-2,)


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
        there = [growth for growth in pieces if holds(growth.cone, (a, b))]
        assert there
        for growth in there:
            power = max(at_direction(m, growth.cone, (a, b))[0] for m in growth.monomials)
            assert power == DIVISORS[expression](Fraction(a), Fraction(b))


def test_only_a_tie_cuts_the_cone() -> None:
    assert len(in_pieces(QUADRANT, lambda piece: scaled(piece).growth(1 / (k + t)))) == 2
    assert len(in_pieces(CUBIC, lambda piece: scaled(piece).growth(1 / (k + t)))) == 1
    with pytest.raises(ValueError, match="has an order only if mu is known"):
        in_pieces(QUADRANT, lambda piece: scaled(piece).growth(mu**t))


def test_a_logarithm_may_tie_with_a_power() -> None:
    """1/(K + Q), Q = log, is at most 1/K; 1/log at K = 1 would be another upper bound."""
    (growth,) = in_pieces(QUADRANT, lambda piece: scaled(piece).growth(1 / (k + Q)))
    assert growth.monomials == (K**-1,)


def test_orders_of_the_functions_that_bounds_use() -> None:
    order = scaled(CUBIC).growth
    assert order(5 * t**2 * L / 3).monomials == (T**2,)
    assert order(sympy.pi * sympy.sqrt(2)).monomials == (ONE,)
    assert order(sympy.Integer(0)).negligible
    assert order(sympy.log(k * t) ** 3 * t).monomials == (T * LOG**3,)
    assert order(sympy.log(1 / t)).monomials == (LOG,)
    assert order((1 - theta * mu) ** 7).monomials == (ONE,)
    assert order(2**L).monomials == (ONE,)


def test_a_fraction_to_a_growing_power_is_negligible_and_to_a_constant_one_is_not() -> None:
    order = scaled(CUBIC).growth
    assert order((1 - theta * mu) ** (Q + 1)).negligible
    assert order((1 - theta * mu) ** L).monomials == (ONE,)
    assert order((1 - theta * mu) ** sympy.sqrt(Q)).monomials == (ONE,)


def test_the_inverse_of_a_fraction_to_a_growing_power_has_no_order() -> None:
    with pytest.raises(UnderivableError, match="has an order only if"):
        scaled(CUBIC).growth(1 / (1 - theta * mu) ** Q)


def test_the_logarithm_of_a_constant_is_a_constant() -> None:
    order = scaled(CUBIC).growth
    assert order(t * sympy.log(2)).monomials == (T,)
    assert order(t * sympy.log(L / mu)).monomials == (T,)


def test_products_of_powers_and_logarithms_are_monomials_and_sums_are_not() -> None:
    assert as_monomial(7 * sympy.sqrt(k) / t * sympy.log(t + 1) ** 2) == K ** Fraction(1, 2) / T * LOG**2
    assert as_monomial(sympy.Integer(3)) == ONE
