"""The certified radius: never exceeded by adversarial noise, not vacuous, and refused where it cannot be shown."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ratecert.solvers.engines.certificates.motion
from oracles.adversary import reached
from ratecert.base.exact import working_precision
from ratecert.errors import NoCertificateError
from ratecert.solvers import (
    CubeRoot,
    LocalBSGM,
    LocalBSGVRM,
    LocalSGD,
    LowerGradient,
    Power,
    reachable_radius,
)
from ratecert.solvers.contract.schedule import Schedule
from ratecert.solvers.contract.stage import State
from ratecert.solvers.engines.certificates.invariant import invariant_sets
from ratecert.solvers.engines.certificates.modes import one_block
from ratecert.solvers.engines.certificates.motion import Motion
from ratecert.solvers.engines.moments.interpreter import ASSEMBLY_BITS, Interpreter
from ratecert.synthetic import Quadratic, random_quadratic, scalar

pytestmark = pytest.mark.nightly

SETTING = {"eta": 1e-2, "rho_1": 0.05, "rho_2": 0.5, "p": 8, "theta": 0.2, "Q": 5}
SOLVERS = {
    "bsgm": LocalBSGM(alpha=10.0, beta=10.0, **SETTING),
    "vrm-local": LocalBSGVRM(alpha=50.0, beta=50.0, **SETTING),
    "vrm-averaged": LocalBSGVRM(alpha=50.0, beta=50.0, previous="averaged", **SETTING),
    "vrm-fresh": LocalBSGVRM(alpha=50.0, beta=50.0, momenta="fresh", **SETTING),
}


def world(d: int, level: float = 0.0):
    return random_quadratic(d_x=d, d_y=d, sigma_H=level, sigma_J=level, s_f=0.5, s_g=0.5, seed=1)


@pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
@pytest.mark.parametrize("K", [1, 2])
@pytest.mark.parametrize(("d", "factor"), [(1, 5), (2, 10)])
def test_adversarial_noise_stays_inside_and_comes_near(solver, K: int, d: int, factor: float) -> None:
    start = world(d).x_star, world(d).y_star(world(d).x_star)
    radius, seen = reachable_radius(world(d), solver, K), reached(world(d), solver, K, *start)
    assert seen <= radius <= factor * seen


@pytest.mark.parametrize("eta", [0.1, CubeRoot(scale=0.1), Power(scale=0.1, exponent=0.5)], ids=str)
def test_a_radius_is_attained_whatever_the_schedule(eta: Schedule | float) -> None:
    """The same walk to -s/P takes longer where the sum of the steps grows slowly; half the radius is still wrong."""
    P, s = 0.75, 0.5
    alone = Quadratic(A=1.0, B=0.0, P=P, D=0.0, s_f=s)
    radius = reachable_radius(alone, LocalSGD(eta=eta, rho_1=1.0, rho_2=1.0, p=1, theta=0.5, Q=0), 1)
    assert s / P <= radius <= s / P * (1 + 1e-8)


DECAYING = {name: replace(solver, eta=CubeRoot(scale=2e-2, floor=8.0)) for name, solver in SOLVERS.items()}


@pytest.mark.parametrize("solver", DECAYING.values(), ids=DECAYING)
@pytest.mark.parametrize(("d", "factor"), [(1, 5), (2, 10)])
def test_adversarial_noise_stays_inside_at_decaying_steps(solver, d: int, factor: float) -> None:
    start = world(d).x_star, world(d).y_star(world(d).x_star)
    radius, seen = reachable_radius(world(d), solver, 2), reached(world(d), solver, 2, *start)
    assert seen <= radius <= factor * seen


def test_a_set_that_holds_the_largest_step_alone_is_not_enough() -> None:
    """The twin of the moves: in modes of the whole state the largest step has a set, and a smaller step leaves it."""
    decaying = DECAYING["vrm-averaged"]
    with working_precision(ASSEMBLY_BITS):
        motion = Motion(decaying, 1, [Interpreter(world(1), decaying)])
        begins = motion.begins(np.concatenate([world(1).x_star, world(1).y_star(world(1).x_star)]))
        bases = one_block(motion.moves[-1].D)
        assert invariant_sets(bases, motion.moves[-1:], begins)
        with pytest.raises(NoCertificateError, match="steps that differ"):
            invariant_sets(bases, motion.moves, begins)


@pytest.mark.parametrize("name", ["bsgm", "vrm-averaged"])
def test_noise_that_grows_with_the_iterates_is_covered_while_it_is_small(name: str) -> None:
    start = np.ones(2), np.ones(2)
    noisy = world(2, 0.02)
    radius = reachable_radius(noisy, SOLVERS[name], 2, x0=start[0], y0=start[1])
    assert reached(noisy, SOLVERS[name], 2, *start) <= radius < 100
    assert radius > reachable_radius(world(2), SOLVERS[name], 2, x0=start[0], y0=start[1])


def test_a_first_state_off_the_usual_plane_is_covered() -> None:
    """The last move follows from the momentum after every step, but not after this start; the radius still holds."""

    class Kicked(LocalBSGVRM):
        def start(self, s: State, oracle: Any) -> State:
            h, g = oracle.sample(self.hypergradient, 0), oracle.sample(LowerGradient(), 0)
            away = {"x_previous": 3.0 * s.x, "y_previous": -2.0 * s.y}
            return State(x=s.x, y=s.y, u=h(s.x, s.y), v=g(s.x, s.y), **away)

        def carry(self, t: int, s: State, oracle: Any) -> State:
            return self.move(t, s, *self.momentum(t + 1, s, oracle))

    kicked = Kicked(alpha=50.0, beta=50.0, **SETTING)
    start = np.ones(1), np.ones(1)
    for noisy in (world(1), world(1, 0.02)):
        radius = reachable_radius(noisy, kicked, 1, x0=start[0], y0=start[1])
        assert reached(noisy, kicked, 1, *start) <= radius


def test_a_far_start_is_part_of_the_radius() -> None:
    far = {"x0": [100.0], "y0": [0.0]}
    radius = reachable_radius(world(1), SOLVERS["bsgm"], 1, **far)
    assert radius >= reached(world(1), SOLVERS["bsgm"], 1, np.array([100.0]), np.array([0.0])) >= 99


@pytest.mark.parametrize("eta", [1e-2, 1e-5, 1e-8])
def test_the_radius_does_not_depend_much_on_the_step_size(eta: float) -> None:
    """Adversarial noise has all the time it wants; at eta = 1e-8 no simulation could tell."""
    slow = LocalBSGM(alpha=10.0, beta=10.0, **{**SETTING, "eta": eta})
    assert reachable_radius(world(1), slow, 2) == pytest.approx(
        reachable_radius(world(1), SOLVERS["bsgm"], 2), rel=0.2
    )


def test_the_check_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """A certificate that believes in a tenth of the noise is exceeded."""
    whole: Callable = ratecert.solvers.engines.certificates.motion.noise_bound
    monkeypatch.setattr(
        ratecert.solvers.engines.certificates.motion,
        "noise_bound",
        lambda moments: tuple(0.1 * v for v in whole(moments)),
    )
    start = world(1).x_star, world(1).y_star(world(1).x_star)
    assert reached(world(1), SOLVERS["bsgm"], 1, *start) > reachable_radius(world(1), SOLVERS["bsgm"], 1)


class Rooted(LocalBSGM):
    """A step that takes a root of its step size."""

    def move(self, t: int, s: State, u: Any, v: Any) -> State:
        return super().move(t, s, self.step_size(t) ** 0.5 * u, v)


UNSTABLE = LocalBSGM(alpha=1.0, beta=1.0, **{**SETTING, "eta": 1.0, "rho_1": 5.0})
ROOTED = Rooted(alpha=1.0, beta=1.0, **{**SETTING, "eta": CubeRoot(scale=0.1)})
FALLING, LONG = CubeRoot(scale=0.01), replace(SOLVERS["vrm-local"], eta=CubeRoot(scale=0.05))
NOT_SHOWN: dict[str, tuple[Any, Any, int, str]] = {
    "strong noise": (scalar(sigma_H=0.9, sigma_J=0.5), SOLVERS["bsgm"], 1, "the slowest mode .* too little"),
    "a partial average": (world(2, 0.02), SOLVERS["vrm-local"], 2, "not every field is averaged"),
    "unstable": (world(1), UNSTABLE, 1, "the slowest mode"),
    "growing noise": (
        world(1, 0.02),
        replace(SOLVERS["bsgm"], eta=FALLING),
        1,
        "step sizes vary and the noise grows",
    ),
    "long rounds": (world(1), replace(LONG, p=400), 2, "devices may drift apart"),
    "longer rounds": (world(1), replace(LONG, p=1001), 2, "devices may drift apart in the 1001 steps"),
    "a root": (world(1), ROOTED, 1, "not a polynomial"),
}


@pytest.mark.parametrize("name", NOT_SHOWN)
def test_no_certificate_says_why(name: str) -> None:
    noisy, solver, K, words = NOT_SHOWN[name]
    with pytest.raises(NoCertificateError, match=f"no certificate: .*{words}"):
        reachable_radius(noisy, solver, K)
