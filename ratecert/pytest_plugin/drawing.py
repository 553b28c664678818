"""The figure of a failed assertion: its points, and what they were held against."""

from pathlib import Path
from typing import Any

from ratecert.base.chart import COLOURS
from ratecert.base.drawing import new_figure, write_svg
from ratecert.base.files import atomic_write
from ratecert.rates.asserting import BoundEvidence, SlopeEvidence


def draw(evidence: SlopeEvidence | BoundEvidence, title: str, path: Path) -> None:
    """As SVG."""
    with atomic_write(path) as temporary:
        figure, axes = new_figure(columns=1)
        _slope(axes, evidence) if isinstance(evidence, SlopeEvidence) else _bound(axes, evidence)
        axes.set_title(title, fontsize=8, parse_math=False)
        axes.legend(frameon=False)
        write_svg(figure, temporary)


def _slope(axes: Any, evidence: SlopeEvidence) -> None:
    x, y = evidence.points
    value, reference = evidence.slope.value, evidence.reference
    axes.loglog(x, y, "o", color=COLOURS[0], label="measured")
    axes.loglog(x, evidence.line(value), color=COLOURS[0], label=f"fit, slope {value:.4g}")
    axes.loglog(
        x,
        evidence.line(reference),
        "--",
        color=COLOURS[1],
        label=f"{evidence.known_as}, slope {reference:.4g}",
    )
    axes.set_xlabel("x")
    axes.set_ylabel("y")


def _bound(axes: Any, evidence: BoundEvidence) -> None:
    numbers = all(isinstance(at, int | float) and abs(at) < 1e300 for at in evidence.at)
    x = evidence.at if numbers else range(len(evidence.at))
    axes.errorbar(
        x, evidence.measured, evidence.uncertainty, fmt="o", color=COLOURS[0], label="measured", capsize=3
    )
    axes.plot(x, evidence.bound, "_--", color=COLOURS[1], label="at most")
    if all(value > 0 for value in (*evidence.measured, *evidence.bound)):
        axes.set_yscale("log")
    if numbers and all(at > 0 for at in evidence.at):
        axes.set_xscale("log")
    axes.set_xlabel("at" if numbers else "number of the point")
