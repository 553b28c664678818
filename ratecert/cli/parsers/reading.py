"""`ratecert lint`, `explain`, `library`, `new` and `tightness`."""

import argparse
from pathlib import Path
from typing import Any

from ratecert.base.words import CERTAINTY, OF_THE_LIBRARY, WORDS
from ratecert.cli.parsers.options import add_paper, add_variant, add_workers, named
from ratecert.cli.parsers.spoken import spoken


def add(commands: Any) -> None:
    _add_lint(commands.add_parser("lint", help="what is unsound in the paper's statements themselves"))
    _add_explain(commands.add_parser("explain", help="a statement of the paper, typeset"))
    _add_library(commands.add_parser("library", help="published statements on trial: the verdicts on each"))
    _add_new(commands.add_parser("new", help="a paper in one file, to be changed into yours"))
    _add_tightness(commands.add_parser("tightness", help="how far the repaired bounds are from the truth"))


def _add_lint(lint: argparse.ArgumentParser) -> None:
    lint.description = (
        "Checks units, symbols, whether corollaries follow with their logarithms, consistency and validity windows. "
        "Findings are the result, not a failure: the exit code is 0 unless --strict is given."
    )
    lint.add_argument(
        "file",
        nargs="?",
        type=named,
        metavar="PAPER[:STATEMENT]",
        help="a paper's key, its file such as my_paper.py, its module, or a statement such as storm:theorem-1",
    )
    lint.add_argument("--json", action="store_true", help="print a list of findings as JSON")
    lint.add_argument(
        "--severity", choices=("error", "warning", "note"), default="note", help="the least to show"
    )
    lint.add_argument("--strict", action="store_true", help="exit with 1 if there are errors")
    add_variant(lint)
    lint.set_defaults(run=_lint)


def _add_explain(explain: argparse.ArgumentParser) -> None:
    explain.add_argument(
        "id",
        nargs="?",
        type=named,
        help="such as theorem-1, constant.L_hat or my_paper.py:theorem-1; without it, the list of ids",
    )
    explain.add_argument("--latex", action="store_true", help="print LaTeX")
    explain.add_argument("--diff", action="store_true", help="printed against repaired, where they differ")
    add_variant(explain)
    explain.set_defaults(run=_explain)


def _add_library(library: argparse.ArgumentParser) -> None:
    library.description = (
        "Lists the statements of the library with their verdicts, what is wrong first. The verdicts are kept with the "
        "package; `ratecert verify library` computes them again."
    )
    library.add_argument(
        "names", nargs="*", metavar="STATEMENT", help="such as svrg or svrg:theorem-1 (default: all)"
    )
    library.add_argument(
        "--verdict",
        type=spoken,
        choices=OF_THE_LIBRARY,
        metavar="VERDICT",
        help=f"{', '.join(WORDS)}, or as the table has it; refuted has those that are proved false, too",
    )
    library.add_argument(
        "--evidence",
        choices=("search", "linter"),
        help="those that were held against worlds, or those in which the linter has found something",
    )
    library.add_argument("--paper", metavar="KEY", help="those of this paper")
    library.add_argument("--after", choices=[*filter(None, CERTAINTY)], help="those whose print was had so")
    library.add_argument("--json", action="store_true", help="print the records as JSON")
    library.add_argument(
        "--results", type=Path, metavar="FILE", help="a results.json of your own instead of what is kept"
    )
    library.set_defaults(run=_library)


def _add_new(new: argparse.ArgumentParser) -> None:
    new.description = (
        "Writes NAME.py, a paper that runs: a theorem, a corollary, an algorithm and what binds them."
    )
    new.add_argument("name", metavar="NAME", help="such as my_paper")
    new.add_argument("--out", type=Path, default=Path(), help="folder (default: this one)")
    new.set_defaults(run=_new)


def _add_tightness(tightness: argparse.ArgumentParser) -> None:
    tightness.description = (
        "Computes both sides of each theorem's inequality with exact moments, on a grid of worlds, K, p, T, steps and "
        "starts, and prints the largest and the median ratio. Exits with 1 if a ratio exceeds 1."
    )
    tightness.add_argument(
        "--variant", choices=("printed", "repaired"), default="repaired", help="(default: repaired)"
    )
    add_paper(tightness)
    add_workers(tightness)
    tightness.set_defaults(run=_tightness)


def _lint(options: argparse.Namespace) -> int:
    from ratecert.catalogue.find import FIRST
    from ratecert.cli.lint import print_findings

    return print_findings(
        id=options.file or options.paper or FIRST,
        variant=options.variant,
        least=options.severity,
        as_json=options.json,
        strict=options.strict,
    )


def _explain(options: argparse.Namespace) -> int:
    from ratecert.cli.explain import explain

    return explain(
        id=options.id, key=options.paper, variant=options.variant, latex=options.latex, diff=options.diff
    )


def _library(options: argparse.Namespace) -> int:
    from ratecert.cli.library import library
    from ratecert.shelf.filter import Filter

    wanted = Filter(
        names=tuple(options.names),
        verdict=options.verdict,
        evidence=options.evidence,
        paper=options.paper,
        after=options.after,
    )
    return library(wanted, results=options.results, as_json=options.json)


def _new(options: argparse.Namespace) -> int:
    from ratecert.cli.new import write_new

    return write_new(options.name, options.out)


def _tightness(options: argparse.Namespace) -> int:
    from ratecert.catalogue.find import part_with
    from ratecert.run.dask import workers

    with workers(options.jobs, options.scheduler) as jobs:
        return int(part_with("tightness", options.paper).print_report(options.variant, jobs=jobs))
