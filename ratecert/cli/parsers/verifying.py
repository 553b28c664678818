"""`ratecert verify`, `claims`, `report` and `compare`."""

import argparse
from pathlib import Path
from typing import Any

from ratecert.base.words import EVIDENCE, WORDS
from ratecert.cli.parsers.options import add_engine, add_papers, add_workers, named
from ratecert.cli.parsers.spoken import spoken


def add(commands: Any) -> None:
    _add_verify(commands.add_parser("verify", help="check every claim of the paper, and say what was found"))
    _add_claims(commands.add_parser("claims", help="the list of claims that verify checks"))
    report = commands.add_parser("report", help="write index.html again from the results.json of a folder")
    report.add_argument("folder", type=Path, metavar="DIR", help="folder with results.json")
    report.add_argument("--open", action="store_true", help="show it in the browser")
    add_papers(report)
    report.set_defaults(run=_report)
    compare = commands.add_parser("compare", help="what changed between two results")
    compare.epilog = (
        "Exits with 1 if a verdict changed, if a claim or a check is gone, or if one asks for something else."
    )
    compare.add_argument("before", type=Path, metavar="A", help="folder with results.json, or such a file")
    compare.add_argument("after", type=Path, metavar="B", help="the same, of the later run")
    compare.set_defaults(run=_compare)


def _add_verify(verify: argparse.ArgumentParser) -> None:
    verify.epilog = "Exits with 0 if every verdict is the expected one, with 1 if one has changed."
    verify.add_argument(
        "names",
        nargs="*",
        type=named,
        metavar="CLAIM",
        help="which claims, or a paper from outside such as my_paper.py (default: all)",
    )
    verify.add_argument(
        "--out",
        type=Path,
        help="folder for results.json, report and figures (default: results; of one paper in a file results/NAME; "
        "of other chosen claims results/chosen)",
    )
    verify.add_argument(
        "--quick", action="store_true", help="fewer settings: two to three minutes on two cores"
    )
    add_workers(verify)
    verify.add_argument("--seed", type=int, default=0, help="seed of the sampled claims (default: 0)")
    verify.add_argument(
        "--fresh", action="store_true", help="compute everything, even what an earlier run has kept"
    )
    add_engine(verify)
    verify.set_defaults(run=_verify)


def _add_claims(claims: argparse.ArgumentParser) -> None:
    claims.add_argument(
        "names",
        nargs="*",
        type=named,
        metavar="CLAIM",
        help="as for verify, such as theorem-1 or library (default: all)",
    )
    claims.add_argument(
        "--statement", type=named, metavar="ID", help="those on this statement, such as theorem-1"
    )
    claims.add_argument(
        "--verdict",
        type=spoken,
        choices=WORDS,
        help="those of which it is expected; refuted has those that are proved false, too",
    )
    claims.add_argument(
        "--evidence", type=spoken, choices=EVIDENCE, help="those that rest on evidence of this kind"
    )
    claims.add_argument("--paper", type=named, metavar="KEY", help="those on this paper")
    claims.add_argument("--json", action="store_true", help="print the claims as JSON")
    claims.set_defaults(run=_claims)


def _verify(options: argparse.Namespace) -> int:
    from ratecert.base.progress import starting

    with starting("verify: starting"):  # which takes seconds, in which something has to be seen
        from ratecert.cli.verify import verify
        from ratecert.run.dask import workers
        from ratecert.solvers.engines.engine_choice import preferred_engine

    with preferred_engine(options.engine), workers(options.jobs, options.scheduler) as jobs:
        return verify(
            options.names,
            out=options.out or default_folder(options.names),
            quick=options.quick,
            jobs=jobs,
            seed=options.seed,
            fresh=options.fresh,
        )


def default_folder(names: list[str]) -> Path:
    """Of all claims, of those of one paper in a file, or of others that were chosen."""
    results = Path("results")
    keys = {name if name.endswith(".py") else name.rpartition(":")[0] for name in names}
    if len(keys) == 1 and (key := keys.pop()).endswith(".py"):
        return results / Path(key).stem
    return results / "chosen" if names else results


def _claims(options: argparse.Namespace) -> int:
    from ratecert.cli.claims import Filter, print_claims

    wanted = Filter(
        statement=options.statement, verdict=options.verdict, evidence=options.evidence, paper=options.paper
    )
    return print_claims(options.names, wanted, as_json=options.json)


def _report(options: argparse.Namespace) -> int:
    from ratecert.report.report import print_report

    code = print_report(options.folder)
    if options.open:
        from ratecert.cli.browser import show

        return show(options.folder / "index.html")
    return code


def _compare(options: argparse.Namespace) -> int:
    from ratecert.report.comparing import compare

    return compare(options.before, options.after)
