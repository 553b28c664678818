"""Do samples and exact expectation agree? z = (sampled - exact)/standard error, and |z| > 5 is a contradiction.

z is about standard normal, for which |z| > 5 has probability 6e-7. But a squared norm is skewed (here nearly a chi
square of one degree of freedom: standard deviation / mean is 1.2 to 1.4, against sqrt(2)), and a sample that misses its
large values has too small a mean and too small an error at once. With 256 runs of chi square 1 we counted z < -5 in
9e-5 of 2 million trials, and z > 5 never: over six rows a false alarm has probability below 1e-3. It falls with more
runs; with fewer it grows fast (with 2 runs it is more likely than not), so fewer are shown and not judged.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ratecert.solvers.contract.result import Result

LIMIT = 5.0
ENOUGH = 256


@dataclass(frozen=True)
class Row:
    name: str
    K: int
    sampled: Result
    exact: Result

    def last(self) -> tuple[float, float, float]:
        """Sampled value, its standard error and the exact value at t = T."""
        sampled, exact = self.sampled.curves, self.exact.curves
        return sampled.gradient[-1], sampled.standard_error.gradient[-1], exact.gradient[-1]

    def z(self) -> float:
        sampled, error, exact = self.last()
        with np.errstate(divide="ignore", invalid="ignore"):  # an error of 0 is judged, see `contradiction`
            return float(np.divide(sampled - exact, error))


def contradiction(rows: Sequence[Row]) -> str:
    """One sentence that names the rows with |z| > 5, or with a z that is no number; empty if there is none."""
    wrong = [f"{row.name} with K = {row.K} (z = {row.z():+.1f})" for row in rows if not abs(row.z()) <= LIMIT]
    if not wrong:
        return ""
    return f"samples and exact expectation disagree, |z| must be <= {LIMIT:g}: {', '.join(wrong)}."
