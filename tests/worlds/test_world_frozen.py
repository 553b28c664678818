"""A world stays what it was when it was made: read-only, with no tie to the caller's arrays.

So do its copies. Worlds are sent to other processes by pickling, and most ways to copy an array forget that
it was read-only.
"""

import copy
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import numpy as np
import pytest

from ratecert.synthetic import Quadratic, random_quadratic

MADE = replace(
    random_quadratic(d_x=3, d_y=2, sigma_J=0.5, s_f=0.1, s_g=0.2, seed=0),
    E=[[[0.3, 0.1], [0.1, 0.0]], [[0.0, 0.2], [0.2, 0.1]]],
)
GOOD: dict[str, Any] = {f.name: getattr(MADE, f.name) for f in fields(Quadratic)}
ARRAYS = [f.name for f in fields(Quadratic) if f.name not in ("s_f", "s_g")]


def world(**changes: Any) -> Quadratic:
    return Quadratic(**{**GOOD, **changes})


@pytest.mark.parametrize("name", [*ARRAYS, "x_star"])
def test_entries_are_read_only(name: str) -> None:
    array = getattr(world(), name)
    with pytest.raises(ValueError, match="read-only"):
        array[(0,) * array.ndim] = 5.0
    array.copy()[...] = 5.0


@pytest.mark.parametrize("name", GOOD)
def test_fields_are_frozen(name: str) -> None:
    made = world()
    with pytest.raises(FrozenInstanceError):
        setattr(made, name, getattr(made, name))
    assert replace(made, s_g=0.75).s_g == 0.75
    assert made.s_g == GOOD["s_g"]


@pytest.mark.parametrize("name", ARRAYS)
def test_no_reference_to_the_callers_array_is_kept(name: str) -> None:
    """Changing the array after the fact is allowed and changes nothing; giving the changed one does."""
    given = np.array(GOOD[name], dtype=float)
    made, x = world(**{name: given}), np.array([0.3, -0.2, 0.7])
    before = copy.deepcopy((getattr(made, name), made.hypergradient(x), made.constants(radius=1.0)))
    given *= 1.01
    after = (getattr(made, name), made.hypergradient(x), made.constants(radius=1.0))
    assert not np.shares_memory(given, getattr(made, name))
    np.testing.assert_array_equal(after[0], before[0])
    np.testing.assert_array_equal(after[1], before[1])
    assert after[2] == before[2]
    assert not np.array_equal(getattr(world(**{name: given}), name), before[0])


def test_a_stack_may_be_shared_between_worlds() -> None:
    """A world made from the fields of another has arrays of its own."""
    one = world()
    other = replace(one, s_f=0.5)
    assert not any(np.shares_memory(getattr(one, name), getattr(other, name)) for name in ARRAYS)


# Copies.


COPIES: dict[str, Callable[[Any], Any]] = {
    **{f"pickle {k}": lambda v, k=k: pickle.loads(pickle.dumps(v, protocol=k)) for k in range(2, 6)},
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}


def used(made: Quadratic) -> Quadratic:
    """The same, after everything it keeps for later has been computed."""
    silent = type("Silent", (), {"signs": staticmethod(lambda n: np.zeros((n, 1)))})()
    x, y = np.zeros((made.d_x, 1)), np.zeros((made.d_y, 1))
    made.grad_y_g(made.sample_g(silent), x, y)
    made.jacobian_g(made.sample_jacobian(silent), x, y, y)
    made.constants(radius=1.0)
    return made


@pytest.mark.parametrize("name", [*ARRAYS, "x_star"])
@pytest.mark.parametrize("way", COPIES)
def test_a_copy_is_read_only_too(way: str, name: str) -> None:
    for made in (world(), used(world())):
        array = getattr(COPIES[way](made), name)
        np.testing.assert_array_equal(array, getattr(made, name))
        with pytest.raises(ValueError, match="read-only"):
            array[(0,) * array.ndim] = 5.0


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_is_the_same_world(way: str) -> None:
    x = np.array([0.3, -0.2, 0.7])
    for made in (world(), used(world())):
        other = COPIES[way](made)
        assert (other.s_f, other.s_g) == (made.s_f, made.s_g)
        assert other.constants(radius=2.0) == made.constants(radius=2.0)
        np.testing.assert_array_equal(other.hypergradient(x), made.hypergradient(x))
        with pytest.raises(FrozenInstanceError):
            other.s_f = 0.5
        assert not np.array_equal(world(c=0.7).hypergradient(x), other.hypergradient(x))


@pytest.mark.parametrize("way", ["pickle 2", "pickle 3", "pickle 4", "deepcopy"])
def test_a_bare_array_loses_the_flag(way: str) -> None:
    """Twin: without care for it a copied array could be written to."""
    array = world().A
    assert not array.flags.writeable
    assert COPIES[way](array).flags.writeable
