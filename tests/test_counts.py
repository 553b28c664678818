"""Costs per device, against a hand count of the pseudocode."""

import pytest

from solvers import LocalBSGM, LocalBSGVRM
from solvers.counts import Counts, count
from synthetic import random_quadratic

WORLD = random_quadratic(d_x=2, d_y=3, sigma_H=0.1, s_f=0.1, s_g=0.1, seed=0)
SETTING = {"eta": 0.1, "alpha": 1.0, "beta": 1.0, "rho_1": 0.1, "rho_2": 0.1, "theta": 0.1}


@pytest.mark.parametrize("Q", [0, 1, 5])
@pytest.mark.parametrize(("T", "p"), [(1, 1), (1, 4), (8, 4), (10, 4), (11, 1), (3, 7)])
def test_local_bsgm(T: int, p: int, Q: int) -> None:
    """An iteration: one xi, one zeta for grad_xy, Q for the factors, one for v; x, y, u, v sent every p."""
    rounds = T // p
    expected = Counts(
        samples_f=T,
        samples_g=T * (Q + 2),
        hessian_products=T * Q,
        jacobian_products=T,
        rounds=rounds,
        floats_sent=rounds * 2 * (2 + 3),
    )
    assert count(WORLD, LocalBSGM(p=p, Q=Q, **SETTING), T) == expected


@pytest.mark.parametrize("B", [1, 3])
@pytest.mark.parametrize(("T", "p"), [(1, 1), (8, 4), (10, 4)])
@pytest.mark.parametrize("previous", ["local", "averaged"])
def test_local_bsgvrm(T: int, p: int, B: int, previous: str) -> None:
    """The first iteration draws and evaluates B times; each later one evaluates its one sample at two points."""
    Q, rounds = 5, T // p
    evaluations = B + 2 * (T - 1)
    expected = Counts(
        samples_f=B + T - 1,
        samples_g=(B + T - 1) * (Q + 2),
        hessian_products=evaluations * Q,
        jacobian_products=evaluations,
        rounds=rounds,
        floats_sent=rounds * (2 if previous == "local" else 3) * (2 + 3),
    )
    assert count(WORLD, LocalBSGVRM(p=p, Q=Q, B=B, previous=previous, **SETTING), T) == expected


def test_fresh_momenta_cost_one_estimate_more() -> None:
    """u_T, v_T are computed before the last average asks for them."""
    carry, fresh = (count(WORLD, LocalBSGM(p=2, Q=1, momenta=m, **SETTING), 4) for m in ("carry", "fresh"))
    assert (fresh.samples_f, fresh.samples_g) == (carry.samples_f + 1, carry.samples_g + 3)
    assert (fresh.rounds, fresh.floats_sent) == (carry.rounds, carry.floats_sent)


def test_astronomical_runs_are_counted_at_once() -> None:
    counts = count(WORLD, LocalBSGM(p=1000, Q=2, **SETTING), 2**63)
    assert counts.samples_f == 2**63
    assert counts.rounds == 2**63 // 1000
