"""The constructors attain what they are asked for, and on `aligned` the bias bound is attained.

Asked for: mu = min lambda_min(A + e E), L_1 under the reading asked for, sigma_H, sigma_J = ||F||, s_f, s_g
and the dimensions, each to 1e-12 relative. L_1 has to be attained by the Hessian of g itself, not only by P
or D. An eigenvalue mu of a matrix of norm L_1 is known to eps L_1/mu relative, so L_1/mu <= 200 here.

    Delta_Q = (1 - theta mu)^{Q+1} L_0 L_1 / mu    bounds    ||B'A^{-1}(I - theta A)^{Q+1} D(y - b)||,

the bias of the Neumann hypergradient at (x, y).
"""

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ratecert.solvers import StochasticNeumann, neumann_hypergradient
from ratecert.solvers.contract.signs import Silent
from ratecert.synthetic import Quadratic, aligned, random_quadratic, scalar
from ratecert.synthetic.algebra.spectra import rotation
from ratecert.synthetic.constants.norm_readings import Reading
from ratecert.synthetic.worlds.aligned import worst_point

Array = NDArray[np.float64]
READINGS: list[Reading] = ["joint", "block"]
SIZES = [(d_x, d_y) for d_x in range(1, 7) for d_y in range(1, 7)]
LEVELS: dict[str, dict[str, float]] = {
    "no noise": {"mu": 1.0, "L_1": 4.0},
    "all noise": {"mu": 0.3, "L_1": 2.5, "sigma_H": 0.4, "sigma_J": 0.35, "s_f": 0.7, "s_g": 0.05},
    "stiff": {"mu": 0.05, "L_1": 10.0, "sigma_H": 0.6, "sigma_J": 1.6, "s_f": 0.0, "s_g": 2.0},
    "almost all noise": {"mu": 1.0, "L_1": 3.01, "sigma_H": 1.0, "sigma_J": 0.1, "s_f": 1.0},
}


def norm_of_the_hessian_of_g(world: Quadratic, reading: Reading) -> float:
    """max over signs of ||[[0, -N'], [-N, M]]||, or of max(||M||, ||N||); here E and F have one direction."""
    norms = []
    for e, e_F in product((-1.0, 1.0), repeat=2):
        M, N = world.A + e * world.E.sum(axis=0), world.B + e_F * world.F.sum(axis=0)
        joint = np.block([[np.zeros((world.d_x, world.d_x)), -N.T], [-N, M]])
        parts = [joint] if reading == "joint" else [M, N]
        norms += [np.linalg.norm(part, 2) for part in parts]
    return float(max(norms))


def attained(world: Quadratic, reading: Reading) -> dict[str, float]:
    """The requests as the world has them."""
    constants = world.constants(radius=1.0, reading=reading)
    return {
        "mu": min(float(np.linalg.eigvalsh(world.A + e * world.E.sum(axis=0))[0]) for e in (-1.0, 1.0)),
        "mu by constants": constants["mu"],
        "L_1": norm_of_the_hessian_of_g(world, reading),
        "L_1 by constants": constants["L_1"],
        "sigma_H": float(np.linalg.norm(world.E.sum(axis=0), 2)),
        "sigma_H by constants": constants["sigma_H"],
        "sigma_J": float(np.linalg.norm(world.F.sum(axis=0), 2)),
        "s_f": world.s_f,
        "s_g": world.s_g,
        "d_x": world.d_x,
        "d_y": world.d_y,
    }


def missed(world: Quadratic, request: Mapping[str, float], reading: Reading) -> set[str]:
    """The requests that the world does not attain to 1e-12 relative; what is not asked for is zero."""
    defaults = {"sigma_H": 0.0, "sigma_J": 0.0, "s_f": 0.0, "s_g": 0.0}
    wanted = {**defaults, **request}
    have = attained(world, reading)
    return {k for k, v in have.items() if not math.isclose(v, wanted[k.split()[0]], rel_tol=1e-12)}


def same_world(one: Quadratic, other: Quadratic) -> bool:
    return all(np.array_equal(getattr(one, f.name), getattr(other, f.name)) for f in fields(Quadratic))


