"""Signs: a pure function of (seed, replicate, device, t, label, member, index), fair and uncorrelated."""

import numpy as np
import pytest

from ratecert.solvers.engines.sampling.noise import WORD, Hashed


def signs(
    n: int, *, seed: int = 0, first: int = 0, replicates: int = 64, K: int = 1, t: int = 0, **kw: object
):
    label, member = kw.pop("label", "xi_hat"), kw.pop("member", 0)
    noise = Hashed(seed=seed, first=first, replicates=replicates, K=K, **kw)
    return noise.reader(t, label, member, 0).signs(n).reshape(n, K, replicates)


@pytest.mark.smoke
def test_only_plus_and_minus_one() -> None:
    assert set(np.unique(signs(50, K=3))) == {-1.0, 1.0}


@pytest.mark.parametrize("cut", [1, 3, 7, 8, 13, 63, 64, 65, 100])
def test_a_draw_does_not_depend_on_the_tile(cut: int) -> None:
    whole = signs(5, replicates=200, K=3, t=7)
    parts = [signs(5, first=a, replicates=min(cut, 200 - a), K=3, t=7) for a in range(0, 200, cut)]
    np.testing.assert_array_equal(np.concatenate(parts, axis=2), whole)


def test_a_draw_does_not_depend_on_the_number_of_devices() -> None:
    np.testing.assert_array_equal(signs(9, K=5)[:, :2], signs(9, K=2))


@pytest.mark.parametrize("ahead", [0, 1, 4, 9, 100])
def test_reading_ahead_changes_nothing(ahead: int) -> None:
    noise = Hashed(seed=3, first=0, replicates=10, K=2)
    reader, plain = noise.reader(1, "zeta", 0, ahead), noise.reader(1, "zeta", 0, 0)
    for n in (2, 0, 3, 4):
        np.testing.assert_array_equal(reader.signs(n), plain.signs(n))
    assert reader.used == plain.used == 9


@pytest.mark.parametrize(
    "other",
    [{"seed": 1}, {"t": 1}, {"label": "zeta"}, {"member": 1}, {"first": WORD}],
    ids=lambda o: next(iter(o)),
)
def test_every_argument_matters(other: dict) -> None:
    """Two independent tables of 4096 signs agree in about half of the places, to 10 standard deviations."""
    agreement = float(np.mean(signs(64) == signs(64, **other)))
    assert abs(agreement - 0.5) < 10 * 0.5 / np.sqrt(4096)


def test_devices_differ_unless_they_share() -> None:
    own, shared = signs(64, K=2), signs(64, K=2, shared=True)
    assert abs(np.mean(own[:, 0] == own[:, 1]) - 0.5) < 10 * 0.5 / np.sqrt(4096)
    np.testing.assert_array_equal(shared[:, 0], shared[:, 1])
    np.testing.assert_array_equal(shared[:, 0], own[:, 0])


def sources() -> np.ndarray:
    """Rows of 2^18 signs that a run would use together: indices, times, labels, devices, seeds."""
    n = 1 << 18
    rows = [
        signs(6, replicates=n, t=t, label=label)[:, 0] for t in (0, 1, 2**40) for label in ("xi_hat", "zeta")
    ]
    rows += [signs(1, replicates=n, K=4)[0, 1:], signs(2, replicates=n, seed=1)[:, 0]]
    return np.concatenate(rows)


def test_signs_are_fair_and_pairwise_and_serially_uncorrelated() -> None:
    """Under fairness each scaled sum is standard normal; with m of them the largest exceeds
    sqrt(2 log(2 m / 1e-6)) with probability at most 1e-6 for each of the three families."""
    rows = sources()
    n = rows.shape[1]
    means = rows.sum(axis=1) / np.sqrt(n)
    pairs = (rows @ rows.T)[np.triu_indices(len(rows), 1)] / np.sqrt(n)
    lags = np.concatenate(
        [(rows[:, k:] * rows[:, :-k]).sum(axis=1) for k in (1, 2, 8, 32, 63, 64, 128)]
    ) / np.sqrt(n)
    for family in (means, pairs, lags):
        assert np.abs(family).max() < np.sqrt(2 * np.log(2 * len(family) / 1e-6))
