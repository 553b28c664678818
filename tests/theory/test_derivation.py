"""Derived orders are limits: each term of a theorem, divided by the order derived for it, has a positive finite limit.

The witness is SymPy's limit in one variable s. Inside the window K = T^kappa, or K = eps^-kappa, with T or 1/eps equal
to exp(60 s), so that fractional powers become whole multiples of s in exponents, and logarithms multiples of s. The
constants are small rationals. Q = c log(.), and 1 - theta mu, where it is raised to Q + 1, is 1/e, so that the bias is
an exact power. All limits are taken by SymPy, term by term; none is replaced by numbers.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
import sympy
from sympy import Rational, exp, log, oo
from sympy.series.gruntz import gruntz

from oracles.parallel_sgd import IN_EPS, IN_T, PARALLEL_SGD
from ratecert.catalogue.find import paper
from ratecert.theory.language.letters import letter
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Corollary, Scaling, Theorem
from ratecert.theory.orders.derivation import (
    Derived,
    bound_to,
    claimed,
    cone_of,
    derive,
    free_parameters,
    stated_cone,
    whole_numbers,
)
from ratecert.theory.orders.monomials import LOG, ONE, Cone, Monomial

PAPERS = {variant: paper(variant) for variant in ("printed", "repaired")}
IDS = [f"corollary-{n}" for n in range(1, 7)]
PLACES = [f"{id}.{name}" for id in IDS for name in PAPERS["printed"][PAPERS["printed"][id].theorem].terms]
SOME_PLACES = [place for place in PLACES if place.split(".")[0] in ("corollary-1", "corollary-5")]
WIDEST = {
    "corollary-1": Rational(1, 3),  # p = T^(1/4)/K^(3/4) >= 1
    "corollary-3": Rational(1, 2),  # p = T^(1/3)/K^(2/3) >= 1
    "corollary-5": Rational(1, 2),
    **dict.fromkeys(
        ("corollary-2", "corollary-4", "corollary-6"), Rational(1, 2)
    ),  # p = 1/(K eps^(1/2)) >= 1
}
INSIDE = Rational(1, 5)
CONSTANTS = {
    "mu": Rational(1, 2),
    "L_0": Rational(1, 3),
    "L_1": Rational(2),
    "L_21": Rational(1, 5),
    "L_22": Rational(1, 7),
    "sigma": Rational(3, 2),
    "sigma_f": Rational(2, 5),
    "sigma_H": Rational(1, 4),
    "theta": Rational(1, 3),
    "Phi_gap": Rational(1),
    "y_gap": Rational(2, 3),
}
ENOUGH, TOO_FEW = Rational(4), Rational(1, 8)  # c in Q = c log(.)
QUADRATIC = ("L_21", "L_22")  # zero on quadratic problems

s = sympy.Symbol("s", positive=True)


def kappas(id: str) -> tuple[Any, ...]:
    """The edges of the window and, for a corollary in T, a line inside."""
    return (Rational(0), INSIDE, WIDEST[id]) if id in IDS[::2] else (Rational(0), WIDEST[id])


def parameters(corollary: Corollary, kappa: Any) -> dict[str, Any]:
    """K and T, or K and eps, along a line of the window."""
    large, size = free_parameters(corollary)[1], exp(60 * s)
    return {"K": exp(60 * kappa * s), large: 1 / size if large == "eps" else size}


def put(expression: Any, values: dict[str, Any]) -> Any:
    return sympy.sympify(expression).xreplace({letter(n): sympy.sympify(v) for n, v in values.items()})


def everything(
    source: Paper, corollary: Corollary, kappa: Any, c: Any, zero: Iterable[str]
) -> dict[str, Any]:
    """A value in s for every symbol: parameters, scalings, constants, then the constants defined through them."""
    values = parameters(corollary, kappa)
    scalings = {name: put(scaling.order, values) for name, scaling in corollary.scalings.items()}
    if "Q" in scalings:
        scalings["Q"] *= c
    values |= scalings | CONSTANTS | dict.fromkeys(zero, 0)
    fraction = 1 - letter("theta") * letter("mu")
    for name, value in source.constants.items():
        values[name] = put(bound_to(source, value).xreplace({fraction: exp(-1)}), values)
    return values


def in_s(m: Monomial, corollary: Corollary, kappa: Any) -> Any:
    """The monomial along the line, log being s."""
    values = parameters(corollary, kappa)
    powers = [(values[name], power) for name, power in m.powers] + [(s, m.log)]
    return sympy.Mul(*(base ** Rational(a.numerator, a.denominator) for base, a in powers))


def slope(m: Monomial, kappa: Any) -> tuple[Fraction, Fraction]:
    """Its powers of T or 1/eps and of the logarithm, on the line."""
    slopes = {"K": Fraction(str(kappa)), "T": Fraction(1), "eps": Fraction(-1)}
    return sum((power * slopes[name] for name, power in m.powers), Fraction(0)), m.log


@cache
def pieces_of(variant: str, id: str, vanishing: tuple[str, ...] = ()) -> tuple[Derived, ...]:
    return derive(PAPERS[variant], PAPERS[variant].the(Corollary, id), vanishing=vanishing)


def order_of(pieces: tuple[Derived, ...], name: str, kappa: Any) -> Monomial | None:
    """What was derived for a term, on the line: the largest monomial of the piece in which the line lies."""
    for piece in pieces:
        if all(slope(m, kappa)[0] >= 0 for m in piece.cone.at_least_one):
            return max(piece.terms[name].monomials, key=lambda m: slope(m, kappa), default=None)
    raise AssertionError(f"the pieces do not cover K = T^{kappa}")


@cache
def along(variant: str, id: str, kappa: Any, c: Any = ENOUGH, zero: tuple[str, ...] = ()) -> dict[str, Any]:
    """The theorem's terms on the line, as functions of s."""
    source = PAPERS[variant]
    corollary = source.the(Corollary, id)
    values = everything(source, corollary, kappa, c, zero)
    return {n: put(term, values) for n, term in source.the(Theorem, corollary.theorem).terms.items()}


