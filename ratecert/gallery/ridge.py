"""The world `ridge`: both algorithms tune ten penalties on the diabetes data, against the optimum found by scipy.

Left, the validation loss above its optimum along the path of the mean over devices; right, the penalty of every
feature at the end. Most of the best penalties are at an end of the interval [exp(-m), exp(m)].
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

from ratecert.base.chart import COLOURS, STYLE
from ratecert.base.drawing import new_figure
from ratecert.gallery.watched import path_of
from ratecert.solvers import LocalBSGM, LocalBSGVRM
from ratecert.synthetic.worlds.ridge import Ridge, ridge

Array = NDArray[np.float64]

K, T, REPLICATES, BATCH = 4, 800, 8, 16
STEPS: dict[str, Any] = {"eta": 0.05, "rho_1": 300.0, "rho_2": 1.0, "p": 4, "theta": 0.065, "Q": 80}
SOLVERS = (LocalBSGM(alpha=5.0, beta=10.0, **STEPS), LocalBSGVRM(alpha=20.0, beta=20.0, **STEPS))


def gap_of(world: Ridge, path: Array) -> Array:
    """Phi(xbar_t) - Phi(x*), as (T + 1, replicates)."""
    return np.stack([world.objective(x) - world.objective(world.x_star) for x in path])


def draw() -> Any:
    world = ridge(batch=BATCH)
    paths = [path_of(world, solver, K=K, T=T, replicates=REPLICATES) for solver in SOLVERS]
    figure, (left, right) = new_figure(columns=2)
    place = right.get_subplotspec()
    right.remove()  # it shares the axis of the left one
    with plt.rc_context(STYLE):
        right = figure.add_subplot(place)
    _draw_gaps(left, world, paths)
    _draw_penalties(right, world, paths)
    return figure


def _draw_gaps(ax: Any, world: Ridge, paths: list[Array]) -> None:
    for solver, path, colour in zip(SOLVERS, paths, COLOURS, strict=False):
        gap = gap_of(world, path)
        t = np.arange(len(gap))
        ax.fill_between(t[1:], gap.min(axis=1)[1:], gap.max(axis=1)[1:], color=colour, alpha=0.2, linewidth=0)
        ax.plot(t[1:], gap.mean(axis=1)[1:], color=colour, label=type(solver).__name__)
    ax.set(xscale="log", yscale="log", xlabel="iteration $t$", ylabel=r"$\Phi(\bar{x}_t) - \Phi(x^*)$")
    ax.set_title(f"validation loss above scipy's optimum, $K = {K}$")
    ax.legend(title=f"mean and range of {REPLICATES} runs", loc="lower left")


def _draw_penalties(ax: Any, world: Ridge, paths: list[Array]) -> None:
    best = world.penalties(world.x_star)
    order, rows, ends = (
        np.argsort(best, kind="stable")[::-1],
        np.arange(world.d_x),
        np.exp([-world.m, world.m]),
    )
    for end in ends:
        ax.axvline(end, color="black", linewidth=0.8, linestyle=":")
    ax.plot(best[order], rows, "|", color="black", markersize=15, markeredgewidth=2, label="scipy's optimum")
    for solver, path, colour, shift in zip(SOLVERS, paths, COLOURS, (0.16, -0.16), strict=False):
        found = world.penalties(path[-1])[order]
        middle, spread = np.median(found, axis=1), (found.min(axis=1), found.max(axis=1))
        ax.hlines(rows + shift, *spread, color=colour, linewidth=1.2)
        ax.plot(middle, rows + shift, "o", color=colour, markersize=4, label=type(solver).__name__)
    ax.set(xscale="log", xlim=(0.85 * ends[0], 1.18 * ends[1]), xlabel=r"penalty $\exp(m\,\sin(x_j/m))$")
    ticks = [0.2, 0.5, 1, 2, 5]
    ax.set_xticks(ticks, map(str, ticks))
    ax.set_xticks([], minor=True)
    ax.set_yticks(rows, [world.names[j] for j in order])
    ax.set_title(f"learned penalties at $t = {T}$, $m = {world.m:g}$")
    ax.grid(visible=False, axis="y")
    ax.legend(title=f"median and range of {REPLICATES} runs", loc="upper right", fontsize=9)
