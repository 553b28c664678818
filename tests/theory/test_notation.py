"""One symbol, one name: worlds' constants and algorithms' fields are the names of theory's tables.

Other methods have the letters of their own papers, each explained where it is defined.
"""

import dataclasses
import re
import sys

import pytest

from ratecert.papers.federated_bilevel.notation import ALGORITHM, CONSTANTS
from ratecert.solvers import ALGORITHMS, LocalSGD
from ratecert.synthetic import CONSTRUCTORS
from ratecert.theory.language.symbols import WORLD

READINGS = {"momenta", "previous"}


def unexplained(algorithm: type) -> set[str]:
    """Hyperparameters that are neither in the paper's table nor in the docstring of a file that defines the method."""
    files = {kind.__module__ for kind in algorithm.__mro__ if kind.__module__.startswith("ratecert.solvers.")}
    prose = " ".join(sys.modules[file].__doc__ or "" for file in files)
    names = {f.name for f in dataclasses.fields(algorithm)} - READINGS - set(ALGORITHM)
    return {name for name in names if not re.search(rf"\b{name}\b", prose)}


@pytest.mark.smoke
@pytest.mark.parametrize("name", ["LocalBSGM", "LocalBSGVRM"])
def test_hyperparameters_of_the_paper_are_in_the_table(name: str) -> None:
    assert {f.name for f in dataclasses.fields(ALGORITHMS[name])} - READINGS <= set(ALGORITHM)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_letters_of_other_methods_are_explained_where_they_are_defined(name: str) -> None:
    assert not unexplained(ALGORITHMS[name])


def test_a_letter_that_nobody_explains_is_noticed() -> None:
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Longer(LocalSGD):
        xi_0: float = 1.0

    assert unexplained(Longer) == {"xi_0"}


def test_the_tables_are_consistent() -> None:
    for table in (ALGORITHM, CONSTANTS, WORLD):
        assert all(name == symbol.name and symbol.latex and symbol.meaning for name, symbol in table.items())
    assert ALGORITHM["B"].meaning != WORLD["B"].meaning
    assert {"scalar", "random_quadratic", "aligned"} <= set(CONSTRUCTORS)
