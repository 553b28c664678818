"""Where rounds of p steps come to rest on devices that differ, in 50 digits.

Compared with runs without noise and with closed forms; the law of p behind it is in tests/test_communication_period.py.
"""

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ratecert.errors import NoCertificateError, NoLimitError, NotAffineError
from ratecert.solvers import (
    LocalBSGM,
    LocalBSGVRM,
    Stage,
    expect,
    simulate,
)
from ratecert.solvers.engines.fixed_point import Rounds, _growth, fixed_point, with_digits
from ratecert.synthetic import Quadratic
from ratecert.synthetic.devices import Heterogeneous, heterogeneous
from ratecert.synthetic.huberised import huberised

Array = NDArray[np.float64]


def mean_of(world: Heterogeneous) -> Quadratic:
    """The mean problem as a world without devices."""
    return Quadratic(**{f.name: getattr(world, f.name) for f in fields(Quadratic)})


def norm(v: Any) -> float:
    return float(np.linalg.norm(v))


# Where rounds come to rest. alpha != beta and rho_1 != rho_2, so that nothing passes by symmetry.

SETTING: dict[str, Any] = {
    "eta": 0.15, "alpha": 5.0, "beta": 6.0, "rho_1": 0.1, "rho_2": 1.2, "p": 4, "theta": 0.2, "Q": 3
}  # fmt: skip
READINGS: dict[str, tuple[Any, dict[str, str]]] = {
    "bsgm-carry": (LocalBSGM, {}),
    "bsgm-fresh": (LocalBSGM, {"momenta": "fresh"}),
    "vrm-local": (LocalBSGVRM, {}),
    "vrm-averaged": (LocalBSGVRM, {"previous": "averaged"}),
    "vrm-fresh": (LocalBSGVRM, {"momenta": "fresh"}),
}
every_reading = pytest.mark.parametrize("name", READINGS)
SMALL = heterogeneous(d_x=1, d_y=1, K=3)


def solver(name: str, **changed: Any) -> Any:
    algorithm, reading = READINGS[name]
    return algorithm(**{**SETTING, **changed}, **reading)


@every_reading
def test_fixed_points_are_where_noise_free_runs_end(name: str) -> None:
    """By sampling engine and by exact moments; a run of other p or of the mean problem ends elsewhere."""
    rest, T = fixed_point(SMALL, solver(name)), 480
    run: dict[str, Any] = {"K": 3, "T": T, "x0": np.ones(1), "y0": np.ones(1), "times": [T]}
    expected = [norm(SMALL.hypergradient(rest.x)) ** 2, norm(rest.y - SMALL.y_star(rest.x)) ** 2]
    for end in (
        simulate(SMALL, solver(name), replicates=1, seed=0, **run).curves,
        expect(SMALL, solver(name), **run).curves,
    ):
        np.testing.assert_allclose([end.gradient[0], end.tracking[0]], expected, rtol=1e-9)
    for wrong in (fixed_point(SMALL, solver(name, p=5)), fixed_point(mean_of(SMALL), solver(name))):
        assert abs(norm(SMALL.hypergradient(wrong.x)) ** 2 / expected[0] - 1) > 1e-7


@every_reading
def test_with_an_average_at_every_step_the_local_inverses_decide(name: str) -> None:
    """p = 1 and a long Neumann sum: x_local, whatever the steps. With p > 1 not."""
    world = heterogeneous()
    rest = fixed_point(world, solver(name, p=1, Q=150))
    np.testing.assert_allclose(rest.x, world.x_local, rtol=1e-11)
    np.testing.assert_allclose(rest.y, world.y_star(world.x_local), rtol=1e-11)
    np.testing.assert_array_equal(rest.excess_x, np.zeros(2))
    later = fixed_point(world, solver(name, p=3, Q=150))
    np.testing.assert_allclose(later.x - rest.x, later.excess_x, atol=1e-15)
    assert norm(later.excess_x) > 1e-5


@every_reading
def test_in_long_rounds_every_device_gets_to_its_own_solution(name: str) -> None:
    rest = fixed_point(SMALL, solver(name, p=10**6, Q=150))
    np.testing.assert_allclose(rest.x, np.mean([d.x_star for d in SMALL.devices], axis=0), rtol=1e-11)
    assert norm(rest.x - SMALL.x_local) > 1e-3
    assert rest.spectral_radius == 0.0


