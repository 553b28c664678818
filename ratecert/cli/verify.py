"""`ratecert verify`: run, judge, write and tell; `report` draws the page again, `compare` tells what has changed."""

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratecert.base.errors import UserError
from ratecert.base.terminal import echo, folded
from ratecert.base.words import EVIDENCE, FAINTLY, WORDS, did_you_mean
from ratecert.cli.options import add_json, add_papers, add_workers, named, spoken, workers

if TYPE_CHECKING:
    from ratecert.claims.claim import Claim
    from ratecert.run.store import DiskStore

FILTERS = ("statement", "verdict", "evidence", "paper", "json")  # options of --list
LEGEND = "* not what was expected"
SCHEMA = 1  # of the list of claims as JSON
FIELDS = ("id", "of", "sentence", "expected", "because", "evidence", "false_alarm")


def _add_report(report: argparse.ArgumentParser) -> None:
    report.add_argument("folder", type=Path, metavar="DIR", help="folder with results.json")
    report.add_argument("--open", action="store_true", help="show it in the browser")
    add_papers(report)
    report.set_defaults(run=_report)


def _add_compare(compare: argparse.ArgumentParser) -> None:
    compare.epilog = (
        "Exits with 1 if a verdict changed, if a claim or a check is gone, or if one asks for something else."
    )
    compare.add_argument("before", type=Path, metavar="A", help="folder with results.json, or such a file")
    compare.add_argument("after", type=Path, metavar="B", help="the same, of the later run")
    compare.set_defaults(run=_compare)


def _add_verify(verify: argparse.ArgumentParser) -> None:
    verify.epilog = (
        "Exits with 0 if every verdict is the expected one, with 1 if one has changed; of your own paper with 1 if "
        "something is refuted for which its file gives no reason, or undecided."
    )
    names = "which claims, or a paper from outside such as my_paper.py (default: all)"
    verify.add_argument("names", nargs="*", type=named, metavar="CLAIM", help=names)
    verify.add_argument(
        "--out",
        type=Path,
        help="folder for results.json, report and figures (default: results; of one paper in a file results/NAME; "
        "of other chosen claims results/chosen)",
    )
    quick = "fewer settings: two to three minutes on two cores"
    verify.add_argument("--quick", action="store_true", help=quick)
    add_workers(verify)
    verify.add_argument("--seed", type=int, default=0, help="seed of the sampled claims (default: 0)")
    fresh = "compute everything, even what an earlier run has stored"
    verify.add_argument("--fresh", action="store_true", help=fresh)
    verify.set_defaults(run=_verify)

    listed = verify.add_argument_group("the list", "nothing is run; filters may be combined")
    listed.add_argument("--list", action="store_true", help="list the claims and the verdicts expected")
    on = "those on this statement, such as theorem-1"
    listed.add_argument("--statement", type=named, metavar="ID", help=on)
    verdict = "those of which it is expected; refuted has those that are proved false, too"
    listed.add_argument("--verdict", type=spoken, choices=WORDS, help=verdict)
    evidence = "those that rest on evidence of this kind"
    listed.add_argument("--evidence", type=spoken, choices=EVIDENCE, help=evidence)
    listed.add_argument("--paper", type=named, metavar="KEY", help="those on this paper")
    add_json(listed, "the claims")


def _verify(options: argparse.Namespace) -> int:
    if options.list:
        return _list(options)
    if alone := [name for name in FILTERS if getattr(options, name)]:
        raise UserError(f"--{alone[0]} belongs to the list; add --list, or leave --{alone[0]} out.")

    from ratecert.base.progress import stages_of

    with stages_of("verify: reading the claims"):  # which takes seconds, in which something has to be seen
        from ratecert.verdicts.collect import select

        names = _resolved(options.names)
        chosen = select(names)
    with workers(options) as jobs:
        return _verified(names, chosen, options, jobs)


def _resolved(names: Sequence[str]) -> list[str]:
    """The names, each paper once; two papers with one key are refused."""
    from ratecert.base.asked import resolved
    from ratecert.catalogue.find import require_different

    once = list({resolved(name): name for name in names}.values())
    require_different(_papers(once))
    return once


