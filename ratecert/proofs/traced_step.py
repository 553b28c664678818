"""The one definition of an algorithm, written down in its own letters.

The step is run on letters instead of numbers: its fields are symbols, its hyperparameters are the paper's letters, and
an estimate is a function of the point at which the step asks for it. What comes out are the assignments of one step,
the first iteration and the later ones apart, for a file that shows them to a reader.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from ratecert.solvers.contract.stage import Algorithm, Estimator, Sampled, State
from ratecert.theory.language.letters import letter

SAMPLE = "m"  # what an estimate is told of its sample


@dataclass(frozen=True)
class TracedStep:
    """The fields before a step, the values that it names, and the fields after it, in the same order."""

    fields: tuple[str, ...]
    named: tuple[tuple[str, Any], ...]
    result: tuple[Any, ...]


@dataclass(frozen=True)
class Lettered:
    """A constant step size that is a letter."""

    eta: Any

    def __call__(self, t: float) -> Any:
        return self.eta


def with_values(solver: Algorithm, values: Mapping[str, Any]) -> Any:
    """The same record with other numbers, or letters, in the place of its own; it checks doubles only."""
    changed = copy.copy(solver)
    for name, value in values.items():
        object.__setattr__(changed, name, Lettered(value) if name == "eta" else value)
    return changed


def traced(
    solver: Algorithm, names: Sequence[str], estimates: Mapping[str, str]
) -> tuple[TracedStep, TracedStep]:
    """The first step and a later one; `estimates` names the function of each estimator, by its label."""
    lettered = with_values(solver, {name: letter(name) for name in names})
    (stage,) = lettered.stages
    first = stage.step(0, State(x=sympy.Symbol("x"), y=sympy.Symbol("y")), _Writes(estimates))
    fields = tuple(vars(first))
    later = stage.step(1, State(**{f: sympy.Symbol(f) for f in fields}), _Writes(estimates))
    return _read(("x", "y"), first), _read(fields, later)


def _read(fields: tuple[str, ...], after: State) -> TracedStep:
    """New values that others are made of get a name: u_t for the u of this step."""
    values = {name: sympy.sympify(value) for name, value in vars(after).items()}
    named = [
        (f"{n}_t", e)
        for n, e in values.items()
        if any(e != other and other.has(e) and not e.is_Symbol for other in values.values())
    ]
    put_in = {e: sympy.Symbol(name) for name, e in named}
    return TracedStep(fields, tuple(named), tuple(value.subs(put_in) for value in values.values()))


class _Writes:
    """An oracle whose samples write down where they are evaluated."""

    def __init__(self, estimates: Mapping[str, str]) -> None:
        self.estimates = estimates

    def sample(self, estimator: Estimator, t: int, *, batch: int = 1) -> Sampled:
        function = sympy.Function(self.estimates[estimator.label])
        return lambda *point: function(*point, sympy.Symbol(SAMPLE))
