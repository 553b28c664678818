"""The command `ratecert`. A user's mistake is one sentence, never a traceback.

Exit codes: 0 all is well, 1 a check failed, 2 a mistake or a file that cannot be written, 130 interrupted,
141 the reader of standard output has gone (as the shell reports SIGPIPE).
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ratecert import __version__
from ratecert.folders import Unwritable
from ratecert.standard_output import flush


def main(arguments: Sequence[str] | None = None) -> int:
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        return _end(130, "interrupted")
    except BrokenPipeError:
        return 141
    except Unwritable as error:
        return _end(2, f"{error.filename}: {error.strerror}; choose another folder with --out.")
    except OSError as error:
        reason = error.strerror or str(error)
        return _end(2, f"{error.filename}: {reason}." if error.filename else f"{reason}.")
    except (ValueError, ArithmeticError) as error:
        return _end(2, str(error))


def _run(arguments: Sequence[str] | None) -> int:
    try:
        options = _parser().parse_args(arguments)
    except SystemExit:
        flush()  # the help and the version are still in the buffer
        raise
    return int(options.run(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
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
    demo.set_defaults(run=_demo)
    return parser


def _demo(options: argparse.Namespace) -> int:
    from ratecert.demonstration import demonstrate

    return demonstrate(out=options.out, seed=options.seed, replicates=options.replicates)


def _end(code: int, sentence: str) -> int:
    print(f"ratecert: {sentence}", file=sys.stderr)
    return code
