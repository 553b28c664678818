"""What every world must satisfy: its truth is that of its own oracles, found by brute force, and its constants hold.

Each check takes a WorldCase and raises AssertionError with a sentence. Points are drawn around (a, b), where the
constants of the assumptions are asked for.
"""

import inspect
import pickle
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.errors import UserTypeError
from ratecert.solvers import exact_hypergradient
from ratecert.solvers.contract.problem import SAMPLES, TRUTH, TWO_LEVELS
from ratecert.solvers.contract.signs import Silent
from ratecert.solvers.engines.sampling.noise import Hashed

Array = NDArray[np.float64]

RADIUS = 2.0
POINTS = 8
STEP = 1e-5  # of central differences
SMOOTH = 1e-4  # what they may be off by, relative to the size of the derivative and 1
ASKED = (*TRUTH, *SAMPLES, *TWO_LEVELS, "objective", "x_star", "constants", "a", "b")


class WorldCase:
    """A constructor of worlds and the arguments to call it with; or a world by itself, `WorldCase.of(world)`."""

    def __init__(self, constructor: Callable[..., Any], **arguments: Any) -> None:
        if not callable(constructor):
            raise UserTypeError(
                f"constructor must be a function or a class that makes a world, got {constructor!r:.60}; "
                f"WorldCase.of takes a world itself."
            )
        self.constructor, self.given = constructor, arguments
        self.name = str(getattr(constructor, "__name__", constructor))

    @classmethod
    def of(cls, subject: Any) -> "WorldCase":
        """The subject itself, or the case of a world that is there already."""
        if isinstance(subject, cls):
            return subject
        case = cls(lambda: subject)
        case.name = type(subject).__name__
        return case

    @property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """The parameters of the constructor, by name."""
        return dict(inspect.signature(self.constructor).parameters)

    @property
    def arguments(self) -> dict[str, Any]:
        """Those that were given, and the constructor's own defaults."""
        defaults = {p.name: p.default for p in self.parameters.values() if p.default is not p.empty}
        missing = [
            n for n, p in self.parameters.items() if n not in defaults | self.given and p.kind not in (2, 4)
        ]
        assert not missing, (
            f"{self.name} has arguments without a default: give the WorldCase {', '.join(missing)}."
        )
        return defaults | self.given

    @cached_property
    def world(self) -> Any:
        """The world that the constructor makes of the arguments."""
        return self.constructor(**self.arguments)

    def points(self) -> Iterator[tuple[Array, Array, Any]]:
        """x and y within RADIUS of (a, b), and bits for samples there, as the engines give them to a problem."""
        rng, world = np.random.default_rng(0), self.world
        for seed in range(POINTS):
            off = rng.normal(size=world.d_x + world.d_y)
            off *= RADIUS * rng.uniform() / np.linalg.norm(off)
            bits = Hashed(seed=seed, first=0, replicates=1, K=1).reader(0, "check", 0, 0)
            yield world.a + off[: world.d_x], world.b + off[world.d_x :], bits


def has_what_is_asked(case: WorldCase) -> None:
    """Truth, samples and oracles, by name."""
    missing = [name for name in ASKED if not hasattr(case.world, name)]
    assert not missing, f"{case.name} lacks {', '.join(missing)}."


def survives_a_copy(case: WorldCase) -> None:
    """Pickled and read again it is the same."""
    assert same(case.world, pickle.loads(pickle.dumps(case.world))), f"{case.name} does not survive a copy."


def y_star_minimises_g(case: WorldCase) -> None:
    """The mean of grad_y g vanishes at (x, y*(x)), and changes sign around it."""
    world = case.world
    mean = world.sample_g(Silent())
    for x, y, _ in case.points():
        at = world.y_star(x)
        here, away = (world.grad_y_g(mean, x[:, None], each[:, None])[:, 0] for each in (at, y))
        size = 1 + float(np.linalg.norm(away))
        assert np.linalg.norm(here) < 1e-8 * size, f"{case.name}: grad_y g is {here} at y*(x), x = {x}."
        assert (y - at) @ away > 0, f"{case.name}: g falls on the way from y*({x}) to {y}."


