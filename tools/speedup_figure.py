"""docs/figures/linear-speedup.svg: who really gets linear speedup, and from which K on it ends.

    python -m tools.speedup_figure docs/speedup.json docs/figures/linear-speedup.svg

The numbers are kept in the JSON file; without it they are computed, in about a minute.
"""

import json
import sys
from pathlib import Path

from ratecert.claim.lines import figure, level, line
from ratecert.claim.rows import Rows
from ratecert.output.files import write_text
from ratecert.report.drawing import svgs
from ratecert.shelf.speedup import rows


def kept(path: Path) -> Rows:
    """The rows of the file, computed where there is none."""
    if not path.is_file():
        write_text(path, json.dumps(list(rows()), indent=1) + "\n")
    return Rows(json.loads(path.read_text(encoding="utf-8")))


def drawn(found: Rows) -> str:
    """The measured exponent of K in units of the claimed one, against K, one line for each corollary."""
    lines = [
        line(id, here, "K", lambda row: row["exponent"] / row["claimed"], colour=i)
        for i, (id, here) in enumerate(found.by("corollary"))
    ]
    chart = figure(
        "The exponent of K in the measure along each corollary, in units of the claimed one, at T = 2^40.",
        "devices $K$",
        "measured exponent of $K$ / claimed",
        [level("as claimed", found.cells("K"), 1.0, kind="predicted", colour=6), *lines],
        y_scale="linear",
    )
    (svg,) = svgs(chart)
    return svg


if __name__ == "__main__":
    write_text(Path(sys.argv[2]), drawn(kept(Path(sys.argv[1]))))
