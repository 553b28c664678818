"""A corollary's order as its theorem gives it, in exact rationals, beside the one it claims.

The scalings are put into every term of the theorem. Where they lie outside its conditions by logarithms they are moved
inside first (theory/orders/inside.py): outside, a theorem says nothing. The parameters go to their limits inside a
cone, K >= 1, T >= K^3 and so on. N being T or 1/eps, the bound is of the claimed order if it is so on both edges of the
cone, which are lines K = N^kappa.
"""

from fractions import Fraction

from ratecert.claim.claim import Json
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.theory.language.statements import Corollary, Theorem
from ratecert.theory.orders.derivation import claimed, cone_of, derive, keeps_logs
from ratecert.theory.orders.inside import inside
from ratecert.theory.orders.monomials import Monomial


def derivation(corollary: str, variant: str) -> list[Json]:
    """The powers of N and of the logarithm on either edge, and every scaling outside the theorem's conditions."""
    source = paper(variant)
    statement = source.the(Corollary, corollary)
    everywhere = inside(source, statement)
    pieces = [p for w in everywhere for p in derive(source, statement, instead=w.moved_by_logs, cone=w.cone)]
    rows: list[Json] = []
    for ray in cone_of(source, statement).rays:
        kappa = ray[0] / abs(ray[1])
        here = [p for p in pieces if ray in p.cone.rays]
        terms = [(name, m) for p in here for name, growth in p.terms.items() for m in growth.monomials]
        ranks = {(name, m): (power_along(m, kappa), m.log) for name, m in terms}
        power, log = max(ranks.values())
        leads = dict.fromkeys(name for (name, _), rank in ranks.items() if rank == (power, log))
        found = {"power": float(power), "log": float(log), "leads": ", ".join(leads)}
        rows.append({"part": "derived", **found, **claim_along(statement, kappa)})
    conditions = source.the(Theorem, statement.theorem).conditions.values()
    equations = {c.name for c in conditions if c.relation == "="}  # missed on both sides
    for where in everywhere:
        for name, off in where.off.items():
            by_log = where.only_logs(off) if name in equations else where.cone.bounded(off.without_log())
            rows.append({"part": "condition", "scaling": name, "ratio": str(off), "by a power": not by_log})
    return rows


def power_along(m: Monomial, kappa: Fraction) -> Fraction:
    """The power of N where K = N^kappa; eps itself has the power -1 of N = 1/eps."""
    return m.exponent("T") - m.exponent("eps") + kappa * m.exponent("K")


def claim_along(corollary: Corollary, kappa: Fraction) -> dict[str, Json]:
    """What the corollary claims there."""
    claim = claimed(corollary.claim)
    power, log = float(power_along(claim, kappa)), float(claim.log)
    logs = {"claimed log": log, "keeps_logs": keeps_logs(corollary)}
    return {"kappa": str(kappa), "claimed power": power, **logs}
