"""The constants of Section 3 against brute force, on every world of oracles/constants_zoo.py.

What is measured, and how, is in oracles/constants_measured.py. Every check has a negative test: the same formula with
a part left out is exceeded somewhere in the zoo.
"""

import math
from collections.abc import Callable, Mapping
from functools import cache
from itertools import product

import numpy as np
import pytest
import sympy

from oracles import constants_measured as measures
from oracles.constants_measured import (
    centre,
    hat,
    in_ball,
    norms,
    radius_of,
    stochastic,
    tilde,
    upper_points,
)
from oracles.constants_zoo import STIFF, ZOO, Bent, Cubic
from oracles.world_signs import every_outcome, noise_free
from ratecert.base.asked import VARIANTS
from ratecert.catalogue.find import paper
from ratecert.claims.claim import build
from ratecert.papers.federated_bilevel import notation as letters
from ratecert.solvers import StochasticNeumann, exact_hypergradient
from ratecert.synthetic import Quadratic, aligned, random_quadratic
from ratecert.synthetic.constants.norm_readings import Reading
from ratecert.synthetic.worlds.aligned import worst_point
from ratecert.theory.language.statements import Definition
from ratecert.theory.numbers.evaluation import number, with_constants

Values = Mapping[str, float]
Formula = Callable[[Values], float]

READINGS: list[Reading] = ["joint", "block"]
FRACTIONS = [0.1, 0.3, 0.95]  # theta, as a part of 1/L_1
TERMS = range(4)  # Q
CONSTANTS = ["L_Phi", "L_tilde", "L_hat", "G", "Delta_Q"]
ROUNDING = 1 + measures.ROUNDING


# Measured.


@cache
def measured_alone(constant: str, name: str) -> float:
    """L_Phi and L_tilde, which depend on the world alone."""
    value: float = getattr(measures, f"measured_{constant}")(ZOO[name], radius_of(ZOO[name]))
    return value


@cache
def measured_sum(constant: str, name: str, theta: float, Q: int, radius: float) -> float:
    """L_hat, G and Delta_Q, which depend on the Neumann sum."""
    value: float = getattr(measures, f"measured_{constant}")(ZOO[name], radius, theta=theta, Q=Q)
    return value


def measured(constant: str, name: str, fraction: float, Q: int) -> float:
    if constant in ("L_Phi", "L_tilde"):
        return measured_alone(constant, name)
    return measured_sum(constant, name, theta_of(name, fraction), Q, radius_of(ZOO[name]))


@cache
def assumed(name: str, reading: Reading, radius: float) -> Values:
    """The constants of the assumptions."""
    constants: Values = ZOO[name].constants(radius=radius, reading=reading)
    return constants


def theta_of(name: str, fraction: float) -> float:
    """Below 1/L_1 under both readings."""
    return fraction / max(assumed(name, reading, radius_of(ZOO[name]))["L_1"] for reading in READINGS)


# Claimed.


def values(name: str, reading: Reading, theta: float, Q: int, radius: float) -> Values:
    return {**assumed(name, reading, radius), "theta": theta, "Q": Q}


@cache
def defined(variant: str, known: tuple[tuple[str, float], ...]) -> Values:
    return with_constants(paper(variant), dict(known))


def claimed(constant: str, variant: str) -> Formula:
    """The constant in numbers; of the printed G, a second moment, the root."""

    def formula(known: Values) -> float:
        value = defined(variant, tuple(known.items()))[constant]
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
        known = values(name, reading, theta_of(name, fraction), Q, radius_of(ZOO[name]))
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


@pytest.mark.parametrize(("constant", "part"), [("L_hat", 0.69), ("G", 0.69), ("Delta_Q", 1 - 1e-9)])
def test_how_much_of_a_constant_is_measured(constant: str, part: float) -> None:
    """On random 3x2, and for Delta_Q where it is attained.

    G cannot exceed 1/sqrt(2): I - theta grad_yy g(.; zeta) is a contraction, so E||h||^2 <= (1 + theta^2 L_1^2
    (Q + 1)^2) L_0^2. Nor can L_hat on these quadratic worlds.
    """
    assert max(max(ratios(constant, name, claimed(constant, "repaired")).values()) for name in ZOO) > part


