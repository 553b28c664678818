"""`ratecert verify`: run, judge, write and tell."""

import os
import platform
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ratecert.base.asked import resolved
from ratecert.base.data_files import as_json
from ratecert.base.files import require_writable, write_text
from ratecert.base.terminal import echo, folded
from ratecert.catalogue import find
from ratecert.catalogue.find import require_different
from ratecert.catalogue.load import is_outside, require_for_workers
from ratecert.claims.check import in_words
from ratecert.claims.claim import Budget, Claim, rows_of
from ratecert.cli.verdict_list import shown
from ratecert.from_data.choosing import select
from ratecert.report.entries import judged
from ratecert.report.pictures import pictures, write_pictures
from ratecert.report.report import write_report
from ratecert.report.results import as_results, write
from ratecert.run.store import DiskStore
from ratecert.run.tasks import Store, key, on_cluster, run_pieces
from ratecert.solvers.contract.validation import require_whole


def verify(
    names: Sequence[str],
    *,
    out: Path,
    quick: bool = False,
    jobs: int | None = None,
    seed: int = 0,
    fresh: bool = False,
) -> int:
    """Verify the named claims, all without a name; 1 if a verdict is not the expected one."""

    names = list({resolved(name): name for name in names}.values())
    jobs = os.cpu_count() or 1 if jobs is None else require_whole("jobs", jobs, least=1)
    _require_papers(names, jobs)
    chosen = select(names)
    budget = Budget(quick=quick, seed=require_whole("seed", seed, least=0, most=2**64 - 1))
    require_writable(out)
    require_writable(out / "figures")
    store = DiskStore(out / "store", fresh=fresh)
    started, clock = datetime.now(UTC), time.monotonic()
    try:
        entries = judged(chosen, budget, jobs=jobs, store=store)
        bounds = _bounds(chosen, jobs=jobs, store=store)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_interrupted(fresh=fresh)) from None
    results = as_results(entries, bounds, budget)
    drawn = pictures(results, jobs=jobs)
    write_pictures(results, drawn, out)
    write(results, out / "results.json")
    write_text(out / "run.json", as_json(_run(started, time.monotonic() - clock, jobs, store)))
    echo(shown(results["claims"]))
    report = write_report(out, results, drawn)
    echo(folded(f"Wrote {out / 'results.json'}, {report} and {out / 'figures'}"))
    return _tell(results["claims"])


def _interrupted(*, fresh: bool) -> str:
    """What is kept of the work; with --fresh the same command would throw it away."""
    how = "without --fresh the same command" if fresh else "the same command"
    return f"interrupted; {how} goes on from here"


def _require_papers(names: Sequence[str], jobs: int) -> None:
    """Refuse two papers with one key, and one that the workers cannot load."""
    keys = {name if is_outside(name) else name.rpartition(":")[0] for name in names}
    papers = [key for key in sorted(keys) if is_outside(key)]
    require_different(papers)
    for paper in papers:
        require_for_workers(paper, jobs)


def _run(started: datetime, seconds: float, jobs: int, store: DiskStore) -> dict[str, str]:
    """What belongs to this run and not to its results."""
    return {
        "started": f"{started:%Y-%m-%d %H:%M:%S} UTC",
        "time": f"{seconds:.0f} s with {jobs} jobs",
        "pieces": f"{store.computed} computed, {store.reused} kept from earlier runs",
        "machine": f"{platform.system()} {platform.machine()}, "
        + ("and the workers of a cluster" if on_cluster() else f"{os.cpu_count()} cores"),
    }


def _bounds(claims: Sequence[Claim], *, jobs: int, store: Store) -> list[dict[str, Any]]:
    """The bounds of the theorems among the claims, term by term; of one that cannot be evaluated, nothing."""
    drawn = []
    keys = {find.split(id)[0] for claim in claims for id in claim.of}
    for charts in filter(None, (find.part(paper, "bound_charts") for paper in find.KEYS if paper in keys)):
        pieces = charts.pieces(claim.id for claim in claims)
        outcomes = run_pieces(pieces, jobs=jobs, store=store)
        rows = rows_of(pieces, [outcomes[key(piece)].value or [] for piece in pieces])
        drawn += [
            {"id": theorem, "chart": asdict(charts.chart(theorem, terms))}
            for theorem, terms in rows.by("theorem")
        ]
    return drawn


def _tell(entries: Sequence[Mapping[str, Any]]) -> int:
    changed = [e for e in entries if e["verdict"] != e["expected"]]
    for e in changed:
        sentence = f"{e['id']} is {in_words(e)}, expected was {e['expected']}: {e['reason']}"
        print(f"ratecert: {sentence}", file=sys.stderr)
    if not changed:
        echo(
            "The verdict is the expected one.\n"
            if len(entries) == 1
            else f"All {len(entries)} verdicts are the expected ones.\n"
        )
    unmeasured = sum(e["evidence"] == ["linter"] for e in entries)
    if unmeasured:
        echo(f"Nothing is measured for {unmeasured} of them: the linter alone speaks there.\n")
    return int(bool(changed))
