"""What a module says of a name that it does not have: the names that come near it."""

from collections.abc import Iterable
from difflib import get_close_matches


def missing(module: str, name: str, known: Iterable[str]) -> AttributeError:
    """The error to raise; capitals do not matter, so that SDG is near SGD, and sgd too."""
    by_lower = {each.lower(): each for each in known}
    near = [by_lower[each] for each in get_close_matches(name.lower(), by_lower, n=3)]
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return AttributeError(f"module {module!r} has no attribute {name!r}{hint}")
