"""Calls of a paper's own functions: a mistake in one is shown as the paper's, not as the tool's."""

from collections.abc import Callable
from typing import Any

from ratecert.errors import PaperError, RatecertError


def called(what: str, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """What the function returns."""
    try:
        return function(*arguments, **named)
    except RatecertError:
        raise
    except (Exception, SystemExit) as error:
        raise PaperError(f"{what} raised {type(error).__name__}: {error}") from error
