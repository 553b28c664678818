"""A corollary derived from its theorem: put the scalings into every term and take the orders on the corollary's cone.

The limit is T -> infinity, or eps -> 0 with T one of the scalings, jointly with K inside the cone: the window the
corollary states, and every scaled whole number (p, B, T) at least its least value. Logarithms are kept: Q = O(log .)
enters L_hat and G. `vanishing` names constants that are zero, such as L_21 and L_22 on quadratic problems.

Where a scaling exceeds a condition (rho independent of T, while the condition falls with L_hat and so with log T), the
theorem says nothing. `inside` takes the largest order that it does admit instead. One move can ask for another (rho_1
is bounded by rho_2), so moves are repeated until nothing moves. Symbols that an equation fixes and the corollary does
not scale (w_t) take their order from it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeVar

import sympy

from ratecert.base.errors import EmptyConeError, UnderivableError
from ratecert.base.validation import require_type
from ratecert.theory.notation import names_of
from ratecert.theory.orders.growth import Growth, Scaled, TieError
from ratecert.theory.orders.monomials import LOG, ONE, Cone, Monomial, as_fraction
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Condition, Corollary, Scaling, Theorem

R = TypeVar("R")
UP_TO_LOGS = "O~"


@dataclass(frozen=True)
class Derived:
    """The orders of a theorem's terms on one piece of the corollary's cone."""

    cone: Cone
    terms: Mapping[str, Growth]

    @property
    def total(self) -> Growth:
        return Growth.of(self.cone, *(m for growth in self.terms.values() for m in growth.monomials))

    def over(self, claim: Monomial, *, logs: bool = True) -> dict[str, Monomial]:
        """term -> an unbounded ratio to the claim, the worst by its logarithm; without `logs` they are ignored."""
        result = {}
        for name, growth in self.terms.items():
            ratios = [m / claim if logs else (m / claim).without_log() for m in growth.monomials]
            unbounded = [r for r in ratios if not self.cone.bounded(r)]
            if unbounded:
                result[name] = max(unbounded, key=lambda r: (self.cone.slopes(r), r.log))
        return result


def derive(
    paper: Paper,
    corollary: Corollary,
    *,
    vanishing: Iterable[str] = (),
    instead: Mapping[str, Monomial] | None = None,
    cone: Cone | None = None,
) -> tuple[Derived, ...]:
    """Derive the orders of a theorem's terms from a corollary, on pieces that cover its cone.

    paper       a `Paper` that has the theorem
    corollary   the `Corollary` itself, such as paper["corollary-1"]
    vanishing   names of constants that are zero
    instead     orders in the place of the corollary's scalings, by name
    cone        of the orders of K and T; that of the corollary unless given
    """
    require_type("paper", paper, Paper, "a Paper of rc.statements")
    require_type("corollary", corollary, Corollary, "a Corollary of the paper")
    theorem = paper.the(Theorem, corollary.theorem)

    def on(piece: Cone) -> Derived:
        scaled = scale(paper, corollary, piece, vanishing=vanishing, instead=instead)
        return Derived(piece, {name: scaled.growth(term) for name, term in theorem.terms.items()})

    return in_pieces(cone or cone_of(paper, corollary), on)


def in_pieces(cone: Cone, compute: Callable[[Cone], R]) -> tuple[R, ...]:
    """Compute on the cone; where a divisor has a tie, on both sides of it."""
    try:
        return (compute(cone),)
    except TieError as tie:
        halves = (tie.ratio, tie.ratio**-1)
        return tuple(r for half in halves for r in in_pieces(cone.within(half), compute))


def scale(
    paper: Paper,
    corollary: Corollary,
    cone: Cone,
    *,
    vanishing: Iterable[str] = (),
    instead: Mapping[str, Monomial] | None = None,
) -> Scaled:
    """The growth of every symbol: the free parameters, the scalings, then the constants built from them."""
    monomials = {name: Monomial.of(**{name: 1}) for name in cone.names}
    monomials |= {name: as_monomial(scaling.order) for name, scaling in corollary.scalings.items()}
    monomials |= dict(instead or {})
    symbols = {name: Growth(cone, (m,)) for name, m in monomials.items()}
    symbols |= {name: Growth(cone, ()) for name in vanishing}
    symbols.setdefault("t", symbols["T"])  # the last iterations decide
    scaled = Scaled(cone, symbols, tuple(paper.fractions))
    for name, value in paper.constants.items():
        scaled = replace(scaled, symbols={**scaled.symbols, name: scaled.growth(bound_to(paper, value))})
    return scaled


def bound_to(paper: Paper, expression: Any) -> Any:
    """With the paper's bindings in place of undefined symbols."""
    symbols = {s.name: s for s in expression.free_symbols}
    swaps = {
        symbols[old]: sympy.Symbol(new, positive=True)
        for old, new in paper.bindings.items()
        if old in symbols
    }
    return expression.xreplace(swaps)


