"""What a paper of your own is written with, as data; expressions are SymPy's.

    letter, letters, Symbol, table     the notation, with units
    Assumption, Definition, Algorithm, Line, Estimate, Condition, Theorem, Scaling, Corollary, Cost, Counts, Factor,
    Formula, Text                      the kinds of Statement and their parts
    by_id, Paper, Erratum              the paper, and corrections to it
    Binding, Measured, Within, Setting
                                       a theorem bound to a method, a measure and worlds, and where constants come from
    Family, Level                      worlds of one's own, by numbers over many decades
    derive, claimed                    the order of growth that follows from a theorem, and the one that is claimed

`rc.lint` and `rc.evaluate` take such a paper.
"""

from typing import TYPE_CHECKING

from ratecert.base.gone import face as _face
from ratecert.binding.binding import Binding, Measured
from ratecert.binding.families import Family, Level
from ratecert.binding.setting import Setting, Within
from ratecert.theory.notation import Symbol, letter, letters, table
from ratecert.theory.orders.derivation import claimed, derive
from ratecert.theory.paper import Erratum, Paper, by_id
from ratecert.theory.statements import (
    Algorithm,
    Assumption,
    Condition,
    Corollary,
    Cost,
    Counts,
    Definition,
    Estimate,
    Factor,
    Formula,
    Line,
    Scaling,
    Statement,
    Text,
    Theorem,
)

__all__ = [
    "Algorithm", "Assumption", "Binding", "Condition", "Corollary", "Cost", "Counts", "Definition",
    "Erratum", "Estimate", "Factor", "Family", "Formula", "Level", "Line", "Measured", "Paper", "Scaling",
    "Setting", "Statement", "Symbol", "Text", "Theorem", "Within", "by_id", "claimed", "derive", "letter",
    "letters", "table",
]  # fmt: skip

if not TYPE_CHECKING:  # or every name would be one to a type checker
    __getattr__ = _face(__name__, __all__)
