"""Progress of long work, on standard error and only where somebody watches."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from ratecert.solvers.engines.waiting import unwatched


@contextmanager
def progress_of(what: str, total: int) -> Iterator[Callable[[], None]]:
    """Call what is yielded after each of the pieces."""
    console = Console(stderr=True)
    bars = Progress(console=console, transient=True, disable=not console.is_terminal)
    with unwatched(), bars as progress:
        bar = progress.add_task(what, total=total)
        yield lambda: progress.advance(bar)


@contextmanager
def stages_of(what: str) -> Iterator[Callable[[str], None]]:
    """Call what is yielded with the name of each stage that begins, where nobody knows how many there are."""
    console = Console(stderr=True)
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    bars = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    with unwatched(), bars as progress:
        task = progress.add_task(what, total=None)
        yield lambda stage: progress.update(task, description=f"{what}: {stage}")
