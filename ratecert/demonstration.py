"""A first honest look: LocalBSGM and LocalBSGVRM on one world, measured against its closed-form truth.

Both run from the same point with K = 1, 4, 16 devices. Shown is E||grad Phi(xbar_t)||^2, with the exact
hypergradient: it falls, then levels off at the noise, which more devices average away.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from ratecert.figures import COLOURS, new_figure, save
from ratecert.folders import require_writable
from solvers import LocalBSGM, LocalBSGVRM, simulate
from solvers.result import Result
from synthetic import Quadratic, random_quadratic

DEVICES = (1, 4, 16)
T = 2048


@dataclass(frozen=True)
class Row:
    name: str
    K: int
    result: Result


def demonstrate(*, out: Path, seed: int, replicates: int) -> int:
    require_writable(out)
    console = Console()
    world = random_quadratic(
        d_x=3, d_y=3, mu=1.0, L_1=4.0, sigma_H=0.2, sigma_J=0.2, s_f=0.5, s_g=0.5, seed=1
    )
    rows = _measure(world, seed=seed, replicates=replicates, console=console)
    console.print(_table(rows, replicates=replicates, seed=seed))
    gap = float(np.linalg.norm(world.hypergradient(world.x_star)))
    for path in _figure(rows, out):
        console.print(f"Wrote {path}", highlight=False)
    return 0


def _measure(world: Quadratic, *, seed: int, replicates: int, console: Console) -> list[Row]:
    momentum = LocalBSGM(eta=0.02, alpha=10.0, beta=10.0, rho_1=0.5, rho_2=2.0, p=4, theta=0.2, Q=20)
    reduced = LocalBSGVRM(eta=0.02, alpha=50.0, beta=50.0, rho_1=0.5, rho_2=2.0, p=4, theta=0.2, Q=20)
    x0, y0 = world.x_star + 1.0, world.y_star(world.x_star + 1.0)
    times = sorted({0, *np.unique(np.geomspace(1, T, 40).astype(int)).tolist()})
    rows = []
    with Progress(console=console, transient=True) as progress:
        settings = [(solver, K) for solver in (momentum, reduced) for K in DEVICES]
        bar = progress.add_task("simulating", total=len(settings))
        for solver, K in settings:
            result = simulate(
                world, solver, K=K, T=T, x0=x0, y0=y0, replicates=replicates, seed=seed, times=times
            )
            rows.append(Row(type(solver).__name__, K, result))
            progress.advance(bar)
    return rows


def _table(rows: list[Row], *, replicates: int, seed: int) -> Table:
    table = Table(
        title=f"E||grad Phi(xbar_t)||², {replicates} runs each, seed {seed}, ± one standard error",
        caption=f"gain: the value of K = 1 at t = {T} over this one; K would be linear speedup of the floor",
    )
    for name in (
        "algorithm",
        "K",
        "at t = 0",
        f"at t = {T}",
        "gain",
        "mean over t < T",
        "rounds",
        "samples/device",
    ):
        table.add_column(name, justify="left" if name == "algorithm" else "right")
    for row in rows:
        r, last = row.result, row.result.curves.gradient[-1]
        single = next(o for o in rows if o.name == row.name and o.K == 1).result.curves.gradient[-1]
        table.add_row(
            row.name,
            str(row.K),
            f"{r.curves.gradient[0]:.4g}",
            f"{last:.3e} ± {r.curves.standard_error.gradient[-1]:.0e}",
            f"{single / last:.1f}",
            f"{r.gradient:.4g} ± {r.standard_error.gradient:.0e}",
            str(r.counts.rounds),
            str(r.counts.samples_f + r.counts.samples_g),
        )
    return table


def _figure(rows: list[Row], out: Path) -> list[Path]:
    names = list(dict.fromkeys(row.name for row in rows))
    figure, axes = new_figure(columns=len(names))
    for ax, name in zip(axes, names, strict=True):
        for colour, row in zip(COLOURS, (r for r in rows if r.name == name), strict=False):
            c = row.result.curves
            t, mean, error = c.t[1:], c.gradient[1:], c.standard_error.gradient[1:]
            ax.fill_between(t, mean - 2 * error, mean + 2 * error, color=colour, alpha=0.25, linewidth=0)
            ax.plot(t, mean, color=colour, label=f"K = {row.K}")
        ax.set(xscale="log", yscale="log", xlabel="iteration $t$", title=name)
        ax.legend()
    axes[0].set_ylabel(r"$\mathbb{E}\|\nabla\Phi(\bar{x}_t)\|^2$")
    figure.suptitle("Sampled means with two standard errors; the gradient is exact")
    return save(figure, out / "demonstration")
