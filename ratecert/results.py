"""The classes of what the functions return, for annotations.

Result, ExactResult, Curves, Measures, Counts   of simulate, enumerate_outcomes and expect
Limit, FixedPoint, Contraction                  of stationary, fixed_point and contraction
Leading, Expansion                              of leading
Slope, Rate, Check                              of fit_slope, verify_rate and the assertions
Admissible, Bound, Finding                      of admissible, evaluate and lint
Run                                             of along
Outcome, Confirmed, Witness                     of falsify and check_witness
Verdict                                         of verify
"""

from typing import TYPE_CHECKING

from ratecert.api.verdicts import Verdict
from ratecert.base.gone import face as _face
from ratecert.claims.check import Check
from ratecert.claims.slope import Slope
from ratecert.search.finding import Confirmed, Outcome
from ratecert.search.witness import Witness
from ratecert.solvers.contract.result import Counts, Curves, ExactResult, Measures, Result
from ratecert.solvers.engines.contraction import Contraction
from ratecert.solvers.engines.expansion import Expansion
from ratecert.solvers.engines.experiment import Run
from ratecert.solvers.engines.fixed_point import FixedPoint
from ratecert.solvers.engines.leading import Leading
from ratecert.solvers.engines.stationary import Limit
from ratecert.testing.verify_rate import Rate
from ratecert.theory.lint.finding import Finding
from ratecert.theory.numbers.admissible import Admissible
from ratecert.theory.numbers.evaluation import Bound

__all__ = [
    "Admissible", "Bound", "Check", "Confirmed", "Contraction", "Counts", "Curves", "ExactResult", "Expansion",
    "Finding", "FixedPoint", "Leading", "Limit", "Measures", "Outcome", "Rate", "Result", "Run", "Slope",
    "Verdict", "Witness",
]  # fmt: skip

if not TYPE_CHECKING:  # or every name would be one to a type checker
    __getattr__ = _face(__name__, __all__)
