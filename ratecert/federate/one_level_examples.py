"""The same for methods of one level: devices that differ and have weights, devices that are alike, finite sums."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ratecert.synthetic import Federated, FiniteSum, SingleLevel, federated
from ratecert.synthetic import single_level as quadratic

SPECTRUM = (1.0, 2.0, 4.0)
NOISE: dict[str, Any] = {"noise_H": 0.2, "s": 0.5}
TERMS = 4  # of a finite sum


def different(K: int) -> Federated:
    return federated(SPECTRUM, K=K, dial=0.5, weights=weights(K), **NOISE, seed=1)


def alike(_K: int) -> SingleLevel:
    return quadratic(SPECTRUM, **NOISE, correlated=0.2, seed=1)


def finite_sum(_K: int = 1, *, seed: int = 1) -> FiniteSum:
    """With the curvatures and the minimisers of devices as its terms."""
    terms = federated(SPECTRUM, K=TERMS, dial=0.5, seed=seed).devices
    return FiniteSum(H=[term.H for term in terms], a=[term.x_star for term in terms])


def different_sums(K: int) -> Federated:
    return Federated(devices=[finite_sum(seed=k) for k in range(K)], weights=weights(K))


def weights(K: int) -> Any:
    """In proportion to 1, 2, ..., K."""
    return np.arange(1, K + 1) / (K * (K + 1) / 2)


WORLDS: dict[str, Callable[[int], Any]] = {
    "federated": different,
    "single_level": alike,
    "finite_sum": finite_sum,
    "federated_sums": different_sums,
}

DESCENT = {"alpha": 0.1, "p": 4}
HYPERPARAMETERS: dict[str, dict[str, Any]] = {
    "SGD": DESCENT,
    "HeavyBall": DESCENT | {"beta": 0.5},
    "Nesterov": DESCENT | {"beta": 0.5},
    "TripleMomentum": DESCENT | {"beta": 0.5, "gamma": 0.25, "delta": 0.125},
    "AveragedSGD": DESCENT | {"gamma": 0.5},
    "FISTA": DESCENT,
    "OGM": DESCENT | {"N": 8},
    "ITEM": DESCENT | {"q": 0.1},
    "Halpern": DESCENT,
    "SVRG": {"alpha": 0.1, "m": 4},
    "SAGA": DESCENT | {"n": TERMS},
    "PAGE": {"alpha": 0.1, "p": 0.25, "b": 2},
    "STORM": {"eta": 0.1, "c": 10.0, "p": 4},
    "FedAvg": DESCENT | {"m": 2, "replacement": True},
    "LocalGD": DESCENT,
    "ProxSkip": {"gamma": 0.1, "p": 0.25},
    "SCAFFOLD": {"eta_l": 0.1, "eta_g": 0.9, "p": 4},
    "FedProx": {"mu": 2.0, "m": 2},
}
