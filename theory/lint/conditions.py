"""Rule: consistency of scalings with conditions. What a corollary sets satisfies its theorem's conditions, in order.

Symbols that a condition fixes by an equation and the corollary does not scale (w_t) take their order from it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from theory.derivation import cone_of, in_pieces, keeps_logs, scale
from theory.growth import Scaled
from theory.letters import names_of
from theory.lint.derivable import derivable
from theory.lint.finding import Finding
from theory.monomials import Cone
from theory.paper import Paper
from theory.statements import Condition, Corollary, Theorem


def lint_conditions(paper: Paper) -> list[Finding]:
    return [finding for corollary in derivable(paper) for finding in _conditions(paper, corollary)]


def _conditions(paper: Paper, corollary: Corollary) -> Iterator[Finding]:
    conditions = {c.name: c for c in paper.the(Theorem, corollary.theorem).conditions.values()}

    def on(piece: Cone) -> list[Finding]:
        scaled = _with_equations(scale(paper, corollary, piece), conditions)
        set_here = ((name, c) for name, c in conditions.items() if name in corollary.scalings)
        return [finding for name, c in set_here for finding in _condition(corollary, name, c, scaled)]

    for findings in in_pieces(cone_of(paper, corollary), on):
        yield from findings


def _with_equations(scaled: Scaled, conditions: Mapping[str, Condition]) -> Scaled:
    """The orders of what equations define, each after those it is made of."""
    pending = {n: c for n, c in conditions.items() if c.relation == "=" and n not in scaled.symbols}
    while pending:
        name = next(n for n, c in pending.items() if not names_of(c.right) & (pending.keys() - {n}))
        growth = scaled.growth(pending.pop(name).right)
        scaled = replace(scaled, symbols={**scaled.symbols, name: growth})
    return scaled


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
    if excess and (powers or keeps_logs(corollary)):
        yield Finding(
            place=f"{corollary.id}.{name}",
            kind="consistency",
            printed=f"{name} = {corollary.scalings[name]}",
            fits=f"{name} = {corollary.scalings[name].kind}({smallest})",
            severity="error" if powers else "warning",
            because=f"{corollary.theorem}.condition.{name} is missed by {max(powers or excess, key=lambda m: m.log)}",
        )
