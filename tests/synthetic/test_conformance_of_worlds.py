"""What every constructor of a world keeps, whatever world it makes.

A new constructor joins by its line in `synthetic.CONSTRUCTORS`. If it has arguments without a default, it also
needs an entry in EXAMPLES, and is told so.
"""

import inspect
import math
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
import pytest

from ratecert import synthetic
from ratecert.solvers.contract.problem import SAMPLES, TRUTH, TWO_LEVELS, Problem
from ratecert.synthetic import CONSTRUCTORS, ONE_LEVEL, Quadratic, random_quadratic, scalar
from ratecert.testing import WorldCase, checks_of, parametrize_with_checks
from ratecert.testing.worlds import same

Constructor = Callable[..., Any]
ROWS = np.random.default_rng(0).normal(size=(12, 3))
EXAMPLES: dict[str, dict[str, Any]] = {
    "random_quadratic": {"d_x": 2, "d_y": 3, "seed": 0},
    "ridge": {"features": ROWS, "targets": ROWS @ [1.0, -0.5, 0.0] + 0.1 * ROWS[:, 0] ** 2},  # no download
}


SUBJECTS = [WorldCase(constructor, **EXAMPLES.get(name, {})) for name, constructor in CONSTRUCTORS.items()]
SUBJECT = pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)


@pytest.mark.smoke
@parametrize_with_checks(SUBJECTS)
def test_every_constructor_conforms(subject: WorldCase, check: Callable[[WorldCase], None]) -> None:
    check(subject)


# What our constructors keep besides.


def takes_names_only(case: WorldCase) -> None:
    """Arguments by name, but for a world that is changed."""
    by_place = [n for n, p in case.parameters.items() if p.kind is not p.KEYWORD_ONLY and n != "world"]
    assert not by_place, f"{case.name} takes {', '.join(by_place)} by position; a * in front makes it a name."


def is_deterministic(case: WorldCase) -> None:
    assert same(case.world, case.constructor(**case.arguments)), f"{case.name} makes two worlds of one call."


def attains_what_is_asked(case: WorldCase) -> None:
    """mu, another mu, and the dimensions."""
    world, asked = case.world, case.arguments
    for name, found in (
        ("mu", world.constants(reading="block")["mu"]),
        ("d_x", world.d_x),
        ("d_y", world.d_y),
    ):
        assert math.isclose(found, asked.get(name, found), rel_tol=1e-12), (case.name, name, found)
    if "mu" in asked:
        found = case.constructor(**{**asked, "mu": 0.75}).curvature[0]
        assert math.isclose(found, 0.75, rel_tol=1e-12), (case.name, found)


def refuses_what_is_no_number(case: WorldCase) -> None:
    """With a ValueError that names the argument."""
    for name in [n for n, value in case.arguments.items() if isinstance(value, float)]:
        for value in (math.nan, math.inf, "1"):
            said = ""
            try:
                case.constructor(**{**case.arguments, name: value})
            except ValueError as error:
                said = str(error)
            assert name in said, f"{case.name} does not refuse {name} = {value!r} by name."


CHECKS = (takes_names_only, is_deterministic, attains_what_is_asked, refuses_what_is_no_number)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@SUBJECT
def test_every_constructor_keeps_what_ours_keep(
    subject: WorldCase, check: Callable[[WorldCase], None]
) -> None:
    check(subject)


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


@SUBJECT
def test_every_world_is_a_problem(subject: WorldCase) -> None:
    """synthetic and solvers never import one another: a world is a Problem by its methods alone."""
    for world in (subject.world, *getattr(subject.world, "devices", ())):
        assert departs(world) == set()


def test_a_world_that_departs_from_the_protocol_is_seen() -> None:
    class Shifted(Quadratic):
        hessian_g = Quadratic.grad_y_g  # takes no r
        curvature = Quadratic.y_star

    assert departs(object.__new__(Shifted)) == {"hessian_g", "curvature"}
    assert departs(object()) == {*TRUTH, *SAMPLES, *TWO_LEVELS}


@pytest.mark.smoke
def test_every_constructor_is_listed() -> None:
    """Every public function of the package is one."""
    public = {name: getattr(synthetic, name) for name in synthetic.__all__}
    assert {k: v for k, v in public.items() if inspect.isfunction(v)} == {**CONSTRUCTORS, **ONE_LEVEL}
    assert CONSTRUCTORS


