"""The witnesses that are kept: in witnesses/ beside the sources, and inside the package where it is installed."""

from pathlib import Path

from ratecert.base.errors import UserError, WitnessError
from ratecert.base.words import near_to
from ratecert.catalogue.find import FIRST

PACKAGE = Path(__file__).parents[1]


def kept(key: str = "") -> list[Path]:
    """All of them, or those of one paper, in the order of their names."""
    for folder in (PACKAGE / "witnesses", PACKAGE.parent / "witnesses"):
        if folder.is_dir():
            return sorted(folder.glob(f"{key}.*.toml" if key else "*.toml"))
    raise UserError(f"no folder witnesses in {PACKAGE} or beside it; install ratecert again.")


def named(name: str) -> Path:
    """The kept one of this name, of the first paper with or without its key, or the file at this path."""
    if not name:
        raise WitnessError(
            "the name of a counterexample is missing; `ratecert check` lists those that are kept."
        )
    known = {path.stem: path for path in kept()}
    known |= {name.removeprefix(f"{FIRST}."): path for name, path in known.items()}
    path = known.get(name, Path(name))
    if path.is_file():
        return path
    near = _near(name.removeprefix(f"{FIRST}."))
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    raise WitnessError(
        f"{name} is neither a file nor one of the counterexamples that are kept; {hint}`ratecert check` lists those."
    )


def _near(name: str) -> list[str]:
    """Up to three kept ones that have the name in theirs; otherwise those of which it, or its beginning, is alike."""
    known = [path.stem.removeprefix(f"{FIRST}.") for path in kept()]
    beginnings: dict[str, str] = {}
    for other in known:
        parts = other.split(".")
        for n in range(1, len(parts) + 1):
            beginnings.setdefault(".".join(parts[:n]), other)
    near = [other for other in known if name in other]
    near = near or [beginnings[found] for found in near_to(name, beginnings)]
    return list(dict.fromkeys(near))[:3]
