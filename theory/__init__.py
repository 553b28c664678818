"""Papers as data: notation, constants, theorems, corollaries; evaluated, derived, linted and typeset."""