def _papers(names: Sequence[str]) -> list[str]:
    """The papers from outside among the names."""
    from ratecert.catalogue.load import is_outside

    keys = {name if is_outside(name) else name.rpartition(":")[0] for name in names}
    return [key for key in sorted(keys) if is_outside(key)]


def _verified(names: Sequence[str], chosen: Sequence["Claim"], options: argparse.Namespace, jobs: int) -> int:
    """Compute, judge and write; 1 if a verdict is not the expected one."""
    from ratecert.api.verdicts import of_run
    from ratecert.base.files import as_json, require_writable, write_text
    from ratecert.catalogue.load import require_for_workers
    from ratecert.report.figures import pictures, write_pictures
    from ratecert.report.judge import as_results, judged
    from ratecert.report.page import write_report
    from ratecert.report.results import write
    from ratecert.run.store import DiskStore

    budget = of_run(quick=options.quick, seed=options.seed, jobs=jobs)
    for paper in _papers(names):
        require_for_workers(paper, jobs)
    out = options.out or default_folder(names)
    require_writable(out)
    require_writable(out / "figures")
    store = DiskStore(out / "store", fresh=options.fresh)
    started, clock = datetime.now(UTC), time.monotonic()
    try:
        found = judged(chosen, budget, jobs=jobs, store=store)
    except KeyboardInterrupt:
        how = "without --fresh the same command" if options.fresh else "the same command"
        raise KeyboardInterrupt(f"interrupted; {how} goes on from here") from None
    results = as_results(found, budget)
    drawn = pictures(results, jobs=jobs)
    write_pictures(results, drawn, out)
    write(results, out / "results.json")
    write_text(out / "run.json", as_json(_run(started, time.monotonic() - clock, jobs, store)))
    echo(verdicts(results["claims"]))
    report = write_report(out, results, drawn)
    echo(folded(f"Wrote {out / 'results.json'}, {report} and {out / 'figures'}"))
    return _tell(results["claims"])


def default_folder(names: Sequence[str]) -> Path:
    """Of all claims, of those of one paper in a file, or of others that were chosen."""
    results = Path("results")
    keys = {name if name.endswith(".py") else name.rpartition(":")[0] for name in names}
    if len(keys) == 1 and (key := keys.pop()).endswith(".py"):
        return results / Path(key).stem
    return results / "chosen" if names else results


def _run(started: datetime, seconds: float, jobs: int, store: "DiskStore") -> dict[str, str]:
    """What belongs to this run and not to its results."""
    from ratecert.run.tasks import cluster

    where = "and the workers of a cluster" if cluster.get() else f"{os.cpu_count()} cores"
    return {
        "started": f"{started:%Y-%m-%d %H:%M:%S} UTC",
        "time": f"{seconds:.0f} s with {jobs} jobs",
        "tasks": f"{store.computed} computed, {store.reused} stored by earlier runs",
        "machine": f"{platform.system()} {platform.machine()}, {where}",
    }


def _tell(entries: Sequence[Mapping[str, Any]]) -> int:
    from ratecert.catalogue.find import is_own
    from ratecert.claims.check import in_words
    from ratecert.report.results import unexpected

    changed = [e for e in entries if e["verdict"] != e["expected"]]
    for e in changed:
        but = f", expected was {e['expected']}" * unexpected(e)
        sentence = f"{e['id']} is {in_words(e)}{but}: {e['reason']}"
        print(f"ratecert: {sentence}", file=sys.stderr)
    if not changed and all(is_own(e["of"][0]) and not e["because"] for e in entries):
        echo("Nothing is refuted.\n")
    elif not changed:
        several = f"All {len(entries)} verdicts are the expected ones.\n"
        echo("The verdict is the expected one.\n" if len(entries) == 1 else several)
    if unmeasured := sum(e["evidence"] == ["linter"] for e in entries):
        echo(f"Nothing is measured for {unmeasured} of them: the linter alone speaks there.\n")
    return int(bool(changed))


