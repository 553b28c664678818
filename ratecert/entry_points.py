"""What installed packages offer by entry points, found when it is asked for.

    ratecert.papers    key -> module with PRINTED, RUNS, ...      ratecert lint KEY, ratecert verify KEY
    ratecert.claims    key -> module with CLAIMS                  ratecert verify KEY
    ratecert.methods   name -> class of an algorithm              rc.methods.NAME
    ratecert.worlds    name -> class or function of worlds        rc.worlds.NAME

A name that is offered twice is refused when it is asked for, with both packages.
"""

from collections.abc import Collection
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from ratecert.base.errors import UserError
from ratecert.base.words import missing

PAPERS, CLAIMS = "ratecert.papers", "ratecert.claims"
METHODS, WORLDS = "ratecert.methods", "ratecert.worlds"


@cache
def points(group: str) -> dict[str, tuple[EntryPoint, ...]]:
    """Name -> what is offered under it, of all installed packages."""
    found: dict[str, tuple[EntryPoint, ...]] = {}
    for point in entry_points(group=group):
        found[point.name] = (*found.get(point.name, ()), point)
    return found


def point_of(group: str, name: str) -> EntryPoint:
    """What is offered under a name; two of them are refused."""
    first, *others = points(group)[name]
    if others:
        raise UserError(
            f"{name} is offered twice in {group}, by {place(first)} and by {place(others[0])}; remove one of the "
            f"packages, or give one of them another name."
        )
    return first


def place(point: EntryPoint) -> str:
    """Say where an entry point comes from."""
    package = point.dist.name if point.dist else "an unknown package"
    return f"{point.value} of the installed package {package}"


def loaded(group: str, name: str, taken: Collection[str] = ()) -> Any:
    """Load the class or function of this name; for a name that nobody offers, the AttributeError of a module.

    `taken` has the names of the module itself, which may be meant.
    """
    if name not in points(group):
        raise missing(group, name, [*taken, *points(group)])
    point = point_of(group, name)
    try:
        found = point.load()
    except (ImportError, AttributeError) as error:
        raise UserError(f"{group}.{name}, {place(point)}, does not load: {error}.") from error
    if not callable(found):
        raise UserError(
            f"{group}.{name}, {place(point)}, must be a class or a function, got {found!r:.60}; name one with "
            f"module:Class in its entry point."
        )
    return found


def require_free(group: str, taken: Collection[str]) -> None:
    """Refuse an offered name that the package itself has."""
    for name in points(group):
        if name in taken:
            raise UserError(
                f"{group}.{name} is a name of ratecert, and {place(points(group)[name][0])} offers it too; remove "
                f"that package, or give its entry point another name."
            )
