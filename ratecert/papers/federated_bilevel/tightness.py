"""`ratecert tightness`: the ratio of both sides of every theorem, on a grid of worlds, K, p, T, steps and starts."""

import os
from collections.abc import Mapping, Sequence
from statistics import median

from rich.table import Table
from threadpoolctl import threadpool_limits

from ratecert.output.plain_text import as_text
from ratecert.output.terminal import echo
from ratecert.papers.federated_bilevel.evidence.theorems.grid import TheoremSetting, grid
from ratecert.papers.federated_bilevel.evidence.theorems.tightness import Sides, measure
from ratecert.run.progress import progress_of
from ratecert.run.tasks import as_finished
from ratecert.solvers.contract.validation import require_whole

THEOREMS = ("theorem-1", "theorem-2", "theorem-3")
CAPTION = "a ratio above 1 refutes; certified: no outcome leaves the ball of the constants"


def print_report(variant: str = "repaired", every: int = 37, *, jobs: int | None = None) -> int:
    """Print the report and return 1 if a ratio exceeds 1."""
    jobs = os.cpu_count() or 1 if jobs is None else require_whole("jobs", jobs, least=1)
    rows = tightness(variant, grid(every), jobs=jobs)
    echo(report(rows))
    return int(any(row.ratio > 1 for some in rows.values() for row in some))


def tightness(variant: str, settings: Sequence[TheoremSetting], *, jobs: int) -> dict[str, list[Sides]]:
    """Of every theorem one row per setting, in their order."""
    calls = [(theorem, i, setting, variant) for theorem in THEOREMS for i, setting in enumerate(settings)]
    rows: dict[tuple[str, int], Sides] = {}
    with progress_of(f"tightness, {variant}", len(calls)) as advance:
        for theorem, i, row in as_finished(_measured, calls, jobs):
            rows[theorem, i] = row
            advance()
    return {theorem: [rows[theorem, i] for i in range(len(settings))] for theorem in THEOREMS}


def _measured(theorem: str, i: int, setting: TheoremSetting, variant: str) -> tuple[str, int, Sides]:
    with threadpool_limits(limits=1, user_api="blas"):
        return theorem, i, measure(theorem, setting, variant)


def report(rows: Mapping[str, Sequence[Sides]]) -> str:
    """One line per theorem: how many settings, the median ratio, the largest and where it is."""
    (variant,) = {row.bound.variant for some in rows.values() for row in some}
    table = Table(title=f"Measured (exact moments) over bound, {variant} theorems", caption=CAPTION)
    for name in ("theorem", "runs", "certified", "median", "largest", "where", "term"):
        left = name in ("theorem", "where", "term")
        table.add_column(name, justify="left" if left else "right", no_wrap=name != "where")
    for theorem, some in rows.items():
        top, middle = max(some, key=lambda row: row.ratio), median(row.ratio for row in some)
        certified = sum(row.ball.certified for row in some)
        cells = (f"{len(some)}", f"{certified}", f"{middle:.0e}", f"{top.ratio:.1e}", str(top.setting))
        table.add_row(theorem, *cells, top.bound.dominating)
    return as_text(table)
