"""`ratecert gallery`: the figure of each world, drawn anew; they are found by name in `ratecert.gallery`."""

from importlib import import_module
from pathlib import Path

from ratecert.base.drawing import save
from ratecert.base.errors import UserError
from ratecert.base.files import require_writable
from ratecert.base.progress import progress_of
from ratecert.base.terminal import echo

WORLDS = ("heterogeneous", "huberised", "ridge", "wavy")


def draw_gallery(*, out: Path, names: list[str]) -> int:
    """Draw the named figures, all of them without a name, as world-NAME.svg and .png."""
    unknown = [name for name in names if name not in WORLDS]
    if unknown:
        raise UserError(f"no figure is drawn for {', '.join(unknown)}; there are {', '.join(WORLDS)}.")
    require_writable(out)
    missing = []
    with progress_of("figures", len(names or WORLDS)) as advance:
        for name in names or WORLDS:
            try:
                figure = import_module(f"ratecert.gallery.{name}").draw()
            except ImportError as error:  # an extra that is not installed; the others can still be drawn
                missing.append(f"{name}: {error}")
            else:
                echo("".join(f"Wrote {path}\n" for path in save(figure, out / f"world-{name}")))
            advance()
    if missing:
        raise UserError("; ".join(missing))
    return 0
