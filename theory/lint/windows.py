"""Rule: windows. Where a corollary's scalings make sense is part of the statement.

A scaled whole number (p, B, T) is at least 1 only inside a window such as T >= K^3, and a step that decays once t
passes a floor decays within T iterations only if that floor grows more slowly than T. Windows are compared up to
logarithms.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from ratecert.base.errors import EmptyConeError
from ratecert.theory.lint.corollaries import derivable
from ratecert.theory.lint.finding import Finding
from ratecert.theory.notation import letter, names_of
from ratecert.theory.orders.derivation import (
    claimed,
    cone_of,
    derive,
    free_parameters,
    in_pieces,
    scale,
    stated_cone,
    whole_numbers,
)
from ratecert.theory.orders.monomials import ONE, Cone, Monomial
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Corollary, Theorem

JUST_OUTSIDE = {"T": Monomial.of(T=Fraction(1, 100)), "eps": Monomial.of(eps=Fraction(-1, 100))}


def lint_windows(paper: Paper) -> list[Finding]:
    findings: list[Finding] = []
    for corollary in paper.of_kind(Corollary):
        findings += _never_whole(paper, corollary)
    for corollary in derivable(paper):
        findings += _whole_numbers(paper, corollary)
        findings += _schedule(paper, corollary)
    return findings


def _never_whole(paper: Paper, corollary: Corollary) -> Iterator[Finding]:
    """What no window can mend: a whole number that is below 1 wherever the parameters grow."""
    for name, order in whole_numbers(paper, corollary).items():
        try:
            stated_cone(paper, corollary).within(order)
        except EmptyConeError:
            yield Finding(
                place=f"{corollary.id}.{name}",
                kind="window",
                printed=f"{name} = {corollary.scalings[name]}",
                fits="an order that is at least 1 somewhere",
                severity="error",
                because=f"{name} is below 1 for all K and {free_parameters(corollary)[1]} in the limit",
            )


def _whole_numbers(paper: Paper, corollary: Corollary) -> Iterator[Finding]:
    stated = stated_cone(paper, corollary)
    for name, order in whole_numbers(paper, corollary).items():
        if stated.bounded(order.without_log() ** -1) or _implied(
            order, stated, whole_numbers(paper, corollary)
        ):
            continue
        broken = _broken_outside(paper, corollary, stated, name, order)
        alike = " = ".join(n for n, m in whole_numbers(paper, corollary).items() if m == order)
        yield Finding(
            place=f"{corollary.id}.{name}",
            kind="window",
            printed=f"{name} = {corollary.scalings[name]}, for {_stated(corollary)}",
            fits=as_window(order),
            severity="warning" if broken else "note",
            because=(
                f"outside, {name} is below 1"
                + (f"; with {alike} = 1 there the rate fails through {', '.join(broken)}" if broken else "")
            ),
        )


def _stated(corollary: Corollary) -> str:
    relations = ", ".join(str(relation) for relation in corollary.window)
    return relations or f"all K and {free_parameters(corollary)[1]}"


def _implied(order: Monomial, stated: Cone, orders: Mapping[str, Monomial]) -> bool:
    """Whether another scaling, being at least 1, already keeps this one above 1; a shared window implies neither."""
    others = [m for m in orders.values() if m.without_log() != order.without_log()]
    return any(stated.within(m).bounded(order.without_log() ** -1) for m in others)


def _broken_outside(
    paper: Paper, corollary: Corollary, stated: Cone, name: str, order: Monomial
) -> list[str]:
    """The terms that exceed the claim just outside, where the scaling would be below 1 and is set to 1 instead."""
    others = [m for n, m in whole_numbers(paper, corollary).items() if n != name and m != order]
    alike = {n: ONE for n, m in whole_numbers(paper, corollary).items() if m == order}
    try:
        outside = stated.within(order**-1, order * JUST_OUTSIDE[free_parameters(corollary)[1]], *others)
    except EmptyConeError:
        return []
    pieces = derive(paper, corollary, instead=alike, cone=outside)
    return sorted({term for piece in pieces for term in piece.over(claimed(corollary.claim), logs=False)})


def as_window(order: Monomial) -> str:
    """order >= 1, solved for the large parameter: T >= K^3."""
    name = next(n for n in ("eps", "T", "K") if order.exponent(n))
    power = order.exponent(name)
    solved = (Monomial.of(**{name: power}) / order.without_log()) ** (1 / power)
    return f"{name} {'>=' if power > 0 else '<='} {solved}"


def _schedule(paper: Paper, corollary: Corollary) -> Iterator[Finding]:
    """max{2, c - t} + t is constant until t reaches c; it decays within T only if c grows more slowly than T."""
    theorem = paper.the(Theorem, corollary.theorem)
    t = letter("t")
    floors = [
        clause + t
        for condition in theorem.conditions.values()
        for clause in condition.clauses
        if "t" in names_of(clause) and "t" not in names_of(clause + t)
    ]
    for floor in floors:
        for lasting in in_pieces(cone_of(paper, corollary), partial(_part_of_T, paper, corollary, floor)):
            if lasting:
                yield Finding(
                    place=f"{corollary.id}.eta",
                    kind="window",
                    printed=f"a decaying step, constant until t = {floor}",
                    fits=f"{floor} = o(T)",
                    severity="warning",
                    because=f"the constant phase is of the order of {lasting[0]} times T: the step need not decay",
                )


def _part_of_T(paper: Paper, corollary: Corollary, floor: Any, cone: Cone) -> list[Monomial]:
    """floor/T, where it does not vanish."""
    scaled = scale(paper, corollary, cone)
    ratio = scaled.growth(floor) * scaled.symbols["T"] ** Fraction(-1)
    return [m for m in ratio.monomials if not cone.vanishes(m)]
