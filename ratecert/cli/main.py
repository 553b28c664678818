"""The command `ratecert`. A user's mistake is one sentence, never a traceback.

Exit codes: 0 all is well, 1 a check failed, 2 a mistake or a file that cannot be written, 70 a bug in ratecert (with
--debug its traceback), 130 interrupted, 141 the reader of standard output has gone (as the shell reports SIGPIPE).
"""

import argparse
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ratecert import __version__
from ratecert.errors import BugError, RatecertError, UnwritableError
from ratecert.output.terminal import flush


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(given)
    except KeyboardInterrupt:
        return _end(130, "interrupted")
    except BrokenPipeError:
        return 141
    except UnwritableError as error:
        return _end(2, f"{error.filename}: {error.strerror}; choose another folder with --out.")
    except RatecertError as error:
        return _end(2, str(error))
    except OSError as error:
        reason = error.strerror or str(error)
        return _end(2, f"{error.filename}: {reason}." if error.filename else f"{reason}.")
    except Exception as error:  # noqa: BLE001  whatever else it is, it is a bug, and has to look like one
        return _bug(error, debug="--debug" in given)


def _run(arguments: Sequence[str]) -> int:
    try:
        options = _parser().parse_args(arguments)
    except SystemExit:
        flush()  # the help and the version are still in the buffer
        raise
    return int(options.run(options))


def _bug(error: Exception, *, debug: bool) -> int:
    """Tell a bug from a mistake: nothing that the user has typed is to blame."""
    if debug:
        sys.stderr.write(error.details if isinstance(error, BugError) else traceback.format_exc())
    name = "" if isinstance(error, BugError) else f"{type(error).__name__}: "
    what = " ".join(f"{name}{error}".split())
    how = "" if debug else " --debug shows the traceback."
    return _end(70, f"a bug in ratecert, no mistake of yours: {what.rstrip('.')}.{how}")


