"""Every statement that can be falsified, by id: theorems that a paper binds to runs."""

from ratecert.base.errors import UserError
from ratecert.catalogue import find
from ratecert.search.falsifiable import Falsifiable
from ratecert.search.theorem_case import TheoremCase
from ratecert.theory.language.statements import Theorem


def case(statement: str, variant: str) -> Falsifiable:
    """The theorem as something to be tried; what is bound to no run is refused."""
    found = find.statement(statement, variant)
    key, inside = find.split(statement)
    if inside in find.bindings(key):
        return TheoremCase(key, inside, variant)
    why = "bound to no run" if isinstance(found, Theorem) else "no inequality"
    raise UserError(
        f"{statement} is {why} that an instance could break; those that are: "
        f"{', '.join(known(key))}. For the others there is `ratecert verify`."
    )


def known(own: str = find.FIRST) -> list[str]:
    """Of all papers of the package, and of one from outside."""
    return [
        find.full_id(key, inside) for key in dict.fromkeys((*find.KEYS, own)) for inside in find.bindings(key)
    ]
