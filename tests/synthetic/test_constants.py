"""The constants of Assumptions 1-3 of every kind of world, by the brute force of oracles/quotients.py.

No quotient found exceeds them. Where a constant is attained, the worst found is the constant to 1e-6, so that nothing
here passes because it is too weak; the other factors stand in `slack` and have a reason there.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest

from oracles.quotients import NAMES, READINGS, centre, devices_of, factors, gradient_f, reached
from oracles.world_signs import every_outcome
from ratecert.synthetic import Quadratic, aligned, random_quadratic, scalar
from ratecert.synthetic.constants import Reading
from ratecert.synthetic.devices import heterogeneous
from ratecert.synthetic.huberised import huberised
from ratecert.synthetic.ridge import ridge
from ratecert.synthetic.wavy import wavy


def stacked(seed: int, **changed: Any) -> Quadratic:
    """Three directions of Hessian noise and two of coupling noise."""
    world = random_quadratic(d_x=2, d_y=3, s_f=0.3, s_g=0.2, seed=seed)
    rng = np.random.default_rng([seed, 1])
    G = rng.standard_normal((3, 3, 3))
    E = 0.5 * (G + np.swapaxes(G, 1, 2))
    E *= 0.25 / np.linalg.norm(E, 2, axis=(1, 2))[:, None, None]
    return replace(world, E=E, F=0.4 * rng.standard_normal((2, 3, 2)), **changed)


def rows(**options: Any) -> Any:
    """24 rows of two features, one of which does not matter."""
    rng = np.random.default_rng(3)
    features = rng.standard_normal((24, 2)) @ np.array([[1.0, 0.4], [0.0, 1.0]])
    return ridge(features=features, targets=features @ [1.0, 0.0] + 0.7 * rng.standard_normal(24), **options)


class Case(NamedTuple):
    world: Any
    radii: tuple[float, float]  # under `joint` and under `block`
    curved: str = ""  # which of f and g have Hessians that depend on the point
    slack: Mapping[str, float] = MappingProxyType({})  # how large constant/reached may be, where not 1 + 1e-6


NOISE = {"L_0": 1.3}  # adds two norms whose vectors need not align
# L_1 takes twice the largest first entry, and not all entries of a matrix are largest at one point.
WAVE = {"L_1": 3.0, "L_21": 1.001}  # and second differences leave a thousandth
# L_21 is a staircase of 256 cells; mu and L_1 take the worst penalty in every direction of the worst row at once.
STAIRS = {"L_21": 1.02, "L_22": 1.001, "mu": 1.1, "L_1": 1.1}
CURVED = replace(
    random_quadratic(d_x=2, d_y=2, sigma_H=0.3, sigma_J=0.2, seed=4),
    P=4 * np.diag([1.0, 0.5]),
    D=5 * np.eye(2),
)
DIFFERING = heterogeneous(K=3, dial=0.5, sigma_H=0.2, sigma_J=0.2, s_g=0.2)
CASES: dict[str, Case] = {
    "scalar": Case(
        scalar(sigma_H=0.4, sigma_J=0.9, s_f=0.5, s_g=0.2, a=0.7, b=-1.1, c=0.4, P=0.6, D=1.7), (0.5, 4.0), "", NOISE
    ),
    "random 1x4": Case(
        random_quadratic(d_x=1, d_y=4, sigma_H=0.3, sigma_J=1.0, s_g=0.4, seed=2, reading="block"), (4.0, 0.5)
    ),
    "stacked": Case(stacked(3), (0.5, 4.0), "", NOISE),
    "curvature of f on top": Case(stacked(4, P=20.0 * np.eye(2), s_f=0.0), (4.0, 0.5)),
    "curvature of g on top": Case(
        stacked(6, A=stacked(6).A + 9.0 * np.eye(3), s_f=0.0, a=0.0, b=0.0), (0.5, 4.0)
    ),
    "aligned": Case(aligned(s_g=0.3), (0.5, 4.0)),
    "devices": Case(replace(DIFFERING, P=DIFFERING.P / 4, D=DIFFERING.D / 4), (0.5, 4.0)),  # L_1 is that of g
    "wavy": Case(wavy(E=0.3, s_f=0.2, s_g=0.1), (0.3, 4.0), "g", NOISE | WAVE),
    "wavy, steep": Case(wavy(dial=4.5, omega=3.0, E=0.1, b=1.0), (1.0, 0.3), "g", WAVE),
    "wavy, fast": Case(
        wavy(d=2, dial=1.0, omega=20.0, B=[0.1, 0.2], A=[1.0, 0.5], E=0.2, D=0.3), (0.3, 1.0), "g", WAVE),
    "huberised": Case(huberised(CURVED, radius=2.0), (0.5, 20.0), "f"),
    "ridge": Case(rows(), (0.5, 3.0), "g", STAIRS),
    "ridge, batches": Case(rows(m=1.0, batch=2), (3.0, 12.0), "g", STAIRS),
    "ridge, devices": Case(rows(m=3.0, devices=3), (12.0, 3.0), "g", STAIRS),
}  # fmt: skip
EACH = [(name, reading, i) for name in CASES for i, reading in enumerate(READINGS)]
LONG = {"wavy, fast", "ridge, devices"}  # searches of several seconds
SEARCHED = [pytest.param(*each, marks=[pytest.mark.nightly] * (each[0] in LONG)) for each in EACH]


@cache
def worst(name: str, i: int, reading: Reading) -> dict[str, float]:
    case = CASES[name]
    return reached(case.world, case.radii[i], reading, case.curved)


@pytest.mark.parametrize(("name", "reading", "i"), SEARCHED)
def test_constants_are_attained(name: str, reading: Reading, i: int) -> None:
    case = CASES[name]
    told = factors(case.world.constants(radius=case.radii[i], reading=reading), worst(name, i, reading))
    for constant, factor in told.items():
        assert 1 - 1e-6 <= factor <= case.slack.get(constant, 1 + 1e-6), (constant, factor)


@pytest.mark.parametrize(
    ("name", "exceeded"),
    [
        ("stacked", {"L_0", "sigma"}), ("devices", {"L_0", "sigma"}), ("wavy", {"L_21", "sigma"}),
        ("ridge", {"L_0", "L_21", "L_22", "mu", "sigma", "sigma_f"}),
    ],
)  # fmt: skip
def test_constants_of_a_smaller_ball_or_of_one_device_do_not_hold(name: str, exceeded: set[str]) -> None:
    case = CASES[name]
    less = factors(case.world.constants(radius=case.radii[0] * 0.95), worst(name, 0, "joint"))
    assert {constant for constant, factor in less.items() if factor < 1 - 1e-6} - {"L_1"} == exceeded
    if name == "devices":
        mean = Quadratic(**{k: getattr(case.world, k) for k in (*"ABcPDabEF", "s_g")})
        less = factors(mean.constants(radius=case.radii[0]), worst(name, 0, "joint"))
        assert {constant for constant, factor in less.items() if factor < 1 - 1e-6} == {"mu", "L_1"}


@pytest.mark.parametrize("name", CASES)
def test_curvature_is_that_of_all_devices_and_constants_are_plain_floats_which_the_reading_changes_in_L_1(
    name: str,
) -> None:
    """Over all samples; on ridge at the walls, where the penalties are exp(-m) and exp(m)."""
    joint, block = (CASES[name].world.constants(radius=1.0, reading=reading) for reading in READINGS)
    assert set(joint) == set(block) == set(NAMES)
    assert {type(value) for value in (joint | block).values()} == {float}
    assert joint["L_1"] >= block["L_1"]
    assert {k for k in joint if joint[k] != block[k]} <= {"L_1"}
    spectra, world = [], CASES[name].world
    for device in devices_of(world):
        zeta, n = every_outcome(device.sample_hessian)
        for wall in (-1, 1):
            x = np.full((device.d_x, n), wall * getattr(device, "m", 1.0) * math.pi / 2)
            units = [np.repeat(e[:, None], n, axis=1) for e in np.eye(device.d_y)]
            spectra.append(
                np.linalg.eigvalsh(np.stack([device.hessian_g(zeta, x, e, e).T for e in units], axis=2))
            )
    ends = min(s.min() for s in spectra), max(s.max() for s in spectra)
    assert world.curvature == pytest.approx(ends, rel=1e-11)


# Closed forms.


@pytest.mark.smoke
def test_constants_of_a_scalar_world_are_closed_forms() -> None:
    """A = 2, E = 1/2, B = 3, F = 1: mu = 3/2, block norm B + F = 4, sigma^2 = E^2 + F^2 + s_g^2 at radius 1.

    The joint Hessian [[0, -4], [-4, 5/2]] has the norm (5/2 + sqrt(25/4 + 64))/2.
    """
    world = Quadratic(A=2.0, E=0.5, B=3.0, F=1.0, P=1.0, D=2.0, s_f=0.1, s_g=0.3)
    joint, block = (world.constants(radius=1.0, reading=reading) for reading in READINGS)
    closed = {
        "mu": 1.5, "L_0": 2.0 + 0.1 * math.sqrt(2), "L_1": 4.0, "L_21": 0.0, "L_22": 0.0,
        "sigma": math.sqrt(1.25 + 0.09), "sigma_f": 0.1 * math.sqrt(2), "sigma_H": 0.5,
    }  # fmt: skip
    assert block == pytest.approx(closed, rel=1e-11)
    assert joint == pytest.approx({**closed, "L_1": (2.5 + math.sqrt(6.25 + 64.0)) / 2}, rel=1e-11)


def test_L_0_with_noise_is_attained_where_signs_and_curvature_align() -> None:
    """P = D: at (x - a, y - b) along (1, 1) and m = (1, 1), ||grad f|| = radius P + s_f sqrt(2)."""
    world = scalar(P=2.0, D=2.0, a=0.3, b=-0.2, s_f=0.7)
    xi, n = every_outcome(world.sample_f)
    z = np.repeat((centre(world) + 3.0 * np.ones(2) / math.sqrt(2))[:, None], n, axis=1)
    worst = np.linalg.norm(gradient_f(world)(xi, z), axis=0).max()
    assert world.constants(radius=3.0)["L_0"] == pytest.approx(worst, rel=1e-14)
    tilted = gradient_f(replace(world, D=1.0))(xi, z)
    assert np.linalg.norm(tilted, axis=0).max() < 0.99 * worst


# The whole space.

LINE = {"A": 2.0, "B": 1.0, "P": 1.0, "D": 1.0}


@pytest.mark.parametrize(
    ("world", "finite"),
    [
        (Quadratic(**LINE, s_g=0.3), {"sigma": 0.3}),
        (Quadratic(**LINE, E=0.5), {}),
        (Quadratic(**LINE, F=0.5), {}),
        (Quadratic(A=2.0, B=1.0, P=0.0, D=0.0, s_f=0.4), {"L_0": 0.4 * math.sqrt(2), "sigma": 0.0}),
        (Quadratic(A=2.0, B=1.0, P=0.0, D=1e-9), {"sigma": 0.0}),
        (heterogeneous(s_g=0.2), {"sigma": 0.2 * math.sqrt(2)}),
        (heterogeneous(sigma_H=0.2), {}),
        (heterogeneous(sigma_J=0.2), {}),
        (huberised(Quadratic(**LINE | {"D": 3.0}, s_g=0.3), radius=2.0), {"L_0": 6.0, "sigma": 0.3}),
        (huberised(Quadratic(**LINE | {"D": 3.0}, E=0.3), radius=2.0), {"L_0": 6.0}),
        (wavy(), {"sigma": 0.0}),
        (wavy(E=0.3), {}),
        (rows(), {}),
        (rows(batch=None), {"sigma": 0.0, "sigma_f": 0.0}),
    ],
)
def test_on_the_whole_space_only_what_is_bounded_there_is_finite(
    world: Any, finite: dict[str, float]
) -> None:
    """On balls all constants are."""
    constants = world.constants()
    assert {k: constants[k] for k in finite} == pytest.approx(finite, rel=1e-14)
    assert math.isinf(constants["L_0"]) == ("L_0" not in finite)
    assert math.isinf(constants["sigma"]) == ("sigma" not in finite)
    assert all(map(math.isfinite, world.constants(radius=1e6).values()))


@pytest.mark.parametrize("ball", [0.1, 2.0, 3.0, math.inf])
def test_making_f_linear_far_away_changes_L_0_alone_and_only_beyond_the_radius(ball: float) -> None:
    for reading in READINGS:
        mine, plain = (
            w.constants(radius=ball, reading=reading) for w in (huberised(CURVED, radius=2.0), CURVED)
        )
        assert {k for k in plain if mine[k] != plain[k]} == ({"L_0"} if ball > 2.0 else set())


@pytest.mark.parametrize("reading", READINGS)
def test_constants_of_huge_balls_grow_with_the_radius_until_they_are_infinite(reading: Reading) -> None:
    """Warnings are errors here. L_1 of a ridge world grows like the square of the radius."""
    large, huge, border = (
        rows().constants(radius=radius, reading=reading) for radius in (1e100, 1e200, 1e308)
    )
    for name in ("L_0", "L_21", "sigma", "sigma_f"):
        assert huge[name] == pytest.approx(1e100 * large[name], rel=1e-12)
    assert (large["L_1"] < math.inf, huge["L_1"]) == (True, math.inf)
    infinite = {name for name in NAMES if huge[name] * 1e108 == math.inf}
    assert {name for name in NAMES if border[name] == math.inf} == infinite >= {"L_0", "L_1", "L_21"}
    assert all(border[name] == huge[name] for name in ("mu", "L_22", "sigma_H"))
