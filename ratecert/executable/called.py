"""Calls of a paper's own functions: a mistake in one is shown as the paper's, not as the tool's."""

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ratecert.errors import PaperError, RatecertError


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
        raise PaperError(f"{what}{where} raised {type(error).__name__}: {error}") from error
