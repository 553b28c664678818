"""Norms of Q M^i G for every i < p, by blocks: never below the truth, and hardly above it."""

import numpy as np
import pytest

from ratecert.arithmetic.arrays import Balls
from ratecert.arithmetic.exact import working_precision
from ratecert.solvers.engines.certificates.long_rounds import ONE_BY_ONE, LongRound

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
