"""The look of all figures, for your own: `plt.rcParams.update(rc.style.STYLE)`, and colours in order.

COLOURS   seven colours that colour-blind readers can tell apart, the last one that of the text
STYLE     settings of matplotlib: ground, grid, spines, fonts
"""

from ratecert.base.chart import COLOURS, STYLE

__all__ = ["COLOURS", "STYLE"]
