"""One symbol, one name: worlds' constants and algorithms' fields are the names of theory's tables."""

import dataclasses

import pytest

from solvers import ALGORITHMS
from synthetic import CONSTRUCTORS, Quadratic, scalar
from theory import ALGORITHM, CONSTANTS, WORLD

READINGS = {"momenta", "previous"}


@pytest.mark.smoke
@pytest.mark.parametrize("name", ALGORITHMS)
def test_hyperparameters_are_in_the_table(name: str) -> None:
    assert {f.name for f in dataclasses.fields(ALGORITHMS[name])} - READINGS <= set(ALGORITHM)


def test_fields_of_the_base_world_are_in_the_table() -> None:
    assert {f.name for f in dataclasses.fields(Quadratic)} == set(WORLD)


@pytest.mark.parametrize("reading", ["joint", "block"])
def test_constants_are_in_the_table(reading: str) -> None:
    assert set(scalar().constants(radius=1.0, reading=reading)) <= set(CONSTANTS)


def test_the_tables_are_consistent() -> None:
    for table in (ALGORITHM, CONSTANTS, WORLD):
        assert all(name == symbol.name and symbol.latex and symbol.meaning for name, symbol in table.items())
    assert ALGORITHM["B"].meaning != WORLD["B"].meaning
    assert {"scalar", "random_quadratic", "aligned"} <= set(CONSTRUCTORS)
