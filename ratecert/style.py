"""The look of all figures, for your own: `plt.rcParams.update(rc.style.STYLE)`, and colours in order.

COLOURS   seven colours that colour-blind readers can tell apart, the last one that of the text
STYLE     settings of matplotlib: ground, grid, spines, fonts
"""

from typing import TYPE_CHECKING

from ratecert.base.chart import COLOURS, STYLE
from ratecert.base.gone import face as _face

__all__ = ["COLOURS", "STYLE"]

if not TYPE_CHECKING:  # or every name would be one to a type checker
    __getattr__ = _face(__name__, __all__)
