"""Covariances of an estimate by rules on pairs: forwards for one X, backwards for all X, in exact fractions."""

from dataclasses import replace

import numpy as np
import pytest

import ratecert as rc
from ratecert.base.arrays import Rationals, doubles
from ratecert.base.exact import working_precision
from ratecert.solvers import StochasticNeumann
from ratecert.solvers.engines.moments import pairs
from ratecert.solvers.engines.moments.estimator_moments import EstimatorMoments
from ratecert.solvers.engines.moments.forms import Book
from ratecert.solvers.engines.moments.packing import packing
from ratecert.solvers.engines.moments.pairs import at_centre

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


def on(world: rc.worlds.Quadratic, Q: int = 3) -> EstimatorMoments:
    with working_precision(256):
        return EstimatorMoments(world, StochasticNeumann(theta=0.25, Q=Q), (2, 2))


def noisy(seed: int, **noise: float) -> rc.worlds.Quadratic:
    """A device whose minimiser is far from the origin, so that 53 bits there would not do."""
    kinds = {"sigma_H": 0.2, "sigma_J": 0.3, "s_f": 0.1, "s_g": 0.2, **noise}
    world = rc.worlds.random_quadratic(d_x=2, d_y=2, seed=seed, **kinds)
    return replace(world, b=world.b + 1e6)


CENTRE = (0.5, 0.25, 1e6, 1e6)


def test_tables_of_many_at_once_are_those_of_each() -> None:
    each = [on(noisy(seed)) for seed in range(4)]
    plan = pairs.together([own.plan(CENTRE, True) for own in each])
    assert plan is not None
    made = pairs.table(plan, np.zeros(0), 5)
    with working_precision(256):
        exact = [doubles(pairs.table(own.plan(CENTRE, False), own.mean, 5)) for own in each]
    for table, alone in zip(made, exact, strict=True):
        np.testing.assert_allclose(table, alone, rtol=0, atol=1e-14 * np.abs(alone).max())
    assert not np.allclose(made[0], exact[1], rtol=1e-6)
    early = [own.plan((), True) for own in each]
    moved = [{i: at_centre(L, CENTRE) for i, L in own.squares.items()} for own in early]
    off = pairs.together([replace(p, squares=squares) for p, squares in zip(early, moved, strict=True)])
    assert off is not None
    rounded_too_early = pairs.table(off, np.zeros(0), 5)
    assert np.abs(rounded_too_early - made).max() > 1e-11 * np.abs(made).max()


def test_what_is_not_made_alike_is_not_made_at_once() -> None:
    plain, other_noise = on(noisy(0)).plan((), True), on(noisy(1, sigma_H=0.0)).plan((), True)
    assert pairs.together([plain, other_noise]) is None
    place, number = next((p, c) for p, c in plain.factors.items() if not isinstance(c, np.ndarray) and c != 1)
    assert pairs.together([plain, replace(plain, factors={**plain.factors, place: 2 * number})]) is None
    assert pairs.together([plain, plain]) is not None
