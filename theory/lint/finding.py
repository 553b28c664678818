"""What the linter reports: where, of which kind, what is printed, what would fit, and how bad it is."""

from dataclasses import asdict, dataclass

KINDS = ("units", "symbol", "corollary", "consistency", "window")
SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True)
class Finding:
    """Something unsound in a statement: where, of which kind, what is printed and what would fit."""

    place: str
    kind: str
    printed: str
    fits: str
    severity: str
    because: str

    def as_dict(self) -> dict[str, str]:
        return asdict(self)
