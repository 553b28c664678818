"""Which pairs of forms the covariance of an estimate is made of.

cov(M f, g) = M cov(f, g), cov(e f, e g) = cov(f, g) + L_f X L_g', and cov(e f, g) = 0 without e in g, so everything
follows from pairs of vectors, each pair once. Which ones depends on how the forms are made of one another and on the
signs in them, not on their numbers: a thousand devices with one estimator have their rules once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ratecert.base.errors import NotAffineError
from ratecert.solvers.engines.moments.forms import Form

Pair = tuple[int, int]  # numbers of two forms, the later one first
Place = tuple[int, int]  # of a factor: the number of a form, and which of its parts
KEPT = 64  # estimators


@dataclass(frozen=True, slots=True)
class Term:
    """cov(pair) gets the factor times cov(other pair), transposed first if so marked."""

    factor: Place | None  # a matrix or a number; None is 1
    pair: Pair
    transposed: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """The covariance of one pair: a sum of terms, and what a sign of its own adds."""

    pair: Pair
    shape: tuple[int, int]
    terms: tuple[Term, ...] = ()
    square: int | None = None  # L of this form, which a sign multiplies: L X L'
    noise: int | None = None  # this form is additive noise with independent components


class Outline(NamedTuple):
    """A form without its numbers."""

    kind: str
    d: int
    bits: frozenset[int]
    own: frozenset[int]  # signs that begin here
    inner: tuple[int, ...]  # numbers of the forms that it is made of


class Rules(NamedTuple):
    """For the covariance of one form: in an order in which each rule finds its parts done; and what they speak of."""

    each: tuple[Rule, ...]
    factors: tuple[Place, ...]
    squares: tuple[int, ...]
    noises: tuple[int, ...]


def outline(form: Form) -> Outline:
    return Outline(form.kind, len(form.mean), form.bits, form.own, tuple(f.number for _, f in form.factors))


@lru_cache(KEPT)
def rules_of(forms: Sequence[Outline], result: int) -> Rules:
    """The pairs that the covariance of the result needs."""
    rules: dict[Pair, Rule] = {}
    wanted = [(result, result)]
    while wanted:
        pair = wanted.pop()
        if pair not in rules:
            rules[pair] = _rule(forms, pair)
            wanted.extend(term.pair for term in rules[pair].terms)
    each = tuple(rules[pair] for pair in sorted(rules))
    factors = dict.fromkeys(term.factor for rule in each for term in rule.terms if term.factor is not None)
    squares = dict.fromkeys(rule.square for rule in each if rule.square is not None)
    noises = dict.fromkeys(rule.noise for rule in each if rule.noise is not None)
    return Rules(each, tuple(factors), tuple(squares), tuple(noises))


def _rule(forms: Sequence[Outline], pair: Pair) -> Rule:
    """From earlier pairs; the later form is taken apart, because the earlier cannot contain it."""
    i, j = pair
    f, g = forms[i], forms[j]
    shape = f.d, g.d
    if f.kind == "input" or not f.bits & g.bits:
        return Rule(pair, shape)
    if f.kind in ("product", "sum"):
        return Rule(pair, shape, tuple(_term((i, n), inner, j) for n, inner in enumerate(f.inner)))
    if not f.own & g.bits:
        return Rule(pair, shape)
    if i != j:
        raise NotAffineError("a sample is used in two places of one estimate; its moments do not close here.")
    if f.kind == "noise":
        return Rule(pair, shape, noise=i)
    (inner,) = f.inner
    return Rule(pair, shape, (_term(None, inner, inner),), square=inner)


def _term(factor: Place | None, i: int, j: int) -> Term:
    return Term(factor, (i, j), False) if i >= j else Term(factor, (j, i), True)
