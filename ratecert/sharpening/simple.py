"""The simplest world that still shows what was found."""

from collections.abc import Callable, Mapping

from ratecert.binding.families import counted
from ratecert.search.falsifiable import Falsifiable, Instance
from ratecert.search.simplify import simplified
from ratecert.theory.language.paper import Paper


def simple_instance(
    case: Falsifiable, source: Paper, numbers: Mapping[str, float], good: Callable[[Instance], bool]
) -> Instance:
    """First in the numbers of the search, where steps follow what they are fractions of, then in their values."""

    def still_good(table: Mapping[str, Mapping[str, float]]) -> bool:
        try:
            return good(case.instance(table["numbers"], source))
        except (ArithmeticError, ValueError):
            return False

    simple = simplified({"numbers": counted(case.levels, numbers)}, still_good)
    return simplified(case.instance(simple["numbers"], source), good)
