"""One symbol, one name: an algorithm's fields are letters of the paper's table, or explained where it is defined."""

import dataclasses
import re
import sys

import pytest

from ratecert.papers.federated_bilevel.notation import ALGORITHM
from ratecert.solvers import ALGORITHMS, LocalSGD

READINGS = {"momenta", "previous"}


def unexplained(algorithm: type) -> set[str]:
    """Hyperparameters that are neither in the paper's table nor in a docstring of the method or of its file."""
    kinds = [kind for kind in algorithm.__mro__ if kind.__module__.startswith("ratecert.solvers.")]
    prose = " ".join(f"{kind.__doc__} {sys.modules[kind.__module__].__doc__}" for kind in kinds)
    names = {f.name for f in dataclasses.fields(algorithm)} - READINGS - set(ALGORITHM)
    return {name for name in names if not re.search(rf"\b{name}\b", prose)}


@pytest.mark.smoke
@pytest.mark.parametrize("name", ALGORITHMS)
def test_hyperparameters_are_in_the_table_or_explained_where_they_are_defined(name: str) -> None:
    assert not unexplained(ALGORITHMS[name])


def test_a_letter_that_nobody_explains_is_noticed() -> None:
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Longer(LocalSGD):
        xi_0: float = 1.0

    assert unexplained(Longer) == {"xi_0"}
