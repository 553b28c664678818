"""The witnesses that are kept: in witnesses/ beside the sources, and inside the package where it is installed."""

from pathlib import Path

from ratecert.errors import UserError

PACKAGE = Path(__file__).parents[1]


def kept(key: str = "") -> list[Path]:
    """All of them, or those of one paper, in the order of their names."""
    for folder in (PACKAGE / "witnesses", PACKAGE.parent / "witnesses"):
        if folder.is_dir():
            return sorted(folder.glob(f"{key}.*.toml" if key else "*.toml"))
    raise UserError(f"no folder witnesses in {PACKAGE} or beside it; install ratecert again.")
