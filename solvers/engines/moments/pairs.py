"""The covariance of an estimate, pair by pair of the forms that it is made of.

With X = E[z z'] over the point,

    cov(M f, g) = M cov(f, g),    cov(e f, e g) = cov(f, g) + L_f X L_g',    cov(e f, g) = 0 without e in g

so everything follows from pairs of vectors, each pair once: for the Neumann sum with its running product this is a
recursion over (last term, sum) with Q steps, not a sum over 2^Q outcomes. There is no subtraction, so a small
covariance beside a large mean keeps all its digits.

Forwards the rules give the covariance for one X. Backwards, by <A, M V> = <M' A, V> and <A, L X L'> = <L' A L, X>, they
give one entry of it as a function of X: an estimate has fewer entries than a point has moments.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.arithmetic.arrays import doubles, identity_like, like, nothing_like, summed
from ratecert.errors import NotAffineError
from ratecert.solvers.engines.moments.forms import Form
from ratecert.solvers.engines.moments.packing import packing

Array = NDArray[Any]  # of doubles, balls or rationals
Centre = tuple[float, ...]  # of the arguments; () is the origin
Pair = tuple[int, int]


@dataclass(frozen=True)
class Term:
    """cov(pair) gets M @ cov(other pair), transposed first if so marked."""

    M: Any
    pair: Pair
    transposed: bool


@dataclass(frozen=True)
class Rule:
    """The covariance of one pair: a sum of terms, and what a sign of its own adds."""

    pair: Pair
    shape: tuple[int, int]
    terms: tuple[Term, ...] = ()
    square: Array | None = None  # L of a sign times L z: L X L'
    noise: Any = None  # the variance of additive noise with independent components

    def at(self, centre: Centre, rounded: bool) -> "Rule":
        """The same for deviations from a centre, in doubles if so wanted."""
        square = None if self.square is None else at_centre(self.square, centre)
        if not rounded:
            return replace(self, square=square)
        return replace(
            self,
            terms=tuple(replace(term, M=_rounded(term.M)) for term in self.terms),
            square=_rounded(square),
            noise=_rounded(self.noise),
        )


def rules_of(forms: Sequence[Form], result: int) -> list[Rule]:
    """The pairs that the covariance of the result needs, in an order in which each finds its parts done."""
    rules: dict[Pair, Rule] = {}
    wanted = [(result, result)]
    while wanted:
        pair = wanted.pop()
        if pair not in rules:
            rules[pair] = _rule(forms[pair[0]], forms[pair[1]])
            wanted.extend(term.pair for term in rules[pair].terms)
    return [rules[pair] for pair in sorted(rules)]


def _rule(f: Form, g: Form) -> Rule:
    """Of forms i >= j, from earlier pairs; the later one is taken apart, because the earlier cannot contain it."""
    pair, shape = (f.number, g.number), (len(f.mean), len(g.mean))
    if f.kind == "input" or not f.bits & g.bits:
        return Rule(pair, shape)
    if f.kind == "product":
        _, M, inner = f.parts
        return Rule(pair, shape, (_term(M, inner, g),))
    if f.kind == "sum":
        return Rule(pair, shape, tuple(_term(c, inner, g) for c, inner in f.parts[1:]))
    own_bits = {f.parts[1]} if f.kind == "signed" else set(f.parts[1])
    if not own_bits & g.bits:
        return Rule(pair, shape)
    if f is not g:
        raise NotAffineError("a sample is used in two places of one estimate; its moments do not close here.")
    if f.kind == "noise":
        _, _, scale = f.parts
        return Rule(pair, shape, noise=scale * scale)
    _, _, inner = f.parts
    return Rule(pair, shape, (_term(1, inner, inner),), inner.mean)


def _term(M: Any, f: Form, g: Form) -> Term:
    i, j = f.number, g.number
    return Term(M, (i, j), False) if i >= j else Term(M, (j, i), True)


def covariance(rules: Sequence[Rule], X: Array, parity: int = 1) -> Array:
    """Of the result, for X or a stack of them, X' = parity X; then cov(g, f) = parity cov(f, g)'."""
    value: dict[Pair, Array] = {}
    for rule in rules:
        parts: list[Array] = []
        for term in rule.terms:
            other = value[term.pair]
            if term.transposed:
                other = _times(parity, np.swapaxes(other, -1, -2))
            parts.append(_times(term.M, other))
        if rule.square is not None:
            parts.append(rule.square @ X @ rule.square.T)
        if rule.noise is not None:
            parts.append(X[..., -1:, -1:] * (rule.noise * identity_like(X, rule.shape[0])))
        value[rule.pair] = summed(parts) if parts else np.zeros_like(X, shape=(*X.shape[:-2], *rule.shape))
    return value[rules[-1].pair]


def table(rules: Sequence[Rule], pattern: Array, n: int) -> Array:
    """The covariance as a matrix on packed X = E[z z'], z with n entries; the pattern is of the rules' numbers."""
    into, out = packing(n), packing(rules[-1].shape[0])
    found = nothing_like(pattern, out.size, into.size)
    functionals: dict[Pair, list[Array]] = defaultdict(list)
    functionals[rules[-1].pair] = [like(out.matrix_of(np.eye(out.size)), pattern)]
    for rule in reversed(rules):
        if not (own := functionals.pop(rule.pair, None)):
            continue
        A = summed(own)
        for term in rule.terms:
            M = term.M.T if isinstance(term.M, np.ndarray) else term.M
            through = _times(M, A)
            functionals[term.pair].append(np.swapaxes(through, -1, -2) if term.transposed else through)
        if rule.square is not None:
            W = rule.square.T @ A @ rule.square
            found = found + into.weights((W + np.swapaxes(W, -1, -2)) / 2)
        if rule.noise is not None:
            found[:, -1] = found[:, -1] + rule.noise * np.trace(A, axis1=1, axis2=2)
    made: Array = found.T
    return made


def _times(M: Any, V: Array) -> Array:
    if isinstance(M, np.ndarray):
        product: Array = M @ V
        return product
    return V if isinstance(M, int) and M == 1 else M * V


def at_centre(L: Array, centre: Centre) -> Array:
    """L on (arguments, 1) as a matrix on (arguments - centre, 1)."""
    if not centre:
        return L
    return np.column_stack([L[:, :-1], L[:, :-1] @ like(np.array(centre), L) + L[:, -1]])


def _rounded(value: Any) -> Any:
    """A matrix or a number in doubles."""
    if value is None:
        return None
    return doubles(value) if isinstance(value, np.ndarray) else float(value)
