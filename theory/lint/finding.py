"""What the linter reports: where, of which kind, what is printed, what would fit, and how bad it is."""

from dataclasses import asdict, dataclass

from ratecert.base.chart import Drawable

KINDS = ("units", "symbol", "corollary", "consistency", "window")
SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True, repr=False)
class Finding(Drawable):
    """Something unsound in a statement: where, of which kind, what is printed and what would fit."""

    place: str
    kind: str
    printed: str
    fits: str
    severity: str
    because: str
    beside: str = ""  # the other statement that it disagrees with, either of which may be wrong

    def __repr__(self) -> str:
        return f"<{self.place}: {self.severity}, {self.kind}>"

    def as_dict(self) -> dict[str, str]:
        """The finding as a mapping of texts, for JSON."""
        return asdict(self)
