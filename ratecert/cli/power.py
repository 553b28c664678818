"""`ratecert power`: wrong algorithms and wrong statements go through the claims, and everything has to be caught.

What is finished is kept in the folder power, so that a run that was stopped goes on where it was. power.json has one
row per mistake; a part that is not asked for is left as an earlier run wrote it.

    schema       1
    ratecert     version of this program
    algorithms   what, algorithms, edits; letter: the claims that changed; measured: the first one that did;
                 undecided: those that could not be computed; unseen: why nothing is measured; verdicts: of all
    statements   paper, theorem, term, kind and what; letter, derivation, units and measured as above; bound: `weaker`
                 if nowhere smaller than the right one where it was tried, `smaller`, `mixed` or `equal`

A catch has its claim, verdict and expected verdict, and of the check that decided the numbers and the strain.
"""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ratecert import __version__
from ratecert.base.errors import UserError
from ratecert.base.files import atomic_write, require_writable
from ratecert.base.lists import as_text
from ratecert.base.progress import progress_of
from ratecert.base.terminal import columns, echo
from ratecert.catalogue import find
from ratecert.claims.claim import Json
from ratecert.run.store import DiskStore
from ratecert.solvers.contract.validation import require_whole

PARTS = ("algorithms", "statements", "false-alarms")
SCHEMA = 1


def power(what: Sequence[str] = (), *, out: Path, jobs: int | None = None, fresh: bool = False) -> int:
    """The parts that are asked for, all without a name; 1 if something is not caught that should be."""
    wrong = [part for part in what if part not in PARTS]
    if wrong:
        raise UserError(f"what must be one of {', '.join(PARTS)}, got {wrong[0]!r}.")
    parts = [part for part in PARTS if part in (what or PARTS)]
    jobs = os.cpu_count() or 1 if jobs is None else require_whole("jobs", jobs, least=1)
    require_writable(out)
    problems: list[str] = []
    store = DiskStore(out / "power", fresh=fresh)
    if "algorithms" in parts:
        problems += _algorithms(out, jobs, store)
    if "statements" in parts:
        problems += _statements(out, jobs, store)
    for sentence in problems:
        print(f"ratecert: {sentence}.", file=sys.stderr)
    return max(int(bool(problems)), _false_alarms(out, jobs) if "false-alarms" in parts else 0)


def _algorithms(out: Path, jobs: int, store: DiskStore) -> list[str]:
    from ratecert.power import algorithm_trials, tables

    mistakes = [mistake for wrong in _wrong() for mistake in wrong.MISTAKES]
    tried = [algorithm_trials.control(mistakes), *mistakes]
    with progress_of("wrong algorithms", len(tried)) as advance:
        rows = algorithm_trials.try_all(tried, jobs=jobs, store=store, finished=advance)
    _keep(out, "algorithms", rows)
    echo(as_text(tables.of_algorithms(rows).as_rich(), columns()))
    echo(as_text(tables.unseen(rows).as_rich(), columns()))
    problems = [sentence for row in rows if (sentence := algorithm_trials.problem(row))]
    echo(f"{len(mistakes)} wrong algorithms, {_all_well(problems)}.\n")
    return problems


def _statements(out: Path, jobs: int, store: DiskStore) -> list[str]:
    from ratecert.power import tables

    trials = [wrong.STATEMENTS for wrong in _wrong()]
    rows: list[Json] = []
    problems: list[str] = []
    with progress_of("wrong statements", sum(len(each.all_pieces()) for each in trials)) as advance:
        for each in trials:
            found = each.try_all(jobs=jobs, store=store, finished=lambda _: advance())
            rows += found
            problems += [sentence for row in found if (sentence := each.problem(row))]
    _keep(out, "statements", rows)
    echo(as_text(tables.of_statements(rows).as_rich(), columns()))
    echo(as_text(tables.of_terms(rows).as_rich(), columns()))
    echo(f"{len(rows)} wrong statements, {_all_well(problems)}.\n")
    return problems


def _wrong() -> list[Any]:
    """What every paper has of wrong algorithms and statements."""
    return [wrong for key in find.KEYS if (wrong := find.part(key, "wrong"))]


def _all_well(problems: Sequence[str]) -> str:
    return f"{len(problems)} of them not as they should be" if problems else "all caught"


def _false_alarms(out: Path, jobs: int) -> int:
    from ratecert.power.false_alarms import print_false_alarms

    return int(print_false_alarms(out=out, jobs=jobs))


def _keep(out: Path, part: str, rows: Sequence[Json]) -> None:
    """power.json, with this part replaced."""
    path = out / "power.json"
    kept = read(path) if path.exists() else {}
    whole = {**kept, "schema": SCHEMA, "ratecert": __version__, part: list(rows)}
    with atomic_write(path) as temporary:
        temporary.write_text(as_lines(whole), encoding="utf-8", newline="\n")


def read(path: Path) -> dict[str, Json]:
    try:
        results = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UserError(
            f"{path} is not JSON: {error}; move it away, or choose another folder with --out."
        ) from error
    if not isinstance(results, dict) or results.get("schema") != SCHEMA:
        raise UserError(
            f"{path} has another schema than {SCHEMA}; move it away, or choose another folder with --out."
        )
    return results


def as_lines(results: Json) -> str:
    """JSON with one line per row."""
    parts = []
    for name, value in results.items():
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        if isinstance(value, list):
            rows = ",\n".join(json.dumps(row, allow_nan=False, ensure_ascii=False) for row in value)
            text = f"[\n{rows}\n]"
        parts.append(f"{json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"
