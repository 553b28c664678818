"""A theorem in numbers: its conditions checked, its bound term by term.

Values are given by name, as in the notation: the assumptions' constants, the hyperparameters, K, p, T and the gaps at
the start. Defined constants (L_hat, G, ...) are computed, unless they are given. Outside the conditions a bound means
nothing, so evaluating there is refused, with the relation, the values and the margin.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import sympy

from ratecert.base.chart import Drawable
from ratecert.base.errors import OutsideConditionsError, UndecidedError, UserError, UserTypeError
from ratecert.base.words import near_to
from ratecert.theory.notation import names_of
from ratecert.theory.numbers.enclosed import enclosed, holds, in_full
from ratecert.theory.numbers.expressions import DOUBLES, evaluated
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Assumption, Condition, Definition, Theorem

Compute = Callable[[Any, Mapping[str, Any]], Any]  # an expression at values, in an arithmetic
EQUAL = 1e-12  # relative, for conditions that are equations


@dataclass(frozen=True)
class ConditionCheck:
    """left `relation` right, in numbers; the margin is right/left (left/right for >): above 1 is inside, 1 for =."""

    name: str
    relation: str
    left: float
    right: float
    clause: Any  # the clause that binds
    holds: bool

    @property
    def margin(self) -> float:
        above, below = (self.left, self.right) if self.relation in (">", ">=") else (self.right, self.left)
        return above / below if below else math.inf

    def __str__(self) -> str:
        return (
            f"{self.name} {self.relation} {self.clause}: {self.name} = {self.left:.6g}, "
            f"the right side is {self.right:.6g}; their ratio, at least 1 inside, is {_near_one(self.margin)}"
        )


def _near_one(margin: float) -> str:
    """Six digits, or the distance from 1 where six digits would hide it."""
    off = margin - 1
    return f"1 {'+' if off > 0 else '-'} {abs(off):.2g}" if 0 < abs(off) < 1e-5 else f"{margin:.6g}"


@dataclass(frozen=True, repr=False)
class Bound(Drawable):
    """The bound of a theorem in numbers, term by term, with the conditions that were checked."""

    theorem: str
    variant: str
    terms: Mapping[str, float]
    total: float  # the sum of the terms
    values: Mapping[str, float]  # everything that entered, defined constants included
    checks: tuple[ConditionCheck, ...]
    bindings: Mapping[str, str]  # what was used for undefined symbols

    def __repr__(self) -> str:
        (first, share), *_ = self.shares.items()
        return f"<{self.theorem}, {self.variant}: bound {self.total:.6g}, {share:.0%} {first}>"

    @property
    def dominating(self) -> str:
        """The name of the largest term."""
        return max(self.terms, key=lambda name: self.terms[name])

    @property
    def lead(self) -> float:
        """How many times the largest term exceeds the next one; inf where that is zero."""
        first, second = sorted(self.terms.values(), reverse=True)[:2] if len(self.terms) > 1 else (1.0, 0.0)
        return first / second if second else math.inf

    @property
    def shares(self) -> dict[str, float]:
        """term -> its part of the bound, largest first."""
        total = self.total or 1.0  # a bound of zero has no shares
        shares = {name: term / total for name, term in self.terms.items()}
        return dict(sorted(shares.items(), key=lambda item: -item[1]))


def evaluate(paper: Paper, theorem: str, values: Mapping[str, float]) -> Bound:
    """The bound at these values; refused outside the theorem's conditions."""
    statement = paper.the(Theorem, theorem)
    if not isinstance(values, Mapping):
        raise UserTypeError(
            f"values must be a mapping from the symbols of {theorem} to numbers, got {values!r:.60}."
        )
    _require_known(paper, statement, values)
    _require_sense(paper, statement, {name: as_finite(name, value) for name, value in values.items()})
    full = complete(paper, statement, values)
    checks = check(statement, full)
    broken = [c for c in checks if not c.holds]
    if broken:
        raise OutsideConditionsError(
            f"{theorem} ({paper.variant}) says nothing here: " + "; ".join(map(str, broken)) + ". "
            "rc.admissible gives values inside the conditions."
        )
    undefined = _undefined(paper, statement) - set(values)
    used = {name: by for name, by in paper.bindings.items() if name in undefined}
    terms = {name: in_full(term, full) for name, term in statement.terms.items()}
    cancel = min(terms.values()) < 0
    total = in_full(statement.bound, full) if cancel else math.fsum(terms.values())
    return Bound(theorem, paper.variant, terms, total, full, checks, used)


