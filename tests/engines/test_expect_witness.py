"""Sampling against exact expectations, on worlds too large to enumerate.

z = (simulate - expect)/(standard error) is standard normal where both are right. Seeds are fixed, so every test here is
deterministic; the probabilities are those with which another choice of seeds would have raised a false alarm:

    forty settings      Kolmogorov-Smirnov against the standard normal, refused below a p-value of 1e-3,
                        and no |z| above 4.5: 40 * 6.8e-6 = 3e-4
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import stats

from ratecert.solvers import ALGORITHMS, expect, simulate
from ratecert.solvers.contract.result import Result
from ratecert.synthetic import Quadratic, random_quadratic

pytestmark = pytest.mark.nightly


def z_score(sampled: Result, exact: Any, measure: str) -> float:
    return float(
        (getattr(sampled, measure) - getattr(exact, measure)) / getattr(sampled.standard_error, measure)
    )


# Forty settings.

READINGS: list[tuple[str, dict[str, str]]] = [
    ("LocalBSGM", {"momenta": "carry"}),
    ("LocalBSGM", {"momenta": "fresh"}),
    ("LocalBSGVRM", {"momenta": "carry", "previous": "local"}),
    ("LocalBSGVRM", {"momenta": "carry", "previous": "averaged"}),
    ("LocalBSGVRM", {"momenta": "fresh"}),
]
SETTINGS = 40
REPLICATES = 4000


@dataclass(frozen=True)
class Setting:
    world: Quadratic
    solver: Any
    call: dict[str, Any]


def random_world(rng: np.random.Generator, seed: int) -> Quadratic:
    noise = dict(zip(("sigma_H", "sigma_J", "s_f", "s_g"), rng.uniform(0, [0.4, 0.4, 1.0, 1.0]), strict=True))
    d_x, d_y = (int(d) for d in rng.integers(1, 4, 2))
    return random_quadratic(d_x=d_x, d_y=d_y, mu=1.0, L_1=3.0, seed=seed, **noise)


def random_setting(i: int) -> Setting:
    """Dimensions 1..3, K and p 1..4, T 10..60, Q 0..4, every reading eight times; steps at which all are stable."""
    rng = np.random.default_rng([3, i])
    world = random_world(rng, i)
    algorithm, reading = READINGS[i % len(READINGS)]
    names = ("eta", "alpha", "beta", "rho_1", "rho_2", "theta")
    lowest, highest = [0.05, 2.0, 2.0, 0.05, 0.2, 0.1], [0.2, 5.0, 5.0, 0.15, 0.5, 0.3]
    steps = dict(zip(names, rng.uniform(lowest, highest).tolist(), strict=True))
    K, p, B, T, Q = (int(n) for n in rng.integers([1, 1, 1, 10, 0], [5, 5, 4, 61, 5]))
    batch = {"B": B} if algorithm == "LocalBSGVRM" else {}
    solver = ALGORITHMS[algorithm](**steps, p=p, Q=Q, **batch, **reading)
    start = {"x0": rng.uniform(-1, 1, world.d_x), "y0": rng.uniform(-1, 1, world.d_y)}
    return Setting(world, solver, {"K": K, "T": T, **start})


@cache
def sampled_settings() -> list[tuple[Setting, Result]]:
    settings = [random_setting(i) for i in range(SETTINGS)]
    return [
        (s, simulate(s.world, s.solver, **s.call, replicates=REPLICATES, seed=i))
        for i, s in enumerate(settings)
    ]


def p_value(z: list[float]) -> float:
    return float(stats.kstest(z, "norm").pvalue)


def test_z_scores_over_forty_settings_are_standard_normal() -> None:
    z = [
        z_score(sampled, expect(s.world, s.solver, **s.call), "gradient") for s, sampled in sampled_settings()
    ]
    assert p_value(z) > 1e-3
    assert max(map(abs, z)) < 4.5


@pytest.mark.parametrize("shift", [{"Q": 1}, {"p": 1}], ids=["Q-one-more", "period-p+1"])
def test_z_scores_of_another_algorithm_are_not(shift: dict[str, int]) -> None:
    """By the gradient for Q, and for p, which hardly changes it, by the drift, where there are devices to drift."""
    ((name, by),) = shift.items()
    measure = "gradient" if name == "Q" else "drift_y"
    z = []
    for s, sampled in sampled_settings():
        other = replace(s.solver, **{name: getattr(s.solver, name) + by})
        if measure == "gradient" or sampled.drift_y > 0:
            z.append(z_score(sampled, expect(s.world, other, **s.call), measure))
    assert len(z) >= 15
    assert p_value(z) < 1e-6
