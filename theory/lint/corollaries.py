"""Rules: corollaries. Each follows from its theorem, its scalings respect the theorem's conditions, the form in T
agrees with the form in eps, and the costs said to follow do follow. Logarithms are kept throughout.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial

from theory.derivation import (
    Derived,
    as_monomial,
    claimed,
    cone_of,
    derive,
    in_pieces,
    scale,
)
from theory.growth import Growth, Scaled
from theory.lint.finding import Finding
from theory.monomials import ONE, Cone, Monomial
from theory.paper import Paper
from theory.statements import Algorithm, Condition, Corollary, Cost, Counts, Factor, Scaling, Theorem

UP_TO_LOGS = "O~"
LESS = Fraction(
    1, 1000
)  # a power of the large parameter by which a quantity is made smaller, to see what breaks


def lint_corollaries(paper: Paper) -> list[Finding]:
    findings: list[Finding] = []
    for corollary in paper.of_kind(Corollary):
        findings += _rate(paper, corollary)
        findings += _conditions(paper, corollary)
        findings += _upper_only(paper, corollary)
        findings += _other_form(paper, corollary)
    for counts in paper.of_kind(Counts):
        findings += [f for cost in counts.costs for f in _cost(paper, counts, cost)]
    for factor in paper.of_kind(Factor):
        findings += _factor(paper, factor)
    return findings


def forgives_logs(*scalings: Scaling) -> bool:
    return any(scaling.kind == UP_TO_LOGS for scaling in scalings)


def _tidy(corollary: Corollary) -> bool:
    """Whether the corollary keeps account of its logarithms."""
    return not forgives_logs(corollary.claim, *corollary.scalings.values())


def _rate(paper: Paper, corollary: Corollary) -> Iterator[Finding]:
    claim = claimed(corollary.claim)
    for piece in derive(paper, corollary):
        by_powers, over = piece.over(claim, logs=False), piece.over(claim)
        if by_powers:
            yield _rate_finding(corollary, piece, by_powers, "error", "does not follow")
        elif over and _tidy(corollary):
            yield _rate_finding(corollary, piece, over, "warning", "follows only up to logarithms")
        elif all(piece.cone.vanishes(m / claim) for m in piece.total.monomials):
            yield _rate_finding(corollary, piece, {}, "note", "is weaker than what the theorem gives")


def _rate_finding(
    corollary: Corollary, piece: Derived, over: Mapping[str, Monomial], severity: str, verdict: str
) -> Finding:
    terms = ", ".join(f"{name} exceeds it by {ratio}" for name, ratio in over.items())
    return Finding(
        place=f"{corollary.id}.rate",
        kind="corollary",
        printed=str(corollary.claim),
        fits=f"O({piece.total})",
        severity=severity,
        because=f"the rate {verdict} ({corollary.theorem} on {piece.cone}){': ' + terms if terms else ''}",
    )


def _conditions(paper: Paper, corollary: Corollary) -> Iterator[Finding]:
    """The scalings inside the theorem's conditions, in order."""
    theorem = paper.the(Theorem, corollary.theorem)

    def on(piece: Cone) -> list[Finding]:
        scaled = scale(paper, corollary, piece)
        if "w" in theorem.conditions:
            scaled = Scaled(
                piece, {**scaled.symbols, "w": scaled.growth(theorem.conditions["w"].right)}, scaled.fractions
            )
        return [
            finding
            for name, condition in theorem.conditions.items()
            if name in corollary.scalings
            for finding in _condition(corollary, name, condition, scaled)
        ]

    for findings in in_pieces(cone_of(paper, corollary), on):
        yield from findings


def _condition(corollary: Corollary, name: str, condition: Condition, scaled: Scaled) -> Iterator[Finding]:
    if condition.relation == ">":
        return
    left = scaled.growth(condition.left)
    limits = [scaled.growth(clause) for clause in condition.clauses]
    smallest = min(limits, key=lambda g: sum(bool(g.excess(other)) for other in limits))
    excess = [m for limit in limits for m in left.excess(limit)]
    if condition.relation == "=":
        excess += [m**-1 for limit in limits for m in limit.excess(left)]
    powers = [m for m in excess if not scaled.cone.bounded(m.without_log())]
    if excess and (powers or _tidy(corollary)):
        yield Finding(
            place=f"{corollary.id}.{name}",
            kind="consistency",
            printed=f"{name} = {corollary.scalings[name]}",
            fits=f"{name} = {corollary.scalings[name].kind}({smallest})",
            severity="error" if powers else "warning",
            because=f"{corollary.theorem}.condition.{name} is missed by {max(powers or excess, key=lambda m: m.log)}",
        )


