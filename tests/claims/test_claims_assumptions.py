"""The claim on Assumptions 1-3: what the confrontation measures, and that wrong constants and wrong words are seen."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from oracles.kept_pieces import values_of
from ratecert.claims.claim import Budget, build
from ratecert.papers.federated_bilevel.claims import assumptions
from ratecert.papers.federated_bilevel.claims.assumptions import Confronted, confront, standings
from ratecert.synthetic import CONSTRUCTORS, Quadratic, wavy

CONSTANTS = ("mu", "L_0", "L_1", "L_21", "L_22", "sigma")


(CLAIM,) = assumptions.CLAIMS
PIECES = CLAIM.pieces(Budget(quick=True))


@pytest.fixture(scope="module")
def values() -> list[Any]:
    """What the pieces of `--quick` find."""
    return values_of(PIECES)


def violated(values: list[Any]) -> list[str]:
    return [check.name for check in CLAIM.judged(PIECES, values).checks if check.verdict == "fails"]


def test_the_claim_holds(values: list[Any]) -> None:
    judgement = CLAIM.judged(PIECES, values)
    assert judgement.verdict == "not refuted"
    assert any("heterogeneous is not covered" in note for note in judgement.notes)


def test_every_constructor_is_covered() -> None:
    """A new one is told to join."""
    covered = {spec["world"] for spec in assumptions.WORLDS.values()} | {assumptions.DIFFERENT["world"]}
    assert covered == set(CONSTRUCTORS)


# What is measured.


def test_a_scalar_world_by_hand() -> None:
    """A = 2, E = 1/2, B = 3, F = 1, P = D = 2: mu = 3/2, and on radius 1 around 0 the largest gradient of f is 2 + 0.1
    sqrt(2), the joint Hessian [[0, -4], [-4, 5/2]] is the largest one, and sigma^2 = E^2 + F^2 + s_g^2 at y = 1."""
    world = Quadratic(A=2.0, E=0.5, B=3.0, F=1.0, P=2.0, D=2.0, s_f=0.1, s_g=0.3)
    found = Confronted(world, 1.0).found(points=8, seed=0)
    by_hand = {
        "mu": 1.5, "L_0": 2.0 + 0.1 * math.sqrt(2), "L_1": (2.5 + math.sqrt(6.25 + 64.0)) / 2, "L_21": 0.0,
        "L_22": 0.0, "sigma": math.sqrt(1.25 + 0.09),
    }  # fmt: skip
    assert found == pytest.approx(by_hand, rel=2e-4)
    assert found["L_21"] == found["L_22"] == 0.0


def test_the_gradient_of_g_in_x() -> None:
    """By hand: -w'(x) B y of a wavy world, phi'(x) y^2/2 of the ridge world."""
    x, y = np.array([0.4, -0.7]), np.array([1.3, 0.6])
    bent = wavy(d=2, B=[1.0, -2.0], dial=0.5)
    found = Confronted(bent, 1.0).gradients_of_g(np.concatenate([x, y]))[:2, 0]
    np.testing.assert_allclose(found, -(1 + 0.5 * np.cos(x)) * np.array([1.0, -2.0]) * y, rtol=1e-13)
    data = build(assumptions.WORLDS["ridge"])
    found = Confronted(data, 1.0).gradients_of_g(np.concatenate([x, y]))[:2, 0]
    slope = np.exp(2 * np.sin(x / 2)) * np.cos(x / 2)
    np.testing.assert_allclose(found, slope * y**2 / 2, rtol=1e-13)


def test_the_bend_of_a_wavy_world() -> None:
    """grad_xy g = -B (1 + dial cos x): from x = pi/2 on it changes by dial B per unit of x; grad_yy g stays."""
    world = wavy(d=1, B=3.0, dial=0.5)
    confronted = Confronted(world, 2.0)
    z = np.array([math.pi / 2, 0.1])
    assert confronted.bend(confronted.jacobians, z) == pytest.approx(1.5, rel=1e-6)
    assert confronted.bend(confronted.hessians, z) == 0.0


# Twins.


def changed(values: list[Any], new: dict[str, Any], **where: str) -> list[Any]:
    """The same with other cells in the rows that have these cells."""
    return [[{**row, **new} if where.items() <= row.items() else row for row in rows] for rows in values]


def multiplied(values: list[Any], constant: str, factor: float) -> list[Any]:
    """The same with one constant multiplied, on all worlds."""
    return [
        [{**row, "value": factor * row["value"]} if row.get("constant") == constant else row for row in rows]
        for rows in values
    ]


@pytest.mark.parametrize("constant", CONSTANTS)
def test_one_per_cent_less_is_caught(values: list[Any], constant: str) -> None:
    """For mu one per cent more."""
    wrong = violated(multiplied(values, constant, 1.01 if constant == "mu" else 0.99))
    assert {name.partition(",")[0] for name in wrong if "attained" not in name} == {constant}


@pytest.mark.parametrize("constant", CONSTANTS)
def test_twice_as_much_is_not_attained(values: list[Any], constant: str) -> None:
    """The constants are then still bounds, and the confrontation could not tell them from smaller ones: it says so."""
    (name,) = violated(multiplied(values, constant, 0.5 if constant == "mu" else 2.0))
    assert name.startswith(f"{constant}: part that is attained")


class Understated:
    """A world that claims one per cent less."""

    def __init__(self, world: Any, constant: str) -> None:
        self.world, self.constant = world, constant

    def __getattr__(self, name: str) -> Any:
        return getattr(self.world, name)

    def constants(self, **where: Any) -> Mapping[str, float]:
        constants = self.world.constants(**where)
        return {**constants, self.constant: 0.99 * constants[self.constant]}


@pytest.mark.parametrize("constant", ["L_0", "L_1", "sigma"])
def test_a_world_that_understates_is_exceeded(constant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        assumptions,
        "build",
        lambda spec: Understated(build(spec), constant),
    )
    spec = assumptions.WORLDS["scalar"]
    found = confront(world="scalar", spec=spec, radius=1.0, points=16, seed=0)
    exceeded = {row["constant"] for row in found if row["found"] > row["value"] * (1 + 1e-6)}
    assert exceeded - {"mu"} == {constant}


def test_second_derivatives_that_are_said_to_be_constant_are_seen(values: list[Any]) -> None:
    """A constant of 0 is exceeded by anything."""
    wrong = violated(changed(values, {"value": 0.0}, world="wavy", constant="L_21"))
    assert [name for name in wrong if "attained" not in name] == ["L_21, wavy"]


@pytest.mark.parametrize(
    ("world", "assumption", "said"),
    [
        ("scalar", "assumption-2", "everywhere"),
        ("huberised", "assumption-2", "on the ball"),
        ("aligned", "assumption-3", "on the ball"),
        ("random", "assumption-3", "everywhere"),
        ("ridge", "assumption-1", "no"),
    ],
)
def test_a_wrong_word_on_where_an_assumption_holds_is_seen(
    values: list[Any], world: str, assumption: str, said: str
) -> None:
    wrong = changed(values, {"holds": said}, world=world, assumption=assumption)
    assert violated(wrong) == ["assumptions that hold elsewhere than said"]


def test_devices_that_differ_are_outside() -> None:
    """Whatever their constants are; a world of one kind of device is inside."""
    different = standings(world="heterogeneous", spec=assumptions.DIFFERENT, radius=10.0)
    assert {row["assumption"]: row["holds"] for row in different}["problem"] == "no"
    alike = standings(world="aligned", spec=assumptions.WORLDS["aligned"], radius=10.0)
    assert "problem" not in {row["assumption"] for row in alike}


def test_a_paper_that_forgets_the_devices_is_seen(values: list[Any]) -> None:
    wrong = [[row for row in rows if row.get("assumption") != "problem"] for rows in values]
    assert violated(wrong) == ["devices that differ are outside the problem"]