@every_reading
def test_devices_that_are_alike_do_not_see_p(name: str) -> None:
    """At dial 0: the same rest as without devices, and p moves nothing; with a dial of 0.3 it does."""
    alike, single = replace(SMALL, dial=0.0), mean_of(SMALL)
    rest, homogeneous = fixed_point(alike, solver(name)), fixed_point(single, solver(name))
    np.testing.assert_allclose(rest.x, homogeneous.x, rtol=1e-14)
    assert max(norm(rest.excess_x), norm(homogeneous.excess_x)) < 1e-40
    assert norm(fixed_point(SMALL, solver(name)).excess_x) > 1e-7


def fields_of_devices(world: Heterogeneous, method: Any) -> tuple[Array, Array]:
    """J_k and F_k(0) of F_k = (mean hypergradient estimate, grad_y g_k), from the matrices."""
    theta, Q, identity = method.theta, method.Q, np.eye(world.d_y)
    J, F_0 = [], []
    for d in world.devices:
        neumann = theta * sum(np.linalg.matrix_power(identity - theta * d.A, q) for q in range(Q + 1))
        inverse = d.B.T @ neumann @ d.D
        J.append(np.block([[d.P, inverse], [-d.B, d.A]]))
        F_0.append(np.concatenate([-d.P @ d.a - inverse @ d.b, -d.c]))
    return np.array(J), np.array(F_0)


def test_what_fixed_point_refuses() -> None:
    slow = {"eta": 0.1, "alpha": 1.0, "beta": 1.5, "rho_1": 0.3}  # momenta too slow for the turn of x and y
    message = r"do not converge: the spectral radius of one is 1\.\d+, larger than 1 by 0\.\d+;"
    with pytest.raises(NoLimitError, match=message):
        fixed_point(heterogeneous(), solver("bsgm-carry", **slow))
    with pytest.raises(NoLimitError, match="spectral radius of one is inf"):
        fixed_point(heterogeneous(), solver("bsgm-carry", **slow, p=10**5))
    flat = Quadratic(A=1.0, B=np.array([[1.0, 0.3]]), c=0.3, P=np.zeros((2, 2)), D=1.0)
    with pytest.raises(NoLimitError, match="more than one fixed point"):
        fixed_point(flat, solver("bsgm-carry"))


