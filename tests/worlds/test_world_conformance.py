"""What every constructor of a world keeps, whatever world it makes.

A new constructor joins by its line in `synthetic.CONSTRUCTORS`. If it has arguments without a default, it also
needs an entry in EXAMPLES, and is told so.
"""

import inspect
import math
import pickle
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from itertools import count
from typing import Any

import numpy as np
import pytest

from ratecert import synthetic
from ratecert.solvers.contract.problem import ORACLES, SAMPLES, TRUTH, Problem
from ratecert.synthetic import CONSTRUCTORS, Quadratic, random_quadratic, scalar

Constructor = Callable[..., Any]
ROWS = np.random.default_rng(0).normal(size=(12, 3))
EXAMPLES: dict[str, dict[str, Any]] = {
    "random_quadratic": {"d_x": 2, "d_y": 3, "seed": 0},
    "ridge": {"features": ROWS, "targets": ROWS @ [1.0, -0.5, 0.0] + 0.1 * ROWS[:, 0] ** 2},  # no download
}


def example(name: str, constructor: Constructor) -> dict[str, Any]:
    """The arguments to call it with: those of EXAMPLES and its own defaults."""
    given = EXAMPLES.get(name, {})
    parameters = inspect.signature(constructor).parameters.values()
    missing = [p.name for p in parameters if p.default is p.empty and p.name not in given]
    if missing:
        pytest.fail(
            f"{name} has arguments without a default: add {', '.join(missing)} to EXAMPLES[{name!r}] in "
            f"tests/worlds/test_world_conformance.py."
        )
    return {p.name: p.default for p in parameters if p.default is not p.empty} | given


def same(one: Any, other: Any) -> bool:
    """Equal in every field, down to the arrays."""
    if is_dataclass(one):
        return type(one) is type(other) and all(
            same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one)
        )
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(np.array_equal(one, other))


def lacks(world: Any) -> set[str]:
    """What the engines and the theory ask of a world and this one does not have."""
    asked = (*TRUTH, *SAMPLES, *ORACLES, "objective", "x_star", "constants", "a", "b")
    return {name for name in asked if not hasattr(world, name)}


def refuses(constructor: Constructor, arguments: Mapping[str, Any], name: str, value: Any) -> bool:
    """With a ValueError that names the argument."""
    try:
        constructor(**{**arguments, name: value})
    except ValueError as error:
        return name in str(error)
    return False


def breaches(name: str, constructor: Constructor) -> set[str]:
    """What the constructor does not keep."""
    arguments = example(name, constructor)
    parameters = inspect.signature(constructor).parameters
    world = constructor(**arguments)
    if lacks(world):
        return {"makes a world"}
    mu = world.constants(reading="block")["mu"]
    numbers = [p for p, value in arguments.items() if isinstance(value, float)]
    kept = {
        "has its own name": constructor.__name__ == name,
        "says what it makes": bool(constructor.__doc__),
        "takes names only": all(p.kind is p.KEYWORD_ONLY for p in parameters.values() if p.name != "world"),
        "is deterministic": same(world, constructor(**arguments)),
        "survives a copy": same(world, pickle.loads(pickle.dumps(world))),
        "attains mu": math.isclose(mu, arguments.get("mu", mu), rel_tol=1e-12),
        "attains another mu": "mu" not in arguments
        or math.isclose(constructor(**{**arguments, "mu": 0.75}).curvature[0], 0.75, rel_tol=1e-12),
        "attains the dimensions": all(
            getattr(world, d) == arguments.get(d, getattr(world, d)) for d in ("d_x", "d_y")
        ),
        "has a gradient of zero at x*": np.linalg.norm(world.hypergradient(world.x_star)) < 1e-10,
        **{
            f"refuses {p} = {value}": refuses(constructor, arguments, p, value)
            for p in numbers
            for value in (math.nan, math.inf, "1")
        },
    }
    return {promise for promise, is_kept in kept.items() if not is_kept}


@pytest.mark.smoke
@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_every_constructor_conforms(name: str) -> None:
    assert breaches(name, CONSTRUCTORS[name]) == set()


@pytest.mark.smoke
def departs(world: Any) -> set[str]:
    """The members of the protocol that the world's class lacks, or that do not take the protocol's arguments."""
    members = {name: of for base in Problem.__mro__ for name, of in vars(base).items() if name[0] != "_"}
    found = set()
    for name, asked in members.items():
        own = getattr(type(world), name, None)
        try:
            if own is None or callable(own) != callable(asked):
                found.add(name)
            elif callable(own):
                inspect.signature(own).bind(*inspect.signature(asked).parameters)
        except TypeError:
            found.add(name)
    return found


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_every_world_is_a_problem(name: str) -> None:
    """synthetic and solvers never import one another: a world is a Problem by its methods alone."""
    world = CONSTRUCTORS[name](**example(name, CONSTRUCTORS[name]))
    assert departs(world) == set()
    assert all(departs(device) == set() for device in getattr(world, "devices", ()))


def test_a_world_that_departs_from_the_protocol_is_seen() -> None:
    class Shifted(Quadratic):
        hessian_g = Quadratic.grad_y_g  # takes no r
        curvature = Quadratic.y_star

    assert departs(object.__new__(Shifted)) == {"hessian_g", "curvature"}
    assert departs(object()) == {*TRUTH, *SAMPLES, *ORACLES}


