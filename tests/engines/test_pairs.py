"""Covariances of an estimate by rules on pairs: forwards for one X, backwards for all X, in exact fractions."""

from dataclasses import replace

import numpy as np
import pytest

import ratecert as rc
from ratecert.arithmetic.arrays import Rationals
from ratecert.solvers import StochasticNeumann
from ratecert.solvers.engines.moments import pairs
from ratecert.solvers.engines.moments.forms import Book
from ratecert.solvers.engines.moments.packing import packing

WORLD = rc.worlds.random_quadratic(d_x=2, d_y=3, sigma_H=0.2, sigma_J=0.3, s_f=0.1, s_g=0.2, seed=3)
N = 6  # entries of (x, y, 1)


def plan(Q: int) -> pairs.Plan:
    estimator = StochasticNeumann(theta=0.25, Q=Q)
    book = Book((2, 3), (), Rationals)
    out = estimator.evaluate(WORLD, estimator.sample(WORLD, book), *book.point)
    return pairs.plan_of(book.forms, book.vector(out).number)


def forwards(own: pairs.Plan) -> Rationals:
    made: Rationals = packing(2).pack(pairs.covariance(own, Rationals.of(packing(N).basis)))
    return made


@pytest.mark.parametrize("Q", [0, 1, 4])
def test_a_table_is_the_covariance_of_every_moment(Q: int) -> None:
    own = plan(Q)
    assert (pairs.table(own, Rationals.zeros(1), N) == forwards(own)).all()


def test_every_rule_counts() -> None:
    """Without one of the squares, and with one of the matrices twice as large, the two differ."""
    own = plan(2)
    whole = forwards(own)
    i, rule = next((i, rule) for i, rule in enumerate(own.rules) if rule.square is not None)
    without = replace(own, rules=(*own.rules[:i], replace(rule, square=None), *own.rules[i + 1 :]))
    assert (pairs.table(without, Rationals.zeros(1), N) != whole).any()
    place, M = next((place, M) for place, M in own.factors.items() if isinstance(M, np.ndarray))
    larger = replace(own, factors={**own.factors, place: 2 * M})
    assert (pairs.table(larger, Rationals.zeros(1), N) != whole).any()


def test_rules_are_made_once_for_an_estimator() -> None:
    """Whatever the numbers; another number of samples has others."""
    assert plan(2).rules is plan(2).rules
    assert plan(2).rules != plan(3).rules
