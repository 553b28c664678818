"""Steps that change with t, as numbers of the proof: its own recursion makes them, one for every t of a short run.

A schedule is copied with letters in the place of its doubles and asked for its value at every t, which is no double
either. What has no formula then, because it goes through doubles, is refused.
"""

import copy
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

import sympy

from ratecert.base.errors import NotExactError, RatecertError
from ratecert.proofs.by_data.formulas import Formulas
from ratecert.proofs.by_data.known import Known, expression_of
from ratecert.proofs.by_data.method import at_t, letter_of
from ratecert.solvers.contract.schedule import is_schedule

MOST = 16  # iterations


def write_changing(
    formulas: Formulas, name: str, schedule: Any, values: Mapping[str, Fraction], steps: int
) -> None:
    """name_0, name_1, ... and the list of them, name_over_t."""
    if steps > MOST:
        raise NotExactError(
            f"the step size {name} changes with t, and such proofs have {MOST} iterations at most"
        )
    if at_t(name) in formulas.script.names:
        raise NotExactError(f"the letter {at_t(name)} is taken")
    lettered = _in_letters(formulas, schedule, values)
    each = [f"{name}_{t}" for t in range(steps)]
    formulas.script.lines.append(f"# {name} at every t, by its own recursion.")
    for t, own in enumerate(each):
        try:
            formulas.give(own, expression_of(lettered(Known(formulas, sympy.Integer(t)))))
        except (TypeError, AttributeError, ValueError, ArithmeticError, RatecertError) as error:
            reason = str(error).rstrip(".")
            raise NotExactError(
                f"the step size {name} changes with t in numbers without a formula: {reason}"
            ) from error
    formulas.script.line(f"{name}_over_t = [{', '.join(each)}]")


def _in_letters(formulas: Formulas, schedule: Any, values: Mapping[str, Fraction]) -> Any:
    if not is_dataclass(schedule):
        raise NotExactError(f"the schedule {type(schedule).__name__} is no record of its numbers")
    changed: Any = copy.copy(schedule)
    for each in fields(schedule):
        value = getattr(schedule, each.name)
        if is_schedule(value):
            put_in = _in_letters(formulas, value, values)
        elif isinstance(value, float):
            put_in = Known(formulas, letter_of(each, value, values))
        else:
            put_in = _States(formulas) if isinstance(value, list) else value
        object.__setattr__(changed, each.name, put_in)
    return changed


class _States(list[Any]):
    """Of a recursion, which keeps them: each gets a letter."""

    def __init__(self, formulas: Formulas) -> None:
        super().__init__()
        self.formulas = formulas

    def append(self, state: Any) -> None:
        """Infinity stays what it is, where a recursion starts with it."""
        if state != math.inf:
            state = Known(self.formulas, self.formulas.name(expression_of(state), "state"))
        super().append(state)
