"""The proofs that are kept: in proofs/ beside the sources, in kept_proofs inside the package where it is installed."""

from pathlib import Path

from ratecert.base.errors import UserError

PACKAGE = Path(__file__).parents[1]


def proof_name(key: str, statement: str, mistake: str) -> str:
    """PAPER.STATEMENT.MISTAKE, without the mistake where it is not known; of a file by the name of the file."""
    paper = Path(key).stem if key.endswith(".py") else key
    return ".".join(part for part in (paper, statement, mistake) if part)


def note(key: str, statement: str, mistake: str) -> str:
    """What a claim says of its proof."""
    return f"Proved false, in fractions alone: proofs/{proof_name(key, statement, mistake)}.py."


def kept(key: str = "") -> list[Path]:
    """All of them, or those of one paper, in the order of their names."""
    for folder in (PACKAGE / "kept_proofs", PACKAGE.parent / "proofs"):
        if folder.is_dir():
            return sorted(folder.glob(f"{key}.*.py" if key else "*.py"))
    raise UserError(f"no folder kept_proofs in {PACKAGE} and no proofs beside it; install ratecert again.")
