"""`make bench`, second table: what exact expectations cost, and how the cost grows.

Every row changes one thing against d = 2, K = 8, p = 8, Q = 10, T = 10^6. The unit is 1000 iterations of the Monte
Carlo engine with 1000 replicates of 8 devices at d = 2, measured in the same run: that much sampling gives two digits.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from solvers import CubeRoot, LocalBSGM, LocalBSGVRM, expect, simulate, stationary
from synthetic import random_quadratic

BASE: dict[str, Any] = {"d": 2, "K": 8, "p": 8, "Q": 10, "T": 10**6}
CHANGES: list[dict[str, int]] = [
    {},
    {"d": 1},
    {"d": 4},
    {"d": 10},
    {"K": 2},
    {"K": 10**6},
    {"p": 1},
    {"p": 1000},
    {"Q": 1},
    {"Q": 100},
    {"T": 10**3},
    {"T": 10**12},
    {"T": 2**63},
]


def table() -> Table:
    table = Table(
        title="exact expectation: seconds, and in units of 1000 sampled iterations x 1000 replicates x 8 devices"
    )
    for name in ("changed", "LocalBSGM", "units", "LocalBSGVRM", "units"):
        table.add_column(name, justify="left" if name == "changed" else "right")
    rows: list[tuple[str, Callable[[Any], None]]] = [
        (_name(change), partial(_expect, **{**BASE, **change})) for change in CHANGES
    ]
    rows.append(
        (
            "Theorem 3's schedule, T = 10^12",
            lambda kind: _expect(kind, **{**BASE, "T": 10**12}, decaying=True),
        )
    )
    rows.append(("limit, d = 10", lambda kind: _stationary(kind, 10)))
    rows.append(("limit, d = 50", lambda kind: _stationary(kind, 50)))
    sampled = [_seconds(_simulate, kind) for kind in (LocalBSGM, LocalBSGVRM)]
    table.add_row("sampled, the unit", f"{sampled[0]:.2f}", "1", f"{sampled[1]:.2f}", "1", end_section=True)
    for name, work in rows:
        seconds = [_seconds(work, kind) for kind in (LocalBSGM, LocalBSGVRM)]
        cells = [
            f"{v:.{digits}f}"
            for s, u in zip(seconds, sampled, strict=True)
            for v, digits in ((s, 2), (s / u, 4))
        ]
        table.add_row(name, *cells)
    return table


def _name(change: dict[str, int]) -> str:
    return ", ".join(f"{key} = {value}" for key, value in change.items()) or "nothing"


def _world(d: int) -> Any:
    return random_quadratic(d_x=d, d_y=d, sigma_H=0.2, sigma_J=0.2, s_f=0.5, s_g=0.5, seed=1)


def _solver(kind: Any, p: int, Q: int, decaying: bool = False) -> Any:
    weight = 10.0 if kind is LocalBSGM else 50.0
    eta = CubeRoot(scale=0.2, floor=8e6) if decaying else 1e-3
    return kind(eta=eta, alpha=weight, beta=weight, rho_1=0.2, rho_2=2.0, p=p, theta=0.2, Q=Q)


def _expect(kind: Any, *, d: int, K: int, p: int, Q: int, T: int, decaying: bool = False) -> None:
    start = np.ones(d)
    expect(_world(d), _solver(kind, p, Q, decaying), K=K, T=T, x0=start, y0=start, times=[])


def _stationary(kind: Any, d: int) -> None:
    stationary(_world(d), _solver(kind, 8, 10), K=8)


def _simulate(kind: Any) -> None:
    start = np.ones(2)
    simulate(
        _world(2), _solver(kind, 8, 10), K=8, T=1000, x0=start, y0=start, replicates=1000, seed=0, times=[]
    )


def _seconds(work: Callable[[Any], None], kind: Any) -> float:
    begin = time.perf_counter()
    work(kind)
    return time.perf_counter() - begin


def main() -> None:
    Console().print(table())


if __name__ == "__main__":
    main()