@cache
def rate_of(logarithm: Any) -> Any:
    """log(.)/s in the limit."""
    rate = sympy.limit(logarithm / s, s, oo)
    assert positive_and_finite(rate)
    return rate


def limit_of_ratio(term: Any, order: Any) -> Any:
    """A factor log(T + 1) is replaced by its own limit times s: the limit of a product is the product of limits."""
    factors = sympy.Mul.make_args(term)
    logarithms = [factor for factor in factors if isinstance(factor, log)]
    tamed = sympy.Mul(*(s * rate_of(f) if f in logarithms else f for f in factors))
    return gruntz(sympy.expand(tamed / order), s, oo)


def positive_and_finite(value: Any) -> bool:
    return bool(value.is_positive and value.is_finite)


# Terms


def is_of_its_order(variant: str, id: str, name: str, kappa: Any) -> bool:
    corollary = PAPERS[variant].the(Corollary, id)
    term = along(variant, id, kappa)[name]
    order = order_of(pieces_of(variant, id), name, kappa)
    if order is None:
        return bool(limit_of_ratio(term, in_s(claimed(corollary.claim), corollary, kappa)) == 0)
    return positive_and_finite(limit_of_ratio(term, in_s(order, corollary, kappa)))


@pytest.mark.parametrize("place", PLACES)
def test_a_term_is_of_the_order_derived_for_it(place: str) -> None:
    id, name = place.split(".")
    assert all(is_of_its_order("printed", id, name, kappa) for kappa in kappas(id))


@pytest.mark.parametrize("place", SOME_PLACES)
def test_a_logarithm_more_or_less_has_no_such_limit(place: str) -> None:
    id, name = place.split(".")
    corollary = PAPERS["printed"].the(Corollary, id)
    order = order_of(pieces_of("printed", id), name, INSIDE)
    term = along("printed", id, INSIDE)[name]
    if order is not None:
        assert limit_of_ratio(term, in_s(order * LOG, corollary, INSIDE)) == 0
        assert limit_of_ratio(term, in_s(order / LOG, corollary, INSIDE)) == oo


@pytest.mark.parametrize("id", IDS)
def test_only_the_bias_is_negligible_and_only_if_Q_has_enough_terms(id: str) -> None:
    corollary = PAPERS["printed"].the(Corollary, id)
    negligible = [n for n, g in pieces_of("printed", id)[0].terms.items() if g.negligible]
    assert negligible == ["bias"]
    claim = in_s(claimed(corollary.claim), corollary, INSIDE)
    assert limit_of_ratio(along("printed", id, INSIDE)["bias"], claim) == 0
    assert limit_of_ratio(along("printed", id, INSIDE, TOO_FEW)["bias"], claim) == oo