# Requests.


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("d_x", "d_y"), SIZES, ids=[f"{d_x}x{d_y}" for d_x, d_y in SIZES])
def test_random_quadratic_attains_its_request(d_x: int, d_y: int, level: str, reading: Reading) -> None:
    request: dict[str, Any] = {**LEVELS[level], "d_x": d_x, "d_y": d_y}
    for seed in range(3):
        world = random_quadratic(**request, seed=seed, reading=reading)
        assert missed(world, request, reading) == set()


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("level", LEVELS)
def test_scalar_attains_its_request(level: str, reading: Reading) -> None:
    request = LEVELS[level]
    world = scalar(**request, reading=reading)
    assert missed(world, {**request, "d_x": 1, "d_y": 1}, reading) == set()


UNITS = [1e-300, 1e-160, 1e-20, 1e20, 1e100]


@pytest.mark.parametrize("unit", UNITS, ids=lambda u: f"unit {u:g}")
@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("level", LEVELS)
def test_requests_are_attained_in_every_unit(level: str, reading: Reading, unit: float) -> None:
    """Twin: L_1 asked for one part in a billion higher is missed, also at 1e-300."""
    request = {k: unit * v for k, v in LEVELS[level].items()}
    sizes = {"d_x": 2, "d_y": 3}
    made = [
        (random_quadratic(**sizes, **request, seed=0, reading=reading), {**request, **sizes}),
        (scalar(**request, P=0.0, D=0.0, reading=reading), {**request, "d_x": 1, "d_y": 1}),
    ]
    for world, wanted in made:
        assert missed(world, wanted, reading) == set()
        higher = {**wanted, "L_1": wanted["L_1"] * (1 + 1e-9)}
        assert missed(world, higher, reading) == {"L_1", "L_1 by constants"}


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize(
    ("asked", "seen"),
    [
        ("mu", {"mu", "mu by constants"}), ("L_1", {"L_1", "L_1 by constants"}),
        ("sigma_H", {"sigma_H", "sigma_H by constants"}), ("sigma_J", {"sigma_J"}), ("s_f", {"s_f"}),
        ("s_g", {"s_g"}), ("d_x", {"d_x"}), ("d_y", {"d_y"}),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)  # fmt: skip
def test_a_request_missed_by_one_in_a_billion_is_seen(asked: str, seen: set[str], reading: Reading) -> None:
    request: dict[str, Any] = {**LEVELS["all noise"], "d_x": 3, "d_y": 2}
    world = random_quadratic(**request, seed=0, reading=reading)
    assert missed(world, {**request, asked: request[asked] * (1 + 1e-9)}, reading) == seen


@pytest.mark.parametrize(
    ("built", "read"), [READINGS, READINGS[::-1]], ids=["joint as block", "block as joint"]
)
def test_the_other_reading_is_not_attained(built: Reading, read: Reading) -> None:
    """A coupling that makes the joint norm L_1 is smaller than L_1, and the other way round."""
    request: dict[str, Any] = {**LEVELS["all noise"], "d_x": 3, "d_y": 2}
    world = random_quadratic(**request, seed=0, reading=built)
    assert "L_1" in missed(world, request, read)


def test_scalar_passes_the_rest_on() -> None:
    given = {"P": 0.5, "D": 2.5, "a": -1.5, "b": 0.25, "c": 3.0}
    world = scalar(**given)
    assert {k: float(getattr(world, k).item()) for k in given} == given
    assert same_world(world, scalar(**given))
    assert not same_world(world, scalar(**{**given, "c": 3.5}))


def test_scalar_by_hand() -> None:
    """mu = 1, sigma_H = 1/2, L_1 = 4: h = 2 and N = sqrt(4 * 2); B = N - sigma_J."""
    world = scalar(mu=1.0, L_1=4.0, sigma_H=0.5, sigma_J=0.25)
    assert (world.A.item(), world.E.item(), world.F.item()) == (1.5, 0.5, 0.25)
    assert world.B.item() == pytest.approx(math.sqrt(8.0) - 0.25, rel=1e-15)
    assert scalar(mu=1.0, L_1=4.0, sigma_H=0.5, sigma_J=0.25, reading="block").B.item() == 3.75


# Seeds.


def test_the_seed_makes_the_world() -> None:
    request: dict[str, Any] = {**LEVELS["all noise"], "d_x": 3, "d_y": 2}
    worlds = [random_quadratic(**request, seed=seed) for seed in range(6)]
    for seed, world in enumerate(worlds):
        assert same_world(world, random_quadratic(**request, seed=seed))
        assert not any(same_world(world, other) for other in worlds[:seed])


def test_a_seed_moves_every_random_field() -> None:
    """No two seeds share a basis or a vector; levels and dimensions are the same."""
    one, other = (random_quadratic(**LEVELS["all noise"], d_x=3, d_y=2, seed=seed) for seed in (0, 1))
    shared = {
        f.name for f in fields(Quadratic) if np.array_equal(getattr(one, f.name), getattr(other, f.name))
    }
    assert shared == {"s_f", "s_g"}


def test_random_bases_are_uniform() -> None:
    """Each entry of a uniform 3 x 3 basis has mean 0 and variance 1/3; twin: a bare QR factor is lopsided.

    Six standard errors: a false alarm has the probability 9 * 2e-9, and the seed is fixed.
    """
    rng, n = np.random.default_rng(5), 4000
    bases = np.array([rotation(rng, 3) for _ in range(n)])
    bare = np.linalg.qr(rng.standard_normal((n, 3, 3)))[0]
    threshold = 6.0 * math.sqrt(1 / (3 * n))
    np.testing.assert_allclose(
        bases @ np.swapaxes(bases, 1, 2), np.broadcast_to(np.eye(3), (n, 3, 3)), atol=1e-13
    )
    assert np.abs(bases.mean(axis=0)).max() < threshold
    assert np.abs(bare.mean(axis=0)).max() > threshold


# The aligned world.


@pytest.mark.parametrize(("d_x", "d_y"), SIZES, ids=[f"{d_x}x{d_y}" for d_x, d_y in SIZES])
def test_aligned_attains_its_request_under_block(d_x: int, d_y: int) -> None:
    request: dict[str, Any] = {"mu": 0.3, "L_1": 2.5, "s_g": 0.6, "d_x": d_x, "d_y": d_y}
    assert missed(aligned(**request), request, "block") == set()
    assert missed(aligned(**{**request, "L_1": 2.6}), request, "block") == {"L_1", "L_1 by constants"}


@pytest.mark.parametrize(("d_x", "d_y"), [(1, 1), (2, 3), (3, 2), (6, 4)])
def test_aligned_has_a_larger_joint_constant(d_x: int, d_y: int) -> None:
    """The joint Hessian splits into [[0, -N_i], [-N_i, M_i]], of norm (M_i + sqrt(M_i^2 + 4 N_i^2))/2."""
    world = aligned(d_x=d_x, d_y=d_y, mu=0.3, L_1=2.5)
    M, N = np.diag(world.A).copy(), np.zeros(d_y)
    N[: min(d_x, d_y)] = np.diag(world.B)
    joint = float(np.max(M + np.sqrt(M**2 + 4 * N**2)) / 2)
    assert world.constants(reading="joint")["L_1"] == pytest.approx(joint, rel=1e-13)
    assert joint > 1.01 * 2.5


def limit(world: Quadratic, x: Array, y: Array) -> Array:
    """grad_x f - grad_xy g [grad_yy g]^{-1} grad_y f at columns (x, y): what Q = inf would give."""
    r = np.linalg.solve(world.A, world.D @ (y - world.b[:, None]))
    return world.P @ (x - world.a[:, None]) + world.B.T @ r


def biases(world: Quadratic, x: Array, y: Array, *, theta: float, Q: int) -> Array:
    """The norm of the bias of the Neumann hypergradient at columns (x, y)."""
    neumann = StochasticNeumann(theta=theta, Q=Q)
    mean = neumann.evaluate(world, neumann.sample(world, Silent()), x, y)
    return np.linalg.norm(mean - limit(world, x, y), axis=0)


def Delta_Q(world: Quadratic, *, theta: float, Q: int, radius: float, reading: Reading) -> float:
    k = world.constants(radius=radius, reading=reading)
    return (1 - theta * k["mu"]) ** (Q + 1) * k["L_0"] * k["L_1"] / k["mu"]


ALIGNED: dict[str, Quadratic] = {
    "2x3": aligned(),
    "1x1": aligned(d_x=1, d_y=1),
    "1x4": aligned(d_x=1, d_y=4, mu=0.5, L_1=3.0),
    "5x2": aligned(d_x=5, d_y=2, mu=2.0, L_1=9.0, s_g=0.4),
    "6x6, moved": replace(
        aligned(d_x=6, d_y=6), a=np.linspace(-1.0, 2.0, 6), b=np.linspace(0.5, -0.5, 6), c=0.3
    ),
}


@pytest.mark.parametrize("radius", [0.1, 3.0])
@pytest.mark.parametrize("share", [0.1, 0.5])
@pytest.mark.parametrize("name", ALIGNED)
def test_delta_q_is_attained_on_aligned_worlds(name: str, share: float, radius: float) -> None:
    """theta = share/L_1. One factor 1 - theta mu too many, and Delta_Q would be exceeded."""
    world = ALIGNED[name]
    theta = share / world.constants(reading="block")["L_1"]
    x, y = worst_point(world, radius)
    for Q in range(31):
        there = limit(world, x[:, None], y[:, None])[:, 0]
        bias = float(np.linalg.norm(neumann_hypergradient(world, x, y, theta=theta, Q=Q) - there))
        bound = Delta_Q(world, theta=theta, Q=Q, radius=radius, reading="block")
        assert bias == pytest.approx(bound, rel=1e-12)
        assert bias > 1.01 * Delta_Q(world, theta=theta, Q=Q + 1, radius=radius, reading="block")
        assert bias < 0.99 * Delta_Q(world, theta=theta, Q=Q, radius=radius, reading="joint")


def test_worst_point_is_on_the_edge_of_the_set() -> None:
    world = ALIGNED["6x6, moved"]
    x, y = worst_point(world, 3.0)
    np.testing.assert_array_equal(x, world.a)
    assert np.linalg.norm(y - world.b) == pytest.approx(3.0, rel=1e-15)
    half_way = biases(world, x[:, None], (world.b + 0.5 * (y - world.b))[:, None], theta=0.1, Q=3)
    assert half_way == pytest.approx(0.5 * biases(world, x[:, None], y[:, None], theta=0.1, Q=3), rel=1e-12)


RANDOM: dict[str, Quadratic] = {
    f"{d_x}x{d_y} {level} {reading}": random_quadratic(
        d_x=d_x, d_y=d_y, seed=seed, reading=reading, **LEVELS[level]
    )
    for seed, ((d_x, d_y), level, reading) in enumerate(
        product([(2, 3), (4, 2), (1, 5)], ["no noise", "all noise"], READINGS)
    )
}


def edge(world: Quadratic, radius: float, n: int) -> tuple[Array, Array]:
    """n random points with ||(x - a, y - b)|| = radius; half of them with x = a, where the bias is larger."""
    rng = np.random.default_rng(41)
    z = rng.standard_normal((world.d_x + world.d_y, n))
    z[: world.d_x, ::2] = 0.0
    z *= radius / np.linalg.norm(z, axis=0)
    return world.a[:, None] + z[: world.d_x], world.b[:, None] + z[world.d_x :]


def worst_bias(world: Quadratic, *, theta: float, Q: int, radius: float) -> float:
    """radius ||B'A^{-1}(I - theta A)^{Q+1} D||, taken at its top singular vector."""
    shrunk = np.linalg.matrix_power(np.eye(world.d_y) - theta * world.A, Q + 1)
    v = np.linalg.svd(world.B.T @ np.linalg.solve(world.A, shrunk @ world.D))[2][0]
    return float(biases(world, world.a[:, None], (world.b + radius * v)[:, None], theta=theta, Q=Q).max())


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("name", RANDOM)
def test_delta_q_is_never_exceeded_and_strict_on_random_worlds(name: str, reading: Reading) -> None:
    """At sampled points the bias stays below the worst one of the set, and that strictly below Delta_Q."""
    world, radius = RANDOM[name], 2.0
    theta = 0.5 / world.constants(reading=reading)["L_1"]
    x, y = edge(world, radius, 2000)
    for Q in (0, 1, 5, 20):
        sampled = float(biases(world, x, y, theta=theta, Q=Q).max())
        worst = worst_bias(world, theta=theta, Q=Q, radius=radius)
        assert sampled <= worst * (1 + 1e-9)
        assert sampled > 0.5 * worst  # the samples come close enough to mean something
        assert worst < 0.99 * Delta_Q(world, theta=theta, Q=Q, radius=radius, reading=reading)


@pytest.mark.parametrize("name", ALIGNED)
def test_delta_q_is_never_exceeded_on_aligned_worlds(name: str) -> None:
    world, radius = ALIGNED[name], 2.0
    theta = 0.5 / world.constants(reading="block")["L_1"]
    x, y = edge(world, radius, 2000)
    for Q in (0, 1, 5, 20):
        bound = Delta_Q(world, theta=theta, Q=Q, radius=radius, reading="block")
        worst = worst_bias(world, theta=theta, Q=Q, radius=radius)
        assert biases(world, x, y, theta=theta, Q=Q).max() <= bound * (1 + 1e-9)
        assert worst == pytest.approx(bound, rel=1e-11)
