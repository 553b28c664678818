"""What is refused, or is a mistake in the paper's own code, leaves its claim undecided, with the sentence."""

from collections.abc import Iterator
from contextlib import contextmanager

from ratecert.errors import RatecertError, UndecidedError
from ratecert.outside import own_lines


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
        if not (lines := own_lines(error)):
            raise  # a bug of ours
        raise UndecidedError(f"{'; '.join(lines)}; {type(error).__name__}: {error}") from error