def _upper_only(paper: Paper, corollary: Corollary) -> Iterator[Finding]:
    """O(.) bounds from above; if a smaller value breaks the rate, Theta(.) is meant."""
    for name, scaling in corollary.scalings.items():
        order = as_monomial(scaling.order)
        if scaling.kind == "Theta" or order == ONE:
            continue
        smaller = {name: _smaller(corollary, order)}
        claim = claimed(corollary.claim)
        pieces = derive(paper, corollary, instead=smaller)
        broken = sorted({term for piece in pieces for term in piece.over(claim, logs=False)})
        intact = not any(piece.over(claim, logs=False) for piece in derive(paper, corollary))
        if broken and intact:
            yield Finding(
                place=f"{corollary.id}.{name}",
                kind="consistency",
                printed=f"{name} = {scaling}",
                fits=f"{name} = Theta({scaling.order})",
                severity="note",
                because=f"a smaller {name} satisfies the printed O and breaks the rate through {', '.join(broken)}",
            )


def _smaller(corollary: Corollary, order: Monomial) -> Monomial:
    if order.powers:
        return order * (Monomial.of(eps=LESS) if "T" in corollary.scalings else Monomial.of(T=-LESS))
    return order ** (1 - LESS)  # a logarithm


def _other_form(paper: Paper, corollary: Corollary) -> Iterator[Finding]:
    """The scalings in eps are those in T with T solved from rate = eps."""
    if corollary.same_as is None:
        return
    in_T = paper.the(Corollary, corollary.same_as)
    T = solved_for_T(claimed(in_T.claim))
    cone = cone_of(paper, corollary)
    expected = {"T": T} | {name: as_monomial(s.order).at(T=T) for name, s in in_T.scalings.items()}
    for name, scaling in corollary.scalings.items():
        order, wanted = as_monomial(scaling.order), expected.get(name, as_monomial(scaling.order))
        logs = not forgives_logs(scaling) and _tidy(corollary)
        ratio = order / wanted if logs else (order / wanted).without_log()
        if not cone.equal(ratio, ONE):
            yield Finding(
                place=f"{corollary.id}.{name}",
                kind="consistency",
                printed=f"{name} = {scaling}",
                fits=f"{name} = {scaling.kind}({wanted if logs else wanted.without_log()})",
                severity="error" if not cone.equal(ratio.without_log(), ONE) else "warning",
                because=f"{in_T.id} with {T} iterations gives another {name}, by the factor {ratio}",
            )


def solved_for_T(rate: Monomial) -> Monomial:
    """T from rate(K, T) = eps."""
    power = rate.exponent("T")
    rest = rate / Monomial.of(T=power)
    return (Monomial.of(eps=1) / rest) ** (1 / power)


def _cost(paper: Paper, counts: Counts, cost: Cost) -> Iterator[Finding]:
    if cost.corollary is None:
        return
    corollary = paper.the(Corollary, cost.corollary)
    for name, scaling in cost.counts.items():
        for growth in in_pieces(cone_of(paper, corollary), partial(_counted, paper, corollary, name)):
            yield from _count_finding(f"{counts.place(cost)}.{name}", corollary, name, scaling, growth)


def _counted(paper: Paper, corollary: Corollary, name: str, cone: Cone) -> Growth:
    """How a count of the corollary's run grows."""
    algorithm = paper.the(Algorithm, paper.the(Theorem, corollary.theorem).algorithm)
    scaled = scale(paper, corollary, cone)
    T, p = scaled.symbols["T"], scaled.symbols["p"]
    if name == "samples":
        return scaled.growth(algorithm.samples_first) + T * scaled.growth(algorithm.samples_later)
    return T if name == "iterations" else T * p ** Fraction(-1)


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