def test_every_constructor_is_listed() -> None:
    """Every public function of the package is one."""
    public = {name: getattr(synthetic, name) for name in synthetic.__all__}
    assert {k: v for k, v in public.items() if inspect.isfunction(v)} == CONSTRUCTORS
    assert CONSTRUCTORS


def test_every_example_belongs_to_a_constructor() -> None:
    assert set(EXAMPLES) <= set(CONSTRUCTORS)


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_a_seed_belongs_to_those_that_draw(name: str) -> None:
    """As the docstring of the package says."""
    assert "`random_quadratic` draws its bases and `heterogeneous` its directions, from a seed" in (
        synthetic.__doc__ or ""
    )
    drawn = {"random_quadratic", "heterogeneous"}
    assert ("seed" in inspect.signature(CONSTRUCTORS[name]).parameters) == (name in drawn)


# Twins: newcomers that join the list.


def newcomer(*, mu: float = 1.0) -> Quadratic:
    """A world that keeps everything."""
    return scalar(mu=mu)


def with_a_required_argument(*, d_x: int, mu: float = 1.0) -> Quadratic:
    """A world that needs an example."""
    return random_quadratic(d_x=d_x, d_y=2, mu=mu, seed=0)


def test_a_newcomer_needs_no_more_than_its_line() -> None:
    assert breaches("newcomer", newcomer) == set()


def test_a_missing_example_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    message = r"add d_x to EXAMPLES\['with_a_required_argument'\] in tests/worlds/test_world_conformance\.py"
    with pytest.raises(pytest.fail.Exception, match=message):
        breaches("with_a_required_argument", with_a_required_argument)
    monkeypatch.setitem(EXAMPLES, "with_a_required_argument", {"d_x": 2})
    assert breaches("with_a_required_argument", with_a_required_argument) == set()


DRAWS = count()


def no_world() -> dict[str, float]:
    """The constants instead."""
    return scalar().constants()


def undocumented(*, mu: float = 1.0) -> Quadratic:
    return scalar(mu=mu)


def by_position(mu: float = 1.0) -> Quadratic:
    """An argument without its name."""
    return scalar(mu=mu)


def unseeded() -> Quadratic:
    """Another world at every call."""
    return random_quadratic(d_x=2, d_y=2, seed=next(DRAWS))


def deaf(*, mu: float = 1.5) -> Quadratic:
    """Another mu than asked for."""
    return scalar(mu=1.0)


def fixed(*, mu: float = 1.0) -> Quadratic:
    """Always the same mu, by luck that of the default."""
    scalar(mu=mu)
    return scalar(mu=1.0)


def turned(*, d_x: int = 1, d_y: int = 2) -> Quadratic:
    """The dimensions exchanged."""
    return random_quadratic(d_x=d_y, d_y=d_x, seed=0)


def forgiving(*, b: float = 0.0) -> Quadratic:
    """No b is refused."""
    return scalar(b=b if isinstance(b, float) and math.isfinite(b) else 0.0)


@pytest.mark.parametrize(
    ("constructor", "seen"),
    [
        (no_world, {"makes a world"}),
        (undocumented, {"says what it makes"}),
        (by_position, {"takes names only"}),
        (unseeded, {"is deterministic"}),
        (deaf, {"attains mu", "attains another mu", *(f"refuses mu = {v}" for v in ("nan", "inf", "1"))}),
        (fixed, {"attains another mu"}),
        (turned, {"attains the dimensions"}),
        (forgiving, {f"refuses b = {v}" for v in ("nan", "inf", "1")}),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_a_newcomer_that_breaks_a_promise_is_seen(constructor: Constructor, seen: set[str]) -> None:
    assert breaches(constructor.__name__, constructor) == seen


def test_another_name_in_the_list_is_seen() -> None:
    assert breaches("old_name", newcomer) == {"has its own name"}


# What is said about the cost.


@pytest.mark.parametrize("n", [(0, 0), (1, 0), (0, 2), (2, 3)], ids=str)
def test_the_cost_of_joint_constants_is_the_one_that_is_said(
    n: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """2^(n_E + n_F) eigenvalue problems of size d_x + d_y; `block` has none of that size."""
    world = Quadratic(
        A=9.0 * np.eye(2), E=np.full((n[0], 2, 2), 0.1), B=np.ones((2, 3)), F=np.full((n[1], 2, 3), 0.1),
        P=np.eye(3), D=np.eye(2),
    )  # fmt: skip
    solved: list[int] = []
    eigvalsh = np.linalg.eigvalsh

    def counted(stack: Any) -> Any:
        solved.extend([np.shape(stack)[-1]] * int(np.prod(np.shape(stack)[:-2])))
        return eigvalsh(stack)

    monkeypatch.setattr(np.linalg, "eigvalsh", counted)
    world.constants(reading="joint")
    assert solved.count(5) == 2 ** sum(n)
    solved.clear()
    world.constants(reading="block")
    assert solved.count(5) == 0
    assert "its joint constants take 2^(directions of E and F)" in str(Quadratic.__doc__)
    assert "`joint` solves 2^(n_E + n_F) eigenvalue problems" in str(Quadratic.constants.__doc__)
