"""Certified expectations: intervals that hold the truth, and are narrow.

Held against 80 digits with their own algebra (oracles/many_digits.py), all outcomes of the noise, and a closed
form in fractions; and against the settings in which doubles once were wrong without a word.
"""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from oracles import many_digits
from ratecert.errors import NoLimitError, PrecisionWarning, UserError
from ratecert.solvers.contract.result import MEASURES, Measures

USUAL: dict[str, Any] = {
    "eta": 0.01, "alpha": 10.0, "beta": 10.0, "rho_1": 0.1, "rho_2": 1.0, "p": 8, "theta": 0.2, "Q": 20,
}  # fmt: skip
READINGS = {
    "BSGM carry": ("LocalBSGM", {"momenta": "carry"}),
    "BSGM fresh": ("LocalBSGM", {"momenta": "fresh"}),
    "BSGVRM local": ("LocalBSGVRM", {"momenta": "carry", "previous": "local", "B": 2}),
    "BSGVRM averaged": ("LocalBSGVRM", {"momenta": "carry", "previous": "averaged"}),
    "BSGVRM fresh": ("LocalBSGVRM", {"momenta": "fresh"}),
}
NOISES = {
    "additive": {"s_f": 0.5, "s_g": 0.4},
    "all": {"s_f": 0.5, "s_g": 0.4, "sigma_H": 0.2, "sigma_J": 0.3},
}


def far(**noise: float) -> Any:
    """A world whose solution is far from the origin."""
    return rc.worlds.scalar(a=1e4, c=5e3, D=0.0, **noise)


def truth(
    world: Any, name: str, solver: dict[str, Any], *, K: int, T: int, x0: Any, y0: Any
) -> dict[str, Any]:
    method = many_digits.method(name, **solver)
    ((averages, _),) = many_digits.moments(
        world, method, K=K, lengths=[T], x0=float(np.ravel(x0)[0]), y0=float(np.ravel(y0)[0])
    )
    return averages


def holds(enclosure: Measures | None, value: dict[str, Any]) -> bool:
    assert enclosure is not None
    pairs = ((getattr(enclosure, name), value[name]) for name in MEASURES)
    return all(low <= v <= high for (low, high), v in pairs)


def is_narrow(result: Any, width: float = 1e-10) -> bool:
    largest = max(getattr(result, name) for name in MEASURES)
    pairs = [(getattr(result.enclosure, name), getattr(result, name)) for name in MEASURES]
    return all(high - low <= 2 * width * max(value, width * largest) for (low, high), value in pairs)


BY_DAY = [("BSGM carry", "all"), ("BSGVRM fresh", "additive")]
OTHERS = [pair for pair in product(READINGS, NOISES) if pair not in BY_DAY]


@pytest.mark.parametrize(
    ("reading", "noise"), [*BY_DAY, *(pytest.param(*pair, marks=pytest.mark.nightly) for pair in OTHERS)]
)
def test_an_interval_holds_what_80_digits_say(reading: str, noise: str) -> None:
    name, changed = READINGS[reading]
    world, solver = rc.worlds.scalar(a=0.5, b=-0.2, c=0.3, **NOISES[noise]), {**USUAL, **changed}
    run: dict[str, Any] = {"K": 1000, "T": 2**40 + 3, "x0": 1.0, "y0": 0.5}
    result = rc.expect(world, getattr(rc.methods, name)(**solver), certified=True, times=[], **run)
    assert result.certified
    assert is_narrow(result)
    assert holds(result.enclosure, truth(world, name, solver, **run))
    wrong = truth(world, name, {**solver, "alpha": solver["alpha"] * (1 + 1e-12)}, **run)
    assert not holds(result.enclosure, wrong)


WRONG_ONCE = {
    "tracking a million times too large": ("LocalBSGM", USUAL, far(s_f=1e-6, s_g=1e-6), 10**9, 2**40),
    "tracking ten thousand times too large": (
        "LocalBSGVRM", {**USUAL, "momenta": "fresh"}, far(s_f=1e-6, s_g=1e-6), 10**6, 2**20,
    ),
    "eight digits missing": (
        "LocalBSGVRM",
        {"eta": 0.0217235, "alpha": 10.8217, "beta": 13.5824, "rho_1": 0.0506191, "rho_2": 0.368096, "p": 16,
         "theta": 0.614946, "Q": 10},
        rc.worlds.scalar(mu=1, L_1=3.41292, sigma_H=0.2, sigma_J=0.1, a=0.37249, b=-0.939938, c=0.917771),
        10**9, 2**55,
    ),
    "a gradient of zero": (
        "LocalBSGM",
        {**USUAL, "momenta": "fresh", "Q": 100, "eta": 5.4e-7, "rho_1": 7.6e4},
        far(s_f=1e-6, s_g=1e-6), 1000, 53,
    ),
}  # fmt: skip


