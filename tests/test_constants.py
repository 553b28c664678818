"""The constants of Section 3 against brute force, on every world of oracles/constants_zoo.py.

With z = (x, y), h(z; s) the stochastic hypergradient with outcome s of all its signs, and the norm of a map
of s being the root of the mean square over all outcomes (enumerated, none is sampled), each constant is at
least

    L_Phi      ||grad Phi(x) - grad Phi(x')|| / ||x - x'||
    L_tilde    ||grad Phi(x) - tilde(x, y)|| / ||y - y*(x)||     tilde: Lemma 1 at (x, y), inverse solved
    L_hat      ||h(z; .) - h(z'; .)|| / ||z - z'||
    G          ||h(z; .)||                                       G^2 is what is printed as G
    Delta_Q    ||hat(z) - tilde(z)||,  hat(z) = E h(z; .)

for points of the set ||(x - a, y - b)|| <= radius on which the assumptions' constants hold. For the first
two also (x, y*(x)) is in it, and (x', y*(x)): both halves are within radius/sqrt(2). Points are random ones,
and from them those in the steepest measured direction, which on a quadratic world gives the exact operator
norm. Only what every world offers is used. Every check has twins: the same formula with a part left out is
exceeded somewhere in the zoo.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
import sympy
from numpy.typing import NDArray

from oracles.constants_zoo import ZOO, Bent
from oracles.world_signs import every_outcome, noise_free
from solvers import StochasticNeumann, exact_hypergradient
from synthetic import Quadratic, aligned
from synthetic.aligned import worst_point
from synthetic.readings import Reading
from theory.evaluation import number, with_constants
from theory.federated_bilevel import letters
from theory.papers import VARIANTS, paper
from theory.statements import Definition

Array = NDArray[np.float64]
Map = Callable[[Array], Array]  # of a point, to a vector
Values = Mapping[str, float]
Formula = Callable[[Values], float]

READINGS: list[Reading] = ["joint", "block"]
FRACTIONS = [0.1, 0.3, 0.95]  # theta, as a part of 1/L_1
TERMS = range(4)  # Q
CONSTANTS = ["L_Phi", "L_tilde", "L_hat", "G", "Delta_Q"]
ROUNDING = 1 + 1e-9
STARTS = 8


# The maps.


def halves(world: Any, z: Array) -> tuple[Array, Array]:
    return z[: world.d_x], z[world.d_x :]


def stochastic(world: Any, theta: float, Q: int) -> Map:
    """z -> h(z; s) for every outcome s, over the root of their number: the norm is the root mean square."""
    neumann = StochasticNeumann(theta=theta, Q=Q)
    sample, n = every_outcome(lambda bits: neumann.sample(world, bits))

    def outcomes(z: Array) -> Array:
        x, y = (np.repeat(half[:, None], n, axis=1) for half in halves(world, z))
        values: Array = neumann.evaluate(world, sample, x, y)
        return values.T.ravel() / math.sqrt(n)

    return outcomes


def hat(world: Any, theta: float, Q: int) -> Map:
    """The truncated sum of means."""
    neumann = StochasticNeumann(theta=theta, Q=Q)
    mean = noise_free(lambda bits: neumann.sample(world, bits))

    def value(z: Array) -> Array:
        x, y = halves(world, z[:, None])
        return neumann.evaluate(world, mean, x, y)[:, 0]

    return value


def tilde(world: Any) -> Map:
    """grad_x f - grad_xy g [grad_yy g]^{-1} grad_y f at (x, y)."""
    mean = noise_free(lambda bits: StochasticNeumann(theta=1.0, Q=1).sample(world, bits))

    def value(z: Array) -> Array:
        x, y = halves(world, z[:, None])
        columns = [world.hessian_g(mean.factors[0], x, y, e[:, None]) for e in np.eye(world.d_y)]
        r = np.linalg.solve(np.hstack(columns), world.grad_y_f(mean.xi, x, y))
        return (world.grad_x_f(mean.xi, x, y) - world.jacobian_g(mean.zeta, x, y, r))[:, 0]

    return value


def tilde_at(world: Any, x: Array) -> Map:
    """The same as a map of y."""
    return lambda y: tilde(world)(np.concatenate([x, y]))


# The points.


def centre(world: Any) -> Array:
    return np.concatenate([world.a, world.b])


@cache
def radius_of(name: str) -> float:
    """Far enough for (x, y*(x)) to be in the set for all x near a."""
    world = ZOO[name]
    return 1 + 2 * float(np.linalg.norm(world.y_star(world.a) - world.b))


def in_ball(middle: Array, radius: float, seed: int, n: int = STARTS) -> Array:
    """Random points, as rows."""
    rng = np.random.default_rng(seed)
    steps = rng.standard_normal((n, len(middle)))
    return middle + steps / np.linalg.norm(steps, axis=1)[:, None] * radius * rng.uniform(size=(n, 1))


def near(radius: float, *distances: Array) -> bool:
    return all(np.linalg.norm(distance) <= radius / math.sqrt(2) for distance in distances)


def on_the_graph(world: Any, radius: float, x: Array) -> bool:
    """(x, y*(x)) is in the set, and so is (x, y*(x')) for any other such x'."""
    return near(radius, x - world.a, world.y_star(x) - world.b)


def upper_points(name: str) -> list[Array]:
    """Random x on the graph, pulled towards a until they are."""
    world, radius, points = ZOO[name], radius_of(name), []
    for x in in_ball(world.a, radius, seed=0):
        while not on_the_graph(world, radius, x):
            x = 0.5 * (x + world.a)
        points.append(x)
    return points


# The search.


def jacobian(F: Map, z: Array, step: float) -> Array:
    here = F(z)
    return np.stack([(F(z + step * e) - here) / step for e in np.eye(len(z))], axis=1)


def partners(F: Map, z: Array, radius: float) -> Iterator[Array]:
    """Points near and far from z in the direction in which F changes most."""
    step = 1e-3 * radius
    J = jacobian(F, z, step)
    steepest = np.linalg.eigh(J.T @ J)[1][:, -1]
    yield from (z + factor * step * steepest for factor in (1.0, -1.0, 100.0, -100.0, 500.0, -500.0))


def quotient(difference: Array, step: Array) -> float:
    return float(np.linalg.norm(difference) / np.linalg.norm(step))


def steepness(F: Map, points: list[Array], radius: float, allowed: Callable[[Array], bool]) -> float:
    """The largest quotient of F over pairs of allowed points."""
    pairs = list(pairwise(points))
    pairs += [(z, w) for z in points for w in partners(F, z, radius) if allowed(w)]
    return max(quotient(F(w) - F(z), w - z) for z, w in pairs)


def height(F: Map, middle: Array, radius: float) -> float:
    """The largest ||F|| met on the ball: from random points, z <- the point of the sphere up the slope.

    Where ||F||^2 is convex, as on a quadratic world, it never falls on the way.
    """
    largest = 0.0
    for z in in_ball(middle, radius, seed=1):
        for _ in range(5):
            largest = max(largest, float(np.linalg.norm(F(z))))
            up = jacobian(F, z, 1e-3 * radius).T @ F(z)
            z = middle + radius * up / max(float(np.linalg.norm(up)), 1e-300)
    return largest


# Measured.


@cache
def measured_L_Phi(name: str) -> float:
    world, radius = ZOO[name], radius_of(name)
    return steepness(
        world.hypergradient, upper_points(name), radius, lambda x: on_the_graph(world, radius, x)
    )


@cache
def measured_L_tilde(name: str) -> float:
    world, radius, largest = ZOO[name], radius_of(name), 0.0
    for x in upper_points(name):
        y_star, estimate = world.y_star(x), tilde_at(world, x)
        candidates = [*in_ball(world.b, radius / math.sqrt(2), seed=2), *partners(estimate, y_star, radius)]
        for y in candidates:
            if near(radius, y - world.b):
                largest = max(largest, quotient(world.hypergradient(x) - estimate(y), y - y_star))
    return largest


@cache
def measured_L_hat(name: str, theta: float, Q: int) -> float:
    world, radius = ZOO[name], radius_of(name)
    points = [*in_ball(centre(world), radius, seed=3)]
    return steepness(
        stochastic(world, theta, Q), points, radius, lambda z: np.linalg.norm(z - centre(world)) <= radius
    )


@cache
def measured_G(name: str, theta: float, Q: int, radius: float) -> float:
    return height(stochastic(ZOO[name], theta, Q), centre(ZOO[name]), radius)


@cache
def measured_Delta_Q(name: str, theta: float, Q: int) -> float:
    world = ZOO[name]
    full, truncated = tilde(world), hat(world, theta, Q)
    return height(lambda z: truncated(z) - full(z), centre(world), radius_of(name))


@cache
def assumed(name: str, reading: Reading, radius: float) -> Values:
    """The constants of the assumptions."""
    constants: Values = ZOO[name].constants(radius=radius, reading=reading)
    return constants


def theta_of(name: str, fraction: float) -> float:
    """Below 1/L_1 under both readings."""
    return fraction / max(assumed(name, reading, radius_of(name))["L_1"] for reading in READINGS)


def measured(constant: str, name: str, fraction: float, Q: int) -> float:
    theta = theta_of(name, fraction)
    match constant:
        case "L_Phi":
            return measured_L_Phi(name)
        case "L_tilde":
            return measured_L_tilde(name)
        case "L_hat":
            return measured_L_hat(name, theta, Q)
        case "G":
            return measured_G(name, theta, Q, radius_of(name))
        case _:
            return measured_Delta_Q(name, theta, Q)


# Claimed.


def values(name: str, reading: Reading, theta: float, Q: int, radius: float) -> Values:
    return {**assumed(name, reading, radius), "theta": theta, "Q": Q}


def claimed(constant: str, variant: str) -> Formula:
    """The constant in numbers; of the printed G, a second moment, the root."""

    def formula(known: Values) -> float:
        value = with_constants(paper(variant), known)[constant]
        return math.sqrt(value) if (constant, variant) == ("G", "printed") else value

    return formula


def without(constant: str, *parts: str) -> Formula:
    """The repaired constant with these summands of its right side left out."""
    definition = paper("repaired").the(Definition, f"constant.{constant}")
    right = sympy.expand(definition.right, multinomial=False)
    left_out = {sympy.sympify(part, locals=vars(letters)) for part in parts}
    assert left_out <= set(right.args), f"the summands of {constant} are {right.args}"
    _, power = definition.left.as_base_exp()
    return lambda known: number((right - sympy.Add(*left_out)) ** (1 / power), known)


def ratios(constant: str, name: str, formula: Formula) -> dict[tuple[Reading, float, int], float]:
    """Measured over claimed, in every case."""
    found = {}
    for reading, fraction, Q in product(READINGS, FRACTIONS, TERMS):
        known = values(name, reading, theta_of(name, fraction), Q, radius_of(name))
        found[reading, fraction, Q] = measured(constant, name, fraction, Q) / formula(known)
    return found


def exceeded(constant: str, name: str, formula: Formula) -> set[tuple[Reading, float, int]]:
    """The cases in which more is measured than the formula allows."""
    return {case for case, ratio in ratios(constant, name, formula).items() if ratio > ROUNDING}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("constant", CONSTANTS)
@pytest.mark.parametrize("name", ZOO)
def test_nothing_measured_exceeds_the_constants(name: str, constant: str, variant: str) -> None:
    assert exceeded(constant, name, claimed(constant, variant)) == set()


PARTS = [
    ("L_Phi", "L_1**3/mu**2"),
    ("L_Phi", "L_0*L_21/mu", "L_0*L_1*L_21/mu**2"),
    ("L_Phi", "L_0*L_1*L_22/mu**2", "L_0*L_1**2*L_22/mu**3"),
    ("L_tilde", "L_1**2/mu"),
    ("L_tilde", "L_0*L_1*L_22/mu**2"),
    ("L_hat", "2*L_1**2"),
    ("L_hat", "8*theta**2*L_1**4*(Q + 1)**2"),
    ("L_hat", "4*theta**2*L_0**2*L_21**2*(Q + 1)**2"),
    ("L_hat", "2*theta**4*L_0**2*L_1**2*L_22**2*Q**2*(Q + 1)**2"),
    ("G", "2*L_0**2"),
    ("G", "12*theta**2*L_0**2*L_1**2*(Q + 1)**2"),
]


@pytest.mark.parametrize("parts", PARTS, ids=" - ".join)
def test_a_constant_without_one_of_its_parts_is_exceeded(parts: tuple[str, ...]) -> None:
    constant, *left_out = parts
    assert any(exceeded(constant, name, without(constant, *left_out)) for name in ZOO)


def test_a_shorter_Delta_Q_is_exceeded() -> None:
    """With the power Q + 2 of 1 - theta mu, and without the factor L_1/mu."""
    Delta_Q = claimed("Delta_Q", "repaired")
    for wrong in (lambda v: Delta_Q({**v, "Q": v["Q"] + 1}), lambda v: Delta_Q(v) * v["mu"] / v["L_1"]):
        assert exceeded("Delta_Q", "aligned", wrong)


def test_a_part_that_is_not_there_cannot_be_left_out() -> None:
    with pytest.raises(AssertionError, match="the summands of L_tilde are"):
        without("L_tilde", "L_1**3/mu")


class Understated(Bent):
    """A world that denies its L_22."""

    def constants(self, *, radius: float, reading: Reading = "joint") -> dict[str, float]:
        return {**super().constants(radius=radius, reading=reading), "L_22": 0.0}


@pytest.mark.parametrize(
    ("world", "seen"), [(Bent, set()), (Understated, {"L_Phi", "L_tilde", "L_hat"})], ids=["honest", "not"]
)
def test_a_newcomer_needs_no_more_than_its_line(
    world: type[Bent], seen: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ZOO, world.__name__, world(omega=1e-3, nu=1.0, slope=100.0))
    wrong = {c for c in CONSTANTS if exceeded(c, world.__name__, claimed(c, "repaired"))}
    assert wrong == seen


@pytest.mark.parametrize("constant", CONSTANTS)
def test_tightness(constant: str) -> None:
    """The largest part of a constant that is measured in the zoo. It was, in the repaired paper,

        L_Phi 0.952 (stiff), L_tilde 0.976 (stiff), L_hat 0.699 and G 0.696 (random 3x2),
        Delta_Q 1 (aligned, stiff).

    The first two tend to 1 with L_1/mu on `stiff`. G cannot exceed 1/sqrt(2): I - theta grad_yy g(.; zeta)
    is a contraction, so E||h||^2 <= (1 + theta^2 L_1^2 (Q + 1)^2) L_0^2. Nor can L_hat on these quadratic
    worlds.
    """
    largest = max(max(ratios(constant, name, claimed(constant, "repaired")).values()) for name in ZOO)
    assert 0 < largest <= ROUNDING


# The measuring itself.


@pytest.mark.parametrize("name", ZOO)
def test_every_world_keeps_its_truth(name: str) -> None:
    """grad_y g = 0 at y*(x), not elsewhere; its hypergradient is Lemma 1 from its oracles at (x, y*(x))."""
    world, zeta = ZOO[name], noise_free(ZOO[name].sample_g)
    for x in upper_points(name):
        y = world.y_star(x)
        assert np.abs(world.grad_y_g(zeta, x[:, None], y[:, None])).max() < 1e-12
        assert np.abs(world.grad_y_g(zeta, x[:, None], y[:, None] + 1e-3)).max() > 1e-6
        np.testing.assert_allclose(
            tilde(world)(np.concatenate([x, y])), world.hypergradient(x), rtol=1e-11, atol=1e-12
        )
        np.testing.assert_allclose(
            exact_hypergradient(world, x), world.hypergradient(x), rtol=1e-11, atol=1e-12
        )


@pytest.mark.parametrize("Q", TERMS)
@pytest.mark.parametrize("name", ZOO)
def test_the_truncated_sum_is_the_mean_of_the_samples(name: str, Q: int) -> None:
    """So that the bias of h is that of hat; a sum with another number of terms is not the mean."""
    world, theta = ZOO[name], theta_of(name, 0.3)
    z = in_ball(centre(world), radius_of(name), seed=4)[0]
    outcomes = stochastic(world, theta, Q)(z).reshape(-1, world.d_x)
    mean = outcomes.sum(axis=0) / math.sqrt(len(outcomes))
    np.testing.assert_allclose(mean, hat(world, theta, Q)(z), rtol=1e-11, atol=1e-12)
    assert np.linalg.norm(mean - hat(world, theta, Q + 1)(z)) > 1e-6


@pytest.mark.parametrize("name", [name for name, world in ZOO.items() if isinstance(world, Quadratic)])
def test_on_quadratic_worlds_the_search_finds_operator_norms(name: str) -> None:
    """Those of P + B'A^{-1} D A^{-1} B, the Hessian of Phi, and of B'A^{-1} D, the slope of tilde in y."""
    world = ZOO[name]
    slope = np.linalg.solve(world.A, world.B)
    norm_Phi = np.linalg.norm(world.P + slope.T @ world.D @ slope, 2)
    assert measured_L_Phi(name) == pytest.approx(norm_Phi, rel=1e-9)
    assert measured_L_tilde(name) == pytest.approx(np.linalg.norm(slope.T @ world.D, 2), rel=1e-9)


# Delta_Q is attained.


@pytest.mark.parametrize("Q", [0, 1, 3, 8])
@pytest.mark.parametrize("fraction", FRACTIONS)
@pytest.mark.parametrize("radius", [0.5, 3.0])
def test_the_bias_is_Delta_Q_on_an_aligned_world(radius: float, fraction: float, Q: int) -> None:
    """Under `block`; `joint` has a larger L_1. The power Q + 2 of 1 - theta mu is refuted."""
    world = aligned()
    joint, block = (world.constants(radius=radius, reading=reading) for reading in READINGS)
    theta = fraction / joint["L_1"]
    z = np.concatenate(worst_point(world, radius))
    bias = float(np.linalg.norm(hat(world, theta, Q)(z) - tilde(world)(z)))
    Delta_Q = claimed("Delta_Q", "repaired")
    assert bias == pytest.approx(Delta_Q({**block, "theta": theta, "Q": Q}), rel=1e-12)
    assert bias < 0.99 * Delta_Q({**joint, "theta": theta, "Q": Q})
    assert bias > 1.01 * Delta_Q({**block, "theta": theta, "Q": Q + 1})


# G is a square.


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("Q", TERMS)
def test_the_printed_G_is_a_second_moment(Q: int, reading: Reading) -> None:
    """What is printed as G, and squared in the theorems, is too small in a small set; its root never is.

    Without noise in f the root of E||h||^2 grows like the radius, as that root does; the print like radius^2.
    """
    small, large, theta = 1e-3, 1.0, theta_of("aligned", 0.95)
    rms = {radius: measured_G("aligned", theta, Q, radius) for radius in (small, large)}
    known = {radius: values("aligned", reading, theta, Q, radius) for radius in (small, large)}
    printed = {r: with_constants(paper("printed"), known[r])["G"] for r in known}
    repaired = {r: with_constants(paper("repaired"), known[r])["G"] for r in known}
    assert rms[small] > printed[small]
    assert all(rms[radius] <= repaired[radius] for radius in rms)
    assert rms[large] / rms[small] == pytest.approx(repaired[large] / repaired[small], rel=1e-9)
    assert printed[large] / printed[small] == pytest.approx((large / small) ** 2, rel=1e-9)


# L_Phi, printed and repaired.

MADE_UP = {"mu": 0.5, "L_1": 2.0, "L_22": 0.3, "sigma": 0.0, "sigma_H": 0.0, "theta": 0.1, "Q": 2}


def both(known: Values) -> tuple[float, float]:
    """L_Phi, printed and repaired."""
    return claimed("L_Phi", "printed")(known), claimed("L_Phi", "repaired")(known)


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("name", [name for name, world in ZOO.items() if isinstance(world, Quadratic)])
def test_both_L_Phi_agree_on_quadratic_worlds(name: str, reading: Reading) -> None:
    """Where L_21 = 0."""
    printed, repaired = both(values(name, reading, 0.1, 2, radius_of(name)))
    assert printed == pytest.approx(repaired, rel=1e-15)


@pytest.mark.parametrize(
    ("size", "order"), [(0.3, -1), (1.0, 0), (3.0, 1)], ids=["L_0 < 1", "L_0 = 1", "L_0 > 1"]
)
def test_where_L_21_is_positive_they_differ_with_L_0(size: float, order: int) -> None:
    """By L_21 L_0 (L_0 - 1)/mu."""
    printed, repaired = both({**MADE_UP, "L_0": size, "L_21": 0.7})
    assert printed - repaired == pytest.approx(0.7 * size * (size - 1) / 0.5, rel=1e-12)
    assert np.sign(round(printed - repaired, 12)) == order
    assert len({round(value, 12) for value in both({**MADE_UP, "L_0": size, "L_21": 0.0})}) == 1


def cubic_gradient(x: float, M: float, slope: float) -> float:
    """Phi'(x) for f = slope y, g = y^2/2 - xy - M((x + y)^3 - x^3)/6: w = x + y* solves w - 2x = M w^2/2."""
    return slope * (2 / math.sqrt(1 - 4 * M * x) - 1)


def test_the_printed_L_Phi_is_exceeded_where_all_is_read_blockwise() -> None:
    """On the cubic g_xxy = g_xyy = g_yyy = -M, and near 0 g_yy = -g_xy = 1, so Phi'' = 4 slope M there.

    Constants for |x|, |y| <= r, Lipschitz in each variable on its own: L_1 = mu = 1 as r -> 0, L_0 = slope,
    L_21 = L_22 = M. The repaired L_Phi is 4 + 4 slope M, the printed one 4 + (3 + slope) slope M, less than
    Phi'' where slope < 1 and M is large. With constants Lipschitz in (x, y) the print is not exceeded: L_21
    and L_22 are sqrt(2) M and, as on every world, L_1/mu >= sqrt(1 + ||dy*/dx||^2).
    """
    M, slope, r = 1e4, 0.1, 1e-8
    rise = (cubic_gradient(r / 2, M, slope) - cubic_gradient(-r / 2, M, slope)) / r
    block = {"mu": 1 - 2 * M * r, "L_0": slope, "L_1": 1 + 2 * M * r, "L_21": M, "L_22": M}
    printed, repaired = both({**MADE_UP, **block})
    assert 1.25 * printed < rise <= repaired
    assert rise > 0.99 * repaired
    joint = {"L_1": (1 + math.sqrt(5)) / 2 + 4 * M * r, "L_21": math.sqrt(2) * M, "L_22": math.sqrt(2) * M}
    assert rise < both({**MADE_UP, **block, **joint})[0]
