"""The command `ratecert`. A user's mistake is one sentence, never a traceback.

Exit codes: 0 all is well, 1 a check failed, 2 a mistake or a file that cannot be written, 70 a bug in ratecert (with
--debug its traceback), 130 interrupted, 141 the reader of standard output has gone (as the shell reports SIGPIPE).

A command's options stand beside what it does, in verify.py, read.py and search.py; what is slow to import is imported
when a command runs.
"""

import argparse
import sys
import traceback
from collections.abc import Sequence
from typing import Any

from ratecert import __version__
from ratecert.base.errors import BugError, RatecertError, UnwritableError, UserError
from ratecert.base.files import visible
from ratecert.base.own_code import is_own, own_lines, said_by
from ratecert.base.terminal import echo, flush
from ratecert.cli import read, search, verify

COMMANDS = (
    verify.COMMANDS | read.COMMANDS | search.COMMANDS
)  # name -> what it does, and what adds its options
GROUPS = {  # task -> commands, each with an example
    "Referee a paper": {
        "new": "my_paper",
        "lint": "my_paper.py",
        "explain": "my_paper.py:theorem-1",
        "falsify": "my_paper.py:theorem-1",
        "verify": "my_paper.py",
        "sharpen": "my_paper.py:theorem-1",
    },
    "What was found": {
        "check": "WITNESS.toml --paper my_paper.py",
        "prove": "WITNESS.toml --paper my_paper.py",
        "report": "results",
        "compare": "before after",
    },
    "Look around": {"library": "svrg", "explore": "my_paper.py"},
}
BEGIN = """Is the convergence theorem in this paper true?

  ratecert new my_paper                    begin with a theorem of a dozen lines
  ratecert falsify my_paper.py:theorem-1   search for a world that breaks it
  ratecert verify my_paper.py              all verdicts, and a report
  ratecert explore                         move theorems and methods by sliders
  ratecert --help                          all commands, with an example each
"""
GONE = {  # commands and options of earlier versions, and what to use instead
    "--severity": "`ratecert lint` shows errors, with --all also the rest",
    "--strict": "`ratecert lint` exits with 1 where there are errors",
    "--engine": "numpy alone samples; leave it out",
    "--coq": "`ratecert prove` writes Python, which needs nothing but Python",
    "claims": "`ratecert verify --list` lists the claims, with the same filters",
    "completion": "`shtab --shell=bash ratecert.cli.main.parser` writes the script",
    "demo": "rc.simulate and rc.expect compare samples with the truth, in Python",
    "expect": "rc.expect does it in Python",
    "federate": "docs/on_flower.py runs devices on Flower, and rc.contract.in_lockstep in one process",
    "gallery": "the pictures are in docs/figures",
    "power": "`pytest tests/power` in the sources puts mistakes in and sees that they are caught",
    "tightness": "`ratecert falsify STATEMENT` tells the largest measured/bound",
}


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(given)
    except KeyboardInterrupt as interrupt:
        return _end(130, str(interrupt) or "interrupted")
    except BrokenPipeError as error:
        return _bug(error, debug="--debug" in given) if is_own(error) else 141
    except UnwritableError as error:
        return _end(2, f"{error.filename}: {error.strerror}; choose another folder with --out.")
    except RatecertError as error:
        return _end(2, str(error))
    except MemoryError as error:
        if is_own(error):
            return _bug(error, debug="--debug" in given)
        return _end(2, "this needs more memory than there is; take smaller dimensions.")
    except OSError as error:
        reason = error.strerror or str(error)
        return _end(2, f"{error.filename}: {reason}." if error.filename else f"{reason}.")
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001  whatever else it is, it is a bug, and has to look like one
        return _bug(error, debug="--debug" in given)


def _run(arguments: Sequence[str]) -> int:
    if not arguments:
        echo(BEGIN)
        return 0
    command = next((argument for argument in arguments if argument[:1] != "-"), "")
    for gone in (command, *(argument for argument in arguments if argument[:2] == "--")):
        if gone in GONE:
            raise UserError(f"{gone} has gone: {GONE[gone]}.")
    try:
        options = parser(*arguments[:1]).parse_args(arguments)
    except SystemExit:
        flush()  # the help and the version are still in the buffer
        raise
    try:
        return int(options.run(options))
    except SystemExit as error:  # sys.exit in the user's own code: nothing of ours ends a command so
        return _bug(error, debug="--debug" in arguments)


def _bug(error: BaseException, *, debug: bool) -> int:
    """Tell a bug from a mistake: nothing that the user has typed is to blame."""
    if debug:
        sys.stderr.write(error.details if isinstance(error, BugError) else traceback.format_exc())
    name = "" if isinstance(error, BugError) else f"{type(error).__name__}: "
    what = " ".join(f"{name}{said_by(error)}".split())
    if is_own(error):
        return _end(2, f"a mistake in your own code, {'; '.join(own_lines(error))}: {what}")
    how = "" if debug else " --debug shows the traceback."
    return _end(70, f"a bug in ratecert, no mistake of yours: {what.rstrip('.')}.{how}")


class _Command(argparse.ArgumentParser):
    """A command, or the whole: each takes --debug."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.add_argument("--debug", action="store_true", help="show the traceback of a bug")


class _Whole(_Command):
    """All commands; its help has every one below its task, with an example."""

    def format_help(self) -> str:
        lines = [self.format_usage().rstrip()]
        for task, own in GROUPS.items():
            lines += ["", f"{task}:"]
            lines += (f"  {name} {example}\n      {COMMANDS[name][0]}" for name, example in own.items())
        return "\n".join([*lines, "", "ratecert COMMAND --help shows what a command takes.", ""])


def parser(first: str = "") -> argparse.ArgumentParser:
    """The parser of all commands, or of the one that an argument begins with."""
    whole = _Whole(prog="ratecert")
    whole.add_argument("--version", action="version", version=f"ratecert {__version__}")
    commands = whole.add_subparsers(title="commands", required=True, metavar="COMMAND", parser_class=_Command)
    for name in [first] if first in COMMANDS else COMMANDS:
        what, add = COMMANDS[name]
        add(commands.add_parser(name, help=what, description=what))
    return whole


def _end(code: int, sentence: str) -> int:
    print(f"ratecert: {visible(sentence)}", file=sys.stderr)
    return code
