"""The exponents of Corollaries 1 and 3 where they are asymptotic: at T = 2^40, to three digits.

    Corollary 1   p ~ T^{1/4}/K^{3/4}, eta ~ K^{1/2}/T^{1/2}                                   measure ~ (KT)^{-1/2}
    Corollary 3   alpha, beta ~ 1/K, eta ~ K^{2/3}/T^{1/3}, B and p ~ T^{1/3}/K^{2/3}          measure ~ (KT)^{-2/3}

The measure is gradient + L_tilde^2 tracking. Q is so large that the Neumann bias, (1 - theta mu)^{2Q}, is not seen.
A local slope is log(f(2s)/f(s/2))/log 4, signed; p and B are whole numbers, which costs it about 1e-5.
"""

import math
from collections.abc import Callable
from typing import Any

import pytest

from solvers import LocalBSGM, LocalBSGVRM, expect
from synthetic import Quadratic, random_quadratic, scalar

NOISE = {"sigma_H": 0.1, "sigma_J": 0.1, "s_f": 0.5, "s_g": 0.5}
WORLDS: dict[str, Quadratic] = {
    "1x1": scalar(mu=1.0, L_1=2.0, a=0.5, b=-0.2, c=0.3, **NOISE),
    "1x2": random_quadratic(d_x=1, d_y=2, mu=1.0, L_1=2.0, seed=4, **NOISE),
}
STEPS: dict[str, Any] = {"rho_1": 0.1, "rho_2": 0.3, "theta": 0.45, "Q": 80}
T_LONG, K_LOCAL = 2**40, 512  # K_LOCAL <= T_LONG^{1/3}


def whole(value: float) -> int:
    return max(1, round(value))


def corollary_1(T: int, K: int, **reading: Any) -> LocalBSGM:
    p = whole(T ** (1 / 4) / K ** (3 / 4))
    return LocalBSGM(eta=0.5 * math.sqrt(K / T), alpha=1.0, beta=1.0, p=p, **STEPS, **reading)


def corollary_3(T: int, K: int, **fields: Any) -> LocalBSGVRM:
    size = T ** (1 / 3) / K ** (2 / 3)
    chosen = {"B": math.ceil(size), "alpha": 1.0 / K, "beta": 1.0 / K, **fields}
    return LocalBSGVRM(eta=0.5 / size, p=whole(size), **STEPS, **chosen)


def measure(world: Quadratic, solver: Any, T: int, K: int, *, shared_noise: bool = False) -> float:
    constants = world.constants(radius=1.0)
    L_tilde = constants["L_1"] + constants["L_1"] ** 2 / constants["mu"]  # where L_21 = L_22 = 0
    x0, y0 = [1.0] * world.d_x, [0.0] * world.d_y
    result = expect(world, solver, K=K, T=T, x0=x0, y0=y0, times=[], shared_noise=shared_noise)
    return result.measure(L_tilde)[0]


def local_slope(function: Callable[[int], float], at: int, factor: int) -> float:
    """d log f / d log s, by the central difference over [at/factor, at * factor]."""
    return math.log(function(at * factor) / function(at // factor)) / (2 * math.log(factor))


def slope_in_T(world: Quadratic, corollary: Callable[..., Any], K: int, **fields: Any) -> float:
    """By factors of 8, at which cube roots and, but for one rounding, fourth roots stay what they are."""
    return local_slope(lambda T: measure(world, corollary(T, K, **fields), T, K), T_LONG, 8)


def slope_in_K(
    world: Quadratic, corollary: Callable[..., Any], K: int, *, shared_noise: bool = False
) -> float:
    return local_slope(
        lambda k: measure(world, corollary(T_LONG, k), T_LONG, k, shared_noise=shared_noise), K, 2
    )


CLAIMS = {"corollary-1": (corollary_1, -1 / 2), "corollary-3": (corollary_3, -2 / 3)}


@pytest.mark.parametrize("K", [1, 8, 512])
@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
@pytest.mark.parametrize(("corollary", "exponent"), CLAIMS.values(), ids=CLAIMS)
def test_exponent_in_T(corollary: Any, exponent: float, world: Quadratic, K: int) -> None:
    assert slope_in_T(world, corollary, K) == pytest.approx(exponent, abs=1e-3)


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
@pytest.mark.parametrize(("corollary", "exponent"), CLAIMS.values(), ids=CLAIMS)
def test_linear_speedup(corollary: Any, exponent: float, world: Quadratic) -> None:
    """The exponent in K is that in T: K devices are worth K times as many iterations."""
    assert K_LOCAL * 2 <= T_LONG ** (1 / 3)
    assert slope_in_K(world, corollary, K_LOCAL) == pytest.approx(exponent, abs=1e-3)


READINGS: list[tuple[Any, dict[str, str]]] = [
    *((corollary_1, {"momenta": m}) for m in ("carry", "fresh")),
    *((corollary_3, {"momenta": "carry", "previous": p}) for p in ("local", "averaged")),
    (corollary_3, {"momenta": "fresh"}),
]


@pytest.mark.parametrize(
    ("corollary", "reading"), READINGS, ids=["-".join([c.__name__, *r.values()]) for c, r in READINGS]
)
def test_every_reading_has_the_exponent(corollary: Any, reading: dict[str, str]) -> None:
    exponent = dict(CLAIMS.values())[corollary]
    assert slope_in_T(WORLDS["1x1"], corollary, 8, **reading) == pytest.approx(exponent, abs=1e-3)


# The same without one of the conditions.


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_without_the_first_batch_corollary_3_loses_half_its_exponent(world: Quadratic) -> None:
    """With B = 1 the noise of u_0, v_0 stays for 1/(alpha eta^2) ~ T^{2/3} iterations: T^{-1/3} on average."""
    assert slope_in_T(world, corollary_3, 8, B=1) == pytest.approx(-1 / 3, abs=5e-3)


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
@pytest.mark.parametrize("corollary", [corollary_1, corollary_3], ids=CLAIMS)
def test_shared_noise_turns_the_speedup_around(corollary: Any, world: Quadratic) -> None:
    """Noise that does not average out grows with eta, which grows with K: more devices, a larger measure."""
    assert slope_in_K(world, corollary, K_LOCAL, shared_noise=True) > 0.2


@pytest.mark.parametrize(("corollary", "exponent"), CLAIMS.values(), ids=CLAIMS)
def test_the_neumann_bias_ends_the_rate(corollary: Any, exponent: float) -> None:
    """With a fixed small Q the measure has a floor."""
    short = {**STEPS, "Q": 2}
    slopes = []
    for Q_steps in (STEPS, short):

        def at(T: int, steps: dict[str, Any] = Q_steps) -> float:
            solver = corollary(T, 8)
            return measure(WORLDS["1x1"], type(solver)(**{**vars(solver), **steps}), T, 8)

        slopes.append(local_slope(at, T_LONG, 8))
    assert slopes[0] == pytest.approx(exponent, abs=1e-3)
    assert abs(slopes[1]) < 0.05
