"""The terminal: how wide it is, whether it takes colours, and how text gets there.

Standard output may be ASCII only, full, or gone: its errors say so, and come while we can still answer. Python keeps
printed text in a buffer, and what fails when it ends is a complaint beyond anyone's reach.
"""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from textwrap import wrap

from ratecert.base.files import visible

WIDEST = 140  # of a table; files and pipes get it, too
NARROWEST = 40  # below it lines are folded at every word, and nobody reads them
FOR_TABLES = 110  # columns from which on rows of a table are readable; below it each row is a block

STYLES = {
    "proved false": "bold red",
    "refuted": "red",
    "refuted (one way)": "red",
    "undecided": "yellow",
    "not refuted": "cyan",
    "proved": "bold green",
    "not applicable": "dim",
}
"""The colour of each verdict. Green is for what is proved alone."""


def columns() -> int:
    """Those of the terminal, within limits."""
    return max(NARROWEST, min(WIDEST, shutil.get_terminal_size(fallback=(WIDEST, 24)).columns))


def coloured() -> bool:
    """Whether colours are shown: on a terminal that is not dumb, unless NO_COLOR is set."""
    shown = sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    return shown and not os.environ.get("NO_COLOR")


def folded(sentence: str) -> str:
    """The sentence in lines of the terminal's width, those after the first farther in where that one is indented.

    What has no blank in it, such as a path, stays whole.

    In a file or a pipe, which have no width, it is one line.
    """
    if not shutil.get_terminal_size(fallback=(0, 0)).columns:
        return f"{sentence}\n"
    indent = len(sentence) - len(sentence.lstrip())
    deeper = " " * (indent + 2 if indent else 0)
    lines = wrap(
        sentence, columns(), subsequent_indent=deeper, break_long_words=False, break_on_hyphens=False
    )
    return "".join(f"{line}\n" for line in lines)


def style_of(verdict: str) -> str:
    """The style of a verdict, with whatever is said after its word, such as a rule of the linter."""
    return next((style for word, style in STYLES.items() if verdict.startswith(word)), "")


_ASCII = str.maketrans("┏┳┓┡╇┩└┴┘━─┃│", "+++++++++--||") | {ord("²"): "^2", ord("∞"): "inf", ord("≠"): "!="}


def echo(text: str) -> None:
    """Print and flush; characters that the terminal lacks have a stand-in."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    with _named():
        print(encodable(visible(text, colours=True), encoding), end="", flush=True)


def flush() -> None:
    """Push out what others have printed."""
    with _named():
        if sys.stdout is not None:
            sys.stdout.flush()


def encodable(text: str, encoding: str) -> str:
    """The text itself if the encoding has all of it; else in ASCII, columns kept, the rest as escapes."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        plain = text.replace("± ", "+-").translate(_ASCII)
        return plain.encode("ascii", "backslashreplace").decode("ascii")
    return text


@contextmanager
def _named() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        _abandon()
        # With these arguments OSError makes a BrokenPipeError again where it was one.
        raise OSError(error.errno, error.strerror or str(error), "standard output") from error


def _abandon() -> None:
    """Let what is still in the buffer go nowhere, so that Python does not try it again when it ends."""
    with suppress(OSError):  # a stand-in without a descriptor
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
