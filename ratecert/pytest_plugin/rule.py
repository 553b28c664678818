"""A recorded exponent s in [l, h], a measured one e in [a, b], and when the second is still the first.

*Exact values*: e lies in [l, h]. The interval is the range of the slopes between neighbours, so it is as narrow as the
curve is straight, and it is not widened by [a, b].

*Sampled values*: both are known up to their half-widths u and v alone, and a difference of independent numbers is known
up to the root of the sum of squares:

    |e - s| <= sqrt(u^2 + v^2),

which errs as often as either interval does. [l, h] alone would cry wolf: of two honest runs at 1 - 1e-5 every 500th.

In both cases the test's own `tolerance`, 0 unless given, is added on both sides, and ROUNDING for the digits that are
recorded; and [a, b] is at most WIDER times as wide as what was recorded, [l, h] with the tolerance: a measurement that
has become vague confirms nothing. So disjoint intervals fail where there is no tolerance: e lies in [a, b], and
sqrt(u^2 + v^2) <= u + v. Exact and sampled exponents, and intervals of two confidences, are never compared.
"""

import math
from dataclasses import dataclass

from ratecert.base.errors import UserError

DECIMALS = 9  # of what is recorded; machines differ in digits behind
ROUNDING = 10.0**-DECIMALS
WIDER = 2.0


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An exponent with its interval, as it is recorded."""

    exponent: float
    low: float
    high: float
    points: int
    replicates: int = 0  # 0: nothing was sampled
    confidence: float | None = None  # of a sampled interval

    def __post_init__(self) -> None:
        finite = all(map(math.isfinite, (self.exponent, self.low, self.high)))
        if not finite or not self.low <= self.exponent <= self.high:
            advice = "two points cannot show a bend; measure at three or more" if self.points == 2 else ""
            raise UserError(
                f"an exponent must be finite and lie in a finite interval, got {self.exponent:g} in "
                f"[{self.low:g}, {self.high:g}]{advice and f': {advice}'}."
            )

    def rounded(self) -> "Entry":
        """With DECIMALS decimals, so that a file does not change with the machine that wrote it."""
        exponent, low, high = (round(value, DECIMALS) + 0.0 for value in (self.exponent, self.low, self.high))
        return Entry(
            exponent=exponent,
            low=low,
            high=high,
            points=self.points,
            replicates=self.replicates,
            confidence=self.confidence,
        )

    @property
    def how(self) -> str:
        if self.confidence is None:
            return f"{self.points} points, exact"
        return f"{self.points} points, {self.replicates} replicates, confidence {self.confidence:.10g}"

    def __str__(self) -> str:
        return f"{digits(self.exponent)} in [{digits(self.low)}, {digits(self.high)}] ({self.how})"


def digits(value: float) -> str:
    """All that is recorded, and no zeros behind it."""
    return f"{round(value, DECIMALS) + 0.0:.{DECIMALS}f}".rstrip("0").rstrip(".")


def allowed(recorded: Entry, measured: Entry, tolerance: float = 0.0) -> tuple[float, float]:
    """Where the measured exponent may lie."""
    below, above = recorded.exponent - recorded.low, recorded.high - recorded.exponent
    if recorded.confidence is not None:
        half = math.hypot(max(below, above), (measured.high - measured.low) / 2)
        below, above = half, half
    return recorded.exponent - below - tolerance, recorded.exponent + above + tolerance


def disagreement(recorded: Entry, measured: Entry, tolerance: float = 0.0) -> str | None:
    """Why the measured exponent is not the recorded one; None where it is."""
    if recorded.confidence != measured.confidence:
        return "intervals that mean different things are not compared"
    low, high = allowed(recorded, measured, tolerance)
    if not low - ROUNDING <= measured.exponent <= high + ROUNDING:
        moved = measured.exponent - recorded.exponent
        return f"the exponent has moved by {moved:+.3g}, out of [{digits(low)}, {digits(high)}]"
    width, most = measured.high - measured.low, WIDER * (recorded.high - recorded.low + 2 * tolerance)
    if width > most + 2 * ROUNDING:
        return f"the interval is {width:.3g} wide, more than {most:.3g}, and confirms nothing"
    return None
