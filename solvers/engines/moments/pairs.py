"""The covariance of an estimate, pair by pair of the forms that it is made of (pair_rules.py).

With X = E[z z'] over the point,

    cov(M f, g) = M cov(f, g),    cov(e f, e g) = cov(f, g) + L_f X L_g',    cov(e f, g) = 0 without e in g

For the Neumann sum with its running product this is a recursion over (last term, sum) with Q steps, not a sum over 2^Q
outcomes. There is no subtraction, so a small covariance beside a large mean keeps all its digits.

Forwards the rules give the covariance for one X. Backwards, by <A, M V> = <M' A, V> and <A, L X L'> = <L' A L, X>, they
give one entry of it as a function of X: an estimate has fewer entries than a point has moments.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import doubles, identity_like, like, nothing_like, summed
from ratecert.solvers.engines.moments.forms import Form
from ratecert.solvers.engines.moments.packing import packing
from ratecert.solvers.engines.moments.pair_rules import Pair, Place, Rule, outline, rules_of

Array = NDArray[Any]  # of doubles, balls or rationals
Centre = tuple[float, ...]  # of the arguments; () is the origin


@dataclass(frozen=True)
class Plan:
    """Rules, and the numbers of the forms that they speak of."""

    rules: tuple[Rule, ...]
    factors: Mapping[Place, Any]  # matrices of products, numbers of sums
    squares: Mapping[int, Array]  # L of what a sign multiplies
    variances: Mapping[int, Any]  # of additive noise
    many: tuple[int, ...] = ()  # of how many estimators, where matrices are stacked

    def at(self, centre: Centre, rounded: bool) -> "Plan":
        """The same for deviations from a centre, in doubles if so wanted: all squares by one product."""
        squares = self.squares
        if squares and (centre or rounded):
            stacked = at_centre(np.vstack(list(squares.values())), centre)
            ends = np.cumsum([len(L) for L in squares.values()])[:-1]
            moved = np.split(doubles(stacked) if rounded else stacked, ends)
            squares = dict(zip(squares, moved, strict=True))
        factors, variances = self._in_doubles if rounded else (self.factors, self.variances)
        return Plan(self.rules, factors, squares, variances)

    @cached_property
    def _in_doubles(self) -> tuple[dict[Place, Any], dict[int, Any]]:
        """Factors and variances, which are the same for all centres."""
        return _rounded(self.factors), _rounded(self.variances)


def plan_of(forms: Sequence[Form], result: int) -> Plan:
    """For the covariance of the result."""
    rules = rules_of(tuple(map(outline, forms)), result)
    factors = {(form, part): forms[form].factors[part][0] for form, part in rules.factors}
    squares = {form: forms[form].mean for form in rules.squares}
    variances = {form: forms[form].scale * forms[form].scale for form in rules.noises}
    return Plan(rules.each, factors, squares, variances)


def together(plans: Sequence[Plan]) -> Plan | None:
    """Plans in doubles as one, for tables of all; None where they are not made alike."""
    first = plans[0]
    if any(plan.rules != first.rules for plan in plans):
        return None
    matrices = {place for place, factor in first.factors.items() if isinstance(factor, np.ndarray)}
    numbers = {place: factor for place, factor in first.factors.items() if place not in matrices}
    if any(plan.factors[place] != c for plan in plans for place, c in numbers.items()):
        return None
    own = {place: [plan.factors[place] for plan in plans] for place in matrices}
    same = {place: tuple(map(id, each)) for place, each in own.items()}
    once = {same[place]: each for place, each in own.items()}  # a series has one matrix at many places
    stacks = {key: _stacked(each) for key, each in once.items()}
    stacked = {place: stacks[key] for place, key in same.items()}
    squares = {i: _stacked([plan.squares[i] for plan in plans]) for i in first.squares}
    variances = {i: np.array([[plan.variances[i]] for plan in plans]) for i in first.variances}
    return Plan(first.rules, {**numbers, **stacked}, squares, variances, (len(plans),))


def _stacked(matrices: Sequence[Array]) -> Array:
    """(estimators, 1, rows, columns): between them stands what a table runs over."""
    return np.stack(matrices)[:, None]


def covariance(plan: Plan, X: Array, parity: int = 1) -> Array:
    """Of the result, for X or a stack of them, X' = parity X; then cov(g, f) = parity cov(f, g)'."""
    value: dict[Pair, Array] = {}
    for rule in plan.rules:
        parts: list[Array] = []
        for term in rule.terms:
            other = value[term.pair]
            if term.transposed:
                other = _times(parity, np.swapaxes(other, -1, -2))
            parts.append(other if term.factor is None else _times(plan.factors[term.factor], other))
        if rule.square is not None:
            L = plan.squares[rule.square]
            parts.append(L @ X @ L.T)
        if rule.noise is not None:
            variance = plan.variances[rule.noise]
            parts.append(X[..., -1:, -1:] * (variance * identity_like(X, rule.shape[0])))
        value[rule.pair] = summed(parts) if parts else np.zeros_like(X, shape=(*X.shape[:-2], *rule.shape))
    return value[plan.rules[-1].pair]


def table(plan: Plan, pattern: Array, n: int) -> Array:
    """The covariance as a matrix on packed X = E[z z'], z with n entries; the pattern is of the plan's numbers.

    Of a plan for many, a stack of them.
    """
    result = plan.rules[-1]
    into, out = packing(n), packing(result.shape[0])
    found = nothing_like(pattern, *plan.many, out.size, into.size)
    at_squares: list[Array] = []
    functionals: dict[Pair, list[Array]] = defaultdict(list)
    functionals[result.pair] = [like(out.matrix_of(np.eye(out.size)), pattern)]
    for rule in reversed(plan.rules):
        if not (own := functionals.pop(rule.pair, None)):
            continue
        A = summed(own)
        for term in rule.terms:
            through = A if term.factor is None else _times(_turned(plan.factors[term.factor]), A)
            functionals[term.pair].append(np.swapaxes(through, -1, -2) if term.transposed else through)
        if rule.square is not None:
            L = plan.squares[rule.square]
            at_squares.append(_turned(L) @ A @ L)
        if rule.noise is not None:
            found[..., -1] = found[..., -1] + plan.variances[rule.noise] * np.trace(A, axis1=-2, axis2=-1)
    if at_squares:
        W = summed(at_squares)
        found = found + into.weights((W + np.swapaxes(W, -1, -2)) / 2)
    made: Array = np.swapaxes(found, -1, -2)
    return made


def _times(M: Any, V: Array) -> Array:
    if isinstance(M, np.ndarray):
        product: Array = M @ V
        return product
    return V if isinstance(M, int) and M == 1 else M * V


def _turned(M: Any) -> Any:
    return np.swapaxes(M, -1, -2) if isinstance(M, np.ndarray) else M


def at_centre(L: Array, centre: Centre) -> Array:
    """L on (arguments, 1) as a matrix on (arguments - centre, 1)."""
    if not centre:
        return L
    return np.column_stack([L[:, :-1], L[:, :-1] @ like(np.array(centre), L) + L[:, -1]])


def _rounded(numbers: Mapping[Any, Any]) -> dict[Any, Any]:
    """Matrices and numbers in doubles, each once: the factors of a series are one matrix, again and again."""
    each = {id(n): n for n in numbers.values()}
    rounded = {key: doubles(n) if isinstance(n, np.ndarray) else float(n) for key, n in each.items()}
    return {key: rounded[id(n)] for key, n in numbers.items()}
