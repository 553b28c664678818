"""What every world keeps: its truth is that of its own oracles, found by brute force, and its constants hold.

Each check takes a WorldCase and raises AssertionError with a sentence. Points are drawn around (a, b), where the
constants of the assumptions are asked for.
"""

import inspect
import pickle
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.errors import UserTypeError
from ratecert.solvers import exact_hypergradient
from ratecert.solvers.contract.problem import SAMPLES, TRUTH, TWO_LEVELS
from ratecert.solvers.contract.signs import Silent
from ratecert.solvers.engines.monte_carlo.noise import Hashed

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

    def points(self) -> Iterator[tuple[Array, Array]]:
        """Within RADIUS of (a, b)."""
        rng, world = np.random.default_rng(0), self.world
        for _ in range(POINTS):
            off = rng.normal(size=world.d_x + world.d_y)
            off *= RADIUS * rng.uniform() / np.linalg.norm(off)
            yield world.a + off[: world.d_x], world.b + off[world.d_x :]

    def samples(self) -> Iterator[Any]:
        """Bits, as the engines give them to a problem, of a few seeds."""
        for seed in range(POINTS):
            yield Hashed(seed=seed, first=0, replicates=1, K=1).reader(0, "check", 0, 0)


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
    for x, y in case.points():
        at = world.y_star(x)
        here, away = _mean_lower(world, x, at), _mean_lower(world, x, y)
        size = 1 + float(np.linalg.norm(away))
        assert np.linalg.norm(here) < 1e-8 * size, f"{case.name}: grad_y g is {here} at y*(x), x = {x}."
        assert (y - at) @ away > 0, f"{case.name}: g falls on the way from y*({x}) to {y}."


def hypergradient_is_that_of_the_objective(case: WorldCase) -> None:
    """By Lemma 1 from the oracles, and by central differences of Phi; zero at x*."""
    world = case.world
    at_rest = np.linalg.norm(world.hypergradient(world.x_star))
    assert at_rest < 1e-10, f"{case.name}: the hypergradient is {at_rest:.3g} at x_star."
    for x, _ in case.points():
        told = world.hypergradient(x)
        by_formula = exact_hypergradient(world, x)
        by_differences = [
            (world.objective(x + STEP * e) - world.objective(x - STEP * e)) / (2 * STEP)
            for e in np.eye(world.d_x)
        ]
        for way, found in (("Lemma 1", by_formula), ("differences of Phi", np.array(by_differences))):
            off = np.max(np.abs(told - found))
            message = f"{case.name}: hypergradient({x}) is off by {off:.3g} from {way}."
            assert off < SMOOTH * (1 + np.linalg.norm(told)), message


def derivatives_are_those_of_the_gradient(case: WorldCase) -> None:
    """hessian_g and jacobian_g are the derivatives of grad_y g of the same sample, and the Neumann factor follows."""
    world = case.world
    for (x, y), bits in zip(case.points(), case.samples(), strict=True):
        zeta, column = world.sample_g(bits), (x[:, None], y[:, None])
        r = np.random.default_rng(1).normal(size=(world.d_y, 1))
        up, down = (world.grad_y_g(zeta, x[:, None], (y[:, None] + s * STEP * r)) for s in (1, -1))
        _near(case, "hessian_g", world.hessian_g(zeta, *column, r), (up - down) / (2 * STEP))
        units = [e[:, None] for e in np.eye(world.d_x)]
        rows = [
            float(np.sum(r * (world.grad_y_g(zeta, x[:, None] + STEP * e, y[:, None])
                              - world.grad_y_g(zeta, x[:, None] - STEP * e, y[:, None])))) / (2 * STEP)
            for e in units
        ]  # fmt: skip
        _near(case, "jacobian_g", world.jacobian_g(zeta, *column, r)[:, 0], np.array(rows))
        factor = r - 0.1 * world.hessian_g(zeta, *column, r)
        _near(case, "neumann_factor_g", world.neumann_factor_g(zeta, *column, r, 0.1), factor)


def constants_hold(case: WorldCase) -> None:
    """mu and L_1 bound the curvatures of samples of g, L_0 the gradients of f on the ball, sigma the noise of g."""
    world = case.world
    known = world.constants(radius=RADIUS, reading="joint")
    low, high = world.curvature
    for (x, y), bits in zip(case.points(), case.samples(), strict=True):
        zeta, xi, column = world.sample_g(bits), world.sample_f(bits), (x[:, None], y[:, None])
        hessian = np.hstack([world.hessian_g(zeta, *column, e[:, None]) for e in np.eye(world.d_y)])
        eigenvalues = np.linalg.eigvalsh((hessian + hessian.T) / 2)
        slack = 1e-9 * high
        inside = low - slack <= eigenvalues[0] and eigenvalues[-1] <= high + slack
        assert inside, f"{case.name}: curvatures {eigenvalues} of a sample leave {world.curvature}."
        told, least, most = (known["mu"], known["L_1"]), eigenvalues[0], eigenvalues[-1]
        assert told[0] <= least + slack, (
            f"{case.name}: mu = {told[0]}, and a sample has the curvature {least}."
        )
        assert most <= told[1] + slack, (
            f"{case.name}: L_1 = {told[1]}, and a sample has the curvature {most}."
        )
        gradient = np.concatenate([world.grad_x_f(xi, *column), world.grad_y_f(xi, *column)])
        size = float(np.linalg.norm(gradient[-world.d_y :]))  # L_0 is that of f in y
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


def _mean_lower(world: Any, x: Array, y: Array) -> Array:
    """The mean of grad_y g."""
    gradient: Array = world.grad_y_g(world.sample_g(Silent()), x[:, None], y[:, None])
    return gradient[:, 0]


def _near(case: WorldCase, name: str, told: Any, found: Any) -> None:
    off = float(np.max(np.abs(told - found)))
    assert off < SMOOTH * (1 + float(np.max(np.abs(found)))), f"{case.name}: {name} is off by {off:.3g}."