# Constants that vanish


@pytest.mark.parametrize("id", IDS)
def test_orders_with_vanishing_constants_are_limits_too(id: str) -> None:
    corollary = PAPERS["printed"].the(Corollary, id)
    for name, term in along("printed", id, INSIDE, zero=QUADRATIC).items():
        order = order_of(pieces_of("printed", id, QUADRATIC), name, INSIDE)
        if order is not None:
            assert positive_and_finite(limit_of_ratio(term, in_s(order, corollary, INSIDE)))


def test_the_general_order_is_no_limit_where_constants_vanish() -> None:
    """The twin: drift has log^10, on quadratic problems log^8."""
    corollary = PAPERS["printed"].the(Corollary, "corollary-3")
    order = order_of(pieces_of("printed", "corollary-3"), "drift", INSIDE)
    term = along("printed", "corollary-3", INSIDE, zero=QUADRATIC)["drift"]
    assert limit_of_ratio(term, in_s(order, corollary, INSIDE)) == 0


def test_a_term_whose_constant_vanishes_is_negligible() -> None:
    for vanishing in (("Phi_gap",), ()):
        (piece,) = derive(PARALLEL_SGD, IN_T, vanishing=vanishing)
        assert piece.terms["start"].negligible == bool(vanishing)


# Claims


def total_over_claim(variant: str, id: str, kappa: Any, claim: Monomial) -> Any:
    corollary = PAPERS[variant].the(Corollary, id)
    order = in_s(claim, corollary, kappa)
    return sum(limit_of_ratio(term, order) for term in along(variant, id, kappa).values())


@pytest.mark.parametrize("id", IDS)
def test_a_repaired_corollary_follows_and_is_not_weaker_than_its_theorem(id: str) -> None:
    claim = claimed(PAPERS["repaired"].the(Corollary, id).claim)
    for piece in pieces_of("repaired", id):
        assert piece.over(claim) == {}
        assert piece.cone.equal(max(piece.total.monomials, key=lambda m: m.log), claim)
    assert positive_and_finite(total_over_claim("repaired", id, WIDEST[id], claim))


@pytest.mark.parametrize("id", IDS[:5:2])
def test_a_printed_corollary_misses_its_claim_by_logarithms_only(id: str) -> None:
    claim = claimed(PAPERS["printed"].the(Corollary, id).claim)
    for piece in pieces_of("printed", id):
        assert piece.over(claim) != {}
        assert piece.over(claim, logs=False) == {}
    assert total_over_claim("printed", id, INSIDE, claim) == oo


def wrong_claims(corollary: Corollary) -> Iterator[tuple[Monomial, bool]]:
    """Claims with an exponent off by a tenth, and whether they are smaller than the true one somewhere."""
    claim, tenth = claimed(corollary.claim), Fraction(1, 10)
    for name in free_parameters(corollary):
        for sign in (1, -1):
            yield claim * Monomial.of(**{name: sign * tenth}), (sign > 0) == (name == "eps")


@pytest.mark.parametrize("id", IDS)
def test_a_claim_with_a_wrong_exponent_does_not_follow(id: str) -> None:
    corollary = PAPERS["repaired"].the(Corollary, id)
    for wrong, smaller in wrong_claims(corollary):
        over = [name for piece in pieces_of("repaired", id) for name in piece.over(wrong, logs=False)]
        assert bool(over) == smaller
        start = along("repaired", id, INSIDE)["start_x"]  # which attains the true claim
        assert limit_of_ratio(start, in_s(wrong, corollary, INSIDE)) == (oo if smaller else 0)


@pytest.mark.parametrize("id", ["corollary-3", "corollary-6"])
def test_over_names_the_terms_that_exceed_a_claim(id: str) -> None:
    """Against the limits of the single terms, for the printed claim."""
    corollary = PAPERS["printed"].the(Corollary, id)
    claim = claimed(corollary.claim)
    named = {name for piece in pieces_of("printed", id) for name in piece.over(claim)}
    limits = {}
    for kappa in (Rational(0), WIDEST[id]):
        for name, term in along("printed", id, kappa).items():
            limits.setdefault(name, []).append(limit_of_ratio(term, in_s(claim, corollary, kappa)))
    assert named == {name for name, values in limits.items() if oo in values}


# Where a corollary holds


