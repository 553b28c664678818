"""Rule: costs follow. Iterations, samples and rounds said to be needed for eps are those of the corollary's run."""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from ratecert.theory.lint.corollaries import derivable
from ratecert.theory.lint.finding import Finding
from ratecert.theory.notation import letter
from ratecert.theory.orders.derivation import as_monomial, claimed, cone_of, forgives_logs, in_pieces, scale
from ratecert.theory.orders.growth import Growth
from ratecert.theory.orders.monomials import Cone, Monomial
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Algorithm, Corollary, Cost, Counts, Factor, Scaling, Theorem


def lint_counts(paper: Paper) -> list[Finding]:
    known = {corollary.id: corollary for corollary in derivable(paper)}
    findings: list[Finding] = []
    for counts in paper.of_kind(Counts):
        for cost in counts.costs:
            findings += _speedup(counts, cost)
            if cost.corollary is not None and paper.the(Corollary, cost.corollary).id in known:
                findings += _cost(paper, counts, cost, known[cost.corollary])
    for factor in paper.of_kind(Factor):
        both = [paper.the(Corollary, id).id for id in (factor.first, factor.second)]
        findings += _factor(paper, factor) if set(both) <= known.keys() else []
    return findings


def _cost(paper: Paper, counts: Counts, cost: Cost, corollary: Corollary) -> Iterator[Finding]:
    for name, scaling in cost.counts.items():
        for growth in in_pieces(cone_of(paper, corollary), partial(counted, paper, corollary, name)):
            yield from _count_finding(f"{counts.place(cost)}.{name}", corollary, name, scaling, growth)


def _speedup(counts: Counts, cost: Cost) -> Iterator[Finding]:
    """Linear speedup in K: what every device does falls as 1/K."""
    for name in ("iterations", "samples"):
        order = as_monomial(cost.counts[name].order) if name in cost.counts else None
        if cost.linear_speedup and order is not None and order.exponent("K") > -1:
            yield Finding(
                place=f"{counts.place(cost)}.{name}",
                kind="consistency",
                printed=f"linear speedup, {name}: {cost.counts[name]}",
                fits=f"{name}: O({order * Monomial.of(K=-1 - order.exponent('K'))})",
                severity="error",
                because=f"{name} do not fall as 1/K",
            )
        elif cost.linear_speedup is False and order is not None and order.exponent("K") <= -1:
            yield Finding(
                place=f"{counts.place(cost)}.{name}",
                kind="consistency",
                printed=f"no linear speedup, {name}: {cost.counts[name]}",
                fits="linear speedup",
                severity="note",
                because=f"{name} fall as 1/K",
            )


def counted(paper: Paper, corollary: Corollary, name: str, cone: Cone) -> Growth:
    """How a count of the corollary's run grows."""
    algorithm = paper.the(Algorithm, paper.the(Theorem, corollary.theorem).algorithm)
    scaled = scale(paper, corollary, cone)
    T = scaled.symbols["T"]
    if name == "samples":
        return scaled.growth(algorithm.samples_first) + T * scaled.growth(algorithm.samples_later)
    if name == "rounds" and "p" in paper.notation:
        return T * scaled.growth(letter("p")) ** Fraction(-1)
    return T


def _count_finding(
    place: str, corollary: Corollary, name: str, scaling: Scaling, growth: Growth
) -> Iterator[Finding]:
    claim = as_monomial(scaling.order)
    ratios = [m / claim for m in growth.monomials]
    wrong = [m for m in ratios if not growth.cone.bounded(m.without_log())]
    logs = [m for m in ratios if not growth.cone.bounded(m)] if not forgives_logs(scaling) else []
    if wrong or logs:
        yield Finding(
            place=place,
            kind="corollary",
            printed=f"{name}: {scaling}",
            fits=f"{name}: O({growth})",
            severity="error" if wrong else "warning",
            because=f"counted along {corollary.id}, {name} exceed the claim by {(wrong or logs)[0]}",
        )


def _factor(paper: Paper, factor: Factor) -> Iterator[Finding]:
    first, second = (claimed(paper.the(Corollary, id).claim) for id in (factor.first, factor.second))
    if first / second != as_monomial(factor.factor.order):
        yield Finding(
            place=f"{factor.id}.factor",
            kind="consistency",
            printed=str(factor.factor),
            fits=f"{first / second}",
            severity="error",
            because=f"the rate of {factor.first} is that of {factor.second} times {first / second}",
        )
