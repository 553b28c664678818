"""Progress of long work, on standard error and only where somebody watches."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Column

from ratecert.base.waiting import unwatched


@contextmanager
def progress_of(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Call what is yielded with the number of pieces that have been done."""
    console = Console(stderr=True)
    bars = Progress(console=console, transient=True, disable=not console.is_terminal)
    with unwatched(), bars as progress:
        bar = progress.add_task(what, total=total)
        yield lambda n: progress.advance(bar, n)


@contextmanager
def named_progress_of(what: str, total: int, first: str) -> Iterator[Callable[[str], None]]:
    """Call what is yielded with the name of what is computed next after each of the pieces; `first` is the first."""
    console = Console(stderr=True)
    name = TextColumn("{task.description}", table_column=Column(overflow="ellipsis", no_wrap=True))
    count = TextColumn("{task.completed}/{task.total} pieces")
    shown = TextColumn(what), BarColumn(bar_width=16), count, TimeElapsedColumn(), name
    bars = Progress(*shown, console=console, transient=True, disable=not console.is_terminal)
    with unwatched(), bars as progress:
        task = progress.add_task(first, total=total)
        yield lambda next_one: progress.update(task, advance=1, description=next_one)


@contextmanager
def stages_of(what: str) -> Iterator[Callable[[str], None]]:
    """Call what is yielded with the name of each stage that begins, where nobody knows how many there are."""
    console = Console(stderr=True)
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    bars = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    with unwatched(), bars as progress:
        task = progress.add_task(what, total=None)
        yield lambda stage: progress.update(task, description=f"{what}: {stage}")


@contextmanager
def starting(what: str) -> Iterator[None]:
    """Say what is being done until it is done; nothing is left of the line."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(what):
        yield
