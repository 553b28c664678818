"""The world `wavy`: Phi for three dials with all its stationary points, and sampled runs that part at a maximum.

All runs start at one point, the first maximum of Phi, where grad Phi = 0. Noise decides on which side they go down:
to x_star, or to a minimum at which Phi > 0. Either way they stop where grad Phi = 0, which is all that the theorems
promise. Both panels share the axis of Phi.
"""

from typing import Any

import numpy as np

from ratecert.base.chart import COLOURS
from ratecert.base.drawing import new_figure
from ratecert.gallery.watched import path_of
from ratecert.solvers import LocalBSGM
from ratecert.synthetic.worlds.wavy import Wavy, wavy

DIALS = (0.0, 1.0, 2.0)
EDGE = 5.4  # of the drawn x
T, K, RUNS, SEED = 700, 4, 12, 0
SOLVER = LocalBSGM(eta=0.1, alpha=1.0, beta=1.0, rho_1=0.03, rho_2=1.0, p=4, theta=0.9, Q=4)


def draw() -> Any:
    figure, (left, right) = new_figure(columns=2)
    x = np.linspace(-EDGE, EDGE, 801)
    for dial, colour in zip(DIALS, COLOURS, strict=False):
        world = wavy(dial=dial)
        left.plot(x, world.objective(x[None]), color=colour, label=f"dial = {dial:g}")
        _mark(left, world, colour)
    left.set(xlabel="$x$", ylabel=r"$\Phi$", ylim=(-0.4, 11.5))
    left.set_title("● minima   ○ other stationary points", fontsize=10)
    left.legend(loc="upper center", frameon=False)
    _runs(right, wavy(dial=DIALS[-1], E=0.1, s_f=2.0, s_g=1.0))
    right.set(xlabel="iteration $t$")
    right.set_title(rf"$\Phi(\bar{{x}}_t)$ of {RUNS} runs of LocalBSGM, dial = {DIALS[-1]:g}", fontsize=10)
    return figure


def _mark(ax: Any, world: Wavy, colour: str) -> None:
    for v in world.stationary_offsets(within=EDGE):
        near = world.objective(np.array([[v - 1e-3, v, v + 1e-3]]))
        is_minimum = near[1] < min(near[0], near[2])
        ax.plot(v, near[1], "o", color=colour, markerfacecolor=colour if is_minimum else "white", zorder=3)


def _runs(ax: Any, world: Wavy) -> None:
    offsets = world.stationary_offsets(within=EDGE)
    first, second = offsets[offsets > 0]
    path = path_of(world, SOLVER, K=K, T=T, x0=world.a + first, replicates=RUNS, seed=SEED)
    for x in path[:, 0].T:
        colour = COLOURS[3] if abs(x[-1]) < first else COLOURS[4]
        ax.plot(world.objective(x[None]), color=colour, linewidth=0.9)
    for v, name in ((first, "start, a maximum"), (second, f"minimum at $x = {second:.2f}$"), (0.0, "$x^*$")):
        ax.axhline(world.objective(np.array([v])), color="black", linewidth=0.8, linestyle=":")
        ax.annotate(name, (T, world.objective(np.array([v]))), ha="right", va="bottom", fontsize=9)
