"""One run of a method: the measure that it reaches, exactly, and what that costs each device."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ratecert.base.errors import PrecisionWarning
from ratecert.claims.claim import Json
from ratecert.papers.federated_bilevel.evidence.complexity.families import FAMILIES, At
from ratecert.papers.federated_bilevel.evidence.runs import run_row

X_0, Y_0 = 1.0, 0.0


def measured_run(
    method: str,
    world: Any,
    *,
    n: int,
    K: int,
    c: Sequence[float],
    steps_scaled_with_K: bool = False,
    every_step: bool = False,
    certified: bool | None = None,
) -> dict[str, Json]:
    """The run of size n as a row; with `every_step` devices are averaged after every step, whatever p is.

    `certified` is that of `expect`.
    """
    solver, T = FAMILIES[method].make(At(n=n, K=K, c=c, steps_scaled_with_K=steps_scaled_with_K))
    solver = replace(solver, p=1) if every_step else solver
    with warnings.catch_warnings():
        # of the drifts too; that of the gradient matters here
        warnings.simplefilter("ignore", PrecisionWarning)
        row = run_row(world, solver, K=K, T=T, x0=X_0, y0=Y_0, certified=certified)
    return {"n": n, **row, "samples": row["samples_f"] + row["samples_g"]}
