"""A corollary's scalings moved inside its theorem's conditions, in order.

Where a scaling exceeds a condition (rho independent of T, while the condition falls with L_hat and so with log T), the
theorem says nothing. The largest order that it does admit is taken instead. One move can ask for another (rho_1 is
bounded by rho_2), so moves are repeated until nothing moves. Symbols that an equation fixes and the corollary does not
scale (w_t) take their order from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from ratecert.theory.language.letters import names_of
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Condition, Corollary, Theorem
from ratecert.theory.orders.derivation import cone_of, forgives_logs, in_pieces, scale
from ratecert.theory.orders.growth import Growth, Scaled
from ratecert.theory.orders.monomials import Cone, Monomial

Conditions = Mapping[str, Condition]  # by the symbol, or the expression, on their left


@dataclass(frozen=True)
class Inside:
    """On this cone: the orders moved to, and by which factor each scaling was off (above 1: too large)."""

    cone: Cone
    moved: Mapping[str, Monomial]
    off: Mapping[str, Monomial]
    scaled: Scaled

    @property
    def moved_by_logs(self) -> dict[str, Monomial]:
        """Those of the right powers: a scaling that is off by a power is wrong, not in need of a logarithm."""
        return {n: order for n, order in self.moved.items() if self.only_logs(self.off[n])}

    def only_logs(self, off: Monomial) -> bool:
        powers = off.without_log()
        return self.cone.bounded(powers) and self.cone.bounded(powers**-1)


def inside(paper: Paper, corollary: Corollary) -> tuple[Inside, ...]:
    theorem = paper.the(Theorem, corollary.theorem)
    conditions = {c.name: c for c in theorem.conditions.values()} | theorem.prescribed

    def on(cone: Cone) -> Inside:
        scaled = _with_equations(scale(paper, corollary, cone), conditions)
        moved: dict[str, Monomial] = {}
        off: dict[str, Monomial] = {}
        for _ in conditions:  # each round settles at least one symbol
            found = {n: o for n, c in conditions.items() for o in _misses(corollary, n, c, scaled)}
            here = {n: o for n, o in found.items() if n in corollary.scalings}
            if not here:
                break
            for name, ratio in here.items():
                order = scaled.symbols[name].dominating() / ratio
                moved[name], off[name] = order, off[name] * ratio if name in off else ratio
                scaled = replace(scaled, symbols={**scaled.symbols, name: Growth(cone, (order,))})
        return Inside(cone, moved, off, scaled)

    return in_pieces(cone_of(paper, corollary), on)


def _misses(corollary: Corollary, name: str, condition: Condition, scaled: Scaled) -> list[Monomial]:
    """By which factor the left side is too large (or, of an equation, too small); empty if it is not."""
    if condition.relation in (">", ">="):
        return []
    ratio = scaled.growth(condition.left).dominating() / smallest(condition, scaled).dominating()
    if name in corollary.scalings and forgives_logs(corollary.scalings[name]):
        ratio = ratio.without_log()
    fits = scaled.cone.bounded(ratio)
    if condition.relation == "=":
        fits = fits and scaled.cone.bounded(ratio**-1)
    return [] if fits else [ratio]


def smallest(condition: Condition, scaled: Scaled) -> Growth:
    """The order of the smallest clause (the largest, where the condition says so)."""
    if len(condition.clauses) == 1:
        return scaled.growth(condition.clauses[0])
    if condition.of.__name__ == "Max":
        return scaled.growth(condition.right)
    first, *rest = (scaled.growth(clause) ** Fraction(-1) for clause in condition.clauses)
    for other in rest:
        first = first + other
    return first ** Fraction(-1)


def _with_equations(scaled: Scaled, conditions: Conditions) -> Scaled:
    """The orders of what equations define, each after those it is made of."""
    pending = {n: c for n, c in conditions.items() if c.relation == "=" and n not in scaled.symbols}
    while pending:
        name = next(n for n, c in pending.items() if not names_of(c.right) & (pending.keys() - {n}))
        growth = scaled.growth(pending.pop(name).right)
        scaled = replace(scaled, symbols={**scaled.symbols, name: growth})
    return scaled
