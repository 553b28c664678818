"""Panels whose y axis has names."""

import re

import pytest

from ratecert.base.chart import Chart, Panel, Series
from ratecert.base.drawing import LOOKS, svgs

NAMES = ["first method", "second method"]


def chart(y: list[float], *, y_scale: str = "linear", kind: str = "points") -> Chart:
    series = Series(label="measured", x=[1.0, 2.0], y=y, kind=kind)
    panel = Panel(x_label="r", y_label="", series=[series], x_scale="linear", y_scale=y_scale, y_names=NAMES)
    return Chart(caption="names", panels=[panel])


def height(picture: str, name: str) -> float:
    """Of a text from the top of the picture."""
    found = re.search(rf'<text [^>]*y="([\d.]+)"[^>]*>{name}</text>', picture)
    assert found
    return float(found.group(1))


def test_names_are_drawn_the_first_on_top() -> None:
    (picture,) = svgs(chart([1.0, 2.0]))
    assert height(picture, NAMES[0]) < height(picture, NAMES[1])


@pytest.mark.parametrize("kind", ["points", "rings", "crosses", "pluses", "claimed"])
def test_points_are_not_joined(kind: str) -> None:
    assert LOOKS[kind]["linestyle"] == "none"
    assert len(svgs(chart([1.0, 2.0], kind=kind))) == 1


@pytest.mark.parametrize("y", [[0.0, 1.0], [1.0, 3.0], [1.0, 1.5]])
def test_a_row_that_has_no_name_is_refused(y: list[float]) -> None:
    with pytest.raises(ValueError, match="'measured' must have y from 1 to 2 on a linear axis with names"):
        chart(y)


def test_names_need_a_linear_axis() -> None:
    with pytest.raises(ValueError, match="on a log one"):
        chart([1.0, 2.0], y_scale="log")
