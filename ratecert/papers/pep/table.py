"""Printed guarantee, PEPit's number and the worst quadratic, setting by setting, from numbers that are stored.

A statement names functions of PEPit with their arguments. A family's numbers are set so that the constants of the class
are those of the arguments; numbers that are left, such as the curvature that a run feels, are searched for the worst
quadratic by tests/oracles/pep_numbers.py. What is stored (numbers.json) is PEPit's worst case over its whole class, up
to its solver's digits, and at which member of a family our quadratics are worst; both sides there are computed anew,
exactly. All are in units of the start.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ratecert.catalogue.cases import bound_case
from ratecert.catalogue.find import bindings
from ratecert.catalogue.load import library
from ratecert.theory.numbers.evaluation import number
from ratecert.theory.statements import Theorem, expression

Values = Mapping[str, float]
NUMBERS = Path(__file__).with_name("numbers.json")
FLATTEST = 1e3  # L/mu where the class has no mu
ATTAINED = 1e-6  # relative: what is nearer to a bound attains it
SOLVED = 1e-4  # the same of what a solver gives

BY_QUADRATICS = "attained by quadratics"
BEYOND = "attained only outside quadratics"
LOOSE = "attained by neither"
EXCEEDED = "exceeded by quadratics"
EXCEEDED_BEYOND = "exceeded only outside quadratics"


def curvatures(arguments: Values) -> dict[str, float]:
    """L and mu, the start one away."""
    L, mu = arguments["L"], arguments.get("mu", 0.0)
    return {"L": L, "spread": L / mu if mu else FLATTEST, "x_off": 1.0}


@dataclass(frozen=True)
class Examples:
    """Functions of PEPit beside a statement of the library.

    functions   in PEPit.examples, folder and name, or of tests/oracles/pep_numbers.py
    arguments   of these functions, setting by setting
    unit        what PEPit's numbers are a multiple of
    numbers     of the statement's family, from the arguments
    documented  whether the functions' own theoretical number is the statement
    """

    functions: tuple[str, ...]
    arguments: tuple[Values, ...]
    unit: Any
    numbers: Callable[[Values], dict[str, float]] = curvatures
    documented: bool = True

    def __call__(self, statement: str) -> list[dict[str, Any]]:
        """The rows of the statement, as data."""
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
            for row in rows((statement, function, self) for function in self.functions)
        ]


def pepit(file: str, *functions: str, unit: Any, most_iterations: Any = 64, **more: Any) -> dict[str, Any]:
    """What a theorem says of the file of PEPit that documents it: settings side by side, and fields of `Examples`."""
    fields = {name: more.pop(name) for name in ("numbers", "documented") if name in more}
    settings = tuple(dict(zip(more, values, strict=True)) for values in zip(*more.values(), strict=True))
    those = functions or (file.replace("/", ".wc_"),)
    beside = Examples(those, settings, expression("unit", unit), **fields)
    return {"source": file, "most_iterations": most_iterations, "elsewhere": beside}


def examples() -> Iterator[tuple[str, str, Examples]]:
    """(statement, function, what is known of it) of the whole library."""
    for key in (each for each in library() if each.startswith("pep-")):
        for id, binding in bindings(key).items():
            assert isinstance(binding.elsewhere, Examples)
            yield from ((f"{key}:{id}", each, binding.elsewhere) for each in binding.elsewhere.functions)


@dataclass(frozen=True)
class Row:
    """One statement at one setting."""

    statement: str
    function: str
    arguments: Values
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
def stored() -> dict[str, Any]:
    """What tests/oracles/pep_numbers.py has written."""
    found: dict[str, Any] = json.loads(NUMBERS.read_text(encoding="utf-8"))
    return found


def sides(statement: str, example: Examples, arguments: Values, numbers: Values) -> tuple[float, float]:
    """The printed guarantee and what a run has at these numbers of its family, both in units of the start."""
    key, _, theorem = statement.partition(":")
    case = bound_case(key, theorem, "printed")
    free = case.binding.free(case.printed, case.printed.the(Theorem, theorem))
    steps = (
        int(arguments.get("n", 1)) if case.binding.most_iterations > 1 else 1
    )  # there n may count functions
    instance: dict[str, Any] = {
        "run": {"K": 1, "T": steps},
        "letters": {name: float(arguments[name]) for name in free},
        case.binding.families[0].name: {**example.numbers(arguments), **numbers},
    }
    tried = case.attempt(instance, case.printed)
    unit = number(example.unit, tried.values)
    return tried.bound / unit, tried.measured / unit


def rows(those: Iterable[tuple[str, str, Examples]] | None = None) -> Iterator[Row]:
    """Every statement at every setting."""
    for statement, function, example in examples() if those is None else those:
        known = stored()["examples"][f"{statement} {function}"]
        for arguments, found in zip(example.arguments, known, strict=True):
            printed, quadratic = sides(statement, example, arguments, found["worst"])
            pepit = math.inf if found["pepit"] is None else found["pepit"]
            yield Row(statement, function, arguments, printed, pepit, quadratic)
