"""`ratecert completion`: what a shell needs to complete commands, options, their choices, files, and known names.

The names are those at the time at which the script is printed; print it again after an installation.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

import shtab

from ratecert.base.terminal import echo
from ratecert.cli.parsers.spoken import spoken


def print_completion(shell: str, whole: argparse.ArgumentParser) -> int:
    """`whole` is the parser of all commands."""
    echo(shtab.complete(_described(whole), shell) + "\n")
    return 0


def _described(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """The parser with names as choices, for a shell alone: to parse with it would refuse papers from outside."""
    for command, each in _commands(parser):
        for action in each._actions:
            if (command, action.dest) in NAMES:
                action.choices = sorted(NAMES[command, action.dest]())
            elif action.type is spoken:
                action.choices = [word.replace(" ", "-") for word in action.choices or ()]
            elif action.type is Path:
                folder = action.metavar in (None, "DIR")
                setattr(action, "complete", shtab.DIRECTORY if folder else shtab.FILE)  # noqa: B010  shtab reads it
    return parser


def _commands(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.items()


def _methods() -> list[str]:
    from ratecert.cli.catalogue import methods

    return list(methods())


def _worlds() -> list[str]:
    from ratecert.cli.catalogue import worlds

    return list(worlds())


def _claims() -> list[str]:
    from ratecert.from_data.claims import claims

    return list(claims())


def _statements() -> list[str]:
    from ratecert.registry import FIRST, KEYS, full_id, paper

    return [full_id(key, id) for key in KEYS or (FIRST,) for id in paper(key=key).statements]


def _library() -> list[str]:
    from ratecert.outside import library

    return list(library())


def _witnesses() -> list[str]:
    from ratecert.counterexamples.witness_files import kept

    return [path.stem for path in kept()]


NAMES: dict[tuple[str, str], Callable[[], list[str]]] = {
    ("expect", "method"): _methods,
    ("expect", "world"): _worlds,
    ("federate", "solver"): _methods,
    ("verify", "names"): _claims,
    ("claims", "names"): _claims,
    ("claims", "statement"): _statements,
    ("explain", "id"): _statements,
    ("falsify", "statement"): _statements,
    ("sharpen", "statement"): _statements,
    ("library", "names"): _library,
    ("library", "paper"): _library,
    ("check", "witness"): _witnesses,
    ("prove", "witness"): _witnesses,
}
"""What completes an argument of a command, besides its own choices."""
