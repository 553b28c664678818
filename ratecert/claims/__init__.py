"""What a claim of your own is written with: what is computed, how its numbers are judged, and what is drawn.

Claim, Budget, Task        a claim, and the calls whose values it judges, in processes of their own; a call has JSON as
                           arguments and gives a list of flat rows
Rows, Row, Json            what these return, to select from and to read
Check                      one number against one prediction: passes, fails or undecided
equal, at_most, at_least   a check of two numbers
exponent, gap, difference, above   a check of columns: a slope, a relative or an absolute distance, a ratio of at most 1
build                      the world of a specification, {"world": "scalar", "mu": 1.0}
line, power_law, level, corner, figure, panel   a figure from rows, made of Series, Triangle, Panel and Chart
Judgement, Evidence, Kind, Scale   what numbers show, and the words of evidence, of series and of axes
not_seen                   a note on what the numbers of a claim cannot show

A paper's file lists its claims as CLAIMS, and `ratecert verify my_paper.py` judges them; docs/guides/add_a_claim.md
writes one.
"""

from typing import TYPE_CHECKING

from ratecert.base.chart import Chart, Kind, Panel, Scale, Series, Triangle
from ratecert.base.gone import face as _face
from ratecert.base.words import Evidence, not_seen
from ratecert.claims.check import Check, above, at_least, at_most, difference, equal, gap
from ratecert.claims.claim import Budget, Claim, Json, Judgement, Task, build
from ratecert.claims.rows import Row, Rows, corner, figure, level, line, panel, power_law
from ratecert.claims.slope import exponent

__all__ = [
    "Budget", "Chart", "Check", "Claim", "Evidence", "Json", "Judgement", "Kind", "Panel", "Row", "Rows",
    "Scale", "Series", "Task", "Triangle", "above", "at_least", "at_most", "build", "corner", "difference", "equal",
    "exponent", "figure", "gap", "level", "line", "not_seen", "panel", "power_law",
]  # fmt: skip

if not TYPE_CHECKING:  # or every name would be one to a type checker
    __getattr__ = _face(__name__, __all__)
