"""Rates as testable quantities, for your own work: `from ratecert.rates import fit_slope, verify_rate`.

    fit_slope      the slope of log y against log x, signed, with an interval
    assert_slope   fails unless the whole interval is within a tolerance of the expected slope
    assert_bound   fails unless measured <= bound at every point
    verify_rate    runs an algorithm of yours over T or K, and says whether the exponent is the expected one

docs/your_own_work.md has an example that runs.
"""

from ratecert.claims.slope import Slope, fit_slope
from ratecert.rates.asserting import assert_bound, assert_slope
from ratecert.rates.verify_rate import Rate, verify_rate

__all__ = ["Rate", "Slope", "assert_bound", "assert_slope", "fit_slope", "verify_rate"]
