"""Derived orders are limits: each term of a theorem, divided by the order derived for it, has a positive finite limit.

The witness is SymPy's limit in one variable s. Inside the window K = T^kappa, or K = eps^-kappa, with T or 1/eps equal
to exp(60 s), so that fractional powers become whole multiples of s in exponents, and logarithms multiples of s. The
constants are small rationals. Q = c log(.), and 1 - theta mu, where it is raised to Q + 1, is 1/e, so that the bias is
an exact power. All limits are taken by SymPy, term by term; none is replaced by numbers.
"""

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
from ratecert.theory.notation import letter
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
from ratecert.theory.orders.monomials import LOG, ONE, Monomial
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Corollary, Scaling, Theorem

PAPERS = {variant: paper(variant) for variant in ("printed", "repaired")}
PRINTED = PAPERS["printed"]
IDS = [f"corollary-{n}" for n in range(1, 7)]
PLACES = [f"{id}.{name}" for id in IDS for name in PRINTED[PRINTED[id].theorem].terms]
INSIDE, HALF = Rational(1, 5), Rational(1, 2)
# p = T^(1/4)/K^(3/4) >= 1 in Corollary 1, T^(1/3)/K^(2/3) in 3, and 1/(K eps^(1/2)) in 2, 4 and 6
WIDEST = {**dict.fromkeys(IDS, HALF), "corollary-1": Rational(1, 3)}
CONSTANTS = {
    "mu": HALF, "L_0": Rational(1, 3), "L_1": Rational(2), "L_21": Rational(1, 5), "L_22": Rational(1, 7),
    "sigma": Rational(3, 2), "sigma_f": Rational(2, 5), "sigma_H": Rational(1, 4), "theta": Rational(1, 3),
    "Phi_gap": Rational(1), "y_gap": Rational(2, 3),
}  # fmt: skip
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
    source: Paper, corollary: Corollary, kappa: Any, c: Any = ENOUGH, zero: tuple[str, ...] = ()
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


def over(claim: Monomial, id: str, kappa: Any, variant: str = "printed", **how: Any) -> dict[str, Any]:
    """The limit of each term over the claim."""
    order = in_s(claim, PAPERS[variant].the(Corollary, id), kappa)
    return {name: limit_of_ratio(term, order) for name, term in along(variant, id, kappa, **how).items()}


def claim_of(variant: str, id: str) -> Monomial:
    return claimed(PAPERS[variant].the(Corollary, id).claim)


def positive_and_finite(value: Any) -> bool:
    return bool(value.is_positive and value.is_finite)


# Terms


@pytest.mark.parametrize("place", PLACES)
def test_a_term_is_of_the_order_derived_for_it(place: str) -> None:
    """A logarithm more or less has no such limit."""
    id, name = place.split(".")
    for kappa in kappas(id):
        term = along("printed", id, kappa)[name]
        order = order_of(pieces_of("printed", id), name, kappa)

        def limit(order: Monomial, term: Any = term, kappa: Any = kappa) -> Any:
            return limit_of_ratio(term, in_s(order, PRINTED.the(Corollary, id), kappa))

        if order is None:
            assert limit(claim_of("printed", id)) == 0
            continue
        assert positive_and_finite(limit(order))
        if kappa == INSIDE and id in ("corollary-1", "corollary-5"):
            assert (limit(order * LOG), limit(order / LOG)) == (0, oo)


@pytest.mark.parametrize("id", IDS)
def test_only_the_bias_is_negligible_and_only_if_Q_has_enough_terms(id: str) -> None:
    negligible = [n for n, g in pieces_of("printed", id)[0].terms.items() if g.negligible]
    assert negligible == ["bias"]
    order = in_s(claim_of("printed", id), PRINTED.the(Corollary, id), INSIDE)
    limits = [limit_of_ratio(along("printed", id, INSIDE, c)["bias"], order) for c in (ENOUGH, TOO_FEW)]
    assert limits == [0, oo]


@pytest.mark.parametrize("id", IDS)
def test_orders_with_vanishing_constants_are_limits_too(id: str) -> None:
    """The general order is none: the drift of Corollary 3 has log^10, on quadratic problems log^8."""
    corollary = PRINTED.the(Corollary, id)
    terms = along("printed", id, INSIDE, zero=QUADRATIC)
    for name, term in terms.items():
        order = order_of(pieces_of("printed", id, QUADRATIC), name, INSIDE)
        if order is not None:
            assert positive_and_finite(limit_of_ratio(term, in_s(order, corollary, INSIDE)))
    if id == "corollary-3":
        general = order_of(pieces_of("printed", id), "drift", INSIDE)
        assert limit_of_ratio(terms["drift"], in_s(general, corollary, INSIDE)) == 0


# Claims


@pytest.mark.parametrize("id", IDS)
def test_a_repaired_corollary_follows_and_is_not_weaker_than_its_theorem(id: str) -> None:
    claim = claim_of("repaired", id)
    for piece in pieces_of("repaired", id):
        assert piece.over(claim) == {}
        assert piece.cone.equal(max(piece.total.monomials, key=lambda m: m.log), claim)
    assert positive_and_finite(sum(over(claim, id, WIDEST[id], "repaired").values()))


