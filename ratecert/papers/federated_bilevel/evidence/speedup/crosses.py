"""Where the corollaries are measured: over T (or eps) at one K, and over K at one T (or eps), inside the window.

Powers of 2 are chosen so that p and B are whole without rounding.
"""

from dataclasses import dataclass, replace

from ratecert.papers.federated_bilevel.evidence.speedup.settings import two_to
from ratecert.papers.federated_bilevel.evidence.speedup.slopes import Rows


@dataclass(frozen=True)
class Cross:
    name: str  # T or eps
    values: tuple[float, ...]
    K: int  # of the runs over `values`
    devices: tuple[int, ...]  # of the runs at one value
    at: float  # that value
    power: int  # the window is T >= K^power
    seconds: float  # about how long a run takes

    @property
    def few(self) -> "Cross":
        """Over the ends and the value at which K varies; the runs over K are all there."""
        ends = (self.values[0], self.at, self.values[-1])
        return replace(self, values=tuple(value for value in self.values if value in ends))

    def seen(self, rows: Rows) -> "Cross":
        """As far as it was run."""
        along, across = ([row[name] for row in some] for name, some in
                         ((self.name, self.along(rows)), ("K", self.across(rows))))  # fmt: skip
        return replace(self, values=tuple(v for v in self.values if v in along), devices=tuple(across))

    @property
    def points(self) -> list[list[float]]:
        over_K = [[K, self.at] for K in self.devices if self.K != K]
        return [[self.K, value] for value in self.values] + over_K

    def along(self, rows: Rows) -> Rows:
        return [row for row in rows if row["K"] == self.K]

    def across(self, rows: Rows) -> Rows:
        return sorted((row for row in rows if row[self.name] == self.at), key=lambda row: row["K"])

    @property
    def place(self) -> str:
        """Of the runs over K."""
        return f"{self.name} = {two_to(self.at)}"

    def __str__(self) -> str:
        ends = f"{self.name} from {two_to(min(self.values))} to {two_to(max(self.values))}"
        return f"{ends} at K = {self.K}, and K from {self.devices[0]} to {self.devices[-1]} at {self.place}"


def _powers(*exponents: int) -> tuple[float, ...]:
    return tuple(2**e if e > 0 else 2.0**e for e in exponents)


CROSSES = {
    "corollary-1": Cross("T", _powers(40, 44, 48, 52, 56), 16, (1, 16, 256), 2**48, 3, 0.1),
    "corollary-2": Cross("eps", _powers(-24, -22, -20, -18, -16), 16, (1, 16, 256), 2**-20, 3, 0.1),
    "corollary-3": Cross("T", _powers(42, 45, 48, 51, 54), 8, (1, 8, 64), 2**48, 2, 0.15),
    "corollary-4": Cross("eps", _powers(-32, -30, -28, -26, -24), 8, (1, 8, 64), 2**-28, 2, 0.15),
    "corollary-5": Cross("T", _powers(30, 33, 36), 8, (1, 8, 64), 2**36, 2, 0.6),
    "corollary-6": Cross("eps", _powers(-18, -16, -14), 4, (1, 4, 16), 2**-18, 2, 0.6),
}
