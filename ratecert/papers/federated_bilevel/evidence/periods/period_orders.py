"""Orders of the period p in T and K: what a corollary prints, and what a displacement of the limit leaves room for."""

from fractions import Fraction
from typing import NamedTuple

from ratecert.papers.federated_bilevel.paper import paper
from ratecert.theory.language.statements import Corollary
from ratecert.theory.orders.derivation import as_monomial


class Order(NamedTuple):
    """T^in_T K^in_K."""

    T: Fraction
    K: Fraction

    def __str__(self) -> str:
        return f"T^{self.T} K^{self.K}"


class Displacement(NamedTuple):
    """p^i eta^j alpha^l."""

    p: int
    eta: int
    alpha: int


def printed_period(corollary: str) -> Order:
    """Read the order of p that a corollary prints."""
    order = as_monomial(paper("printed").the(Corollary, corollary).scalings["p"].order)
    return Order(order.exponent("T"), order.exponent("K"))


def harmless_period(corollary: str, moved: Displacement) -> Order:
    """Derive the p at which the square of the displacement is of the order of the claim, along the corollary."""
    statement = paper("printed").the(Corollary, corollary)
    eta, alpha = (as_monomial(statement.scalings[name].order) for name in ("eta", "alpha"))
    claim = as_monomial(statement.claim.order)
    in_T, in_K = (
        (claim.exponent(n) / 2 - moved.eta * eta.exponent(n) - moved.alpha * alpha.exponent(n)) / moved.p
        for n in "TK"
    )
    return Order(in_T, in_K)