def verdicts(entries: Sequence[Mapping[str, Any]]) -> str:
    """What `ratecert verify` found; the legend only where there is a star."""
    from ratecert.base.lists import Block, as_list, as_number
    from ratecert.claims.check import in_words, relation_in
    from ratecert.report.results import decided_by, unexpected

    rows = []
    for e in entries:
        mark = " *" * unexpected(e)
        measured, predicted, width = (
            as_number(e[name], 4) for name in ("measured", "predicted", "uncertainty")
        )
        told = f"measured {measured}{f' ± {width}' if e['uncertainty'] else ''}, predicted {e['relation']} {predicted}"
        block = Block(e["id"], in_words(e), (decided_by(e), told if measured else ""), mark)
        numbers = (measured, relation_in(e), predicted, width)
        rows.append((block, (block.name, block.verdict + mark, *numbers, decided_by(e))))
    names = ("claim", "verdict", "measured", "", "predicted", "±", "decided by")
    right, folds = ("measured", "predicted", "±"), ("claim", "decided by")
    legend = LEGEND if any(block.mark for block, _ in rows) else ""
    return as_list("Claims and what was found", names, rows, right=right, folds=folds, legend=legend)


def _list(options: argparse.Namespace) -> int:
    """The claims with these names, all without a name, that the filters let through; nothing is run."""
    from ratecert.base.lists import Block, as_list
    from ratecert.catalogue import find
    from ratecert.catalogue.load import library
    from ratecert.claims.check import in_words
    from ratecert.verdicts.collect import select

    statement = find.split(options.statement) if options.statement else None
    if options.paper:
        find.require_key(options.paper)
    key = options.paper or (statement and statement[0])
    known = select(options.names or ([key] if key else []))
    of = {claim.id: [find.split(id) for id in claim.of] for claim in known}
    told = {claim.id: in_words({"verdict": claim.expected, "evidence": claim.evidence}) for claim in known}
    if statement and not any(statement in each for each in of.values()):
        ids = sorted({id for claim in known for id in claim.of})
        hint = did_you_mean(options.statement, ids, f"there are {', '.join(ids)}.", alike=FAINTLY)
        raise UserError(f"no claim is on the statement {options.statement!r}; {hint}")
    chosen = [
        claim
        for claim in known
        if (statement is None or statement in of[claim.id])
        and options.verdict in (None, claim.expected, told[claim.id])  # what is proved false is refuted, too
        and options.evidence in (None, *claim.evidence)
        and options.paper in (None, *(key for key, _ in of[claim.id]))
    ]
    if options.json:
        claims = [{name: getattr(claim, name) for name in FIELDS} for claim in chosen]
        listed = {"schema": SCHEMA, "claims": claims}
        echo(json.dumps(listed, indent=1, ensure_ascii=False) + "\n")
        return 0
    rows = []
    for claim in chosen:
        verdict, lines = told[claim.id], (claim.sentence, ", ".join(claim.evidence))
        rows.append((Block(claim.id, verdict, lines), (claim.id, verdict, *lines)))
    title = "Claims that `ratecert verify` checks, and the verdict that is expected"
    names = ("claim", "expected", "what it says", "evidence")
    echo(as_list(title, names, rows, folds=("claim", *names[2:])) if chosen else "")
    for key in dict.fromkeys(of[claim.id][0][0] for claim in chosen):
        if key in library():
            echo(folded(f"The statements of {key} are entered {find.paper(key=key).entered()}."))
    count = f"{len(chosen)} claim{'' if len(chosen) == 1 else 's'}"
    echo(folded(f"{count}. `ratecert verify CLAIM` checks one."))
    return 0


def _report(options: argparse.Namespace) -> int:
    import webbrowser

    from ratecert.report.page import print_report

    code = print_report(options.folder)
    address = (options.folder / "index.html").resolve().as_uri()
    if options.open and not webbrowser.open(address):
        raise UserError(f"no browser was found here; open {address} in one, or leave --open out.")
    return code


def _compare(options: argparse.Namespace) -> int:
    from ratecert.report.compare import compare

    return compare(options.before, options.after)


COMMANDS = {
    "verify": ("check every claim of the paper, and say what was found", _add_verify),
    "report": ("write index.html again from the results.json of a folder", _add_report),
    "compare": ("what changed between two results", _add_compare),
}
