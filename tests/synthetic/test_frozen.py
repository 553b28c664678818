"""A world stays what it was when it was made: read-only, with no tie to the caller's arrays. So do its copies, which
other processes get. Asked for its truth it takes points as numbers, lists or columns, also those that have diverged,
since the engines pass such columns at every step and find a divergence themselves.
"""

import copy
import math
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import numpy as np
import pytest
from flint import fmpq

from oracles.quotients import devices_of
from ratecert.synthetic import Quadratic, random_quadratic, scalar
from ratecert.synthetic.algebra import rectangular, symmetric
from ratecert.synthetic.devices import heterogeneous
from ratecert.synthetic.huberised import huberised
from ratecert.synthetic.ridge import ridge
from ratecert.synthetic.sums import FiniteSum
from ratecert.synthetic.wavy import wavy

QUADRATIC = replace(
    random_quadratic(d_x=3, d_y=2, sigma_J=0.5, s_f=0.1, s_g=0.2, seed=0),
    E=[[[0.3, 0.1], [0.1, 0.0]], [[0.0, 0.2], [0.2, 0.1]]],
)
GIVEN: dict[str, Any] = {f.name: getattr(QUADRATIC, f.name) for f in fields(Quadratic)}
ROWS = np.random.default_rng(0).normal(size=(12, 3))
DATA = {"features": ROWS, "targets": ROWS[:, 0] ** 2 + ROWS[:, 1]}
MADE: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {  # and a change that makes another world of it
    "quadratic": (lambda: Quadratic(**GIVEN), {"c": 0.7}),
    "devices": (lambda: heterogeneous(d_x=3, sigma_H=0.1, seed=3), {"dial": 0.1}),
    "wavy": (lambda: wavy(d=3, E=0.1), {"omega": 1.4}),
    "huberised": (lambda: huberised(Quadratic(**GIVEN), radius=2.0), {"radius": 0.1}),
    "ridge": (lambda: ridge(**DATA), {"m": 1.0}),
    "ridge, devices": (lambda: ridge(**DATA, devices=2), {"m": 1.0}),
}
COPIES: dict[str, Callable[[Any], Any]] = {
    **{f"pickle {k}": lambda v, k=k: pickle.loads(pickle.dumps(v, protocol=k)) for k in (2, 5)},
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
    "itself": lambda v: v,
}
X = np.array([0.3, -0.2, 0.7])
TRUTHS = ["y_star", "objective", "hypergradient"]
ONE = scalar(a=0.7, b=-1.1, c=0.4)
TWO = random_quadratic(d_x=2, d_y=3, seed=0)


def arrays_of(made: Any) -> list[np.ndarray]:
    """Every array of the world, of its devices and rows, of the world it is made of; with what they keep for later."""
    parts = [made, *devices_of(made), *(getattr(made, k) for k in ("world", "training") if hasattr(made, k))]
    return [v for part in parts for v in vars(part).values() if isinstance(v, np.ndarray)]


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("name", MADE)
def test_a_world_and_its_copies_are_the_same_and_read_only(name: str, way: str) -> None:
    made = MADE[name][0]()
    for used in (False, True):  # before and after what it keeps for later has been computed
        other = COPIES[way](made)
        for array in arrays_of(other):
            with pytest.raises(ValueError, match="read-only"):
                array[(0,) * array.ndim] = 5.0
        with pytest.raises(FrozenInstanceError):
            setattr(other, fields(made)[0].name, None)
        if used:
            assert other.constants(radius=2.0) == made.constants(radius=2.0)
            np.testing.assert_array_equal(other.hypergradient(X), made.hypergradient(X))
        made.hypergradient(X), made.constants(radius=1.0)
        if "ridge" not in name:  # where it is a long search
            assert not COPIES[way](made).x_star.flags.writeable


@pytest.mark.parametrize("name", [name for name in MADE if name != "ridge, devices"])
def test_a_changed_world_is_another_one(name: str) -> None:
    """What the first one keeps for later does not come along."""
    make, change = MADE[name]
    made = make()
    told = [
        (w.constants(radius=1.0), w.curvature, *w.hypergradient(10 * X))
        for w in (made, replace(made, **change))
    ]
    assert told[0] != told[1]


