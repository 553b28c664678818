"""What is shown of a failed assertion: the table, and a figure, whatever the numbers are."""

import math
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ratecert import assert_bound, assert_slope, fit_slope
from ratecert.pytest_plugin import figure_name, show
from ratecert.testing.evidence import MOST


def evidence_of(call: Any, *arguments: Any, **named: Any) -> Any:
    with pytest.raises(AssertionError) as error:
        call(*arguments, **named)
    again = pickle.loads(pickle.dumps(error.value))
    assert repr(vars(again)) == repr(vars(error.value))  # nan is not equal to itself
    return vars(error.value)["evidence"]


def test_the_table_has_the_points_the_fit_and_the_residuals(tmp_path: Path) -> None:
    """y = 8, 2, 2 at x = 1, 2, 4: slope -1 in [-2, 0], the fit is 2^(8/3)/x."""
    evidence = evidence_of(assert_slope, ([4, 1, 2], [2.0, 8.0, 2.0]), -0.5, 0.1)
    text = show(evidence, "t.py::test", folder=tmp_path / "new", here=tmp_path)
    rows, top = [line.split() for line in text.splitlines()], 4 * 2 ** (2 / 3)
    assert rows[0] == ["x", "y", "fit", "y/fit", "-", "1"]
    for row, x, y in zip(rows[1:4], (1, 2, 4), (8, 2, 2), strict=True):
        assert row == [f"{x}", f"{y}", f"{top / x:.6g}", f"{y * x / top - 1:+.2g}"]
    assert rows[4][:4] == ["fit", "-1", "in", "[-2,"]
    assert rows[5:] == [["expected", "-0.5"], ["figure", f"new/{figure_name('t.py::test')}"]]
    assert "<svg" in (tmp_path / rows[6][1]).read_text(encoding="utf-8")


def test_a_slope_without_points_shows_those_that_it_is_given(tmp_path: Path) -> None:
    x, y = [1, 2, 4], [4.0, 2.0, 1.0]
    slope = replace(fit_slope(x, y), data=((), ()))
    assert "points     unknown" in show(
        evidence_of(assert_slope, slope, -2.0, 0.1), "t", folder=tmp_path, here=tmp_path
    )
    assert not list(tmp_path.iterdir())
    known = evidence_of(assert_slope, slope, -2.0, 0.1, points=(x, y))
    assert [line.split()[:2] for line in known.table[1:4]] == [["1", "4"], ["2", "2"], ["4", "1"]]
    with pytest.raises(ValueError, match="points must be those of the slope -1, got points of slope 1"):
        assert_slope(slope, -2.0, 0.1, points=(x, [1, 2, 4]))
    with pytest.raises(TypeError, match="points goes with a fitted Slope"):
        assert_slope((x, [4, 2, 1]), -2.0, 0.1, points=(x, [4, 2, 1]))


def test_of_many_points_the_worst_are_shown(tmp_path: Path) -> None:
    measured = np.ones(100)
    measured[70] = 3.0
    evidence = evidence_of(assert_bound, measured, 2.0, tolerance=0.5, uncertainty=0.1)
    rows = [line.split() for line in show(evidence, "t", folder=tmp_path, here=tmp_path).splitlines()]
    assert ["70", "3", "0.1", "2.5", "-0.6"] in rows
    assert len(rows) == 1 + MOST + 2


ODD: dict[str, tuple[Any, ...]] = {
    "infinite": (assert_bound, [math.inf, 1.0], 2.0),
    "negative": (assert_bound, [1.0, -1.0], [-2.0, 0.0]),
    "steep": (assert_slope, ([1, 1e9, 1e99], [1, 1e9, 1e99]), 1e9, 0.1),
    "infinite slope": (assert_slope, ([1, 2, 4], [1, 2, 4]), math.inf, 0.1),
    "two points": (assert_slope, ([1, 2], [1, 2]), 1.0, 0.1),
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_odd_numbers_are_shown_as_well(odd: tuple[Any, ...], tmp_path: Path) -> None:
    text = show(evidence_of(*odd), "a $t$ é 漢", folder=tmp_path, here=tmp_path)
    assert (tmp_path / text.split()[-1]).stat().st_size > 1000


@pytest.mark.parametrize(
    "at", [["first", "second"], [10**400, 2], [2**70, True]], ids=["words", "huge", "kinds"]
)
def test_points_have_any_names(at: list[Any], tmp_path: Path) -> None:
    text = show(evidence_of(assert_bound, [3.0, 4.0], 2.0, at=at), "t", folder=tmp_path, here=tmp_path)
    assert (tmp_path / figure_name("t")).exists()
    assert "-2" in text


def test_a_figure_that_cannot_be_saved_hides_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    text = show(evidence_of(assert_bound, 3.0, 2.0), "t", folder=tmp_path / "file", here=tmp_path)
    assert "figure     not saved: " in text
    assert "at most" in text


def test_tests_have_figures_of_their_own() -> None:
    names = {
        figure_name(test) for test in ("t.py::test[a/b]", "t.py::test[a-b]", "t.py::test[a:b]", "x" * 500)
    }
    assert len(names) == 4
    assert all(len(name) < 100 and "/" not in name for name in names)
