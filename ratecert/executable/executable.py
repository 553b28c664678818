"""The binding of one theorem: what is run, what is measured, on which worlds, and where each letter comes from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy

from ratecert.errors import PaperError, RatecertError, UserError
from ratecert.executable.families import family
from ratecert.executable.setting import Setting
from ratecert.solvers.contract.measures import Measure
from ratecert.theory.language.letters import names_of
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Theorem
from ratecert.theory.numbers.evaluation import needed, number

Values = Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Executable:
    """What the left side of a theorem is, in a run.

    method           the algorithm's class, or a function that makes one of its hyperparameters
    hyperparameters  field -> expression in the paper's letters, a number, or a function of all letters' values, such as
                     one that makes a schedule
    measure          of rc.measures
    constants        letter -> the name of a world's constant or of the start's (gap, distance, squared_distance), or a
                     function of the setting: its world, K, T and x0
    worlds           families: single_level (noise of bounded variance), noisy_hessians, finite_sum, federated
    devices          the letter for the number of devices; empty where the theorem knows one machine
    iterations       the letter for the number of iterations
    most_iterations  that a search tries

    >>> import ratecert as rc
    >>> alpha, L, gap, T = rc.statements.letters("alpha L Delta T")
    >>> descent = rc.statements.Executable(
    ...     method=rc.methods.SGD, hyperparameters={"alpha": alpha}, measure=rc.measures.gradient(),
    ...     constants={"L": "L", "Delta": "gap"}, devices="")
    >>> descent.worlds
    ('single_level',)
    """

    method: Callable[..., Any]
    hyperparameters: Mapping[str, Any]
    measure: Measure
    constants: Mapping[str, str | Callable[[Setting], float]]
    worlds: tuple[str, ...] = ("single_level",)
    devices: str = "K"
    iterations: str = "T"
    most_iterations: int = 2**40

    def __post_init__(self) -> None:
        if not isinstance(self.measure, Measure):
            raise UserError(f"measure must be one of rc.measures, got {self.measure!r:.60}.")
        for name in self.worlds:
            family(name)

    def require(self, paper: Paper, theorem: Theorem) -> None:
        """Refuse a letter that nothing gives, and one that nothing uses."""
        known = {*self.constants, self.iterations, *([self.devices] if self.devices else [])}
        free = set(self.free(paper, theorem))
        used = {str(letter) for each in self._expressions() for letter in each.free_symbols}
        values = self.hyperparameters.values()
        opaque = any(callable(value) and not isinstance(value, sympy.Basic) for value in values)
        unbound = sorted(free - used)
        if unbound and not opaque:
            raise UserError(
                f"{paper.key}:{theorem.id}: the letter {unbound[0]} is bound to no field and to no constant; name it "
                f"in hyperparameters or in constants."
            )
        unknown = sorted({*used, *known} - set(paper.notation) - set(paper.constants))
        if unknown:
            raise UserError(f"{paper.key}:{theorem.id}: {unknown[0]} is no letter of the paper's notation.")

    def free(self, paper: Paper, theorem: Theorem) -> list[str]:
        """The letters that are left to choose: hyperparameters, in the order of the notation."""
        wanted = needed(theorem) | {str(l) for each in self._expressions() for l in each.free_symbols}
        for name in list(wanted):
            if name in paper.constants:
                wanted |= names_of(paper.constants[name])
        fixed = {c.name for c in theorem.conditions.values() if c.relation == "="}
        known = {*self.constants, self.iterations, self.devices, *paper.constants, *fixed}
        return [name for name in paper.notation if name in wanted - known]

    def given_by(self, setting: Setting) -> dict[str, float]:
        """The letters that a setting gives."""
        values = {
            letter: self._constant(letter, source, setting) for letter, source in self.constants.items()
        }
        values[self.iterations] = float(setting.T)
        return {**values, self.devices: float(setting.K)} if self.devices else values

    def solver(self, paper: Paper, values: Values) -> Any:
        """The method with these letters; counts are whole numbers."""
        whole = {name for name, symbol in paper.notation.items() if symbol.least is not None}
        fields = {name: _value(name, value, values, whole) for name, value in self.hyperparameters.items()}
        return _called("method", self.method, **fields)

    def _expressions(self) -> list[Any]:
        return [value for value in self.hyperparameters.values() if isinstance(value, sympy.Basic)]

    @staticmethod
    def _constant(letter: str, source: str | Callable[[Setting], float], setting: Setting) -> float:
        if callable(source):
            return float(_called(f"constants[{letter!r}]", source, setting))
        if source not in setting.constants:
            raise UserError(
                f"{type(setting.world).__name__} gives no constant {source!r} for the letter {letter}; it gives "
                f"{', '.join(setting.constants)}."
            )
        return setting.constants[source]


def _called(what: str, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """What the paper's own function returns; a mistake in it is shown as one."""
    try:
        return function(*arguments, **named)
    except RatecertError:
        raise
    except Exception as error:
        raise PaperError(f"{what} of an Executable raised {type(error).__name__}: {error}") from error


def _value(name: str, value: Any, values: Values, whole: set[str]) -> Any:
    if isinstance(value, sympy.Basic):
        found = number(value, values)
        return round(found) if names_of(value) <= whole and found == round(found) else found
    return _called(f"hyperparameters[{name!r}]", value, values) if callable(value) else value
