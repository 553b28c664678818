"""The world `huberised`: level lines of f with paths that cannot reach its linear part, and a profile of f beside them.

Both panels share the axis of y - b. Level lines are equally far apart in f: within the kink they get closer, as those
of a bowl, and beyond it they are evenly spaced, as those of a cone. The disc is all that the noise can ever reach.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.chart import COLOURS
from ratecert.base.drawing import new_figure
from ratecert.solvers import LocalBSGM
from ratecert.solvers.contract.draws import moves_of
from ratecert.solvers.contract.stage import State
from ratecert.solvers.engines.certificates.reach import certified_reach
from ratecert.solvers.engines.monte_carlo.array_oracle import ArrayOracle
from ratecert.solvers.engines.monte_carlo.noise import Hashed
from ratecert.synthetic.worlds.huberised import Huberised, huberised
from ratecert.synthetic.worlds.quadratic import Quadratic

Array = NDArray[np.float64]

T, PATHS, SEED = 400, 48, 0
WORLD = Quadratic(A=1.0, B=0.5, P=1.0, D=2.0, s_f=0.5, s_g=0.5)  # a = b = 0, and f is steepest along y
SOLVER = LocalBSGM(eta=0.5, alpha=1.0, beta=1.0, rho_1=0.5, rho_2=0.5, p=1, theta=0.8, Q=5)
X_0, Y_0 = np.array([-2.0]), np.array([1.5])
EDGE = 1.7  # of the drawn plane, in radii


def draw() -> Any:
    reach = certified_reach(WORLD, SOLVER, 1, x0=X_0, y0=Y_0)
    r = max(reach.iterates, reach.truth)
    world = huberised(WORLD, radius=1.15 * r)
    figure, (plane, profile) = new_figure(columns=2)
    _draw_plane(plane, world, r)
    _draw_profile(profile, world, r)
    return figure


def _f(world: Huberised, x: Array, y: Array) -> Array:
    s = np.sqrt(WORLD.P[0, 0] * x**2 + WORLD.D[0, 0] * y**2)
    t = np.minimum(s, world.delta)
    return np.asarray(t * (s - t / 2))


def _draw_plane(ax: Any, world: Huberised, r: float) -> None:
    edge = EDGE * world.radius
    grid = np.linspace(-edge, edge, 300)
    x, y = np.meshgrid(1.3 * grid, grid)
    kink = world.delta**2 / 2
    ax.contour(x, y, _f(world, x, y), levels=kink * np.arange(0.2, 5, 0.4), colors="0.75", linewidths=0.7)
    ax.contour(x, y, _f(world, x, y), levels=[kink], colors="black", linewidths=1.2, linestyles="dashed")
    angle = np.linspace(0, 2 * np.pi, 200)
    ax.fill(r * np.cos(angle), r * np.sin(angle), color=COLOURS[2], alpha=0.25, linewidth=0)
    path = _paths(world)
    ax.plot(path[:, 0], path[:, 1], color=COLOURS[0], linewidth=0.4, alpha=0.5)
    ax.set(
        xlabel="$x - a$", ylabel="$y - b$", title=f"level lines of $f$, {PATHS} sampled paths", aspect="equal"
    )
    ax.grid(visible=False)


def _draw_profile(ax: Any, world: Huberised, r: float) -> None:
    y = np.linspace(-EDGE * world.radius, EDGE * world.radius, 400)
    ax.axhspan(-r, r, color=COLOURS[2], alpha=0.25, linewidth=0, label="certified: no path leaves")
    for side in (-1, 1):
        label = "kink: beyond it $f$ is linear" if side > 0 else None
        ax.axhline(side * world.radius, color="black", linewidth=1.2, linestyle="dashed", label=label)
    ax.plot(WORLD.D[0, 0] * y**2 / 2, y, color=COLOURS[1], linestyle=":", label="$f$ of the quadratic world")
    ax.plot(_f(world, np.zeros_like(y), y), y, color=COLOURS[0], label="$f$ of the huberised world")
    ax.set(xlabel="$f(a, y)$", title="$f$ along $x = a$", xlim=(0, 2.7 * world.delta**2 / 2))
    ax.legend(loc="center right", fontsize=9, framealpha=1.0)


def _paths(world: Huberised) -> Array:
    """(x_t, y_t) as (T, 2, PATHS)."""
    oracle = ArrayOracle(world, Hashed(seed=SEED, first=0, replicates=PATHS, K=1))
    s = State(x=np.repeat(X_0[:, None], PATHS, axis=1), y=np.repeat(Y_0[:, None], PATHS, axis=1))
    path = np.empty((T, 2, PATHS))
    [move] = moves_of(SOLVER.stages)
    for t in range(T):
        path[t] = s.x[0], s.y[0]
        s = move.step(t, s, oracle)
    return path
