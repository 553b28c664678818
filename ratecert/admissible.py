"""`admissible` by the id of a theorem: the paper is looked up."""

from typing import Any

from ratecert import registry
from ratecert.theory.numbers.admissible import Admissible
from ratecert.theory.numbers.admissible import admissible as admissible_in


def admissible(
    theorem: str, world: Any, K: float, p: float, T: float, *, variant: str = "repaired", **options: Any
) -> Admissible:
    """The largest steps inside the conditions of a theorem on a world, and its bound there.

    `variant` is "printed" or "repaired"; the other options are those of `ratecert.theory.numbers.admissible`.
    """
    paper = registry.holding(theorem, variant)
    return admissible_in(theorem, world, K, p, T, paper=paper, **options)
