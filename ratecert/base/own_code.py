"""Mistakes in a user's own file: told with their places there, and as the user's, not as the tool's.

A mistake while a paper's function is called is a PaperError (`called`); inside a claim it leaves the claim undecided,
with the sentence (`undecided_by_mistakes`). Lines of ratecert and of what is installed are never shown.
"""

import sysconfig
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ratecert.base.errors import PaperError, RatecertError, UndecidedError


def own_lines(error: BaseException) -> list[str]:
    """The last lines of the traceback that are neither of ratecert nor of what is installed, with their places."""
    here = [place for place, own in _frames(error) if own]
    return [f"{Path(f.filename).name}, line {f.lineno}: {f.line}" for f in here[-3:]]


def is_own(error: BaseException) -> bool:
    """Whether it was raised by a line of the user's, not by what that line called."""
    return any(own for _, own in _frames(error)[-1:])


def located(error: BaseException) -> str:
    """The user's lines that an exception went through, its kind, and what it says."""
    return "; ".join([*own_lines(error), f"{type(error).__name__}: {said_by(error)}"])


def said_by(error: BaseException) -> str:
    """What an exception says; one that fails even at that has its kind alone."""
    try:
        return str(error)
    except BaseException:  # noqa: BLE001  of a user's own class
        return "(it cannot say what)"


def _frames(error: BaseException) -> list[tuple[traceback.FrameSummary, bool]]:
    """From the outermost on, and whether a frame is neither of ratecert nor of what is installed.

    A frame without a source line is of a compiled extension, which names the file that it was compiled from. Where a
    StopIteration leaves a generator of ours Python raises a RuntimeError, of which it is the cause.
    """
    if isinstance(error, RuntimeError) and isinstance(error.__cause__, StopIteration):
        error = error.__cause__
    installed = ("<", *sysconfig.get_paths().values())
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    modules = [frame.f_globals.get("__name__", "").partition(".")[0] for frame in frames]
    places = traceback.extract_tb(error.__traceback__)
    return [
        (place, bool(place.line) and module != "ratecert" and not place.filename.startswith(installed))
        for place, module in zip(places, modules, strict=True)
    ]


def called(what: str, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """What the function returns; a mistake is told with the place where the function has it."""
    try:
        return function(*arguments, **named)
    except RatecertError:
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        own = traceback.extract_tb(error.__traceback__)[1:2]
        where = "".join(f" ({Path(frame.filename).name}, line {frame.lineno})" for frame in own)
        raise PaperError(f"{what}{where} raised {type(error).__name__}: {said_by(error)}") from error


@contextmanager
def undecided_by_mistakes() -> Iterator[None]:
    """Turn refusals into indecision."""
    try:
        yield
    except UndecidedError:
        raise
    except RatecertError as error:
        raise UndecidedError(str(error)) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if not own_lines(error):
            raise  # a bug of ours
        raise UndecidedError(located(error)) from error