@pytest.mark.parametrize("id", IDS)
def test_the_cone_ends_where_the_window_does(id: str) -> None:
    for source in PAPERS.values():
        corollary = source.the(Corollary, id)
        cone = cone_of(source, corollary)

        def inside(kappa: Any, cone: Cone = cone) -> bool:
            return all(slope(m, kappa)[0] >= 0 for m in cone.at_least_one)

        assert all(inside(kappa) for kappa in kappas(id))
        assert not inside(WIDEST[id] + Rational(1, 100))
        assert not inside(-Rational(1, 100))


def test_the_stated_cone_knows_the_window_and_not_the_whole_numbers() -> None:
    printed, repaired = (PAPERS[v].the(Corollary, "corollary-1") for v in PAPERS)
    K3_over_T = Monomial.of(K=3, T=-1)
    assert not stated_cone(PAPERS["printed"], printed).bounded(K3_over_T)
    assert stated_cone(PAPERS["repaired"], repaired).bounded(K3_over_T)
    assert cone_of(PAPERS["printed"], printed).bounded(K3_over_T)
    assert set(whole_numbers(PAPERS["printed"], printed)) == {"p"}
    assert set(whole_numbers(PARALLEL_SGD, IN_EPS)) == {"T"}


def test_a_count_that_begins_at_two_is_a_whole_number_too() -> None:
    """Without p >= 1 there would be no order of Corollary 5, which prints no window."""
    source = PAPERS["printed"]
    two = replace(source, notation={**source.notation, "p": replace(source.notation["p"], least=2)})
    corollary = source.the(Corollary, "corollary-5")
    assert set(whole_numbers(two, corollary)) == set(whole_numbers(source, corollary)) >= {"p"}
    assert derive(two, corollary)


def test_scalings_that_leave_nothing_are_refused() -> None:
    corollary = PAPERS["printed"].the(Corollary, "corollary-1")
    K, T = letter("K"), letter("T")
    impossible = replace(corollary, scalings={**corollary.scalings, "p": Scaling(1 / (K * T))})
    with pytest.raises(
        ValueError, match=r"the scalings of corollary-1 leave nothing to derive: no parameters satisfy"
    ):
        cone_of(PAPERS["printed"], impossible)
    assert cone_of(PAPERS["printed"], corollary).rays


def test_other_scalings_can_be_put_in() -> None:
    source = PAPERS["printed"]
    corollary = source.the(Corollary, "corollary-1")
    cone = cone_of(source, corollary)
    rewritten = replace(corollary, scalings={**corollary.scalings, "p": Scaling(sympy.Integer(1))})
    assert derive(source, corollary, instead={"p": ONE}) == derive(source, rewritten, cone=cone)
    assert derive(source, corollary, instead={"p": ONE}) != derive(source, corollary)


def test_a_binding_is_put_in_for_an_undefined_symbol_only() -> None:
    source = PAPERS["printed"]
    L_12, L_21, mu = letter("L_12"), letter("L_21"), letter("mu")
    assert bound_to(source, mu + L_12**2) == mu + L_21**2
    assert bound_to(source, mu) == mu
    assert bound_to(PARALLEL_SGD, L_12) == L_12


# A divisor without a largest summand


def test_a_tie_in_a_theorem_cuts_the_cone_and_every_piece_is_right() -> None:
    """start = K/(eta (K^2 + T)): T >= K, so K^2 and T tie along T = K^2."""
    K, T, eta = letter("K"), letter("T"), letter("eta")
    theorem = PARALLEL_SGD.the(Theorem, "sgd-descent")
    tied = replace(theorem, terms={**theorem.terms, "start": K / (eta * (K**2 + T))})
    source = replace(PARALLEL_SGD, statements={**PARALLEL_SGD.statements, "sgd-descent": tied})
    pieces = derive(source, IN_T)
    assert len(pieces) == 2 > len(derive(PARALLEL_SGD, IN_T))
    for kappa in (Rational(0), Rational(1, 3), Rational(1, 2), Rational(2, 3), Rational(1)):
        values = everything(source, IN_T, kappa, ENOUGH, ()) | {"eta": exp(30 * (kappa - 1) * s)}
        order = order_of(pieces, "start", kappa)
        assert order is not None
        term = put(tied.terms["start"], values)
        assert positive_and_finite(limit_of_ratio(term, in_s(order, IN_T, kappa)))
        assert limit_of_ratio(term, in_s(order * LOG, IN_T, kappa)) == 0
