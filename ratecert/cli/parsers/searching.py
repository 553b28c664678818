"""`ratecert falsify`, `sharpen`, `check`, `prove` and `power`."""

import argparse
from pathlib import Path
from typing import Any

from ratecert.cli.parsers.options import add_papers, add_witness, add_workers, named


def add(commands: Any) -> None:
    _add_falsify(commands.add_parser("falsify", help="search for a world that breaks a statement"))
    _add_sharpen(commands.add_parser("sharpen", help="how much better a theorem could be"))
    check = commands.add_parser("check", help="replay a counterexample: a kept one, or one of falsify")
    check.epilog = (
        "Exits with 0 if it is confirmed, with 1 if not; a file that is no witness is refused with 2."
    )
    add_witness(check, nargs="?", otherwise="; without it, the list of those")
    check.set_defaults(run=_check)
    _add_prove(commands.add_parser("prove", help="write a counterexample as a proof, in fractions alone"))
    _add_power(commands.add_parser("power", help="which wrong algorithms and statements the claims catch"))


def _add_falsify(falsify: argparse.ArgumentParser) -> None:
    falsify.description = (
        "Searches worlds and steps inside the statement's own conditions for the largest measured/bound, with exact "
        "moments. A ratio above 1 is a counterexample; none found within the budget is no proof."
    )
    falsify.epilog = "A counterexample is a result, not a failure: the exit code is 0 either way."
    falsify.add_argument(
        "statement",
        type=named,
        metavar="STATEMENT",
        help="such as theorem-1, svrg:theorem-1, my_paper.py:theorem-1, or a conjecture's file.toml",
    )
    falsify.add_argument(
        "--variant", choices=("printed", "repaired"), default="printed", help="(default: printed)"
    )
    falsify.add_argument(
        "--budget",
        type=int,
        default=4000,
        help="worlds to try at most (default: 4000, which take one to four minutes on two cores)",
    )
    falsify.add_argument("--seed", type=int, default=0, help="seed of the search (default: 0)")
    add_workers(falsify)
    falsify.add_argument("--json", action="store_true", help="print an object as JSON")
    falsify.add_argument(
        "--out",
        type=Path,
        default=Path("results/witnesses"),
        help="folder for witnesses (default: results/witnesses)",
    )
    add_papers(falsify)
    falsify.set_defaults(run=_falsify)


def _add_sharpen(sharpen: argparse.ArgumentParser) -> None:
    sharpen.description = (
        "Every world is a lower bound on the constants of any theorem of the same form. Tells for each term the "
        "smallest factor that no world forbids, for each condition how far a step may go until a world breaks the "
        "bound, which powers the worst case needs, and the smallest bound of the same form that no world exceeds: a "
        "conjecture, tried with ten times the budget."
    )
    sharpen.add_argument(
        "statement",
        type=named,
        metavar="STATEMENT",
        help="a theorem, such as theorem-1 or my_paper.py:theorem-1",
    )
    sharpen.add_argument(
        "--variant", choices=("printed", "repaired"), default="printed", help="(default: printed)"
    )
    sharpen.add_argument("--budget", type=int, default=400, help="worlds of one search (default: 400)")
    sharpen.add_argument("--seed", type=int, default=0, help="seed of the search (default: 0)")
    add_workers(sharpen)
    sharpen.add_argument("--json", action="store_true", help="print an object as JSON")
    sharpen.add_argument(
        "--out",
        type=Path,
        default=Path("results/sharpened"),
        help="folder for witnesses, the conjecture and figures (default: results/sharpened)",
    )
    sharpen.set_defaults(run=_sharpen)


def _add_prove(prove: argparse.ArgumentParser) -> None:
    prove.description = (
        "Writes a Python file of its own that checks every condition of the printed statement and `measure > bound` in "
        "fractions. Where the witness cannot be written so, a simpler one of the same mistake is taken."
    )
    add_witness(prove)
    prove.add_argument("--out", type=Path, metavar="FILE", help="(default: results/proofs/NAME.py)")
    prove.add_argument("--coq", action="store_true", help="write a Coq file")
    prove.set_defaults(run=_prove)


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
    add_workers(power)
    power.set_defaults(run=_power)


def _falsify(options: argparse.Namespace) -> int:
    from ratecert.cli.falsify import print_falsified
    from ratecert.run.dask import workers

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


def _sharpen(options: argparse.Namespace) -> int:
    from ratecert.cli.sharpen import print_sharpened
    from ratecert.run.dask import workers

    with workers(options.jobs, options.scheduler) as jobs:
        return print_sharpened(
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


def _power(options: argparse.Namespace) -> int:
    from ratecert.cli.power import power
    from ratecert.run.dask import workers

    with workers(options.jobs, options.scheduler) as jobs:
        return power(options.what or ("algorithms", "statements"), out=options.out, jobs=jobs)


def _prove(options: argparse.Namespace) -> int:
    from ratecert.cli.prove import print_proved

    return print_proved(options.witness, out=options.out, coq=options.coq)
