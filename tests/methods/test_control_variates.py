"""Methods with control variates against plain loops from their papers' pseudocode, on devices that differ."""

from itertools import product

import numpy as np
import pytest

import ratecert as rc

H, A, X_0 = np.array([1.0, 3.0]), np.array([-1.0, 2.0]), 4.0  # F_k = H_k/2 (x - A_k)^2
X_STAR = float(H @ A / H.sum())
WORLD = rc.worlds.Federated(devices=[rc.worlds.SingleLevel(H=h, a=a) for h, a in zip(H, A, strict=True)])


def measured(solver: object, T: int) -> float:
    """E||mean x_T - x*||^2."""
    last = {"distance": rc.measures.distance().last()}
    return float(rc.expect(WORLD, solver, K=2, T=T, x0=[X_0], times=[], measures=last).distance)


def scaffold(eta_l: float, eta_g: float, p: int, rounds: int) -> float:
    """Karimireddy et al. (2020), Algorithm 1 with option II and all devices; both control variates begin at 0."""
    x, c_k = X_0, np.zeros(2)
    for _ in range(rounds):
        c, y = c_k.mean(), np.full(2, x)
        for _ in range(p):
            y = y - eta_l * (H * (y - A) - c_k + c)
        c_k = c_k - c + (x - y) / (p * eta_l)
        x = x + eta_g * float((y - x).mean())
    return (x - X_STAR) ** 2


@pytest.mark.parametrize("rounds", [1, 2, 3, 5])
@pytest.mark.parametrize("p", [1, 3])
@pytest.mark.parametrize("eta_g", [1.0, 0.75])
def test_scaffold_is_its_pseudocode(rounds: int, p: int, eta_g: float) -> None:
    """A round is p local steps and one report, p + 1 iterations."""
    found = measured(rc.methods.SCAFFOLD(eta_l=0.125, eta_g=eta_g, p=p), rounds * (p + 1))
    assert found == pytest.approx(scaffold(0.125, eta_g, p, rounds), rel=1e-12)


def prox_skip(gamma: float, p: float, coins: tuple[bool, ...], h_0: float = 0.0) -> float:
    """Mishchenko et al. (2022), Algorithm 1, where the prox is the mean over devices."""
    x, h = np.full(2, X_0), np.full(2, h_0)
    for coin in coins:
        away = x - gamma * (H * (x - A) - h)
        x = np.full(2, (away - gamma / p * h).mean()) if coin else away
        h = h + p / gamma * (x - away)
    return float(x.mean() - X_STAR) ** 2


def over_all_coins(gamma: float, p: float, T: int, h_0: float = 0.0) -> float:
    outcomes = [*product((True, False), repeat=T)]
    chances = [p ** sum(coins) * (1 - p) ** (T - sum(coins)) for coins in outcomes]
    return sum(c * prox_skip(gamma, p, coins, h_0) for c, coins in zip(chances, outcomes, strict=True))


@pytest.mark.parametrize("T", [1, 2, 4])
@pytest.mark.parametrize("p", [0.25, 0.5, 1.0])
def test_proxskip_is_the_mean_of_its_pseudocode_over_all_coins(T: int, p: float) -> None:
    found = measured(rc.methods.ProxSkip(gamma=0.125, p=p), T)
    assert found == pytest.approx(over_all_coins(0.125, p, T), rel=1e-12)


@pytest.mark.parametrize("T", [1, 2, 4])
def test_control_variates_that_begin_elsewhere_change_the_mean(T: int) -> None:
    """Negative: at x_0 they would be a guess of the gradient."""
    found = measured(rc.methods.ProxSkip(gamma=0.125, p=0.5), T)
    assert found != pytest.approx(over_all_coins(0.125, 0.5, T, h_0=X_0), rel=1e-3)
