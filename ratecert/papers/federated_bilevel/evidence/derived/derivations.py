"""A corollary's orders as its theorem gives them, in exact rationals, beside the ones it claims.

The scalings are put into every term of the theorem. Where they lie outside its conditions by logarithms they are moved
inside first (theory/orders/inside.py): outside, a theorem says nothing. N is the large parameter, T or 1/eps, and
powers are powers of N: eps itself has the power -1 of N = 1/eps.

The parameters go to their limits inside a cone, K >= 1, T >= K^3 and so on. A term is of the claimed order if it is so
along both edges of the cone, which are lines K = N^kappa.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from ratecert.claim.claim import Json
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.theory.language.letters import letter
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Algorithm, Corollary, Counts, Factor, Theorem
from ratecert.theory.orders.derivation import (
    Derived,
    as_monomial,
    claimed,
    cone_of,
    derive,
    forgives_logs,
    free_parameters,
    in_pieces,
    keeps_logs,
    scale,
)
from ratecert.theory.orders.growth import Growth
from ratecert.theory.orders.inside import inside
from ratecert.theory.orders.monomials import Cone, Monomial


def derivation(corollary: str, variant: str) -> list[Json]:
    """Derive the powers of K, N and log beside the claimed ones.

    One row for the order of the bound, one for each term over the claim unless it is smaller than every power, and one
    for each scaling outside the theorem's conditions.
    """
    source = paper(variant)
    statement = source.the(Corollary, corollary)
    claim, large = claimed(statement.claim), free_parameters(statement)[1]
    pieces: list[Derived] = []
    off: dict[str, Monomial] = {}
    for where in inside(source, statement):
        off |= where.off
        pieces += derive(source, statement, instead=where.moved_by_logs, cone=where.cone)
    leading = max((_leading(piece, claim) for piece in pieces), key=lambda found: found.rank)
    leads = [name for name, g in leading.piece.terms.items() if leading.monomial in g.monomials]
    narrowest, widest = edges(cone_of(source, statement))
    order = {
        "part": "order",
        "theorem": statement.theorem,
        "large": large,
        **powers(leading.monomial, large),
        **{f"claimed {name}": power for name, power in powers(claim, large).items()},
        "leads": ", ".join(leads),  # the terms that decide
        "keeps_logs": keeps_logs(statement),
        "narrowest": str(narrowest),
        "widest": str(widest),
    }
    terms = [_over(pieces, name, claim) for name in sorted(pieces[0].terms)]
    conditions = [_miss(source, statement, name, ratio) for name, ratio in sorted(off.items())]
    return [order, *(term for term in terms if term), *conditions]


@dataclass(frozen=True)
class Leading:
    """The summand of the bound that exceeds the claim most, or comes nearest to it."""

    piece: Derived
    monomial: Monomial
    rank: tuple[Fraction, ...]


def _leading(piece: Derived, claim: Monomial) -> Leading:
    """By the edge on which it is largest over the claim, then by both edges, then by logarithms."""
    slopes = {m: piece.cone.slopes(m / claim) for m in piece.total.monomials}
    ranks = {m: (max(on_edges), sum(on_edges, Fraction(0)), m.log) for m, on_edges in slopes.items()}
    monomial = max(ranks, key=lambda m: ranks[m])
    return Leading(piece, monomial, ranks[monomial])


def _over(pieces: Iterable[Derived], name: str, claim: Monomial) -> dict[str, Json] | None:
    """A term's order, its power of N over the claim on the worse edge, and there its logarithms over the claim."""
    ratios = [(p, m / claim) for p in pieces for m in p.terms[name].monomials]
    if not ratios:
        return None  # smaller than every power
    power, log, order = max((max(p.cone.slopes(ratio)), ratio.log, str(ratio * claim)) for p, ratio in ratios)
    return {
        "part": "term",
        "term": name,
        "order": order,
        "power over the claim": float(power),
        "log": float(log),
    }


def _miss(source: Paper, corollary: Corollary, name: str, ratio: Monomial) -> dict[str, Json]:
    """By how much a scaling misses its condition: the power of N on the worse edge, and the logarithm.

    Only too large a value misses an inequality; an equation is missed on both sides.
    """
    slopes = cone_of(source, corollary).slopes(ratio)
    conditions = {c.name: c for c in source.the(Theorem, corollary.theorem).conditions.values()}
    exact = conditions[name].relation == "="
    return {
        "part": "condition",
        "scaling": name,
        "power": float(max(slopes, key=abs) if exact else max(Fraction(0), *slopes)),
        "log": float(ratio.log),
        "forgiven": forgives_logs(corollary.scalings[name]),
        "ratio": str(ratio),
    }


def powers(m: Monomial, large: str) -> dict[str, float]:
    power = -m.exponent("eps") if large == "eps" else m.exponent(large)
    return {"N": float(power), "K": float(m.exponent("K")), "log": float(m.log)}


def edges(cone: Cone) -> list[Fraction]:
    """The kappa of the cone's two edges K = N^kappa."""
    at = {name: i for i, name in enumerate(cone.names)}
    return sorted(ray[at["K"]] / abs(ray[1 - at["K"]]) for ray in cone.rays)


def counted(corollary: str, variant: str) -> Json:
    """The powers of iterations, samples and rounds of the corollary's run, per device."""
    source = paper(variant)
    statement = source.the(Corollary, corollary)
    large = free_parameters(statement)[1]
    (counts,) = in_pieces(cone_of(source, statement), partial(_counts, source, statement))
    orders = {name: growth.dominating() for name, growth in counts.items()}
    return {name: {**powers(m, large), "order": str(m)} for name, m in orders.items()}


def stated_costs(id: str, variant: str = "printed") -> Json:
    """method -> the corollary that a remark or a table row speaks of, and the powers it states for each count."""
    costs = [cost for cost in paper(variant).the(Counts, id).costs if cost.corollary]
    return {
        cost.method: {
            "corollary": cost.corollary,
            "counts": {name: powers(as_monomial(s.order), "eps") for name, s in cost.counts.items()},
        }
        for cost in costs
    }


def stated_factor(id: str) -> list[Json]:
    """By which factor a remark says that the rate of its first corollary exceeds that of its second."""
    remark = paper().the(Factor, id)
    factor = powers(as_monomial(remark.factor.order), "T")
    stated = {f"stated {name}": power for name, power in factor.items()}
    return [{"part": "factor", "first": remark.first, "second": remark.second, **stated}]


def _counts(source: Paper, corollary: Corollary, cone: Cone) -> Mapping[str, Growth]:
    algorithm = source.the(Algorithm, source.the(Theorem, corollary.theorem).algorithm)
    scaled = scale(source, corollary, cone)
    T = scaled.symbols["T"]
    return {
        "iterations": T,
        "samples": scaled.growth(algorithm.samples_first) + T * scaled.growth(algorithm.samples_later),
        "rounds": T * scaled.growth(letter("p")) ** Fraction(-1),
    }