@pytest.mark.parametrize("kappa", [5.0, 40.0, 1000.0])
def test_the_order_of_L_Phi_and_L_tilde_in_the_condition_number_is_attained(kappa: float) -> None:
    """On a scalar world in which, under `block`, every derivative is as large as L_1 = 4 allows and L_1/mu = kappa."""
    world = build({**STIFF, "mu": 4.0 / kappa})
    radius = radius_of(world)
    known = {**world.constants(radius=radius, reading="block"), "theta": 0.1, "Q": 1}
    for constant, part in (("L_Phi", (kappa**2 + 1) / (kappa + 1) ** 2), ("L_tilde", kappa / (kappa + 1))):
        found = getattr(measures, f"measured_{constant}")(world, radius)
        assert found / claimed(constant, "repaired")(known) == pytest.approx(part, rel=1e-9)


# The measuring itself.


@pytest.mark.parametrize("name", ZOO)
def test_every_world_keeps_its_truth(name: str) -> None:
    """grad_y g = 0 at y*(x), not elsewhere; its hypergradient is Lemma 1 from its oracles at (x, y*(x))."""
    world, zeta = ZOO[name], noise_free(ZOO[name].sample_g)
    for x in upper_points(world, radius_of(world)).T:
        y = world.y_star(x)
        assert np.abs(world.grad_y_g(zeta, x[:, None], y[:, None])).max() < 1e-12
        assert np.abs(world.grad_y_g(zeta, x[:, None], y[:, None] + 1e-3)).max() > 1e-6
        np.testing.assert_allclose(
            tilde(world)(np.concatenate([x, y])[:, None])[:, 0],
            world.hypergradient(x),
            rtol=1e-11,
            atol=1e-12,
        )
        np.testing.assert_allclose(
            exact_hypergradient(world, x), world.hypergradient(x), rtol=1e-11, atol=1e-12
        )


@pytest.mark.parametrize("Q", TERMS)
@pytest.mark.parametrize("name", ZOO)
def test_the_truncated_sum_is_the_mean_of_the_samples(name: str, Q: int) -> None:
    """So that the bias of h is that of hat; a sum with another number of terms is not the mean."""
    world, theta = ZOO[name], theta_of(name, 0.3)
    z = in_ball(centre(world), radius_of(world), seed=4)
    outcomes = stochastic(world, theta, Q)(z).reshape(world.d_x, -1, z.shape[1])
    mean = outcomes.sum(axis=1) / math.sqrt(outcomes.shape[1])
    np.testing.assert_allclose(mean, hat(world, theta, Q)(z), rtol=1e-11, atol=1e-12)
    assert (norms(mean - hat(world, theta, Q + 1)(z)) > 1e-6).all()


@pytest.mark.parametrize("name", ZOO)
def test_every_outcome_is_there_once(name: str) -> None:
    """As another enumeration of the signs has it, point by point; in another order of the outcomes at most."""
    world, neumann = ZOO[name], StochasticNeumann(theta=theta_of(name, 0.3), Q=2)
    z = in_ball(centre(world), radius_of(world), seed=5, n=3)
    sample, n = every_outcome(lambda bits: neumann.sample(world, bits))
    found = stochastic(world, neumann.theta, neumann.Q)(z).reshape(world.d_x, n, 3) * math.sqrt(n)
    for i in range(3):
        point = np.repeat(z[:, i : i + 1], n, axis=1)
        expected = neumann.evaluate(world, sample, point[: world.d_x], point[world.d_x :])
        for ours, theirs in zip(found[:, :, i], expected, strict=True):
            np.testing.assert_allclose(np.sort(ours), np.sort(theirs), rtol=1e-12, atol=1e-12)


def test_too_many_signs_are_refused() -> None:
    world = random_quadratic(d_x=2, d_y=2, sigma_H=0.1, seed=0)
    stochastic(world, 0.1, 16)
    with pytest.raises(ValueError, match="a sample has 17 signs, at most 16 are enumerated; make Q smaller"):
        stochastic(world, 0.1, 17)


