"""`ratecert verify` and `ratecert claims`: run, judge, write and tell."""

import os
import platform
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from rich.table import Table

from ratecert import registry
from ratecert.claim.claim import Budget, Claim, rows_of
from ratecert.claim.verdict import in_words
from ratecert.errors import UserError
from ratecert.from_data import claims as known
from ratecert.output.files import require_writable
from ratecert.output.plain_text import as_text
from ratecert.output.terminal import echo
from ratecert.outside import LIBRARY, is_outside, library, require_for_workers, resolved
from ratecert.paper_keys import require_different
from ratecert.report.entries import judged
from ratecert.report.pictures import pictures, write_pictures
from ratecert.report.report import write_report
from ratecert.report.results import as_results, decided_by, write
from ratecert.run import cluster
from ratecert.run.running import Store, key, run_pieces
from ratecert.run.store import DiskStore
from ratecert.solvers.contract.validation import require_whole

WIDEST = 140


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
    started, clock = datetime.now(UTC), time.monotonic()
    with DiskStore(out / "store.sqlite", fresh=fresh) as store:
        entries = judged(chosen, budget, jobs=jobs, store=store)
        bounds = _bounds(chosen, jobs=jobs, store=store)
    results = as_results(entries, bounds, budget)
    drawn = pictures(results, jobs=jobs)
    write_pictures(results, drawn, out)
    write(results, out / "results.json")
    write(_run(started, time.monotonic() - clock, jobs, store), out / "run.json")
    echo(as_text(table(results["claims"]), table_width()))
    echo(f"Wrote {out / 'results.json'}, {write_report(out, results, drawn)} and {out / 'figures'}\n")
    return _tell(results["claims"])


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
        + ("and the workers of a cluster" if cluster.backend() else f"{os.cpu_count()} cores"),
    }


def select(names: Sequence[str]) -> list[Claim]:
    """All claims of the package's papers; of the library; of a paper; one, or those before its dot.

    Each once, those of the package in the order of its list, then the others in that of their names.
    """
    own = known.claims()
    if not names:
        return list(own.values())
    found = {claim.id: claim for name in names for claim in _named(name)}
    order = {id: i for i, id in enumerate(own)}
    return sorted(found.values(), key=lambda claim: order.get(claim.id, len(order)))


def _named(name: str) -> list[Claim]:
    if name == LIBRARY:
        return [claim for key in library() for claim in known.claims_of(key).values()]
    if name in registry.KEYS or is_outside(name):
        return list(known.claims_of(name).values())
    key, colon, _ = name.rpartition(":")
    own = known.claims_of(key) if colon and is_outside(key) else known.claims()
    name = name.removeprefix(f"{registry.FIRST}:")
    parts = list(dict.fromkeys(part for id in own for part in (_before_dot(id), id)))
    if name not in parts:
        near = _nearest(name, [*parts, *library()])
        hint = f"did you mean {' or '.join(near)}?" if near else "`ratecert claims` lists them all."
        raise UserError(f"no claim is called {name!r}; {hint}")
    return [claim for id, claim in own.items() if name in (id, _before_dot(id))]


def _before_dot(id: str) -> str:
    """Of the statement's part of an id: the paper's may be a file."""
    key, colon, inside = id.rpartition(":")
    return f"{key}{colon}{inside.partition('.')[0]}"


def _nearest(name: str, known: Sequence[str]) -> list[str]:
    """Up to three of the known names, whatever the case of the letters."""
    by_lower = {other.lower(): other for other in known}
    return [by_lower[found] for found in get_close_matches(name.lower(), by_lower, n=3, cutoff=0.4)]


def _bounds(claims: Sequence[Claim], *, jobs: int, store: Store) -> list[dict[str, Any]]:
    """The bounds of the theorems among the claims, term by term; of one that cannot be evaluated, nothing."""
    drawn = []
    for charts in filter(None, (registry.part(paper, "bound_charts") for paper in registry.KEYS)):
        pieces = charts.pieces(claim.id for claim in claims)
        outcomes = run_pieces(pieces, jobs=jobs, store=store)
        rows = rows_of(pieces, [outcomes[key(piece)].value or [] for piece in pieces])
        drawn += [
            {"id": theorem, "chart": asdict(charts.chart(theorem, terms))}
            for theorem, terms in rows.by("theorem")
        ]
    return drawn


def table(entries: Sequence[Mapping[str, Any]]) -> Table:
    result = Table(title="Claims and what was found", caption="* not what was expected")
    for name in ("claim", "verdict", "measured", "", "predicted", "±"):
        right = name in ("measured", "predicted", "±")
        result.add_column(name, justify="right" if right else "left", no_wrap=True)
    result.add_column("decided by")
    for e in entries:
        mark = "" if e["verdict"] == e["expected"] else " *"
        numbers = (
            _number(e["measured"]),
            e["relation"] or "",
            _number(e["predicted"]),
            _number(e["uncertainty"]),
        )
        result.add_row(e["id"], in_words(e) + mark, *numbers, decided_by(e))
    return result


def table_width() -> int:
    """That of the terminal, within limits; files get the widest."""
    return max(80, min(WIDEST, shutil.get_terminal_size(fallback=(WIDEST, 24)).columns))


def _number(value: float | None, digits: int = 4) -> str:
    return "" if value is None else f"{value:.{digits}g}"


def _tell(entries: Sequence[Mapping[str, Any]]) -> int:
    changed = [e for e in entries if e["verdict"] != e["expected"]]
    for e in changed:
        sentence = f"{e['id']} is {e['verdict']}, expected was {e['expected']}: {e['reason']}"
        print(f"ratecert: {sentence}", file=sys.stderr)
    if not changed:
        echo(f"All {len(entries)} verdicts are the expected ones.\n")
    return int(bool(changed))


def print_claims() -> int:

    result = Table(title="Claims that `ratecert verify` checks")
    for name in ("claim", "expected", "what it says"):
        result.add_column(name, no_wrap=name != "what it says")
    for claim in known.claims().values():
        result.add_row(claim.id, claim.expected, claim.sentence)
    echo(as_text(result, table_width()))
    return 0