class _Command(argparse.ArgumentParser):
    """A command, or the whole: each takes --debug."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.add_argument("--debug", action="store_true", help="show the traceback of a bug")


def _parser() -> argparse.ArgumentParser:
    parser = _Command(
        prog="ratecert",
        description="Checks convergence-rate claims on bilevel problems whose truth is known in closed form.",
    )
    parser.add_argument("--version", action="version", version=f"ratecert {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    demo = commands.add_parser(
        "demo",
        help="both algorithms of the paper on one world against the truth: a table and a figure",
        epilog="Exits with 1 if the samples contradict the exact expectation (|z| > 5; judged from 256 runs on).",
    )
    demo.add_argument(
        "--out", type=Path, default=Path("results"), help="folder for table and figure (default: results)"
    )
    demo.add_argument("--seed", type=int, default=0, help="seed of the samples (default: 0)")
    demo.add_argument("--replicates", type=int, default=256, help="runs per setting (default: 256)")
    _add_engine(demo)
    demo.set_defaults(run=_demo)
    _add_verify(commands.add_parser("verify", help="check every claim of the paper, and say what was found"))
    claims = commands.add_parser("claims", help="the list of claims that verify checks")
    claims.set_defaults(run=_claims)
    report = commands.add_parser("report", help="write index.html again from the results.json of a folder")
    report.add_argument("folder", type=Path, metavar="DIR", help="folder with results.json")
    report.set_defaults(run=_report)
    compare = commands.add_parser("compare", help="what changed between two results")
    compare.epilog = "Exits with 1 if a verdict changed, or if a claim or a check is gone."
    compare.add_argument("before", type=Path, metavar="A", help="folder with results.json, or such a file")
    compare.add_argument("after", type=Path, metavar="B", help="the same, of the later run")
    compare.set_defaults(run=_compare)
    _add_lint(commands.add_parser("lint", help="what is unsound in the paper's statements themselves"))
    _add_explain(commands.add_parser("explain", help="a statement of the paper, typeset"))
    _add_tightness(commands.add_parser("tightness", help="how far the repaired bounds are from the truth"))
    _add_falsify(commands.add_parser("falsify", help="search for a world that breaks a statement"))
    check = commands.add_parser("check", help="replay a counterexample that falsify has written")
    check.epilog = (
        "Exits with 0 if it is confirmed, with 1 if not; a file that is no witness is refused with 2."
    )
    check.add_argument("witness", type=Path, metavar="WITNESS", help="a TOML file")
    check.set_defaults(run=_check)
    prove = commands.add_parser("prove", help="write a counterexample as a proof, in fractions alone")
    prove.description = (
        "Writes a Python file of its own that checks every condition of the printed statement and `measure > bound` in "
        "fractions. Where the witness cannot be written so, a simpler one of the same mistake is taken."
    )
    prove.add_argument("witness", type=Path, metavar="WITNESS", help="a TOML file")
    prove.add_argument("--out", type=Path, metavar="FILE", help="(default: results/proofs/NAME.py)")
    prove.add_argument("--coq", action="store_true", help="write a Coq file")
    prove.set_defaults(run=_prove)
    _add_power(commands.add_parser("power", help="which wrong algorithms and statements the claims catch"))
    _add_gallery(commands.add_parser("gallery", help="one figure per world: what is special about it"))
    _add_federate(commands.add_parser("federate", help="an algorithm with one process per device, by MPI"))
    return parser


def _add_verify(verify: argparse.ArgumentParser) -> None:
    verify.epilog = "Exits with 0 if every verdict is the expected one, with 1 if one has changed."
    verify.add_argument("names", nargs="*", metavar="CLAIM", help="which claims (default: all)")
    verify.add_argument(
        "--out",
        type=Path,
        help="folder for results.json, report and figures (default: results; for chosen claims results/chosen)",
    )
    verify.add_argument(
        "--quick", action="store_true", help="fewer settings, less than a minute on two cores"
    )
    _add_workers(verify)
    verify.add_argument("--seed", type=int, default=0, help="seed of the sampled claims (default: 0)")
    verify.add_argument(
        "--fresh", action="store_true", help="compute everything, even what an earlier run has kept"
    )
    _add_engine(verify)
    verify.set_defaults(run=_verify)


def _add_lint(lint: argparse.ArgumentParser) -> None:
    lint.description = (
        "Checks units, symbols, whether corollaries follow with their logarithms, consistency and validity windows. "
        "Findings are the result, not a failure: the exit code is 0 unless --strict is given."
    )
    lint.add_argument("--json", action="store_true", help="print a list of findings as JSON")
    lint.add_argument(
        "--severity", choices=("error", "warning", "note"), default="note", help="the least to show"
    )
    lint.add_argument("--strict", action="store_true", help="exit with 1 if there are errors")
    _add_variant(lint)
    lint.set_defaults(run=_lint)


def _add_explain(explain: argparse.ArgumentParser) -> None:
    explain.add_argument(
        "id", nargs="?", help="such as theorem-1 or constant.L_hat; without it, the list of ids"
    )
    explain.add_argument("--latex", action="store_true", help="print LaTeX")
    _add_variant(explain)
    explain.set_defaults(run=_explain)


def _add_tightness(tightness: argparse.ArgumentParser) -> None:
    tightness.description = (
        "Computes both sides of each theorem's inequality with exact moments, on a grid of worlds, K, p, T, steps and "
        "starts, and prints the largest and the median ratio. Exits with 1 if a ratio exceeds 1."
    )
    tightness.add_argument(
        "--variant", choices=("printed", "repaired"), default="repaired", help="(default: repaired)"
    )
    _add_workers(tightness)
    tightness.set_defaults(run=_tightness)


def _add_falsify(falsify: argparse.ArgumentParser) -> None:
    falsify.description = (
        "Searches worlds and steps inside the statement's own conditions for the largest measured/bound, with exact "
        "moments. A ratio above 1 is a counterexample; none found within the budget is no proof."
    )
    falsify.epilog = "A counterexample is a result, not a failure: the exit code is 0 either way."
    falsify.add_argument("statement", metavar="STATEMENT", help="such as theorem-1, constant.G or lemma-1")
    falsify.add_argument(
        "--variant", choices=("printed", "repaired"), default="printed", help="(default: printed)"
    )
    falsify.add_argument("--budget", type=int, default=4000, help="worlds to try at most (default: 4000)")
    falsify.add_argument("--seed", type=int, default=0, help="seed of the search (default: 0)")
    _add_workers(falsify)
    falsify.add_argument("--json", action="store_true", help="print an object as JSON")
    falsify.add_argument(
        "--out",
        type=Path,
        default=Path("results/witnesses"),
        help="folder for witnesses (default: results/witnesses)",
    )
    falsify.set_defaults(run=_falsify)


def _add_power(power: argparse.ArgumentParser) -> None:
    power.epilog = "Exits with 1 if something that should be caught is not."
    power.add_argument(
        "what",
        nargs="*",
        metavar="WHAT",
        help="algorithms, statements or false-alarms (default: algorithms and statements)",
    )
    power.add_argument(
        "--out", type=Path, default=Path("results/power"), help="folder (default: results/power)"
    )
    _add_workers(power)
    power.set_defaults(run=_power)


def _add_gallery(gallery: argparse.ArgumentParser) -> None:
    gallery.add_argument("names", nargs="*", metavar="WORLD", help="which worlds (default: all)")
    gallery.add_argument(
        "--out", type=Path, default=Path("results"), help="folder for the figures (default: results)"
    )
    gallery.set_defaults(run=_gallery)


def _add_engine(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--engine",
        choices=("auto", "numpy", "numba"),
        default="auto",
        help="what samples; auto takes numba where it is installed and the work is long (default: auto)",
    )


def _add_workers(command: argparse.ArgumentParser) -> None:
    command.add_argument("--jobs", type=int, default=None, help="processes (default: one per core)")
    command.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="compute on the Dask cluster of this scheduler, not on this machine",
    )


def _add_federate(federate: argparse.ArgumentParser) -> None:
    federate.description = (
        "Runs the algorithm with one process per device, whose averages go through MPI, and holds the path and the "
        "counts against the simulator's for the same seed. Starts mpiexec itself, unless mpiexec has started it."
    )
    federate.epilog = "Exits with 0 if path and counts agree, with 1 if not or if a device dies."
    federate.add_argument("solver", metavar="SOLVER", help="such as LocalBSGM or FedNest")
    federate.add_argument("--devices", type=int, required=True, metavar="K", help="processes, one per device")
    federate.add_argument("--iterations", type=int, default=256, metavar="T", help="(default: 256)")
    federate.add_argument("--seed", type=int, default=0, help="seed of the samples (default: 0)")
    federate.add_argument("--replicates", type=int, default=1, help="runs side by side (default: 1)")
    federate.add_argument(
        "--world",
        metavar="WORLD",
        help="random_quadratic, heterogeneous, wavy or single_level (default: random_quadratic; single_level for STEM)",
    )
    federate.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a hyperparameter, such as p=8; may be repeated",
    )
    federate.add_argument("--json", action="store_true", help="print an object as JSON")
    federate.set_defaults(run=_federate)


def _add_variant(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--variant",
        choices=("printed", "repaired"),
        default="printed",
        help="the paper to the letter, or with its errata applied (default: printed)",
    )
    command.add_argument(
        "--paper", metavar="KEY", help="which paper (default: the one with the statement, or the first)"
    )


def _demo(options: argparse.Namespace) -> int:
    from ratecert.registry import FIRST, part
    from ratecert.solvers.engines.engine_choice import preferred_engine

    with preferred_engine(options.engine):
        return int(
            part(FIRST, "demonstration").demonstrate(
                out=options.out, seed=options.seed, replicates=options.replicates
            )
        )


def _verify(options: argparse.Namespace) -> int:
    from ratecert.cli.verify import verify
    from ratecert.run.cluster import workers
    from ratecert.solvers.engines.engine_choice import preferred_engine

    with preferred_engine(options.engine), workers(options.jobs, options.scheduler) as jobs:
        return verify(
            options.names,
            out=options.out or Path("results/chosen" if options.names else "results"),
            quick=options.quick,
            jobs=jobs,
            seed=options.seed,
            fresh=options.fresh,
        )


def _claims(_: argparse.Namespace) -> int:
    from ratecert.cli.verify import print_claims

    return print_claims()


def _report(options: argparse.Namespace) -> int:
    from ratecert.report.report import print_report

    return print_report(options.folder)


def _compare(options: argparse.Namespace) -> int:
    from ratecert.report.comparing import compare

    return compare(options.before, options.after)


def _lint(options: argparse.Namespace) -> int:
    from ratecert.cli.lint import print_findings
    from ratecert.registry import FIRST

    return print_findings(
        key=options.paper or FIRST,
        variant=options.variant,
        least=options.severity,
        as_json=options.json,
        strict=options.strict,
    )


def _explain(options: argparse.Namespace) -> int:
    from ratecert.cli.explain import explain

    return explain(id=options.id, key=options.paper, variant=options.variant, latex=options.latex)


def _tightness(options: argparse.Namespace) -> int:
    from ratecert.registry import FIRST, part
    from ratecert.run.cluster import workers

    with workers(options.jobs, options.scheduler) as jobs:
        return int(part(FIRST, "tightness").print_report(options.variant, jobs=jobs))


def _falsify(options: argparse.Namespace) -> int:
    from ratecert.cli.falsify import print_falsified
    from ratecert.run.cluster import workers

    with workers(options.jobs, options.scheduler) as jobs:
        return print_falsified(
            options.statement,
            variant=options.variant,
            budget=options.budget,
            seed=options.seed,
            jobs=jobs,
            out=options.out,
            as_json=options.json,
        )


def _check(options: argparse.Namespace) -> int:
    from ratecert.cli.falsify import print_check

    return print_check(options.witness)


def _prove(options: argparse.Namespace) -> int:
    from ratecert.cli.prove import print_proved

    return print_proved(options.witness, out=options.out, coq=options.coq)


def _power(options: argparse.Namespace) -> int:
    from ratecert.cli.power import power
    from ratecert.run.cluster import workers

    with workers(options.jobs, options.scheduler) as jobs:
        return power(options.what or ("algorithms", "statements"), out=options.out, jobs=jobs)


def _gallery(options: argparse.Namespace) -> int:
    from ratecert.cli.gallery import draw_gallery

    return draw_gallery(out=options.out, names=options.names)


def _federate(options: argparse.Namespace) -> int:
    from ratecert.cli.federate import federate
    from ratecert.federate.experiment import FederatedRun

    experiment = FederatedRun(
        solver=options.solver,
        K=options.devices,
        T=options.iterations,
        seed=options.seed,
        replicates=options.replicates,
        world=options.world,
        changes=tuple(options.set),
    )
    return federate(experiment, as_json=options.json)


def _end(code: int, sentence: str) -> int:
    print(f"ratecert: {sentence}", file=sys.stderr)
    return code