@pytest.mark.parametrize("name", [name for name, world in ZOO.items() if isinstance(world, Quadratic)])
def test_on_quadratic_worlds_the_search_finds_operator_norms(name: str) -> None:
    """Those of P + B'A^{-1} D A^{-1} B, the Hessian of Phi, and of B'A^{-1} D, the slope of tilde in y."""
    world = ZOO[name]
    slope = np.linalg.solve(world.A, world.B)
    norm_Phi = np.linalg.norm(world.P + slope.T @ world.D @ slope, 2)
    assert measured_alone("L_Phi", name) == pytest.approx(norm_Phi, rel=1e-9)
    assert measured_alone("L_tilde", name) == pytest.approx(np.linalg.norm(slope.T @ world.D, 2), rel=1e-9)


# Delta_Q is attained.


@pytest.mark.parametrize("Q", [0, 1, 3, 8])
@pytest.mark.parametrize("fraction", FRACTIONS)
@pytest.mark.parametrize("radius", [0.5, 3.0])
def test_the_bias_is_Delta_Q_on_an_aligned_world(radius: float, fraction: float, Q: int) -> None:
    """Under `block`; `joint` has a larger L_1. The power Q + 2 of 1 - theta mu is refuted."""
    world = aligned()
    joint, block = (world.constants(radius=radius, reading=reading) for reading in READINGS)
    theta = fraction / joint["L_1"]
    z = np.concatenate(worst_point(world, radius))[:, None]
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
    rms = {radius: measured_sum("G", "aligned", theta, Q, radius) for radius in (small, large)}
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
    printed, repaired = both(values(name, reading, 0.1, 2, radius_of(ZOO[name])))
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


CUBIC = Cubic(M=1e4, slope=0.1, r=1e-8)


def test_the_printed_L_Phi_is_exceeded_where_all_is_read_per_variable() -> None:
    """Where slope < 1 and M is large. With constants Lipschitz in (x, y) the print is not exceeded: L_21 and L_22 are
    sqrt(2) M and, as on every world, L_1/mu >= sqrt(1 + ||dy*/dx||^2).
    """
    rise, known = CUBIC.rise(), CUBIC.constants()
    printed, repaired = both({**MADE_UP, **known["per variable"]})
    assert 1.25 * printed < rise <= repaired
    assert rise > 0.99 * repaired
    assert rise < both({**MADE_UP, **known["joint"]})[0]


@pytest.mark.parametrize("x", [-0.5e-8, 0.0, 0.3e-8])
def test_the_gradient_of_the_cubic_is_that_of_its_lower_level(x: float) -> None:
    """y* by Newton's method on grad_y g, and Phi' = slope dy*/dx by the implicit function theorem."""
    M, slope = CUBIC.M, CUBIC.slope
    y = 0.0
    for _ in range(50):
        y -= (y - x - M * (x + y) ** 2 / 2) / (1 - M * (x + y))
    assert abs(y) < CUBIC.r
    derivative = (1 + M * (x + y)) / (1 - M * (x + y))
    assert CUBIC.gradient(x) == pytest.approx(slope * derivative, rel=1e-13)


@pytest.mark.parametrize("corner", [(1, 1), (1, -1), (-1, 1), (-1, -1), (0, 0)])
def test_the_constants_of_the_cubic_hold_in_the_corners(corner: tuple[int, int]) -> None:
    """g_xx = -M y, g_xy = -1 - M(x + y), g_yy = 1 - M(x + y) are affine: they are largest in a corner of the set."""
    M, r = CUBIC.M, CUBIC.r
    x, y = r * corner[0], r * corner[1]
    hessian = np.array([[-M * y, -1 - M * (x + y)], [-1 - M * (x + y), 1 - M * (x + y)]])
    joint, per_variable = (CUBIC.constants()[reading] for reading in ("joint", "per variable"))
    assert np.linalg.norm(hessian, 2) <= joint["L_1"]
    assert np.abs(hessian).max() <= per_variable["L_1"] * (1 + 1e-15)
    assert hessian[1, 1] >= joint["mu"] * (1 - 1e-15)
    assert joint["L_21"] == joint["L_22"] == pytest.approx(math.hypot(M, M))
