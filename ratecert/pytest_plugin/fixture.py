"""The fixture `rate_regression`: an exponent against the recorded one, or, with --rate-update, to be recorded.

A test without a record fails: an exponent that nobody has looked at is not a baseline.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ratecert.base.errors import BaselineError, UserError
from ratecert.pytest_plugin.records import Entry, disagreement, key_of, name_of, read

if TYPE_CHECKING:
    from ratecert.claims.slope import Slope

MEASURED = pytest.StashKey[dict[str, Entry]]()  # what a test has measured, by key


@dataclass(frozen=True, repr=False)
class RateRegression:
    item: pytest.Item
    baseline: Path
    update: bool

    def __repr__(self) -> str:
        return f"<rate_regression, records in {self.baseline.name}>"

    def __call__(
        self,
        slope: Any,
        name: str | None = None,
        tolerance: float | None = None,
        *,
        points: tuple[Any, Any] | None = None,
    ) -> "Slope":
        """Fail unless the exponent agrees with the recorded one; ratecert/pytest_plugin/records.py says when it does.

        slope      the data (x, y), or what `fit_slope` returns
        name       tells several exponents of one test apart
        tolerance  how far the exponent may leave what is recorded, 0 unless given
        points     (x, y) of a fitted slope, for the table and the figure
        """
        __tracebackhide__ = True
        from ratecert.testing.asserting import as_slope
        from ratecert.testing.evidence import failure, of_slope

        tolerance = 0.0 if tolerance is None else tolerance
        if not (isinstance(tolerance, int | float) and 0 <= tolerance < math.inf):
            raise UserError(f"tolerance must be a finite number >= 0, got {tolerance!r}.")
        fitted = as_slope(slope, points)
        measured = Entry(
            fitted.value, fitted.low, fitted.high, fitted.points, fitted.replicates, fitted.confidence
        )
        key = self._remember(name, measured)
        try:
            recorded = read(self.baseline).get(key)
        except BaselineError as error:
            pytest.fail(str(error), pytrace=False)
        if self.update:
            return fitted
        if recorded is None:
            pytest.fail(
                f"{key} has no record in {self.baseline}: measured is {measured}; record it with --rate-update.",
                pytrace=False,
            )
        reason = disagreement(recorded, measured, tolerance)
        if reason is not None:
            raise failure(
                f"{reason}\n  {key}\n  recorded  {recorded}\n  measured  {measured}\n"
                f"if this is the new truth, record it with --rate-update.",
                of_slope(fitted, recorded.exponent, "recorded"),
            )
        return fitted

    def _remember(self, name: str | None, measured: Entry) -> str:
        if name is not None and (not isinstance(name, str) or not name.strip() or "\n" in name):
            raise UserError(f"name must be a few words on one line, got {name!r}.")
        key = key_of(self.baseline, self.item.path, name_of(self.item), name)
        seen = self.item.stash.setdefault(MEASURED, {})
        if key in seen:
            raise UserError(f"{key} is measured twice in one test; give each call a name of its own.")
        seen[key] = measured
        return key
