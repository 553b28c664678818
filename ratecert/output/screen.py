"""The screen that standard output is shown on: how wide it is, and whether it takes colours."""

import os
import shutil
import sys
from textwrap import wrap

WIDEST = 140  # of a table; files and pipes get it, too
NARROWEST = 40  # below it lines are folded at every word, and nobody reads them
FOR_TABLES = 110  # columns from which on rows of a table are readable; below it each row is a block

STYLES = {
    "proved false": "bold red",
    "refuted": "red",
    "undecided": "yellow",
    "not refuted": "green",
    "proved": "bold green",
    "not applicable": "dim",
}
"""The colour of each verdict. Green never stands on a statement that is refuted."""


def columns() -> int:
    """Those of the terminal, within limits."""
    return max(NARROWEST, min(WIDEST, shutil.get_terminal_size(fallback=(WIDEST, 24)).columns))


def coloured() -> bool:
    """Whether colours are shown: on a terminal that is not dumb, unless NO_COLOR is set."""
    shown = sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    return shown and not os.environ.get("NO_COLOR")


def folded(sentence: str) -> str:
    """The sentence in lines of the terminal's width; what has no blank in it, such as a path, stays whole.

    In a file or a pipe, which have no width, it is one line.
    """
    if not shutil.get_terminal_size(fallback=(0, 0)).columns:
        return f"{sentence}\n"
    lines = wrap(sentence, columns(), break_long_words=False, break_on_hyphens=False)
    return "".join(f"{line}\n" for line in lines)


def style_of(verdict: str) -> str:
    """The style of a verdict, with whatever is said after its word, such as a rule of the linter."""
    return next((style for word, style in STYLES.items() if verdict.startswith(word)), "")
