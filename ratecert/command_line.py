"""The command `ratecert`. A user's mistake is one sentence and exit code 2, never a traceback."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ratecert import __version__


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except (ValueError, ArithmeticError, OSError) as error:
        print(f"ratecert: {_sentence(error)}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ratecert",
        description="Checks convergence-rate claims on bilevel problems whose truth is known in closed form.",
    )
    parser.add_argument("--version", action="version", version=f"ratecert {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    demo = commands.add_parser(
        "demo", help="both algorithms of the paper on one world against the truth: a table and a figure"
    )
    demo.add_argument(
        "--out", type=Path, default=Path("results"), help="folder for the figure (default: results)"
    )
    demo.add_argument("--seed", type=int, default=0, help="seed of the samples (default: 0)")
    demo.add_argument("--replicates", type=int, default=256, help="runs per setting (default: 256)")
    demo.set_defaults(run=_demo)
    return parser


def _demo(options: argparse.Namespace) -> int:
    from ratecert.demonstration import demonstrate

    return demonstrate(out=options.out, seed=options.seed, replicates=options.replicates)


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{error.filename or 'a file'}: {error.strerror or error}; choose another folder with --out."
    return str(error)
