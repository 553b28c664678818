"""Figures as data, and as they are drawn: what cannot be drawn is refused, ticks and rows say where they are."""

import json
import math
import re
from dataclasses import asdict

import matplotlib.pyplot as plt
import pytest

from ratecert.base.chart import SUPERSCRIPTS, Chart, Panel, Series
from ratecert.base.drawing import LOOKS, draw, svgs
from ratecert.report.judge import figure_names
from ratecert.report.results import chart_from

PLAIN = {raised: plain for plain, raised in SUPERSCRIPTS.items()}
NAMES = ["first method", "second method"]


def chart(y, *, error=None, **panel):
    kind = panel.pop("kind", "points")
    series = Series(label="measured", x=[1.0, 2.0], y=y, kind=kind, error=error or [])
    return Chart(caption="c", panels=[Panel(**{"x_label": "r", "y_label": "", "series": [series], **panel})])


def named(y, **panel):
    return chart(y, **{"y_names": NAMES, "x_scale": "linear", "y_scale": "linear", **panel})


@pytest.mark.parametrize(
    ("make", "y", "more", "sentence"),
    [
        (chart, [1.0], {}, "needs as many x as y"),
        (chart, [1.0, 2.0], {"error": [0.1]}, "needs as many x as y"),
        (chart, [1.0, math.nan], {}, "must be positive and finite"),
        (chart, [1.0, -1.0], {}, "must be positive and finite on a logarithmic axis, got -1.0"),
        *((named, y, {}, "'measured' must have y from 1 to 2 on a") for y in ([0.0, 1.0], [1.0, 3.0], [1.0, 1.5])),
        (named, [1.0, 2.0], {"y_scale": "log"}, "on a log one"),
    ],
)  # fmt: skip
def test_a_series_that_cannot_be_drawn_is_refused(make, y, more, sentence):
    with pytest.raises(ValueError, match=sentence):
        make(y, **more)


def test_a_chart_is_the_same_after_it_was_stored():
    one = chart([3.0, 4.0], kind="sampled", error=[0.1, 0.2], window=(1.0, 2.0))
    assert json.dumps(asdict(chart_from(json.loads(json.dumps(asdict(one)))))) == json.dumps(asdict(one))


def test_names_of_figures_are_allowed_on_every_system():
    assert figure_names("folder/mine.py:theorem-1", chart([1.0, 2.0])) == [
        "figures/folder_mine.py_theorem-1.svg"
    ]


# Rows with names.


def test_names_are_drawn_the_first_on_top():
    (picture,) = svgs(named([1.0, 2.0]))
    texts = (re.search(rf'<text [^>]*y="([\d.]+)"[^>]*>{name}</text>', picture) for name in NAMES)
    first, second = (float(text[1]) for text in texts)
    assert first < second


@pytest.mark.parametrize("kind", ["points", "rings", "crosses", "pluses", "claimed"])
def test_points_are_not_joined(kind):
    assert LOOKS[kind]["linestyle"] == "none"
    assert len(svgs(named([1.0, 2.0], kind=kind))) == 1


# Ticks of logarithmic axes: different ones have different labels, which say where they are.


def labels(low, high):
    """On the y axis of a line from low to high, with what is said once for all, and where they are."""
    panel = Panel(x_label="x", y_label="y", series=[Series(label="a", x=[1.0, 1000.0], y=[low, high])])
    figure = draw(panel)
    axis = figure.axes[0].yaxis
    begin, end = axis.get_view_interval()
    ticks = [tick for tick in axis.get_majorticklocs() if begin <= tick <= end]
    texts = axis.get_major_formatter().format_ticks(ticks)
    offset = axis.get_major_formatter().get_offset()
    plt.close(figure)
    return texts, offset, ticks


def number(text):
    leading, power, exponent = text.translate(PLAIN).rpartition("·10")
    if power:
        return float(leading) * 10.0 ** int(exponent)
    raised = text != text.translate(PLAIN)
    return 10.0 ** int(text.translate(PLAIN)[2:]) if raised else float(text)


@pytest.mark.parametrize(
    ("low", "high"), [(7.8785e17, 7.8815e17), (7.7e-13, 1.5e-12), (1.0, 1.0001), (2.0, 30.0), (1e-9, 1e4)]
)
def test_every_tick_can_be_told_from_the_others_and_is_where_it_says(low, high):
    texts, offset, ticks = labels(low, high)
    assert len(set(texts)) == len(texts) >= 2
    assert [number(text + offset) for text in texts] == pytest.approx(ticks, rel=1e-8)


def test_a_long_power_of_ten_stands_once_at_the_end_of_the_axis():
    texts, offset, _ = labels(7.8785e17, 7.8815e17)
    assert (texts[0], texts[-1], offset) == ("7.8785", "7.8815", "·10¹⁷")


@pytest.mark.parametrize("high", [8.1, 8.1 * (1 + 1e-15), 8.1 * (1 + 1e-13)])
def test_what_differs_by_rounding_is_drawn_as_level(high):
    texts, offset, ticks = labels(8.1, high)
    assert (len(texts) >= 2, offset) == (True, "")
    assert min(ticks) < 8.1 < max(ticks)
