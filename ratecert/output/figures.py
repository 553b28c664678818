"""One look for all figures: colours that colour-blind readers can tell apart, light grid, SVG and PNG."""

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from ratecert.output.files import atomic_write
from ratecert.output.palette import COLOURS, STYLE

__all__ = ["COLOURS", "STYLE", "SUFFIXES", "new_figure", "save", "save_as", "write_svg"]

SUFFIXES = (".svg", ".png", ".pdf")


def new_figure(*, columns: int) -> tuple[Any, Any]:
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(
            1, columns, figsize=(4.6 * columns, 3.6), sharey=True, layout="constrained"
        )
    return figure, axes


def write_svg(figure: Any, file: Any, *, text: str = "path") -> None:
    """Into an open file or a path; without a date, so that the same figure gives the same bytes.

    `text` is "path", outlines that look the same everywhere, or "none", text that can be searched and is far shorter.
    """
    with plt.rc_context({**STYLE, "svg.fonttype": text}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    plt.close(figure)


def save(figure: Any, stem: Path) -> list[Path]:
    """stem.svg and stem.png, each written under a temporary name and then moved."""
    paths = [stem.with_name(stem.name + suffix) for suffix in (".svg", ".png")]  # a stem may have a dot
    for path in paths:
        _write(figure, path)
    plt.close(figure)
    return paths


def save_as(figure: Any, path: Path) -> None:
    """The figure in the format that the name of the file asks for, one of SUFFIXES."""
    _write(figure, path)
    plt.close(figure)


def _write(figure: Any, path: Path) -> None:
    """Without a date, so that the same figure gives the same bytes."""
    date = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix, {})
    with atomic_write(path) as temporary, plt.rc_context(STYLE):
        figure.savefig(temporary, format=path.suffix[1:], metadata=date)
