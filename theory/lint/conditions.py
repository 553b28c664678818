"""Rule: consistency of scalings with conditions. What a corollary sets satisfies its theorem's conditions, in order."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import sympy

from ratecert.theory.language.letters import letter, names_of
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Condition, Corollary, Theorem
from ratecert.theory.lint.derivable import derivable
from ratecert.theory.lint.finding import Finding
from ratecert.theory.orders.inside import Inside, inside, smallest
from ratecert.theory.orders.monomials import Cone, Monomial


def lint_conditions(paper: Paper) -> list[Finding]:
    order = _in_order(paper)
    findings = [f for theorem in paper.of_kind(Theorem) for f in _empty(theorem, order)]
    for corollary in derivable(paper):
        for piece in inside(paper, corollary):
            findings += [_moved(corollary, name, piece) for name in piece.moved]
            findings += on_expressions(paper, corollary, piece)
    return findings


def _empty(theorem: Theorem, order: Mapping[Any, Any]) -> Iterator[Finding]:
    """Two conditions that no number meets, or one that the order of the constants excludes: mu > L.

    left/clause is at least 1 of the one, and at most 1 of the other; where their ratio is below 1 whatever the letters
    are, which all are positive, nothing is inside. Nothing is below a number that is not positive, either.
    """
    asked = [
        (key, each, clause, each.left / clause)
        for key, each in theorem.conditions.items()
        for clause in _each_binds(each, sympy.Max if each.relation in (">=", ">") else sympy.Min)
    ]
    lower = [each for each in asked if each[1].relation in (">=", ">")]
    for key, upper, clause, most in (each for each in asked if each[1].relation in ("<=", "<")):
        above = [
            _above(each.left, other, upper.left)
            for _, each, other, least in lower
            if clause.is_positive and _never(least / most, each.relation, upper.relation, order)
        ]
        if above or clause.is_nonpositive or _never(1 / most, ">=", upper.relation, order):
            yield _nothing(theorem, key, upper, clause, f"a right side above {above[0] if above else 0}")
        elif any(clause.is_positive and _never(each[3] / most, ">", "<", order) for each in lower):
            yield _nothing(theorem, key, upper, clause, f"{upper.left} = {clause}", note=True)
    for key, each, clause, least in lower:
        if _never(least, each.relation, "<=", order):
            yield _nothing(theorem, key, each, clause, f"a right side below {each.left}")


def _above(left: Any, clause: Any, upper: Any) -> Any:
    """What a lower condition says of the left side of the upper one."""
    return clause if left == upper else f"where {left} is {clause}"


def _nothing(
    theorem: Theorem, key: str, condition: Condition, clause: Any, fits: str, *, note: bool = False
) -> Finding:
    return Finding(
        place=f"{theorem.id}.condition.{key}",
        kind="consistency",
        printed=f"{condition.left} {condition.relation} {clause}",
        fits=fits,
        severity="note" if note else "error",
        because="with another condition it leaves equality alone"
        if note
        else "the conditions admit nothing, so that the theorem speaks of no run",
    )


def _each_binds(condition: Condition, of: type) -> Sequence[Any]:
    """The clauses, where every one of them is asked: below the smallest, above the largest, or there is only one."""
    return condition.clauses if condition.of is of or len(condition.clauses) == 1 else ()


def _never(ratio: Any, above: str, below: str, order: Mapping[Any, Any]) -> bool:
    """Whether a ratio is below 1, as no ratio of a number above the one end and below the other is."""
    difference = sympy.factor(sympy.simplify((1 - ratio).subs(order, simultaneous=True)))
    ends_count = above == ">=" and below == "<="
    return bool(difference.is_positive or (difference.is_nonnegative and not ends_count))


AT_MOST = (  # meanings of constants, each at most the next one
    "strong convexity",
    "Lipschitz constant of the gradient",
    "Lipschitz constant of every term's gradient",
)


def _in_order(paper: Paper) -> dict[Any, Any]:
    """Constant -> a smaller one and what it may have more."""
    by_meaning = {symbol.meaning: letter(name) for name, symbol in paper.notation.items()}
    known = [by_meaning[meaning] for meaning in AT_MOST if meaning in by_meaning]
    found = dict[Any, Any]()
    for less, more in pairwise(known):
        found[more] = found.get(less, less) + sympy.Dummy(nonnegative=True)
    return found


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