def _require_known(paper: Paper, theorem: Theorem, values: Mapping[str, float]) -> None:
    """No value under a name that means nothing here, none for what the theorem itself fixes for every t."""
    require_symbols(paper, values)
    fixed = sorted({c.name for c in theorem.conditions.values() if is_schedule(c)} & set(values))
    if fixed:
        raise UserError(f"{fixed[0]} follows from the schedule of {theorem.id}; leave it out.")


def require_symbols(paper: Paper, names: Iterable[str]) -> None:
    unknown = sorted(map(str, set(names) - set(paper.notation) - set(paper.bindings)))
    if unknown:
        near = [*near_to(unknown[0], paper.notation, 1), "a name of the notation"]
        raise UserError(f"{unknown[0]} is no symbol of the paper; did you mean {near[0]}?")


def _require_sense(paper: Paper, theorem: Theorem, values: Mapping[str, float]) -> None:
    """Whole numbers, positive steps, the assumptions' constants, and fractions that are fractions."""
    for name, symbol in paper.notation.items():
        value = values.get(name, symbol.least)
        if symbol.least is not None and value is not None and (value < symbol.least or value != int(value)):
            raise UserError(f"{name} must be a whole number >= {symbol.least}, got {value:.6g}.")
    for condition in theorem.conditions.values():
        if condition.name in values and not values[condition.name] > 0:
            raise UserError(f"{condition.name} must be > 0, got {values[condition.name]:.6g}.")
    for id in theorem.assumptions:
        assumption = paper.the(Assumption, id)
        for name, least in assumption.constants.items():
            if assumption.strict and name in values and not values[name] > least:
                raise UserError(f"{name} must be > {least:g} ({id}), got {values[name]:.6g}.")
    for fraction, reason in paper.fractions.items():
        if names_of(fraction) <= set(values) and not 0 <= number(fraction, values) < 1:
            raise UserError(f"{fraction} must lie in [0, 1), got {number(fraction, values):.6g}; {reason}.")


def complete(
    paper: Paper,
    theorem: Theorem,
    values: Mapping[str, float],
    later: Collection[str] = (),
    compute: Compute | None = None,
) -> dict[str, Any]:
    """The values, with bindings, defined constants and what the conditions fix; `later`: names not known yet.

    What is defined is computed in doubles, or by `compute`, such as theory.numbers.enclosed.
    """
    compute = compute or number
    full = with_constants(paper, values, compute)
    for name, condition in theorem.prescribed.items():
        if name not in full and names_of(*condition.clauses) <= set(full):
            full[name] = compute(condition.right, full)
    missing = sorted(_needed_now(paper, theorem, later) - set(full))
    if missing:
        raise UserError(f"{theorem.id} needs a value for {', '.join(missing)}; give it by name.")
    return full


def _needed_now(paper: Paper, theorem: Theorem, later: Collection[str]) -> frozenset[str]:
    """Without what follows from names that come later."""
    waiting = {*later, *(name for name, value in paper.constants.items() if names_of(value) & set(later))}
    return needed(theorem) - waiting


def with_constants(
    paper: Paper, values: Mapping[str, float], compute: Compute | None = None
) -> dict[str, Any]:
    """The values, what stands for undefined symbols, and every defined constant whose symbols are known."""
    full: dict[str, Any] = {name: as_finite(name, value) for name, value in values.items()}
    full |= {name: full[by] for name, by in paper.bindings.items() if name not in full and by in full}
    for name, value in paper.constants.items():
        if name not in full and names_of(value) <= set(full):
            full[name] = (compute or number)(value, full)
    return full


def needed(theorem: Theorem) -> frozenset[str]:
    """All names in the terms and in those conditions that do not depend on t."""
    return theorem.names_in_terms.union(*(c.names for c in theorem.conditions.values() if not is_schedule(c)))


def is_schedule(condition: Condition) -> bool:
    return "t" in condition.names