# Negative tests: newcomers that join the list.


def breaches(constructor: Constructor, **arguments: Any) -> set[str]:
    """The checks that a constructor fails."""
    case, failed = WorldCase(constructor, **arguments), set()
    for name, check in {**checks_of(case), **{check.__name__: check for check in CHECKS}}.items():
        try:
            check(case)
        except AssertionError:
            failed.add(name)
    return failed


def with_a_required_argument(*, d_x: int, mu: float = 1.0) -> Quadratic:
    """A world that needs an example."""
    return random_quadratic(d_x=d_x, d_y=2, mu=mu, seed=0)


def test_a_newcomer_needs_no_more_than_its_line_and_a_missing_argument_is_named() -> None:
    message = "with_a_required_argument has arguments without a default: give the WorldCase d_x."
    with pytest.raises(AssertionError, match=message):
        is_deterministic(WorldCase(with_a_required_argument))
    assert breaches(with_a_required_argument, d_x=2) == set()


DRAWS = count()


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
        (by_position, {"takes_names_only"}),
        (unseeded, {"is_deterministic"}),
        (deaf, {"attains_what_is_asked", "refuses_what_is_no_number"}),
        (fixed, {"attains_what_is_asked"}),
        (turned, {"attains_what_is_asked"}),
        (forgiving, {"refuses_what_is_no_number"}),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_a_newcomer_that_breaks_a_promise_is_seen(constructor: Constructor, seen: set[str]) -> None:
    assert breaches(constructor) == seen


class Wrong:
    """A world with one attribute exchanged."""

    def __init__(self, **wrong: Any) -> None:
        self.wrong = wrong
        self.right = random_quadratic(d_x=2, d_y=2, s_f=0.1, s_g=0.1, sigma_H=0.1, seed=0)

    def __getattr__(self, name: str) -> Any:
        if name in ("wrong", "right"):
            raise AttributeError(name)
        return self.wrong[name] if name in self.wrong else getattr(self.right, name)


RIGHT = Wrong()


def times(name: str, factor: float, plus: float = 0.0) -> dict[str, Any]:
    """A method whose result is another."""
    return {name: lambda *at: factor * getattr(RIGHT, name)(*at) + plus}


def with_constant(**wrong: float) -> dict[str, Any]:
    return {"constants": lambda **at: RIGHT.constants(**at) | wrong}


@pytest.mark.parametrize(
    ("wrong", "seen"),
    [
        (times("y_star", 1.01, 0.1), "y_star_minimises_g"),
        (times("grad_y_g", -1.0), "y_star_minimises_g"),
        (times("hypergradient", 1.01), "hypergradient_is_that_of_the_objective"),
        (times("objective", 1.01), "hypergradient_is_that_of_the_objective"),
        ({"x_star": RIGHT.x_star + 0.01}, "hypergradient_is_that_of_the_objective"),
        (times("hessian_g", 1.01), "derivatives_are_those_of_the_gradient"),
        (times("jacobian_g", -1.0), "derivatives_are_those_of_the_gradient"),
        ({"neumann_factor_g": lambda *at: RIGHT.hessian_g(*at[:-1])}, "derivatives_are_those_of_the_gradient"),
        ({"curvature": (1.2, 9.0)}, "constants_hold"),
        (with_constant(mu=2.0), "constants_hold"),
        (with_constant(L_1=1.0), "constants_hold"),
        (with_constant(L_0=0.01), "constants_hold"),
    ],
    ids=lambda v: v if isinstance(v, str) else next(iter(v)),
)  # fmt: skip
def test_a_wrong_world_is_seen(wrong: dict[str, Any], seen: str) -> None:
    checks_of(RIGHT)[seen](RIGHT)
    world = Wrong(**wrong)
    with pytest.raises(AssertionError):
        checks_of(world)[seen](world)


def test_what_is_missing_or_lost_in_a_copy_is_seen() -> None:
    world = Wrong(d_x=2)
    world.right = None
    with pytest.raises(AssertionError, match=r"Wrong lacks .*y_star"):
        checks_of(world)["has_what_is_asked"](world)
    with pytest.raises(AssertionError, match="does not survive a copy"):
        checks_of(RIGHT)["survives_a_copy"](RIGHT)  # no dataclass: its copy is equal to nothing
    with pytest.raises(TypeError, match="of a constructor make a WorldCase"):
        checks_of(scalar)
