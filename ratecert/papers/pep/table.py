"""Printed guarantee, PEPit's number and the worst quadratic, setting by setting, from numbers that are kept.

What is kept (numbers.json) is PEPit's worst case over its whole class, up to its solver's digits, and at which member
of a family our quadratics are worst; both sides there are computed anew, exactly. All are in units of the start.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ratecert.catalogue.cases import bound_case
from ratecert.papers.pep.settings import EXAMPLES, Example

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
    pepit: float  # infinite where it finds no guarantee
    quadratic: float

    @property
    def verdict(self) -> str:
        """Who attains the printed guarantee, or breaks it."""
        if self.quadratic > self.printed * (1 + ATTAINED):
            return EXCEEDED
        if self.pepit > self.printed * (1 + SOLVED):
            return EXCEEDED_BEYOND
        if self.quadratic >= self.printed * (1 - ATTAINED):
            return BY_QUADRATICS
        return BEYOND if self.pepit >= self.printed * (1 - SOLVED) else LOOSE

    @property
    def says(self) -> str:
        """The setting, the three numbers and what follows, in a sentence."""
        at = ", ".join(f"{name} = {value:g}" for name, value in self.arguments.items())
        other = f"has {self.pepit:.6g}" if math.isfinite(self.pepit) else "finds no bound at all"
        return (
            f"At {at}: printed {self.printed:.6g}; PEPit {other}; the worst quadratic tried has {self.quadratic:.6g}: "
            f"{self.verdict}"
        )


@cache
def kept() -> dict[str, Any]:
    """What tests/oracles/pep_numbers.py has written."""
    found: dict[str, Any] = json.loads(NUMBERS.read_text(encoding="utf-8"))
    return found


def sides(
    example: Example, arguments: Mapping[str, float], numbers: Mapping[str, float]
) -> tuple[float, float]:
    """The printed guarantee and what a run has at these numbers, both in units of the start."""
    key, _, statement = example.statement.partition(":")
    case = bound_case(key, statement, "printed")
    instance = example.run(arguments)
    instance[example.family] = {**instance[example.family], **numbers}
    tried = case.attempt(instance, case.printed)
    unit = example.unit(tried.values)
    return tried.bound / unit, tried.measured / unit


def rows(examples: Iterable[Example] = EXAMPLES) -> Iterator[Row]:
    """Every statement at every setting."""
    for example in examples:
        for arguments, found in zip(example.arguments, kept()["examples"][name_of(example)], strict=True):
            printed, quadratic = sides(example, arguments, found["worst"])
            pepit = math.inf if found["pepit"] is None else found["pepit"]
            yield Row(example.statement, example.function, arguments, printed, pepit, quadratic)


def of_statement(id: str) -> list[dict[str, Any]]:
    """The rows of one statement, as data."""
    return [
        {
            **row.arguments,
            "printed": row.printed,
            "pepit": row.pepit if math.isfinite(row.pepit) else None,
            "quadratic": row.quadratic,
            "what": row.verdict,
            "exceeded": row.verdict in (EXCEEDED, EXCEEDED_BEYOND),
            "says": row.says,
        }
        for row in rows(example for example in EXAMPLES if example.statement == id)
    ]


def name_of(example: Example) -> str:
    """The three descriptions of one class are three examples of one statement."""
    return f"{example.statement} {example.function}"
