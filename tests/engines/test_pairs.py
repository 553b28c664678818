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


def rules(Q: int) -> list[pairs.Rule]:
    estimator = StochasticNeumann(theta=0.25, Q=Q)
    book = Book((2, 3), (), Rationals)
    out = estimator.evaluate(WORLD, estimator.sample(WORLD, book), *book.point)
    return pairs.rules_of(book.forms, book.vector(out).number)


def forwards(own: list[pairs.Rule]) -> Rationals:
    made: Rationals = packing(2).pack(pairs.covariance(own, Rationals.of(packing(N).basis)))
    return made


@pytest.mark.parametrize("Q", [0, 1, 4])
def test_a_table_is_the_covariance_of_every_moment(Q: int) -> None:
    own = rules(Q)
    assert (pairs.table(own, Rationals.zeros(1), N) == forwards(own)).all()


def test_every_rule_counts() -> None:
    """Without one of the squares, and with one of the matrices twice as large, the two differ."""
    own = rules(2)
    whole = forwards(own)
    i = next(i for i, rule in enumerate(own) if rule.square is not None)
    without = [*own[:i], replace(own[i], square=None), *own[i + 1 :]]
    assert (pairs.table(without, Rationals.zeros(1), N) != whole).any()
    j = next(j for j, rule in enumerate(own) if rule.terms and isinstance(rule.terms[0].M, np.ndarray))
    larger = replace(own[j], terms=(replace(own[j].terms[0], M=2 * own[j].terms[0].M),))
    assert (pairs.table([*own[:j], larger, *own[j + 1 :]], Rationals.zeros(1), N) != whole).any()