SLOW = "eight digits missing"  # the 80 digits take long


@pytest.mark.parametrize("certified", [True, False])
@pytest.mark.parametrize(
    "case", [pytest.param(c, marks=pytest.mark.nightly) if c == SLOW else c for c in WRONG_ONCE]
)
def test_what_doubles_were_wrong_about(case: str, certified: bool) -> None:
    """Each was stated to 1.4e-14; now the error that is stated is larger than the error."""
    name, solver, world, K, T = WRONG_ONCE[case]
    run: dict[str, Any] = {"K": K, "T": T, "x0": world.x_star, "y0": world.y_star(world.x_star)}
    result = rc.expect(world, getattr(rc.methods, name)(**solver), certified=certified, times=[], **run)
    right = truth(world, name, solver, **run)
    for measure in MEASURES:
        off = abs(getattr(result, measure) - right[measure])
        assert off <= getattr(result.absolute_error, measure)
        assert off <= 1e-9 * max(right.values())


def test_the_limit_of_gradient_descent_with_noise_is_a_fraction() -> None:
    """x+ = x - eta (P (x - a) + s m): E grad^2 -> P^2 eta^2 s^2 / (1 - (1 - eta P)^2)."""
    eta, P, s = 0.1, 0.75, 0.3
    world = rc.worlds.scalar(P=P, D=0.0, s_f=s, a=3.0)
    solver = rc.methods.SMB(eta=eta, tau=1.0, b=1.0, theta=0.2, Q=0)
    limit = rc.stationary(world, solver, K=1, certified=True)
    step, curvature, noise = (Fraction(v) for v in (eta, P, s))
    through_y = Fraction(0.2) * Fraction(
        float(world.B[0, 0])
    )  # grad_y f is noise alone, and enters by theta B
    variance = noise**2 * (1 + through_y**2)
    exact = curvature**2 * step**2 * variance / (1 - (1 - step * curvature) ** 2)
    low, high = limit.enclosure.gradient  # type: ignore[union-attr]
    assert Fraction(low) <= exact <= Fraction(high)
    assert high - low <= 1e-10 * high
    assert not Fraction(low) <= exact * (1 + Fraction(1, 10**14)) <= Fraction(high)


def test_no_limit_is_proved_too() -> None:
    unstable = rc.methods.LocalBSGM(**{**USUAL, "eta": 0.05, "rho_2": 600.0})
    with pytest.raises(NoLimitError, match="not < 1"):
        rc.stationary(rc.worlds.scalar(**NOISES["all"]), unstable, K=2, certified=True)


@pytest.mark.parametrize("d", [1, 2])
def test_matrices_and_devices_that_differ(d: int) -> None:
    """What doubles say of them, and say of their error, is true."""
    solver = rc.methods.LocalBSGM(**{**USUAL, "Q": 3, "p": 2})
    world = rc.worlds.heterogeneous(d_x=d, d_y=1, K=2, s_f=0.1, s_g=0.1, sigma_H=0.1)
    run: dict[str, Any] = {"K": 2, "T": 2**20, "x0": np.zeros(d), "y0": [0.0]}
    ball, double = (rc.expect(world, solver, certified=c, **run) for c in (True, False))
    assert is_narrow(ball)
    for name in MEASURES:
        error = getattr(double.absolute_error, name)
        low, high = getattr(ball.enclosure, name)
        assert low - error <= getattr(double, name) <= high + error


