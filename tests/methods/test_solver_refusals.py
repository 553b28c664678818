"""A wrong call gets one sentence with name, value and range, before any work is done."""

import math
from fractions import Fraction
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from ratecert.solvers import (
    Constant,
    CubeRoot,
    LocalBSGM,
    LocalBSGVRM,
    StochasticNeumann,
    enumerate_outcomes,
    exact_hypergradient,
    neumann_hypergradient,
    simulate,
    stochastic_hypergradient,
)
from ratecert.solvers.engines.monte_carlo.array_oracle import ArrayOracle
from ratecert.solvers.engines.monte_carlo.noise import Hashed
from ratecert.synthetic import random_quadratic, scalar

GOOD = {"eta": 0.1, "alpha": 1.0, "beta": 1.0, "rho_1": 0.1, "rho_2": 0.1, "p": 2, "theta": 0.1, "Q": 1}
RUN = {"K": 2, "T": 3, "x0": 1.0, "y0": 1.0, "replicates": 4, "seed": 0}


@pytest.mark.parametrize("kind", [LocalBSGM, LocalBSGVRM])
@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("p", 0, "p must be a whole number >= 1, got 0"),
        ("p", 2.5, "p must be a whole number >= 1, got 2.5"),
        ("Q", -1, "Q must be a whole number >= 0, got -1"),
        ("theta", 0.0, "theta must be a finite number > 0, got 0.0"),
        ("theta", math.nan, "theta must be a finite number > 0, got nan"),
        ("eta", -0.1, "eta must be a finite number > 0, got -0.1"),
        ("eta", math.inf, "eta must be a finite number > 0, got inf"),
        ("alpha", math.nan, "alpha must be a finite number > 0, got nan"),
        ("beta", 0, "beta must be a finite number > 0, got 0"),
        ("rho_1", "1", "rho_1 must be a finite number > 0, got '1'"),
        ("theta", Fraction(1, 2), r"theta must be a finite number > 0, got Fraction\(1, 2\)"),
        ("eta", True, "eta must be a finite number > 0, got True"),
        ("eta", lambda t: 0.1, "eta must be a number or a schedule .* got <function"),
        ("rho_2", -1, "rho_2 must be a finite number > 0, got -1"),
        ("momenta", "keep", "momenta must be one of 'carry', 'fresh', got 'keep'"),
        ("alpha", 1000.0, r"alpha \* eta.* must lie in \(0, 1\], got 1"),
        ("beta", 1000.0, r"beta \* eta.* must lie in \(0, 1\], got 1"),
    ],
)
def test_hyperparameters(kind, name: str, value: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        kind(**{**GOOD, name: value})


def test_the_momentum_weight_is_the_algorithms_own() -> None:
    """alpha eta = 5 is too much for LocalBSGM; alpha eta^2 = 0.5 is fine for LocalBSGVRM."""
    with pytest.raises(ValueError, match=r"alpha \* eta must lie in \(0, 1\], got 5"):
        LocalBSGM(**{**GOOD, "alpha": 50.0})
    assert LocalBSGVRM(**{**GOOD, "alpha": 50.0}).alpha == 50.0
    with pytest.raises(ValueError, match=r"alpha \* eta\^2 must lie in \(0, 1\], got 2"):
        LocalBSGVRM(**{**GOOD, "alpha": 2.0, "eta": CubeRoot(scale=2.0, offset=8.0, floor=1.0)})


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("B", 0, "B must be a whole number >= 1, got 0"),
        ("previous", "own", "previous must be one of 'local'"),
    ],
)
def test_hyperparameters_of_local_bsgvrm(name: str, value: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        LocalBSGVRM(**{**GOOD, name: value})


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Constant(0.0), "eta must be a finite number > 0"),
        (lambda: CubeRoot(scale=0.0), "scale must be"),
        (lambda: CubeRoot(scale=1.0, offset=-1.0), "offset must be"),
        (lambda: CubeRoot(scale=1.0, floor=math.nan), "floor .* must be a finite number > 0, got nan"),
        (lambda: CubeRoot(scale=1.0, floor="x"), "floor .* must be a finite number > 0, got 'x'"),
    ],
)
def test_schedules(make, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("K", 0, "K must be a whole number >= 1, got 0"),
        ("T", 0, "T must be a whole number >= 1, got 0"),
        ("T", 1.5, "T must be a whole number >= 1, got 1.5"),
        ("x0", [1.0, 2.0], r"x0 must be 1 finite number.*got \[1.0, 2.0\]"),
        ("y0", math.nan, "y0 must be 1 finite number.*got nan"),
        ("x0", "one", "x0 must be 1 finite number.*got 'one'"),
        ("replicates", 0, "replicates must be a whole number >= 1"),
        ("seed", -1, "seed must be a whole number"),
        ("seed", 2**64, "seed must be a whole number"),
        ("workers", 0, "workers must be a whole number >= 1"),
        ("lanes", 0, "lanes must be a whole number >= 1"),
        ("times", [4], "every time in times must be a whole number from 0 to 3, got 4"),
        ("times", [-1], "every time in times must be a whole number from 0 to 3, got -1"),
        ("times", 5, "times must be a list of whole numbers from 0 to T = 3, got 5"),
        ("x0", 10**400, "x0 must be 1 finite number"),
        ("x0", np.array([1j]), "x0 must be 1 finite number"),
        ("x0", "1", "x0 must be 1 finite number"),
        ("x0", np.ones(1000), r"x0 must be 1 finite number, got array\(.*\.\.\.\.$"),
        ("shared_noise", "no", "shared_noise must be one of False, True, got 'no'"),
    ],
)
def test_runs(name: str, value: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        simulate(scalar(s_f=0.1), LocalBSGM(**GOOD), **{**RUN, name: value})


def test_theta_must_contract_for_every_sample() -> None:
    """A + e E <= 2 here, so theta < 1; the mean alone would allow 2/1.5."""
    world = scalar(mu=1.0, L_1=4.0, sigma_H=0.5)
    assert LocalBSGM(**{**GOOD, "theta": 0.99}).check(world) is None
    for theta in (1.0, 1.2):
        with pytest.raises(ValueError, match=rf"theta must lie in \(0, 1\).*contraction.*got {theta:g}"):
            simulate(world, LocalBSGM(**{**GOOD, "theta": theta}), **RUN)


def test_a_partner_that_lacks_something_is_told_what() -> None:
    with pytest.raises(TypeError, match=r"SimpleNamespace cannot be used as a problem: it lacks .*grad_y_g"):
        simulate(SimpleNamespace(d_x=1, d_y=1), LocalBSGM(**GOOD), **RUN)
    with pytest.raises(TypeError, match=r"LocalBSGM is a class; make one of it"):
        simulate(scalar(), LocalBSGM, **RUN)
    with pytest.raises(TypeError, match=r"SimpleNamespace cannot be used as an algorithm: it lacks stages"):
        simulate(scalar(), SimpleNamespace(check=None, step_size=None, start=None), **RUN)


def test_too_many_outcomes_are_refused_with_their_number() -> None:
    world = scalar(sigma_H=0.1, sigma_J=0.1, s_f=0.1, s_g=0.1)
    with pytest.raises(ValueError, match=r"2\^\d+ outcomes, at most 2\^22"):
        enumerate_outcomes(world, LocalBSGM(**GOOD), K=2, T=5, x0=1.0, y0=1.0)


def test_two_estimators_must_not_share_a_label() -> None:
    oracle = ArrayOracle(scalar(), Hashed(seed=0, first=0, replicates=1, K=1))
    oracle.sample(StochasticNeumann(theta=0.1, Q=1), 0)
    with pytest.raises(ValueError, match="two estimators draw from the stream 'xi_hat'"):
        oracle.sample(StochasticNeumann(theta=0.1, Q=2), 0)


def test_schedules_are_what_they_say() -> None:
    """Theorem 3: eta_t = s/(w_t + t)^{1/3}, w_t = max{2, c - t}."""
    s, c = 0.7, 50.0
    schedule = CubeRoot(scale=s, offset=2.0, floor=c)
    for t in (0, 1, 47, 48, 49, 1000):
        w_t = max(2.0, c - t)
        assert schedule(t) == pytest.approx(s / (w_t + t) ** (1 / 3), rel=1e-15)
    assert schedule(int(schedule.constant_until)) == schedule(0) == schedule.largest
    assert schedule(int(schedule.constant_until) + 1) < schedule(0)
    assert np.isinf(Constant(0.1).constant_until)


@pytest.mark.parametrize(("x", "y"), [([1.0], [1.0, 1.0]), ([1.0, 1.0], 1.0), ([1.0, np.nan], [1.0, 1.0])])
def test_hypergradients_want_points_of_the_right_shape(x: object, y: object) -> None:
    world = random_quadratic(d_x=2, d_y=2, sigma_H=0.1, seed=0)
    for hypergradient in (neumann_hypergradient, partial(stochastic_hypergradient, seed=0)):
        with pytest.raises(ValueError, match=r"[xy] must be 2 finite numbers"):
            hypergradient(world, x, y, theta=0.1, Q=2)
    with pytest.raises(ValueError, match=r"x must be 2 finite numbers, got 1\.0"):
        exact_hypergradient(world, 1.0)
