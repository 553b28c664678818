"""What is refused, or is a mistake in the paper's own code, leaves its claim undecided, with the sentence."""

from collections.abc import Iterator
from contextlib import contextmanager

from ratecert.errors import RatecertError, UndecidedError


@contextmanager
def undecided_by_mistakes() -> Iterator[None]:
    """Turn refusals into indecision."""
    try:
        yield
    except UndecidedError:
        raise
    except RatecertError as error:
        raise UndecidedError(str(error)) from error
