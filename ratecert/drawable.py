"""Results that can draw themselves: how is in ratecert/plots.py, imported when the first one does."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DRAWING = "ratecert.plots"  # knows every kind of result; no result knows it


class Drawable:
    """Something with a figure."""

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the result into `ax`, or into a new figure, and return the axes."""
        axes: Any = import_module(DRAWING).draw(self, ax)
        return axes  # type: ignore[no-any-return]