def hypergradient_is_that_of_the_objective(case: WorldCase) -> None:
    """By Lemma 1 from the oracles, and by central differences of Phi; zero at x*."""
    world = case.world
    at_rest = np.linalg.norm(world.hypergradient(world.x_star))
    assert at_rest < 1e-10, f"{case.name}: the hypergradient is {at_rest:.3g} at x_star."
    for x, _, _ in case.points():
        told, what = world.hypergradient(x), f"hypergradient({x})"
        phi = [_slope(world.objective, x, e) for e in np.eye(world.d_x)]
        _near(case, f"{what} by Lemma 1", told, exact_hypergradient(world, x))
        _near(case, f"{what} by differences of Phi", told, np.array(phi))


def derivatives_are_those_of_the_gradient(case: WorldCase) -> None:
    """hessian_g and jacobian_g are the derivatives of grad_y g of the same sample, and the Neumann factor follows."""
    world = case.world
    r = np.random.default_rng(1).normal(size=(world.d_y, 1))
    for x, y, bits in case.points():
        zeta, at = world.sample_g(bits), (x[:, None], y[:, None])
        gradient = partial(_lower_gradient, world, zeta)
        slopes = [_slope(gradient, np.concatenate(at), e[:, None]) for e in np.eye(len(x) + len(y))]
        by_x, by_y = np.split(np.hstack(slopes), [len(x)], axis=1)
        hessian = world.hessian_g(zeta, *at, r)
        _near(case, "hessian_g", hessian, by_y @ r)
        _near(case, "jacobian_g", world.jacobian_g(zeta, *at, r), by_x.T @ r)
        _near(case, "neumann_factor_g", world.neumann_factor_g(zeta, *at, r, 0.1), r - 0.1 * hessian)


def _lower_gradient(world: Any, zeta: Any, z: Array) -> Any:
    """grad_y g at z = (x, y)."""
    return world.grad_y_g(zeta, z[: world.d_x], z[world.d_x :])


def constants_hold(case: WorldCase) -> None:
    """`curvature`, mu and L_1 bound the curvatures of samples of g, and L_0 the gradients of samples of f in y."""
    world = case.world
    known = world.constants(radius=RADIUS, reading="joint")
    ranges = {"curvature": world.curvature, "(mu, L_1)": (known["mu"], known["L_1"])}
    slack = 1e-9 * world.curvature[1]
    for x, y, bits in case.points():
        zeta, xi, at = world.sample_g(bits), world.sample_f(bits), (x[:, None], y[:, None])
        hessian = np.hstack([world.hessian_g(zeta, *at, e[:, None]) for e in np.eye(world.d_y)])
        least, most = np.linalg.eigvalsh((hessian + hessian.T) / 2)[[0, -1]].tolist()
        for name, (low, high) in ranges.items():
            assert low - slack <= least <= most <= high + slack, (
                f"{case.name}: {name} = {(low, high)}, and a sample has curvatures from {least} to {most}."
            )
        size = float(np.linalg.norm(world.grad_y_f(xi, *at)))
        assert size <= known["L_0"] * (1 + 1e-9), (
            f"{case.name}: ||grad_y f|| = {size} and L_0 = {known['L_0']}."
        )


CHECKS: dict[str, Callable[[WorldCase], None]] = {
    check.__name__: check
    for check in (
        has_what_is_asked,
        survives_a_copy,
        y_star_minimises_g,
        hypergradient_is_that_of_the_objective,
        derivatives_are_those_of_the_gradient,
        constants_hold,
    )
}


def same(one: Any, other: Any) -> bool:
    """Equal in every field, down to the arrays."""
    if is_dataclass(one):
        return type(one) is type(other) and all(
            same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one)
        )
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(np.array_equal(one, other))


def _slope(function: Callable[[Array], Any], at: Array, direction: Array) -> Any:
    """The derivative along a direction, by central differences."""
    return (function(at + STEP * direction) - function(at - STEP * direction)) / (2 * STEP)


def _near(case: WorldCase, name: str, told: Any, found: Any) -> None:
    off = float(np.max(np.abs(told - found)))
    assert off < SMOOTH * (1 + float(np.max(np.abs(found)))), f"{case.name}: {name} is off by {off:.3g}."
