"""A world stays what it was when it was made: read-only, with no tie to the caller's arrays. So do its copies.

Worlds are sent to other processes by pickling, and most ways to copy an array forget that it was read-only.
"""

import copy
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import numpy as np
import pytest

from oracles.quotients import devices_of
from ratecert.synthetic import Quadratic, random_quadratic
from ratecert.synthetic.worlds.heterogeneous import heterogeneous
from ratecert.synthetic.worlds.huberised import huberised
from ratecert.synthetic.worlds.ridge import ridge
from ratecert.synthetic.worlds.wavy import wavy

QUADRATIC = replace(
    random_quadratic(d_x=3, d_y=2, sigma_J=0.5, s_f=0.1, s_g=0.2, seed=0),
    E=[[[0.3, 0.1], [0.1, 0.0]], [[0.0, 0.2], [0.2, 0.1]]],
)
GIVEN: dict[str, Any] = {f.name: getattr(QUADRATIC, f.name) for f in fields(Quadratic)}
ROWS = np.random.default_rng(0).normal(size=(12, 3))
DATA = {"features": ROWS, "targets": ROWS[:, 0] ** 2 + ROWS[:, 1]}
MADE: dict[str, Callable[[], Any]] = {
    "quadratic": lambda: Quadratic(**GIVEN),
    "devices": lambda: heterogeneous(d_x=3, sigma_H=0.1, seed=3),
    "wavy": lambda: wavy(d=3, E=0.1),
    "huberised": lambda: huberised(Quadratic(**GIVEN), radius=2.0),
    "ridge": lambda: ridge(**DATA),
    "ridge, devices": lambda: ridge(**DATA, devices=2),
}
COPIES: dict[str, Callable[[Any], Any]] = {
    **{f"pickle {k}": lambda v, k=k: pickle.loads(pickle.dumps(v, protocol=k)) for k in (2, 5)},
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
    "itself": lambda v: v,
}
X = np.array([0.3, -0.2, 0.7])


def arrays_of(made: Any) -> list[np.ndarray]:
    """Every array of the world, of its devices and rows, of the world it is made of; with what they keep for later."""
    parts = [made, *devices_of(made), *(getattr(made, k) for k in ("world", "training") if hasattr(made, k))]
    return [v for part in parts for v in vars(part).values() if isinstance(v, np.ndarray)]


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("name", MADE)
def test_a_world_and_its_copies_are_the_same_and_read_only(name: str, way: str) -> None:
    made = MADE[name]()
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


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("quadratic", {"c": 0.7}), ("devices", {"dial": 0.1}), ("wavy", {"omega": 1.4}),
        ("huberised", {"radius": 0.1}), ("ridge", {"m": 1.0}),
    ],
)  # fmt: skip
def test_a_changed_world_is_another_one(name: str, change: dict[str, Any]) -> None:
    """What the first one keeps for later does not come along."""
    made = MADE[name]()
    other = made.constants(radius=1.0) and replace(made, **change)
    at = 10 * X
    assert (other.constants(radius=1.0), other.curvature) != (
        made.constants(radius=1.0),
        made.curvature,
    ) or np.any(other.hypergradient(at) != made.hypergradient(at))


@pytest.mark.parametrize("name", [f.name for f in fields(Quadratic) if f.name not in ("s_f", "s_g")])
def test_no_reference_to_the_callers_array_is_kept(name: str) -> None:
    """Changing the array after the fact is allowed and changes nothing; giving the changed one does."""
    given = np.array(GIVEN[name], dtype=float)
    made = Quadratic(**{**GIVEN, name: given})
    before = copy.deepcopy((getattr(made, name), made.hypergradient(X), made.constants(radius=1.0)))
    given *= 1.01
    assert not np.shares_memory(given, getattr(made, name))
    np.testing.assert_array_equal(getattr(made, name), before[0])
    np.testing.assert_array_equal(made.hypergradient(X), before[1])
    assert made.constants(radius=1.0) == before[2]
    assert not np.array_equal(getattr(Quadratic(**{**GIVEN, name: given}), name), before[0])
