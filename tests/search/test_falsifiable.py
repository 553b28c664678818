"""measured/bound at an instance, and under another version of the paper."""

import math
from types import SimpleNamespace
from typing import Any

import pytest

from ratecert.errors import OutsideConditionsError
from ratecert.search.case import Case, Trial


def trial(measured: float = 3.0, bound: float = 2.0) -> Trial:
    return Trial(measured=measured, bound=bound, precision=0.0, values={"L": 2.0})


@pytest.mark.parametrize(
    ("measured", "bound", "ratio"),
    [
        (3.0, 2.0, 1.5),
        (1.0, 2.0, 0.5),
        (0.0, 2.0, 0.0),
        (-1.0, 2.0, 0.0),
        (0.0, 0.0, 0.0),
        (1e-300, 0.0, math.inf),
    ],
)
def test_the_ratio_is_measured_over_bound(measured: float, bound: float, ratio: float) -> None:
    """A measure of zero breaks no bound; a bound of zero is broken by any other measure."""
    assert trial(measured, bound).ratio == ratio


def test_nan_breaks_no_bound() -> None:
    assert trial(math.nan).ratio == 0.0


def version(bound: float | None) -> Any:
    """A statement with this bound, or one that says nothing at these values."""

    def right_side(values: Any, source: Any) -> float:
        if bound is None:
            raise OutsideConditionsError("outside")
        return bound * values["L"]

    return SimpleNamespace(right_side=right_side)


@pytest.mark.parametrize(("bound", "ratio"), [(1.0, 1.5), (6.0, 0.25), (0.0, math.inf), (None, 0.0)])
def test_another_version_has_its_own_bound_and_outside_its_conditions_the_ratio_0(
    bound: float | None, ratio: float
) -> None:
    assert Case.ratio_in(version(bound), trial(), source=None) == ratio  # type: ignore[arg-type]


def test_a_measure_of_zero_breaks_no_version() -> None:
    assert Case.ratio_in(version(1.0), trial(measured=0.0), source=None) == 0.0  # type: ignore[arg-type]