def free_parameters(corollary: Corollary) -> tuple[str, ...]:
    return ("K", "eps") if "T" in corollary.scalings else ("K", "T")


def stated_cone(paper: Paper, corollary: Corollary) -> Cone:
    """What the corollary itself says about its parameters: K >= 1, T >= 1 or eps <= 1, and its window.

    A paper about one machine has no K.
    """
    free = [name for name in free_parameters(corollary) if name != "K" or name in paper.notation]
    given = [Monomial.of(**{name: -1 if name == "eps" else 1}) for name in free]
    stated = [as_monomial(relation.gts) / as_monomial(relation.lts) for relation in corollary.window]
    return Cone.where(*given, *stated)


def whole_numbers(paper: Paper, corollary: Corollary) -> dict[str, Monomial]:
    """The scaled symbols that must be at least 1, or more: in order that is the same."""
    counted = {name for name, symbol in paper.notation.items() if symbol.least}
    return {name: as_monomial(s.order) for name, s in corollary.scalings.items() if name in counted}


def cone_of(paper: Paper, corollary: Corollary) -> Cone:
    try:
        return stated_cone(paper, corollary).within(*whole_numbers(paper, corollary).values())
    except EmptyConeError as error:
        raise UnderivableError(f"the scalings of {corollary.id} leave nothing to derive: {error}") from error


def as_monomial(expression: Any) -> Monomial:
    """A product of powers and logarithms as a monomial; a sum only inside a logarithm."""
    match sympy.sympify(expression):
        case sympy.Number():
            return ONE
        case sympy.Symbol(name=name):
            return Monomial.of(**{name: 1})
        case sympy.Mul(args=args):
            product = ONE
            for factor in args:
                product = product * as_monomial(factor)
            return product
        case sympy.Pow(args=(base, exponent)) if exponent.is_Rational:
            return as_monomial(base) ** as_fraction(exponent)
        case sympy.log(args=(argument,)):
            return _logarithm(argument)
    raise UnderivableError(f"{expression} is not a product of powers of K, T, eps and logarithms of them.")


def _logarithm(argument: Any) -> Monomial:
    """LOG where the argument grows or falls as a power of T or eps, whatever K does; log(2) is a constant."""
    orders = [as_monomial(summand) for summand in sympy.Add.make_args(argument)]
    largest = max(orders, key=lambda m: (m.exponent("T"), -m.exponent("eps")))
    if not names_of(argument):
        return ONE
    if largest.exponent("T") or largest.exponent("eps"):
        return LOG
    raise UnderivableError(f"log({argument}) is not of the order of log T or log(1/eps).")


def claimed(scaling: Scaling) -> Monomial:
    """Read the order of growth that a scaling claims."""
    require_type("scaling", scaling, Scaling, "a Scaling of an order")
    return as_monomial(scaling.order)


def forgives_logs(*scalings: Scaling) -> bool:
    return any(scaling.kind == UP_TO_LOGS for scaling in scalings)


def keeps_logs(corollary: Corollary) -> bool:
    """Whether the corollary accounts for its logarithms."""
    return not forgives_logs(corollary.claim, *corollary.scalings.values())


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
