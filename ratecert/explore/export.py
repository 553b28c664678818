"""The point that is shown, taken elsewhere: ten lines of Python with the public face, and a figure."""

import io
from typing import Any

import numpy as np

from ratecert.base.chart import COLOURS
from ratecert.base.drawing import new_figure, write_svg
from ratecert.explore.bounds import Drawn
from ratecert.explore.controls import text_of
from ratecert.explore.subjects import Point

DIGITS = 1e-14  # of its own largest value: below it a line is rounding, and is not drawn
DEEPEST = 1e-24  # of the largest of all


def as_python(point: Point, bound: Drawn | str | None) -> str:
    """A script that prints the measures, and the bound where there is one."""
    world, solver = point.calls
    if world is None or solver is None:
        private = type(point.problem if world is None else point.solver).__name__
        return f"# {private} belongs to the file of its paper, and is not part of the public face.\n"
    lines = ["import ratecert as rc", "", f"world = {world!r}", f"solver = {solver!r}", *_start(point)]
    T = text_of(point.T).replace("^", "**")
    lines += [
        f"result = rc.expect(world, solver, K={point.K}, T={T}, start=start, times=[], certified=False)",
        "print(result)",
    ]
    if point.bound and isinstance(bound, Drawn):
        variant, id = point.bound.paper.variant, f"{point.bound.paper.key}:{point.bound.id}"
        lines += [f"letters = {dict(bound.inputs)!r}", f"bound = rc.evaluate({variant!r}, {id!r}, letters)"]
        lines += ["print(bound.total, bound.dominating)"]
    return "\n".join(lines) + "\n"


def _start(point: Point) -> list[str]:
    if point.offsets is None:
        return [f"start = { ({name: np.asarray(value).tolist() for name, value in point.start.items()})!r}"]
    lines = [f"x0 = world.x_star + {point.offsets['x']!r}"]
    if "y" not in point.offsets:
        return [*lines, 'start = {"x": x0}']
    return [*lines, f'start = {{"x": x0, "y": world.y_star(x0) + {point.offsets["y"]!r}}}']


def as_svg(found: dict[str, Any]) -> bytes:
    """The chart of an answer, in the look of all figures."""
    figure, ax = new_figure(columns=1)
    figure.set_size_inches(6.4, 4.2)
    t, view, bound = [int(u) for u in found["t"]], found["names"]["view"], found["bound"]
    values = []
    for i, row in enumerate(found["measures"]):
        values += _line(ax, t, row[view], color=COLOURS[(0, 2, 3, 4)[i % 4]], label=row["label"])
    if bound and "curve" in bound:
        values += _line(
            ax,
            t,
            bound["left_curve"],
            color=COLOURS[6],
            label="left side of the theorem",
            linewidth=2.2,
            linestyle="--",
        )
        values += _line(
            ax, t, bound["curve"], color=COLOURS[1], label=f"bound of {bound['theorem']}", linewidth=2.2
        )
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    if values:
        ax.set_ylim(max(min(values), max(values) * DEEPEST) / 2, max(values) * 2)
    ax.set_xlabel("iterations")
    ax.set_title(f"{found['titles']['show']}, {found['titles']['world']}", fontsize="medium")
    ax.legend(fontsize="small", frameon=False)
    file = io.BytesIO()
    write_svg(figure, file)
    return file.getvalue()


def _line(ax: Any, t: list[int], values: list[float | None], **style: Any) -> list[float]:
    """Draw what a logarithmic axis can show; return it."""
    most = max((value for value in values if value is not None), default=0.0)
    pairs = zip(t, values, strict=True)
    kept = [(u, value) for u, value in pairs if u >= 1 and value is not None and value > most * DIGITS]
    if kept:
        ax.plot(*zip(*kept, strict=True), **style)
    return [value for _, value in kept]