def test_step_sizes_that_vary_are_stepped_through_and_their_roots_are_enclosed() -> None:
    """By eye: x alone, one step; eta_0 = scale / 2^(1/3)."""
    world = rc.worlds.scalar(D=0.0)
    solver = rc.methods.SUSTAIN(
        eta=rc.contract.CubeRoot(scale=0.1), gamma=1.0, lam=1.0, c_u=1.0, c_v=1.0, theta=0.2, N=1
    )
    result = rc.expect(world, solver, K=1, T=2, x0=1.0, y0=0.0, certified=True)
    low, high = (Fraction(v) for v in result.enclosure.gradient)  # type: ignore[union-attr]
    # the gradient at t = 0 is 1, at t = 1 it is 1 - eta_0: 2 average - 1 = (1 - eta_0)^2
    assert (2 * low - 1) <= 1
    for bound, sign in ((low, 1), (high, -1)):
        eta_0 = 1 - Fraction(float(np.sqrt(float(2 * bound - 1))))
        assert sign * (Fraction(0.1) ** 3 / 2 - eta_0**3) <= Fraction(1, 10**13)
    assert result.method == "stepping"


def test_what_is_interpolated_is_not_called_certified() -> None:
    world = rc.worlds.scalar(s_f=0.1)
    solver = rc.methods.LocalBSGM(**{**USUAL, "eta": rc.contract.CubeRoot(scale=0.05)})
    long: dict[str, Any] = {"K": 2, "T": 10**6, "x0": 1.0, "y0": 0.0}
    assert not rc.expect(world, solver, **long).certified
    with pytest.raises(UserError, match=r"certified: .* make T smaller, or use certified=False"):
        rc.expect(world, solver, certified=True, **long)
    assert rc.expect(world, solver, **{**long, "T": 100, "times": []}).certified


def test_a_constant_phase_is_doubled_through() -> None:
    world = rc.worlds.scalar(s_f=0.1)
    eta = rc.contract.CubeRoot(scale=0.05, floor=10.0**6)
    solver = rc.methods.LocalBSGM(**{**USUAL, "eta": eta})
    result = rc.expect(world, solver, K=2, T=10**6 + 100, x0=1.0, y0=0.0, times=[])
    assert result.certified
    assert result.method == "doubling, then stepping"


class InDoubles:
    """A world that computes its truth in doubles, whatever it is asked in."""

    def __init__(self, world: Any) -> None:
        self.world = world

    def __getattr__(self, name: str) -> Any:
        return getattr(self.world, name)

    def y_star(self, x: Any) -> Any:
        return self.world.y_star(np.asarray(x, dtype=np.float64))

    def hypergradient(self, x: Any) -> Any:
        return self.world.hypergradient(np.asarray(x, dtype=np.float64))


def test_a_world_that_computes_in_doubles_cannot_be_certified() -> None:
    world, solver = InDoubles(rc.worlds.scalar(s_f=0.1)), rc.methods.LocalBSGM(**USUAL)
    run: dict[str, Any] = {"K": 2, "T": 1000, "x0": 1.0, "y0": 0.0}
    assert not rc.expect(world, solver, **run).certified
    with pytest.raises(UserError, match="certified: LocalBSGM on InDoubles computes in doubles"):
        rc.expect(world, solver, certified=True, **run)


def test_more_bits_are_taken_until_the_interval_is_narrow() -> None:
    world, solver = rc.worlds.scalar(s_f=0.1), rc.methods.LocalBSGM(**USUAL)
    run: dict[str, Any] = {"K": 2, "T": 2**60, "x0": 1e140, "y0": 0.0}
    result = rc.expect(world, solver, certified=True, **run)
    assert is_narrow(result)


def test_a_width_that_doubles_cannot_show_is_said() -> None:
    world, solver = rc.worlds.scalar(s_f=0.1), rc.methods.LocalBSGM(**USUAL)
    with pytest.warns(PrecisionWarning, match="only, not to 1e-17"):
        rc.expect(world, solver, K=2, T=1000, x0=1.0, y0=0.0, certified=True, width=1e-17)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"certified": 1}, "certified must be one of None, True, False"),
        ({"width": 0.0}, "width must be a finite number > 0"),
        ({"width": "narrow"}, "width must be a finite number > 0"),
    ],
)
def test_bad_input(changed: dict[str, Any], sentence: str) -> None:
    world, solver = rc.worlds.scalar(), rc.methods.LocalBSGM(**USUAL)
    with pytest.raises(UserError, match=sentence):
        rc.expect(world, solver, K=2, T=10, x0=1.0, y0=0.0, **changed)
    with pytest.raises(UserError, match=sentence):
        rc.stationary(world, solver, K=2, **changed)
