"""A line on standard error at once, where somebody watches, while what is slow to import is imported."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console


@contextmanager
def starting(what: str) -> Iterator[None]:
    """Say what is being done until it is done; nothing is left of the line."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(what):
        yield
