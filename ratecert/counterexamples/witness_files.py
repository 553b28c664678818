"""The witnesses that are kept: in witnesses/ beside the sources, and inside the package where it is installed."""

from difflib import get_close_matches
from pathlib import Path

from ratecert.errors import UserError, WitnessError
from ratecert.registry import FIRST

PACKAGE = Path(__file__).parents[1]


def kept(key: str = "") -> list[Path]:
    """All of them, or those of one paper, in the order of their names."""
    for folder in (PACKAGE / "witnesses", PACKAGE.parent / "witnesses"):
        if folder.is_dir():
            return sorted(folder.glob(f"{key}.*.toml" if key else "*.toml"))
    raise UserError(f"no folder witnesses in {PACKAGE} or beside it; install ratecert again.")


def named(name: str) -> Path:
    """The kept one of this name, of the first paper with or without its key, or the file at this path."""
    known = {path.stem: path for path in kept()}
    known |= {name.removeprefix(f"{FIRST}."): path for name, path in known.items()}
    path = known.get(name, Path(name))
    if path.is_file():
        return path
    near = [other for other in known if name in other] or get_close_matches(name, known, n=3)
    hint = (
        f"did you mean {' or '.join(near[:3])}?"
        if near
        else f"those are {', '.join(p.stem for p in kept())}."
    )
    raise WitnessError(f"{name} is neither a file nor one of the counterexamples that are kept; {hint}")
