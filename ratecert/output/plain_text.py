"""Tables as plain text, of one width for every terminal and for files unless another is asked for."""

from io import StringIO

from rich.console import Console
from rich.table import Table

WIDTH = 80


def as_text(table: Table, width: int = WIDTH) -> str:
    """The table, without colours and without blanks at the ends of lines; every line ends with a newline."""
    file = StringIO()
    console = Console(
        file=file,
        width=width,
        color_system=None,
        force_terminal=False,
        force_jupyter=False,
        legacy_windows=False,
    )
    console.print(table)
    return "".join(f"{line.rstrip()}\n" for line in file.getvalue().splitlines())
