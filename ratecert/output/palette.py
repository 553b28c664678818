"""The colours of all figures. Readers who cannot tell red from green can tell these apart (Okabe and Ito, 2008).

Text and ground have colours of their own that nothing else has, and bounds an opacity: a page puts its own in their
place. `STYLE` are the
settings of matplotlib that go with them; nothing is imported for it.
"""

from typing import Any

INK = "#1d1d1f"  # text, axes, and the last colour of the list
GROUND = "#fefefe"
SHEER = 0.55  # of bounds, which are wide: what coincides with one is seen
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", INK)

STYLE: dict[Any, Any] = {
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), INK),
    "axes.facecolor": GROUND,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.dpi": 120,
    "figure.facecolor": GROUND,
    "font.size": 10.0,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "mathtext.fontset": "dejavusans",
    "svg.hashsalt": "ratecert",
}
