"""docs/figures/speed.svg: device-iterations per core-second of all contestants at the points (d, Q), in one run.

python -m benchmarks.figure docs/bench.json docs/figures/speed.svg
"""

import sys
from pathlib import Path
from typing import Any

from benchmarks.record import Record, read
from ratecert.base.chart import COLOURS
from ratecert.base.drawing import new_figure, write_svg
from ratecert.base.files import atomic_write

LOOKS = {  # contestant -> name, colour, marker
    "C": ("C", COLOURS[6], "D"),
    "numba": ("numba", COLOURS[2], "o"),
    "numpy": ("numpy", COLOURS[0], "s"),
    "numpy by hand": ("numpy by hand", COLOURS[3], "v"),
    "loop": ("loop over devices", COLOURS[1], "^"),
}


def draw(record: Record) -> Any:
    """One panel per algorithm, one line per contestant: on a logarithmic axis ratios are distances."""
    algorithms = list(dict.fromkeys(row["algorithm"] for row in record["throughput"]))
    figure, panels = new_figure(columns=len(algorithms))
    for algorithm, panel in zip(algorithms, panels, strict=True):
        rows = [row for row in record["throughput"] if row["algorithm"] == algorithm]
        for contestant, (name, colour, marker) in LOOKS.items():
            points = [
                (n, row["rates"][contestant]) for n, row in enumerate(rows) if contestant in row["rates"]
            ]
            if points:
                panel.plot(*zip(*points, strict=True), color=colour, marker=marker, label=name)
        panel.set_yscale("log")
        panel.set_xticks(range(len(rows)), [f"d = {row['d']}\nQ = {row['Q']}" for row in rows])
        panel.set_title(algorithm)
    panels[0].set_ylabel("device-iterations per core-second")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(LOOKS), frameon=False)
    return figure


if __name__ == "__main__":
    with atomic_write(Path(sys.argv[2])) as temporary:
        write_svg(draw(read(Path(sys.argv[1]))), temporary)
