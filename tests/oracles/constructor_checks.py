"""What our constructors of worlds keep besides; each check takes a WorldCase and raises AssertionError."""

import math
from collections.abc import Callable
from typing import Any

from ratecert.testing import WorldCase
from ratecert.testing.worlds import same


def says_what_it_makes(case: WorldCase) -> None:
    assert case.constructor.__doc__, f"{case.name} has no docstring."


def takes_names_only(case: WorldCase) -> None:
    """Arguments by name, but for a world that is changed."""
    by_place = [n for n, p in case.parameters.items() if p.kind is not p.KEYWORD_ONLY and n != "world"]
    assert not by_place, f"{case.name} takes {', '.join(by_place)} by position; a * in front makes it a name."


def is_deterministic(case: WorldCase) -> None:
    assert same(case.world, case.constructor(**case.arguments)), (
        f"{case.name} makes another world the second time."
    )


def attains_what_is_asked(case: WorldCase) -> None:
    """mu, another mu, and the dimensions."""
    world, asked = case.world, case.arguments
    for name, found in (
        ("mu", world.constants(reading="block")["mu"]),
        ("d_x", world.d_x),
        ("d_y", world.d_y),
    ):
        wanted = asked.get(name, found)
        assert math.isclose(found, wanted, rel_tol=1e-12), (
            f"{case.name} was to have {name} = {wanted}, got {found}."
        )
    if "mu" in asked:
        found = case.constructor(**{**asked, "mu": 0.75}).curvature[0]
        assert math.isclose(found, 0.75, rel_tol=1e-12), f"{case.name} was to have mu = 0.75, got {found}."


def refuses_what_is_no_number(case: WorldCase) -> None:
    """With a ValueError that names the argument."""
    for name in [n for n, value in case.arguments.items() if isinstance(value, float)]:
        for value in (math.nan, math.inf, "1"):
            assert _refuses(case, name, value), f"{case.name} does not refuse {name} = {value!r} by name."


def _refuses(case: WorldCase, name: str, value: Any) -> bool:
    try:
        case.constructor(**{**case.arguments, name: value})
    except ValueError as error:
        return name in str(error)
    return False


CHECKS: tuple[Callable[[WorldCase], None], ...] = (
    says_what_it_makes,
    takes_names_only,
    is_deterministic,
    attains_what_is_asked,
    refuses_what_is_no_number,
)