def test_as_printed_long_rounds_drive_devices_apart_even_if_they_are_alike() -> None:
    """max |1 - exp(-p eta lambda)| over the eigenvalues of R J, at eta^2 p -> 0; a shared previous point does not."""
    alike = heterogeneous(d_x=1, d_y=1, K=2, dial=0.0)
    J, _ = fields_of_devices(alike, solver("vrm-local"))
    eigenvalues = np.linalg.eigvals(np.diag([SETTING["rho_1"], SETTING["rho_2"]]) @ J[0])
    top = eigenvalues[np.argmax(eigenvalues.imag)]
    eta = 1e-7
    p = round(2 / (eta * top.imag))
    growth = np.abs(1 - np.exp(-p * eta * eigenvalues)).max()
    assert growth > 1.05
    with pytest.raises(NoLimitError, match="spectral radius") as refused:
        fixed_point(alike, solver("vrm-local", eta=eta, p=p))
    found = float(str(refused.value).split("of one is ")[1].split(",")[0])
    assert found == pytest.approx(growth, abs=1e-5)
    for stable in ("vrm-averaged", "vrm-fresh", "bsgm-carry"):
        assert fixed_point(alike, solver(stable, eta=eta, p=p)).spectral_radius < 1
    assert fixed_point(alike, solver("vrm-local", eta=eta, p=p // 4)).spectral_radius < 1


PAGE: dict[str, Any] = {
    "eta": 0.01, "alpha": 8.0, "beta": 8.0, "rho_1": 0.1, "rho_2": 0.6, "theta": 0.2, "Q": 20,
}  # fmt: skip


@pytest.mark.parametrize("dial", [0.0, 0.8])
@pytest.mark.parametrize("previous", ["local", "averaged"])
def test_no_round_that_converges_is_refused(previous: Any, dial: float) -> None:
    """What is slowest, the momenta, shrinks by 1 - p eta^2 min(alpha, beta), which floats do not always see."""
    world = replace(heterogeneous(d_x=1, d_y=1, K=2), dial=dial)
    for p in (2, 16, 1024):
        for eta in (1e-7, 1e-8, 1e-9):
            method = LocalBSGVRM(**{**PAGE, "eta": eta}, p=p, previous=previous)
            change = Rounds(world.devices, with_digits(method)).change([p])
            rate = p * eta**2 * PAGE["alpha"]
            assert _growth(change) == pytest.approx(-rate, rel=1e-5)
            assert fixed_point(world, method).spectral_radius <= 1
            unstable = change + 2 * rate * np.eye(
                *change.shape
            )  # the twin: all eigenvalues moved to the right
            assert _growth(unstable) == pytest.approx(rate, rel=1e-5)


def test_the_round_that_floats_took_for_unstable_and_one_that_is() -> None:
    """At the default size, as in the documentation; p = 128 at eta = 0.01 has no limit."""
    method = LocalBSGVRM(**{**PAGE, "eta": 1e-7, "theta": 0.5, "Q": 40}, p=2)
    assert 1 - fixed_point(heterogeneous(), method).spectral_radius == pytest.approx(1.6e-13, abs=2e-16)
    with pytest.raises(NoLimitError, match=r"spectral radius of one is 1\.\d+, larger than 1 by 0\.\d+"):
        fixed_point(heterogeneous(), LocalBSGVRM(**PAGE, p=128))


@pytest.mark.parametrize("name", ["bsgm-carry", "vrm-local"])
def test_a_problem_that_is_quadratic_near_its_centre_rests_where_its_part_does(name: str) -> None:
    """Exactly up to the distance of (x, y) and (x, y*(x)) from (a, b); a simulation of the problem itself agrees."""
    part = mean_of(SMALL)
    rest = fixed_point(part, solver(name))
    points = (np.concatenate([rest.x - part.a, y - part.b]) for y in (rest.y, part.y_star(rest.x)))
    away = max(map(norm, points))
    wide = huberised(part, radius=1.001 * away)
    np.testing.assert_array_equal(fixed_point(wide, solver(name)).x, rest.x)
    run: dict[str, Any] = {
        "K": 1,
        "T": 480,
        "x0": rest.x,
        "y0": rest.y,
        "times": [480],
        "replicates": 1,
        "seed": 0,
    }
    at_rest = norm(part.hypergradient(rest.x)) ** 2
    stays = simulate(wide, solver(name, p=1), **run).curves.gradient[0]
    assert stays == pytest.approx(at_rest, rel=1e-9)
    narrow = huberised(part, radius=0.5 * away)
    assert simulate(narrow, solver(name, p=1), **run).curves.gradient[0] != pytest.approx(stays, rel=1e-3)
    for radius in (0.999 * away, 0.5 * away):
        message = rf"quadratic within radius = {radius:.6g} .* is {away:.6g} away; make radius > {away:.6g}"
        with pytest.raises(NoCertificateError, match=message):
            fixed_point(huberised(part, radius=radius), solver(name))


def test_two_equal_stages_rest_where_one_does_and_curved_problems_are_refused() -> None:
    """A cycle is then two rounds, and what it leaves of a deviation is the square. Rounds of p and 1 rest elsewhere."""

    class TwoStages(LocalBSGM):
        @property
        def stages(self) -> tuple[Stage, ...]:
            return super().stages * 2

    class Unequal(LocalBSGM):
        @property
        def stages(self) -> tuple[Stage, ...]:
            (stage,) = super().stages
            return stage, replace(stage, repeats=1)

    class Curved(Quadratic):
        def grad_y_g(self, zeta: Any, x: Any, y: Any) -> Any:
            return super().grad_y_g(zeta, x, y) + y * y

    one, two, unequal = (fixed_point(SMALL, kind(**SETTING)) for kind in (LocalBSGM, TwoStages, Unequal))
    for name in ("x", "y", "excess_x", "excess_y"):
        np.testing.assert_allclose(getattr(two, name), getattr(one, name), rtol=1e-12)
        assert norm(getattr(unequal, name) - getattr(one, name)) > 1e-6 * norm(getattr(one, name))
    assert two.spectral_radius == pytest.approx(one.spectral_radius**2, rel=1e-12)
    with pytest.raises(NotAffineError):
        fixed_point(Curved(A=1.0, B=1.0, P=1.0, D=1.0), solver("bsgm-carry"))