@pytest.mark.parametrize("id", ["corollary-3", "corollary-5", "corollary-6"])
def test_the_terms_that_exceed_a_printed_claim_are_named_and_exceed_it_by_logarithms_only(id: str) -> None:
    """Against the limits of the single terms."""
    claim, pieces = claim_of("printed", id), pieces_of("printed", id)
    named = {name for piece in pieces for name in piece.over(claim)}
    limits = [over(claim, id, kappa) for kappa in (Rational(0), WIDEST[id])]
    assert named == {name for each in limits for name, limit in each.items() if limit == oo} != set()
    assert all(piece.over(claim, logs=False) == {} for piece in pieces)


@pytest.mark.parametrize("id", IDS)
def test_a_claim_with_an_exponent_off_by_a_tenth_does_not_follow(id: str) -> None:
    corollary, claim = PAPERS["repaired"].the(Corollary, id), claim_of("repaired", id)
    for name in free_parameters(corollary):
        for sign in (1, -1):
            wrong, smaller = (
                claim * Monomial.of(**{name: sign * Fraction(1, 10)}),
                (sign > 0) == (name == "eps"),
            )
            named = [each for piece in pieces_of("repaired", id) for each in piece.over(wrong, logs=False)]
            assert bool(named) == smaller
            start = along("repaired", id, INSIDE)["start_x"]  # which attains the true claim
            assert limit_of_ratio(start, in_s(wrong, corollary, INSIDE)) == (oo if smaller else 0)


# Where a corollary holds


@pytest.mark.parametrize("id", IDS)
def test_the_cone_ends_where_the_window_does(id: str) -> None:
    just_outside = (WIDEST[id] + Rational(1, 100), -Rational(1, 100))
    for source in PAPERS.values():
        ends = cone_of(source, source.the(Corollary, id)).at_least_one
        for kappa in (*kappas(id), *just_outside):
            assert all(slope(m, kappa)[0] >= 0 for m in ends) == (kappa not in just_outside)


def test_the_stated_cone_knows_the_window_and_not_the_whole_numbers() -> None:
    corollaries = {variant: source.the(Corollary, "corollary-1") for variant, source in PAPERS.items()}
    K3_over_T = Monomial.of(K=3, T=-1)
    stated = {variant: stated_cone(PAPERS[variant], each) for variant, each in corollaries.items()}
    assert {v: cone.bounded(K3_over_T) for v, cone in stated.items()} == {"printed": False, "repaired": True}
    assert cone_of(PRINTED, corollaries["printed"]).bounded(K3_over_T)
    assert set(whole_numbers(PRINTED, corollaries["printed"])) == {"p"}
    assert set(whole_numbers(PARALLEL_SGD, IN_EPS)) == {"T"}


def test_a_count_that_begins_at_two_is_a_whole_number_too() -> None:
    """Without p >= 1 there would be no order of Corollary 5, which prints no window."""
    two = replace(PRINTED, notation={**PRINTED.notation, "p": replace(PRINTED.notation["p"], least=2)})
    corollary = PRINTED.the(Corollary, "corollary-5")
    assert set(whole_numbers(two, corollary)) == set(whole_numbers(PRINTED, corollary)) >= {"p"}
    assert derive(two, corollary)


def test_scalings_that_leave_nothing_are_refused() -> None:
    corollary = PRINTED.the(Corollary, "corollary-1")
    p = Scaling(1 / (letter("K") * letter("T")))
    impossible = replace(corollary, scalings={**corollary.scalings, "p": p})
    with pytest.raises(
        ValueError, match="the scalings of corollary-1 leave nothing to derive: no parameters"
    ):
        cone_of(PRINTED, impossible)
    assert cone_of(PRINTED, corollary).rays


def test_other_scalings_can_be_put_in_and_constants_vanish() -> None:
    corollary = PRINTED.the(Corollary, "corollary-1")
    rewritten = replace(corollary, scalings={**corollary.scalings, "p": Scaling(sympy.Integer(1))})
    instead = derive(PRINTED, corollary, instead={"p": ONE})
    assert (
        instead == derive(PRINTED, rewritten, cone=cone_of(PRINTED, corollary)) != derive(PRINTED, corollary)
    )
    for vanishing in (("Phi_gap",), ()):
        (piece,) = derive(PARALLEL_SGD, IN_T, vanishing=vanishing)
        assert piece.terms["start"].negligible == bool(vanishing)


def test_a_binding_is_put_in_for_an_undefined_symbol_only() -> None:
    L_12, L_21, mu = letter("L_12"), letter("L_21"), letter("mu")
    assert bound_to(PRINTED, mu + L_12**2) == mu + L_21**2
    assert bound_to(PRINTED, mu) == mu
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
    for kappa in (Rational(0), Rational(1, 3), HALF, Rational(2, 3), Rational(1)):
        values = everything(source, IN_T, kappa) | {"eta": exp(30 * (kappa - 1) * s)}
        order, term = order_of(pieces, "start", kappa), put(tied.terms["start"], values)
        assert order is not None
        assert positive_and_finite(limit_of_ratio(term, in_s(order, IN_T, kappa)))
        assert limit_of_ratio(term, in_s(order * LOG, IN_T, kappa)) == 0
