"""Tables as text, of one width for every terminal and for files unless another is asked for."""

from io import StringIO

from rich.console import Console, RenderableType

WIDTH = 80


def as_text(shown: RenderableType, width: int = WIDTH, *, colour: bool = False) -> str:
    """The table without blanks at the ends of lines, every line ends with a newline; without colours unless asked."""
    file = StringIO()
    console = Console(
        file=file,
        width=width,
        color_system="standard" if colour else None,
        force_terminal=colour,
        force_jupyter=False,
        legacy_windows=False,
        no_color=not colour,
        highlight=False,
    )
    console.print(shown)
    return "".join(f"{line.rstrip()}\n" for line in file.getvalue().splitlines())
