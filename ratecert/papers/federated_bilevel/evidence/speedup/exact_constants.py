"""The measure along Corollaries 1-4 by orders of the step size, exact: the constant in front of the rate, and the next.

With an average at every step the mean over t < T is limit(eta) + S(eta)/T, and both are expanded in fractions:

    LocalBSGM      limit = c eta + c' eta^2 + ...       S = s/eta + s' + ...
    LocalBSGVRM    limit = c eta^2 + c' eta^3 + ...     S = r/eta^2 + s/eta + s' + ...,     r of the order 1/B

The first terms are the leading order: where T eta^2, or T eta^3 and B eta, are constant it is a constant times (KT)^-r
or eps. Each order after that is smaller by a factor eta; what Q leaves of the bias counts as the next one.

The period p plays no part for LocalBSGM, whose p eta vanishes along the corollaries. That of LocalBSGVRM tends to a
constant: on K >= 2 devices with noisy Hessians the leading order moves with it, and is no fraction. So K = 1 there.
"""

from dataclasses import replace
from fractions import Fraction

import sympy

from ratecert.claim import Json
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.evidence.runs import L_tilde
from ratecert.papers.federated_bilevel.evidence.speedup.settings import experiment
from ratecert.solvers.engines.expansion import Expansion
from ratecert.solvers.engines.leading import leading

ORDERS = ("leading", "next", "after")


def exact_orders(corollary: str, K: int, name: str, value: float) -> list[Json]:
    """Expand the measure of the run at K and T, or K and eps, from its own start: one number for each order."""
    here = experiment(corollary)
    world, run = build(here.world), here.run(K=K, **{name: value})
    found = leading(world, replace(run.solver, p=1, momenta="fresh"), K=K, **here.start(world))
    assert found.transient is not None
    eta, weight = _exact(run.solver.step_size(0)), _exact(L_tilde(world)) ** 2
    sizes = dict.fromkeys(ORDERS, sympy.Integer(0))
    for factor, limit, transient in (
        (1, found.gradient, found.transient.gradient),
        (weight, found.tracking, found.transient.tracking),
    ):
        sizes["next"] += factor * limit.floor
        _add(sizes, limit, factor, eta, first=limit.power)
        _add(sizes, transient, factor / sympy.Integer(run.T), eta, first=-1)
    return [{"part": "constant", **{order: float(size) for order, size in sizes.items()}}]


def _add(
    sizes: dict[str, sympy.Expr], series: Expansion, factor: sympy.Expr, eta: sympy.Expr, first: int | None
) -> None:
    """Add the terms of a series, those up to the power `first` to the leading order, the later ones each to its own."""
    assert series.power is not None
    assert first is not None
    for power, term in enumerate(series.terms, series.power):
        order = max(power - first, 0)
        if order < len(ORDERS):
            sizes[ORDERS[order]] += factor * term * eta**power


def _exact(value: float) -> sympy.Rational:
    return sympy.Rational(Fraction(value))
