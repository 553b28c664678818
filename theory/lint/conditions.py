"""Rule: consistency of scalings with conditions. What a corollary sets satisfies its theorem's conditions, in order."""

from collections.abc import Iterator, Sequence
from typing import Any

import sympy

from ratecert.theory.language.letters import names_of
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Condition, Corollary, Theorem
from ratecert.theory.lint.derivable import derivable
from ratecert.theory.lint.finding import Finding
from ratecert.theory.orders.inside import Inside, inside, smallest
from ratecert.theory.orders.monomials import Cone, Monomial


def lint_conditions(paper: Paper) -> list[Finding]:
    findings = [f for theorem in paper.of_kind(Theorem) for f in _empty(theorem)]
    for corollary in derivable(paper):
        for piece in inside(paper, corollary):
            findings += [_moved(corollary, name, piece) for name in piece.moved]
            findings += on_expressions(paper, corollary, piece)
    return findings


def _empty(theorem: Theorem) -> Iterator[Finding]:
    """A letter that has to be above one clause and below another which is smaller, whatever the other letters are.

    Letters are positive, so that nothing is below a number that is not.
    """
    for key, upper in theorem.conditions.items():
        if upper.relation not in ("<=", "<"):
            continue
        lower = [
            (clause, each.relation)
            for each in theorem.conditions.values()
            if each.relation in (">=", ">") and each.left == upper.left
            for clause in _each_binds(each, sympy.Max)
        ]
        for clause in _each_binds(upper, sympy.Min):
            above = [least for least, relation in lower if _never(least, clause, relation, upper.relation)]
            if above or clause.is_nonpositive:
                yield Finding(
                    place=f"{theorem.id}.condition.{key}",
                    kind="consistency",
                    printed=f"{upper.left} {upper.relation} {clause}",
                    fits=f"a right side above {above[0] if above else 0}",
                    severity="error",
                    because="the conditions admit nothing, so that the theorem speaks of no run",
                )


def _each_binds(condition: Condition, of: type) -> Sequence[Any]:
    """The clauses, where every one of them is asked: below the smallest, above the largest, or there is only one."""
    return condition.clauses if condition.of is of or len(condition.clauses) == 1 else ()


def _never(least: Any, most: Any, above: str, below: str) -> bool:
    """Whether no number is above the one and below the other."""
    difference = sympy.simplify(least - most)
    ends_count = above == ">=" and below == "<="
    return bool(difference.is_positive or (difference.is_zero and not ends_count))


def _moved(corollary: Corollary, name: str, piece: Inside) -> Finding:
    scaling, off = corollary.scalings[name], piece.off[name]
    return Finding(
        place=f"{corollary.id}.{name}",
        kind="consistency",
        printed=f"{name} = {scaling}",
        fits=f"{name} = {scaling.kind}({piece.moved[name]})",
        severity="warning" if piece.only_logs(off) else "error",
        because=f"{corollary.theorem}.condition.{name} asks for a value that is {_factor(piece.cone, off)}",
    )


def on_expressions(paper: Paper, corollary: Corollary, piece: Inside) -> Iterator[Finding]:
    """Conditions on an expression, such as eta L p^3 <= 1/8: no single symbol can be moved."""
    for key, condition in paper.the(Theorem, corollary.theorem).conditions.items():
        if condition.left.is_Symbol or condition.relation not in ("<=", "<"):
            continue
        limit = smallest(condition, piece.scaled)
        for off in piece.scaled.growth(condition.left).excess(limit):
            scaled_names = sorted(names_of(condition.left) & set(corollary.scalings))
            yield Finding(
                place=f"{corollary.id}.{scaled_names[0] if scaled_names else 'rate'}",
                kind="consistency",
                printed=", ".join(f"{name} = {corollary.scalings[name]}" for name in scaled_names),
                fits=f"{condition.left} = O({limit})",
                severity="warning" if piece.only_logs(off) else "error",
                because=f"{corollary.theorem}.condition.{key} asks for a value that is {_factor(piece.cone, off)}",
            )


def _factor(cone: Cone, off: Monomial) -> str:
    return f"smaller by {off}" if not cone.bounded(off) else f"larger by {off**-1}"
