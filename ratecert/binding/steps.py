"""The letters that are left, chosen inside a theorem's conditions: each as a fraction of the most that it may be.

Where a condition bounds a letter by itself, eta <= 1/L, the most is its right side. Where letters come together,
eta L + eta^2 L^2 tau <= 1, it is found by bisection: conditions are taken to allow all smaller steps. Where nothing
bounds a letter from above, its fraction stands for a number on a scale of its own.
"""

import math
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial

from ratecert.base.errors import OutsideConditionsError, UndecidedError
from ratecert.theory.notation import names_of
from ratecert.theory.numbers.enclosed import enclosed, ends, refined
from ratecert.theory.numbers.evaluation import binding_clause, checked, is_schedule, met, with_constants
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Condition, Theorem

SMALLEST = 1e-6  # fraction that a search tries
SCALE = 1e3  # of letters that nothing bounds: from 1e-3 to 1e3
BISECTIONS = 200
EPS = 2.0**-52
RANGE = (1e-12, 1e12)
EVERY: Mapping[str, int] = {}  # count that the notation allows


def chosen(
    paper: Paper,
    theorem: Theorem,
    known: Mapping[str, float],
    fractions: Mapping[str, float],
    order: Iterable[str],
    at_least: Mapping[str, int] = EVERY,
) -> dict[str, float]:
    """A value for every letter, one after the other, from its fraction in (0, 1]; counts are `at_least` what is asked.

    The next one is the first in `order` whose own conditions have no letter that is still open.
    """
    values, found, left = dict(known), dict[str, float](), list(order)
    while left:
        full = with_constants(paper, values)
        name = next((each for each in left if _determined(theorem, full, each)), left[0])
        left.remove(name)
        value = _one(paper, theorem, values, name, fractions[name])
        least = paper.notation[name].least
        if least is not None:
            value = float(max(least, at_least.get(name, least), math.floor(value * (1 + 1e-12))))
        values[name] = found[name] = value
    return found


def _determined(theorem: Theorem, full: Mapping[str, float], name: str) -> bool:
    own = [c for c in theorem.conditions.values() if c.name == name and not is_schedule(c)]
    return all(_ready(c, full, name) for c in own)


def _one(paper: Paper, theorem: Theorem, values: Mapping[str, float], name: str, fraction: float) -> float:
    full = with_constants(paper, values)
    known = [c for c in theorem.conditions.values() if _ready(c, full, name)]
    own = [c for c in known if c.name == name]
    joint = [c for c in known if c.name != name and name in names_of(c.left, c.right)]
    edges = [(c, *_edge(paper, c, values)) for c in own if c.relation != "="]
    below = [_just(low, c) for c, low, _ in edges if c.relation in ("<=", "<")]
    above = [_just_above(high, c) for c, _, high in edges if c.relation in (">", ">=") and high > 0]
    if joint and not below:
        below = [_largest(paper, theorem, full, name)]
    if below:
        return max(fraction * min(below), *above, 0.0)
    if above:
        return max(above) * (1 + 1e-9) / fraction
    whole = paper.notation[name].least is not None
    return fraction**-0.5 if whole else SCALE * fraction


def is_open(theorem: Theorem, name: str) -> bool:
    """Whether no condition has the letter; SCALE is then the most that is tried of a step."""
    return not any(name == c.name or name in names_of(c.left, c.right) for c in theorem.conditions.values())


def _ready(condition: Condition, full: Mapping[str, float], name: str) -> bool:
    return not is_schedule(condition) and names_of(condition.left, condition.right) <= {*full, name}


def _edge(paper: Paper, condition: Condition, values: Mapping[str, float]) -> tuple[float, float]:
    """Two doubles with the right side between them, as exact numbers have it and as doubles compute it."""
    near = binding_clause(condition, with_constants(paper, values))[0]
    with suppress(UndecidedError):
        low, high = ends(refined(lambda: enclosed(condition.right, with_constants(paper, values, enclosed))))
        return min(low, near), max(high, near)
    return near, near


def _just(right: float, condition: Condition) -> float:
    return math.nextafter(right, 0) if condition.relation == "<" else right


def _just_above(right: float, condition: Condition) -> float:
    return math.nextafter(right, math.inf) if condition.relation == ">" else right


def _largest(paper: Paper, theorem: Theorem, full: Mapping[str, float], name: str) -> float:
    """The largest value with which all conditions hold that can be evaluated."""
    low, high = RANGE

    def inside(value: float) -> bool:
        values = with_constants(paper, {**full, name: value})
        try:
            parts = [c for c in theorem.conditions.values() if _ready(c, values, name) and c.relation != "="]
            return all(checked(c, values).holds for c in parts)
        except UndecidedError:
            return False

    if not inside(low):
        raise OutsideConditionsError(f"{theorem.id} admits no {name}, however small, at these numbers.")
    if inside(high):
        return high
    for _ in range(BISECTIONS):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if inside(middle) else (low, middle)
        if high <= math.nextafter(low, math.inf):
            break
    return _inside(paper, theorem, full, name, low)


def _inside(paper: Paper, theorem: Theorem, full: Mapping[str, float], name: str, value: float) -> float:
    """A value where the conditions hold in exact numbers, too: a few ulps less than doubles allow."""
    parts = [c for c in theorem.conditions.values() if _ready(c, full, name) and c.relation != "="]
    given = {each: number for each, number in full.items() if each not in paper.constants}
    for ulps in (0, *(2**k for k in range(40))):
        near = float(value * (1 - ulps * EPS))
        exact = partial(with_constants, paper, {**given, name: near}, enclosed)
        if all(met(c, exact) for c in parts):
            return near
    raise OutsideConditionsError(
        f"{theorem.id} admits no {name} near {value:.6g}, where doubles see its edge."
    )
