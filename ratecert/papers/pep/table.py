"""Printed guarantee, PEPit's number and the worst quadratic, setting by setting, from numbers that are kept.

What is kept (numbers.json) is PEPit's worst case over its whole class, up to its solver's digits, and at which member
of a family our quadratics are worst; both sides there are computed anew, exactly. All are in units of the start.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ratecert.counterexamples.theorem_case import TheoremCase
from ratecert.papers.pep.settings import EXAMPLES, Example
from ratecert.registry import paper

NUMBERS = Path(__file__).with_name("numbers.json")
ATTAINED = 1e-6  # relative: what is nearer to a bound attains it
SOLVED = 1e-4  # the same of what a solver gives

BY_QUADRATICS = "attained by quadratics"
BEYOND = "attained only outside quadratics"
LOOSE = "attained by neither"
EXCEEDED = "exceeded by quadratics"
EXCEEDED_BEYOND = "exceeded only outside quadratics"


@dataclass(frozen=True)
class Row:
    """One statement at one setting."""

    statement: str
    function: str
    arguments: Mapping[str, float]
    printed: float
    pepit: float | None  # None where it was not asked
    quadratic: float

    @property
    def verdict(self) -> str:
        """Who attains the printed guarantee, or breaks it."""
        outside = self.quadratic if self.pepit is None else self.pepit
        if self.quadratic > self.printed * (1 + ATTAINED):
            return EXCEEDED
        if outside > self.printed * (1 + SOLVED):
            return EXCEEDED_BEYOND
        if self.quadratic >= self.printed * (1 - ATTAINED):
            return BY_QUADRATICS
        return BEYOND if outside >= self.printed * (1 - SOLVED) else LOOSE


@cache
def kept() -> dict[str, Any]:
    """What tools/pep_numbers.py has written."""
    found: dict[str, Any] = json.loads(NUMBERS.read_text(encoding="utf-8"))
    return found


def sides(
    example: Example, arguments: Mapping[str, float], numbers: Mapping[str, float]
) -> tuple[float, float]:
    """The printed guarantee and what a run has at these numbers, both in units of the start."""
    key, _, statement = example.statement.partition(":")
    case = TheoremCase(key, statement, "printed")
    instance = example.run(arguments)
    instance[example.family] = {**instance[example.family], **numbers}
    tried = case.attempt(instance, paper("printed", key))
    unit = example.unit(tried.values)
    return tried.bound / unit, tried.measured / unit


def rows() -> Iterator[Row]:
    """Every statement at every setting."""
    for example in EXAMPLES:
        for arguments, found in zip(example.arguments, kept()["examples"][name_of(example)], strict=True):
            printed, quadratic = sides(example, arguments, found["worst"])
            yield Row(example.statement, example.function, arguments, printed, found["pepit"], quadratic)


def name_of(example: Example) -> str:
    """The three descriptions of one class are three examples of one statement."""
    return f"{example.statement} {example.function}"
