"""Papers as data: notation, constants, theorems, corollaries; evaluated, derived, linted and typeset.

    from theory.papers import paper
    printed = paper("printed")                  # to the letter
    repaired = paper("repaired")                # with the errata applied
    printed["theorem-1"].terms["noise_u"]       # a SymPy expression

The notation is imported at once; SymPy only with the modules that need it.
"""

from theory.federated_bilevel.symbols import ALGORITHM, CONSTANTS, NOTATION
from theory.symbols import WORLD, Symbol

__all__ = ["ALGORITHM", "CONSTANTS", "NOTATION", "WORLD", "Symbol"]
