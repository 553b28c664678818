"""docs/figures/linear-speedup.svg: who really gets linear speedup, and from which K on it ends.

    python -m tools.speedup_figure docs/speedup.json docs/figures/linear-speedup.svg

The numbers are kept in the JSON file; without it they are computed, in some minutes.
"""

import json
import math
import sys
from pathlib import Path

from ratecert.base.drawing import svgs
from ratecert.base.files import write_text
from ratecert.claims.lines import figure, level, line
from ratecert.claims.rows import Row, Rows
from ratecert.shelf.speedup import FACTOR, rows

ENDS, LEAST = 0.1, 1e-6


def kept(path: Path) -> Rows:
    """The rows of the file, computed where there is none."""
    if not path.is_file():
        write_text(path, json.dumps(list(rows()), indent=1) + "\n")
    return Rows(json.loads(path.read_text(encoding="utf-8")))


def drawn(found: Rows) -> str:
    """What is missing from the exponent of linear speedup, against K, one line for each corollary."""
    promised, others = found.where(promised=True), found.where(promised=False)
    lines = [
        line(id, here, between, missing, colour=i) for i, (id, here) in enumerate(promised.by("corollary"))
    ]
    lines += [
        line(f"{id}, which promises none", here, between, missing, kind="predicted", colour=i)
        for i, (id, here) in enumerate(others.by("corollary"))
    ]
    chart = figure(
        "What is missing from the exponent of linear speedup in K, as a part of it, along each corollary at T = 2^40.",
        "devices $K$",
        "missing part of the exponent of $K$",
        [*lines, level("a tenth", found.cells("K"), ENDS, kind="bound", colour=6)],
    )
    (svg,) = svgs(chart)
    return svg


def between(row: Row) -> float:
    """The K in the middle of the two that an exponent is read from."""
    return math.sqrt(FACTOR) * float(row["K"])


def missing(row: Row) -> float:
    """0 for linear speedup, 1 for none; what exact moments cannot tell from 0 is not smaller than LEAST."""
    part: float = abs(1 - row["exponent"] / row["linear"])
    return max(part, LEAST)


if __name__ == "__main__":
    write_text(Path(sys.argv[2]), drawn(kept(Path(sys.argv[1]))))
