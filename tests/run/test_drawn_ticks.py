"""Labels of ticks on logarithmic axes: different ticks have different labels, which say where they are."""

import matplotlib.pyplot as plt
import pytest

from ratecert.base.chart import SUPERSCRIPTS, Panel, Series
from ratecert.base.drawing import draw

PLAIN = {raised: plain for plain, raised in SUPERSCRIPTS.items()}


def labels(low: float, high: float) -> tuple[list[str], str, list[float]]:
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


def number(text: str) -> float:
    leading, power, exponent = text.translate(PLAIN).rpartition("·10")
    if power:
        return float(leading) * 10.0 ** int(exponent)
    raised = text != text.translate(PLAIN)
    return 10.0 ** int(text.translate(PLAIN)[2:]) if raised else float(text)


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (7.8785e17, 7.8815e17),
        (1.185e10, 1.203e10),
        (7.7e-13, 1.5e-12),
        (1.0, 1.0001),
        (3e4, 9e5),
        (2.0, 30.0),
        (1e-9, 1e4),
        (5e-7, 8e-6),
    ],
)
def test_every_tick_can_be_told_from_the_others_and_is_where_it_says(low: float, high: float) -> None:
    texts, offset, ticks = labels(low, high)
    assert len(set(texts)) == len(texts) >= 2
    assert [number(text + offset) for text in texts] == pytest.approx(ticks, rel=1e-8)


def test_a_long_power_of_ten_stands_once_at_the_end_of_the_axis() -> None:
    texts, offset, _ = labels(7.8785e17, 7.8815e17)
    assert (texts[0], texts[-1], offset) == ("7.8785", "7.8815", "·10¹⁷")


@pytest.mark.parametrize("high", [8.1, 8.1 * (1 + 1e-15), 8.1 * (1 + 1e-13)])
def test_what_differs_by_rounding_is_drawn_as_level(high: float) -> None:
    texts, offset, ticks = labels(8.1, high)
    assert len(texts) >= 2
    assert not offset
    assert min(ticks) < 8.1 < max(ticks)
