"""Every statement that can be falsified, by id; a paper brings its own in its part `search`."""

from collections.abc import Callable, Mapping

from ratecert.base.errors import UserError
from ratecert.catalogue import find
from ratecert.search.falsifiable import Falsifiable
from ratecert.search.theorem_case import TheoremCase
from ratecert.theory.language.statements import Theorem


def case(statement: str, variant: str) -> Falsifiable:
    """Constants of a world are joint ones, by the letter of Assumption 2."""
    find.statement(statement, variant)
    key, inside = find.split(statement)
    offered = _offered(key)
    if inside not in offered and inside in find.bindings(key):
        return TheoremCase(key, inside, variant)
    if inside not in offered:
        found = find.statement(statement, variant)
        why = "bound to no run" if isinstance(found, Theorem) else "no inequality"
        raise UserError(
            f"{statement} is {why} that an instance could break; those that are: "
            f"{', '.join(known(key))}. For the others there is `ratecert verify`."
        )
    return offered[inside](inside, variant)


def known(own: str = find.FIRST) -> list[str]:
    """Of all papers of the package, and of one from outside."""
    return [
        find.full_id(key, inside)
        for key in dict.fromkeys((*find.KEYS, own))
        for inside in dict.fromkeys((*_offered(key), *find.bindings(key)))
    ]


def _offered(key: str) -> Mapping[str, Callable[[str, str], Falsifiable]]:
    offered: Mapping[str, Callable[[str, str], Falsifiable]] = getattr(
        find.part(key, "search"), "FALSIFIABLE", {}
    )
    return offered
