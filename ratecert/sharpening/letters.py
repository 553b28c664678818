"""Which letter of a theorem a number of the search stands for, and which power a term has of it."""

import math
from typing import Any

import sympy

from ratecert.binding.families import Level
from ratecert.search.falsifiable import Falsifiable
from ratecert.sharpening.exploring import Seen
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Theorem

SPREAD = "spread"  # of curvatures: the largest over the smallest, which is mu where that is the letter
MU, ONE_OVER_MU = "mu", "1/mu"
T = "T"  # iterations
FRACTION = "of "  # begins the name of a number that is a part of the largest step


def letter_of(name: str) -> str:
    """That of the paper which a number of the search stands for."""
    return ONE_OVER_MU if name == SPREAD else name.removeprefix(FRACTION)


def letter_along(name: str, theorem: Theorem, source: Paper) -> str:
    """p for "of p" where p has no units and no most, and 1/mu for the spread; steps are parts of the largest."""
    if name == SPREAD:
        return ONE_OVER_MU
    letter = source.notation.get(letter_of(name))
    bounded = {c.name for c in theorem.conditions.values() if c.relation in ("<=", "<")}
    return letter.name if letter and letter.units == "1" and letter.name not in bounded else name


def varies(case: Falsifiable, source: Paper, term: Any, best: Seen, level: Level) -> bool:
    """Whether the level is a letter of the term; the spread of curvatures is 1/mu where mu follows it."""
    names = {str(symbol) for symbol in term.free_symbols}
    if level.name != SPREAD:
        return letter_of(level.name) in names
    return MU in names and _follows(case, source, best, level)


def lacks(source: Paper, theorem: Theorem, term: Any, level: Level) -> bool:
    """Whether the level is a count, such as K, T or p, that the term does not have and perhaps could."""
    letter = source.notation.get(letter_along(level.name, theorem, source))
    if letter is None or letter.least is None:
        return False
    return letter.name not in {str(symbol) for symbol in term.free_symbols}


def _follows(case: Falsifiable, source: Paper, best: Seen, level: Level) -> bool:
    """Whether mu is as many times smaller as the spread is larger."""
    try:
        ends = [case.draw({**best.numbers, SPREAD: spread}, source) for spread in (level.low, level.high)]
    except (ArithmeticError, ValueError):
        return False
    first, last = (trial.values[MU] for trial in ends)
    return math.isclose(first / last, level.high / level.low, rel_tol=1e-6)


def power_in(expression: Any, letter: str) -> float | None:
    """a where the expression is c v^a with v the letter, or 1/mu; None where it is no power of it."""
    name = MU if letter == ONE_OVER_MU else letter
    symbol = next((s for s in expression.free_symbols if str(s) == name), None)
    if symbol is None:
        return 0.0
    power = sympy.simplify(symbol * sympy.diff(expression, symbol) / expression)
    if not power.is_number:
        return None
    return -float(power) if letter == ONE_OVER_MU else float(power)
