"""A first honest look: LocalBSGM and LocalBSGVRM on one world whose truth is known.

Both run from the same point with K = 1, 4, 16 devices, and E||grad Phi(xbar_t)||^2 is had twice: sampled, and as
the exact expectation. The two are independent computations of one number, so z = (sampled - exact)/standard error is
of order one; z_test.py says when it is not, and the exit code follows. The measure falls, then levels off at the
noise, which more devices average away.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from ratecert.base.chart import COLOURS
from ratecert.base.drawing import new_figure, save
from ratecert.base.files import require_writable, write_text
from ratecert.base.lists import as_text
from ratecert.base.progress import progress_of
from ratecert.base.terminal import echo
from ratecert.papers.federated_bilevel.z_test import ENOUGH, Row, contradiction
from ratecert.solvers import LocalBSGM, LocalBSGVRM, expect, simulate
from ratecert.solvers.contract.validation import require_whole
from ratecert.synthetic import Quadratic, random_quadratic

DEVICES = (1, 4, 16)
T = 1024


def demonstrate(*, out: Path, seed: int, replicates: int) -> int:
    """Write the table and the figure, print the table, and return 1 if a row contradicts the exact value."""
    require_whole("replicates", replicates, least=2)
    require_whole("seed", seed, least=0, most=2**64 - 1)
    require_writable(out)
    world = random_quadratic(
        d_x=3, d_y=3, mu=1.0, L_1=4.0, sigma_H=0.2, sigma_J=0.2, s_f=0.5, s_g=0.5, seed=1
    )
    rows = _measure(world, seed=seed, replicates=replicates)
    table = as_text(_table(rows, replicates=replicates, seed=seed))
    path = out / "demonstration.txt"
    write_text(path, table)
    paths = [path, *_figure(rows, out)]
    echo(table)
    for path in paths:
        echo(f"Wrote {path}\n")
    return _judge(rows, replicates=replicates)


def _judge(rows: list[Row], *, replicates: int) -> int:
    if replicates < ENOUGH:
        echo(f"Not judged: with fewer than {ENOUGH} sampled runs z is far from normal.\n")
        return 0
    sentence = contradiction(rows)
    if sentence:
        print(f"ratecert: {sentence}", file=sys.stderr)
    return 1 if sentence else 0


def _measure(world: Quadratic, *, seed: int, replicates: int) -> list[Row]:
    momentum = LocalBSGM(eta=0.02, alpha=10.0, beta=10.0, rho_1=0.5, rho_2=2.0, p=4, theta=0.2, Q=20)
    reduced = LocalBSGVRM(eta=0.02, alpha=50.0, beta=50.0, rho_1=0.5, rho_2=2.0, p=4, theta=0.2, Q=20)
    settings = [(solver, K) for solver in (momentum, reduced) for K in DEVICES]
    rows = []
    with progress_of("both algorithms", len(settings)) as advance:
        for solver, K in settings:
            run: dict[str, Any] = {
                "K": K,
                "T": T,
                "x0": world.x_star + 1.0,
                "y0": world.y_star(world.x_star + 1.0),
            }
            sampled = simulate(world, solver, replicates=replicates, seed=seed, times=_grid(25), **run)
            exact = expect(world, solver, times=_grid(200), **run)
            rows.append(Row(type(solver).__name__, K, sampled, exact))
            advance()
    return rows


def _grid(n: int) -> list[int]:
    """About n times from 1 to T, evenly spread in their logarithms."""
    return sorted(set(np.geomspace(1, T, n).round().astype(int).tolist()))


def _table(rows: list[Row], *, replicates: int, seed: int) -> Table:
    table = Table(
        title=f"E||grad Phi(xbar_t)||² at t = {T}: {replicates} sampled runs (seed {seed}) and exact",
        caption="z: difference in standard errors; gain: exact value of K = 1 over this one",
    )
    for name in ("algorithm", "K", "sampled ± standard error", "exact", "z", "gain"):
        table.add_column(name, justify="left" if name == "algorithm" else "right", no_wrap=True)
    for row in rows:
        sampled, error, exact = row.last()
        single = next(other.last()[2] for other in rows if other.name == row.name and other.K == 1)
        cells = (f"{sampled:.3e} ± {error:.0e}", f"{exact:.5e}", f"{row.z():+.1f}")
        table.add_row(row.name, str(row.K), *cells, f"{single / exact:.2f}")
    return table


def _figure(rows: list[Row], out: Path) -> list[Path]:
    names = list(dict.fromkeys(row.name for row in rows))
    figure, axes = new_figure(columns=len(names))
    for ax, name in zip(axes, names, strict=True):
        for colour, row in zip(COLOURS, (r for r in rows if r.name == name), strict=False):
            exact, sampled = row.exact.curves, row.sampled.curves
            ax.plot(exact.t, exact.gradient, color=colour, label=f"$K = {row.K}$")
            error = 2 * sampled.standard_error.gradient
            ax.errorbar(sampled.t, sampled.gradient, error, color=colour, fmt="o", markersize=3, linewidth=1)
        ax.set(xscale="log", yscale="log", xlabel="iteration $t$", title=name)
        ax.legend()
    axes[0].set_ylabel(r"$\mathbb{E}\,\|\nabla\Phi(\bar{x}_t)\|^2$")
    figure.suptitle("Exact expectation (lines) and sampled means with two standard errors (dots)")
    return save(figure, out / "demonstration")
