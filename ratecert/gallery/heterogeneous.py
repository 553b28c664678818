"""The world `heterogeneous`: where devices that differ come to rest, against p and against the dial. No noise.

Left: how far rounds of p steps move the limit, as ||grad Phi(x_p) - grad Phi(x_1)||, with the slopes of the law in
solvers/engines/fixed_point.py. Right: ||grad Phi|| at the limit itself. An average at every step does not make it zero:
what is left is the bias of the local inverses, of order dial^2 as the rest. Both panels share the axis.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from ratecert.base.chart import COLOURS
from ratecert.base.drawing import new_figure
from ratecert.base.errors import NoLimitError
from ratecert.solvers import LocalBSGM, LocalBSGVRM
from ratecert.solvers.engines.fixed_point import fixed_point
from ratecert.synthetic.worlds.heterogeneous import Heterogeneous, heterogeneous

SETTING: dict[str, Any] = {
    "alpha": 8.0, "beta": 8.0, "rho_1": 0.1, "rho_2": 0.6, "theta": 0.5, "Q": 40
}  # fmt: skip
STEPS = {1e-2: "-", 1e-3: "--", 1e-4: ":"}  # eta, and how its lines are drawn
MIDDLE = 1e-3
PERIODS = [4**j for j in range(1, 8)]
DIALS = (0.01, 0.05, 0.2, 0.8)


def draw() -> Any:
    world = heterogeneous()
    figure, (left, right) = new_figure(columns=2)
    _draw_periods(left, world)
    _draw_dials(right, world)
    return figure


def _draw_periods(ax: Any, world: Heterogeneous) -> None:
    for eta, style in STEPS.items():
        moved = [_moved(world, LocalBSGM(eta=eta, p=p, **SETTING)) for p in PERIODS]
        ax.plot(PERIODS, moved, style, color=COLOURS[0], label=f"LocalBSGM, {_power(eta)}")
    averaged = LocalBSGVRM(eta=MIDDLE, p=1, previous="averaged", **SETTING)
    for solver, colour, name in (
        (averaged, COLOURS[2], "previous point averaged"),
        (replace(averaged, previous="local"), COLOURS[1], "as printed"),
    ):
        moved = [_moved(world, replace(solver, p=p)) for p in PERIODS]
        label = f"LocalBSGVRM, {_power(MIDDLE)}, {name}"
        ax.plot(PERIODS, moved, STEPS[MIDDLE], color=colour, label=label)
    _slope(ax, 10, 1.2e-5, 2, COLOURS[0])
    _slope(ax, 24, 5e-8, 2, COLOURS[1])
    _slope(ax, 5, 2e-2, 1, COLOURS[2])
    ax.annotate("$p = 1024$: no limit", (1024, 4e-4), color=COLOURS[1], ha="center", va="top", fontsize=8)
    ax.set(xscale="log", yscale="log", xlabel="steps in a round, $p$", ylim=(1e-12, 10))
    ax.set_title(f"dial = {world.dial}, $K$ = {len(world.devices)}", fontsize=10)
    ax.set_ylabel(r"$\|\nabla\Phi(x_p) - \nabla\Phi(x_1)\|$")
    ax.legend(fontsize=8, loc="lower right", frameon=False)


def _draw_dials(ax: Any, world: Heterogeneous) -> None:
    turned = [replace(world, dial=dial) for dial in DIALS]
    solver = LocalBSGM(eta=1e-2, p=64, **SETTING)
    own = [np.mean([device.x_star for device in w.devices], axis=0) for w in turned]
    rounds = [fixed_point(w, solver).x for w in turned]
    every_step = [fixed_point(w, replace(solver, p=1)).x for w in turned]
    for places, style, colour, label in (
        (own, ":", COLOURS[0], r"$p \to \infty$: mean of the devices' own solutions"),
        (rounds, "-", COLOURS[0], f"LocalBSGM, {_power(1e-2)}, $p = 64$"),
        (every_step, "o", COLOURS[3], "the same with $p = 1$"),
        ([w.x_local for w in turned], "-", COLOURS[3], "bias of the local inverses, closed form"),
    ):
        ax.plot(DIALS, [_gradient(world, x) for x in places], style, color=colour, label=label)
    _slope(ax, 0.03, 2e-6, 2, COLOURS[3])
    ax.set(xscale="log", xlabel="dial")
    ax.set_ylabel(r"$\|\nabla\Phi\|$ at the limit")
    ax.legend(fontsize=8, loc="lower right", frameon=False)


def _power(eta: float) -> str:
    return rf"$\eta = 10^{{{np.log10(eta):.0f}}}$"


def _gradient(world: Heterogeneous, x: Any) -> float:
    return float(np.linalg.norm(world.hypergradient(x)))


def _moved(world: Heterogeneous, solver: Any) -> float:
    """grad Phi is affine and zero at x*, so its difference is its value at x* + the move.

    nan, a gap in the line, where the rounds do not converge: of all that is drawn, p = 1024 as printed.
    """
    try:
        rest = fixed_point(world, solver)
    except NoLimitError:
        return np.nan
    return _gradient(world, world.x_star + rest.excess_x)


def _slope(ax: Any, x: float, y: float, slope: int, colour: str) -> None:
    """A triangle whose hypotenuse has this slope."""
    corners = [(x, y), (4 * x, y), (4 * x, 4**slope * y), (x, y)]
    ax.plot(*zip(*corners, strict=True), color=colour, linewidth=0.8)
    ax.annotate(str(slope), (4.4 * x, 2**slope * y), color=colour, va="center", fontsize=8)