def check(theorem: Theorem, values: Mapping[str, float]) -> tuple[ConditionCheck, ...]:
    """Every condition in numbers, those on schedules aside; two that leave equality alone are two equations."""
    equal = [each for pair in theorem.between for each in pair]
    return tuple(
        checked(replace(c, relation="=") if c in equal else c, values)
        for c in theorem.conditions.values()
        if not is_schedule(c)
    )


def require_inside(paper: Paper, theorem: Theorem, values: Mapping[str, Any]) -> None:
    """Refuse values that break a condition by however little: in balls, where doubles round to either side."""
    for condition in theorem.conditions.values():
        if is_schedule(condition) or condition.relation == "=":
            continue  # what is prescribed is met by construction
        if not met(condition, partial(complete, paper, theorem, values, compute=enclosed)):
            raise OutsideConditionsError(
                f"{theorem.id} ({paper.variant}) says nothing here: {condition.name} {condition.relation} "
                f"{condition.right} is broken, if by rounding only; choose {condition.name} a little further inside."
            )


def met(condition: Condition, full: Callable[[], Mapping[str, Any]]) -> bool:
    """Whether a condition holds in balls, at values that are computed with as many bits as it takes."""
    left, right = condition.left, condition.right
    return holds(condition.relation, lambda: enclosed(left, full()), lambda: enclosed(right, full()))


def checked(condition: Condition, values: Mapping[str, float]) -> ConditionCheck:
    """One condition in doubles."""
    left = number(condition.left, values)
    right, clause = binding_clause(condition, values)
    compare: dict[str, Callable[[], bool]] = {
        "<=": lambda: left <= right,
        "<": lambda: left < right,
        ">": lambda: left > right,
        ">=": lambda: left >= right,
        "=": lambda: math.isclose(left, right, rel_tol=EQUAL),
    }
    holds = compare[condition.relation]()
    return ConditionCheck(condition.name, condition.relation, left, right, clause, holds)


def binding_clause(condition: Condition, values: Mapping[str, float]) -> tuple[float, Any]:
    """The value of the right side, and the clause that gives it."""
    numbers = [(number(clause, values), clause) for clause in condition.clauses]
    choose = max if condition.of is sympy.Max else min
    return choose(numbers, key=lambda pair: pair[0])


def number(expression: Any, values: Mapping[str, float]) -> float:
    """The expression in floating point."""
    try:
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            result = float(evaluated(expression, values, DOUBLES))
    except (ArithmeticError, TypeError, ValueError) as error:
        raise UndecidedError(f"{expression} cannot be evaluated in floating point: {error}.") from error
    if not math.isfinite(result):
        raise UndecidedError(f"{expression} cannot be evaluated in floating point: it is {result}.")
    return result


def _undefined(paper: Paper, theorem: Theorem) -> set[str]:
    on_right = (names_of(*condition.clauses) for condition in theorem.conditions.values())
    names = set(theorem.names_in_terms).union(*on_right)
    for name, value in paper.constants.items():
        names |= names_of(value) if name in names else set()
    return names - set(paper.notation)


def as_finite(name: str, value: Any) -> float:
    try:
        result = math.nan if isinstance(value, str) else float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise UserError(f"{name} must be a finite number >= 0, got {value!r:.60}.") from error
    if not math.isfinite(result) or result < 0:
        raise UserError(
            f"{name} must be a finite number >= 0, got {value!r}."
            + (" Give `radius`: on a ball it may be finite." if math.isinf(result) else "")
        )
    return result


def with_constants_of(paper: Paper, statement: str) -> set[str]:
    """A statement and, of a theorem, the definitions on which it depends, by id."""
    found = paper[statement]
    return {statement, *(_constants_of(paper, found) if isinstance(found, Theorem) else ())}


def _constants_of(paper: Paper, theorem: Theorem) -> set[str]:
    by_name = {each.symbol.name: each for each in paper.of_kind(Definition)}
    names, waiting = set[str](), set(needed(theorem))
    while waiting:
        names |= waiting
        waiting = {n for name in waiting if name in by_name for n in names_of(by_name[name].value)} - names
    return {by_name[name].id for name in names if name in by_name}
