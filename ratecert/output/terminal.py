"""Standard output, which may be ASCII only, full, or gone: its errors say so, and come while we can still answer.

Python keeps printed text in a buffer, and what fails when it ends is a complaint beyond anyone's reach.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_ASCII = str.maketrans("┏┳┓┡╇┩└┴┘━─┃│", "+++++++++--||") | {ord("²"): "^2", ord("∞"): "inf"}


def echo(text: str) -> None:
    """Print and flush; characters that the terminal lacks have a stand-in."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    with _named():
        print(encodable(text, encoding), end="", flush=True)


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
