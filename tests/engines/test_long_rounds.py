"""Norms of Q M^i G for every i < p, by blocks: never below the truth, and hardly above it."""

from dataclasses import replace

import numpy as np
import pytest

from ratecert.base.arrays import Balls, doubles
from ratecert.base.exact import working_precision
from ratecert.errors import NoCertificateError
from ratecert.solvers import CubeRoot, LocalBSGVRM, reachable_radius
from ratecert.solvers.engines.certificates import deviations
from ratecert.solvers.engines.certificates.deviations import Round
from ratecert.solvers.engines.certificates.long_rounds import ONE_BY_ONE, LongRound
from ratecert.synthetic import scalar

MOVES = {
    "rests": [[-0.01, 0.0], [0.0, -0.002]],
    "turns": [[-0.004, 0.01], [-0.01, -0.004]],
    "rises before it falls": [[-0.003, 0.05], [0.0, -0.004]],
    "oscillates": [[-1.97, 0.0], [0.3, -0.02]],
    "grows": [[0.001, 0.02], [0.0, -0.1]],
}
Q, G = np.array([[1.0, 0.5]]), np.array([[0.0], [1.0]])


def bounds_and_truth(D: list[list[float]], p: int) -> tuple[np.ndarray, np.ndarray]:
    with working_precision(200):
        found = LongRound(Balls.of(np.array(D)), p).norms(Balls.of(Q), Balls.of(G))
    bounds = np.repeat([float(bound) for bound, _ in found], [s for _, s in found])
    truth, M, P = [], np.eye(2) + D, np.eye(2)
    for _ in range(p):
        truth.append(np.linalg.norm(Q @ P @ G, 2))
        P = M @ P
    return bounds, np.array(truth)


@pytest.mark.parametrize("D", MOVES.values(), ids=MOVES)
@pytest.mark.parametrize("p", [1, ONE_BY_ONE, ONE_BY_ONE + 1, 1000, 1403])
def test_no_power_is_above_its_bound(D: list[list[float]], p: int) -> None:
    bounds, truth = bounds_and_truth(D, p)
    assert len(bounds) == p
    assert (truth <= bounds * (1 + 1e-12)).all()
    assert bounds[:ONE_BY_ONE] == pytest.approx(truth[:ONE_BY_ONE], rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("name", ["rests", "turns", "rises before it falls", "grows"])
def test_the_sum_is_hardly_larger(name: str) -> None:
    bounds, truth = bounds_and_truth(MOVES[name], 1403)
    assert truth.sum() <= bounds.sum() < 1.05 * truth.sum()


def test_a_block_is_not_only_its_first_power() -> None:
    """Where norms rise within blocks, their beginnings alone would be too small."""
    bounds, truth = bounds_and_truth(MOVES["grows"], 1403)
    beginnings = np.concatenate([truth[:ONE_BY_ONE], np.repeat(truth[ONE_BY_ONE::2], 2)])[: len(truth)]
    assert (beginnings < truth * (1 - 1e-9)).any()
    assert (bounds >= truth * (1 - 1e-12)).all()


@pytest.mark.parametrize("p", [2, 9, 30])
def test_varying_steps_of_a_round_at_once(p: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not below what going through them gives, and little above."""
    world = scalar(s_f=0.5, s_g=0.5)
    steps = {"alpha": 50.0, "beta": 50.0, "rho_1": 0.05, "rho_2": 0.5, "theta": 0.2, "Q": 5}
    solver = LocalBSGVRM(eta=CubeRoot(scale=0.01), p=p, **steps)
    through = reachable_radius(world, solver, 4, x0=[1.0], y0=[1.0])
    monkeypatch.setattr(deviations, "LONGEST_ROUND", 1)
    at_once = reachable_radius(world, solver, 4, x0=[1.0], y0=[1.0])
    assert through <= at_once < 1.2 * through


def test_a_round_of_a_million_varying_steps() -> None:
    """Where steps are small there is a radius; devices that may drift apart are refused."""
    world = scalar(s_f=0.5, s_g=0.5)
    steps = {"rho_1": 0.05, "rho_2": 0.5, "theta": 0.2, "Q": 5}
    long = LocalBSGVRM(eta=CubeRoot(scale=1e-8), alpha=1e8, beta=1e8, p=10**6, **steps)
    assert 0 < reachable_radius(world, long, 4, x0=[1.0], y0=[1.0]) < 100
    with pytest.raises(NoCertificateError, match="devices may drift apart in the 1000000 steps"):
        reachable_radius(world, replace(long, eta=CubeRoot(scale=1e-4)), 4, x0=[1.0], y0=[1.0])


@pytest.mark.parametrize("begins_at", [1, 25, 30])
@pytest.mark.parametrize("shrinks", [0.5, 0.999, 1.01])
def test_a_beginning_anywhere_in_a_round_is_not_forgotten(begins_at: int, shrinks: float) -> None:
    """What begins late has had no time to shrink: all steps at once are not below one after the other."""
    with working_precision(200):
        turn = Round.__new__(Round)
        step = Balls.of(np.array([[shrinks, 0.1], [0.0, 0.9]])), Balls.of(np.array([0.1, 0.2]))
        turn.inside, turn.closing = [step], [step]
        turn.period, turn.begins_at, turn.first = 30, begins_at, Balls.of(np.array([10.0, 5.0]))
        size = Balls.of(np.array([0.5, 20.0]))
        *inside, last = (doubles(each) for each in turn.through(size))
        *at_once, end = (doubles(each) for each in turn._at_once(size))
    assert (np.max(inside, axis=0) <= np.max(at_once, axis=0) * (1 + 1e-12)).all()
    assert (last <= end * (1 + 1e-12)).all()