@pytest.mark.parametrize("name", [f.name for f in fields(Quadratic) if f.name not in ("s_f", "s_g")])
def test_no_reference_to_the_callers_array_is_kept(name: str) -> None:
    """Changing the array after the fact is allowed and changes nothing; giving the changed one does."""
    given = np.array(GIVEN[name], dtype=float)
    made = Quadratic(**{**GIVEN, name: given})
    before = copy.deepcopy((getattr(made, name), made.hypergradient(X)))
    given *= 1.01
    assert not np.shares_memory(given, getattr(made, name))
    np.testing.assert_array_equal(getattr(made, name), before[0])
    np.testing.assert_array_equal(made.hypergradient(X), before[1])
    assert not np.array_equal(getattr(Quadratic(**{**GIVEN, name: given}), name), before[0])


def test_a_copy_keeps_its_minimiser_in_fractions() -> None:
    """Numbers that are no doubles stay what they are; as doubles they would pass for exact ones."""
    made = FiniteSum(H=[1.0, 3.0, 3.0], a=[0.0, 1.0, 2.0])
    assert made.exact_x_star[0] == fmpq(9, 7) != made.x_star[0]
    for way in COPIES.values():
        assert way(made).exact_x_star[0] == fmpq(9, 7)


# Points


@pytest.mark.parametrize("truth", TRUTHS)
def test_a_point_is_an_array_a_list_a_column_or_for_one_dimension_a_number(truth: str) -> None:
    value, of_one = getattr(TWO, truth), getattr(ONE, truth)
    expected, number = value(np.array([3.0, -1.0])), of_one(np.array([2.0]))
    for same in ([3.0, -1.0], (3, -1), np.array([3, -1]), np.array([3, -1], dtype=np.float32)):
        np.testing.assert_array_equal(value(same), expected)
    for column in ([[3.0], [-1.0]], np.array([[3], [-1]])):
        np.testing.assert_allclose(value(column)[..., 0], expected, rtol=1e-14)
    assert not np.any(value([3.0, -1.5]) == expected)
    for two in (2, 2.0, np.float64(2.0), np.array(2.0)):
        np.testing.assert_array_equal(of_one(two), number, strict=True)
    assert value(np.ones((2, 0))).shape[-1] == 0


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("entry", [math.nan, math.inf])
@pytest.mark.parametrize("truth", TRUTHS)
def test_columns_that_diverged_pass_through(truth: str, entry: float, kind: type) -> None:
    """Only their own column is lost; the same column alone, as a point, is refused."""
    x = np.array([[1.0, entry, -2.0], [0.5, 1.0, 3.0]], dtype=kind)
    value = getattr(TWO, truth)
    with np.errstate(invalid="ignore"):
        measured = value(x)
    assert not np.isfinite(measured[..., 1]).any()
    np.testing.assert_allclose(measured[..., [0, 2]], value(x[:, [0, 2]]), rtol=1e-6)
    with pytest.raises(ValueError, match=r"^x must be finite"):
        value(x[:, 1])


def test_x_star_of_a_flat_objective_is_the_shortest_minimiser() -> None:
    """Phi(x) = 1/2 (x_1 - 3)^2 is minimal on a line; its point of least norm is (3, 0)."""
    world = Quadratic(A=1.0, B=[[1.0, 1.0]], P=np.diag([1.0, 0.0]), D=0.0, a=[3.0, 5.0])
    np.testing.assert_allclose(world.x_star, [3.0, 0.0], atol=1e-14)


@pytest.mark.parametrize("seed", range(20))
def test_semidefinite_worlds_have_a_minimiser(seed: int) -> None:
    """With P and D semidefinite Phi has a minimum, however many directions are flat to rounding."""
    rng = np.random.default_rng(seed)
    d_x, d_y = (int(d) for d in rng.integers(1, 12, 2))
    P, D = (
        symmetric(rng, 10.0 ** rng.uniform(-3, 3) * rng.uniform(0.1, 1.0, d) * rng.integers(0, 2, d))
        for d in (d_x, d_y)
    )
    made = Quadratic(
        A=symmetric(rng, rng.uniform(0.1, 2.0, d_y)), B=rectangular(rng, d_y, d_x, rng.uniform(0.1, 2.0, 1)),
        P=P, D=D, a=100.0 * rng.standard_normal(d_x), b=100.0 * rng.standard_normal(d_y),
    )  # fmt: skip
    size = 1e3 * (1.0 + max(np.linalg.norm(P, 2), np.linalg.norm(D, 2)))
    assert np.linalg.norm(made.hypergradient(made.x_star)) < 1e-9 * size
