"""A paper's own functions, called with exact numbers instead of doubles: with rationals, or with letters."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from ratecert.base.errors import NotExactError, PaperError
from ratecert.base.exact import rational
from ratecert.base.own_code import called
from ratecert.binding.binding import Binding
from ratecert.binding.setting import Setting
from ratecert.proofs.by_data.formulas import Formulas
from ratecert.proofs.by_data.known import InLetters, Known, expression_of
from ratecert.theory.language.letters import names_of


class OwnFunctions:
    """Of one binding statement; the letters that they ask for are written down."""

    def __init__(self, formulas: Formulas, binding: Binding) -> None:
        self.formulas, self.binding = formulas, binding

    def on_rationals(self, what: str, function: Any) -> Any:
        """Of the values of all letters that are fractions."""
        return self._called(what, function, self._fraction)

    def in_letters(self, what: str, function: Any) -> Any:
        """Of all letters, as formulas."""
        return self._called(what, function, partial(Known.letter, self.formulas))

    def _called(self, what: str, function: Any, shown: Callable[[str], Any]) -> Any:
        try:
            return called(what, function, _Letters(self, shown))
        except PaperError as error:
            raise NotExactError(str(error).rstrip(".")) from error

    def _fraction(self, name: str) -> Any:
        value = self.formulas.values[name]
        if not isinstance(value, int | Fraction):
            raise KeyError(name)
        return rational(value)

    def formula(self, what: str, function: Any) -> Any:
        """What it makes of all letters; None where that is no formula in them."""
        try:
            with self.formulas.trying():
                found = expression_of(self.in_letters(what, function))
        except NotExactError:
            return None
        return found if names_of(found) else None

    def constant(self, name: str, function: Any, setting: Setting) -> Any:
        """The same of a function of the setting, whose constants are letters."""
        instead = InLetters(self.formulas, self.binding.constants, setting)
        try:
            with self.formulas.trying():
                self.formulas.script.lines.append(f"# {name}, by the paper's own function in letters.")
                found = expression_of(called(f"constants[{name!r}]", function, instead))
                if not names_of(found):
                    raise NotExactError(f"{name} is a number")
        except (NotExactError, PaperError):
            return None
        return found

    def can_be_had(self, name: str) -> bool:
        """Whether a letter is known before the run."""
        formulas = self.formulas
        if name in formulas.given:
            return name not in self.binding.measured
        if name in formulas.paper.constants:
            return all(self.can_be_had(each) for each in names_of(formulas.paper.constants[name]))
        return formulas.fixed(name) is not None


@dataclass(frozen=True)
class _Letters(Mapping[str, Any]):
    """Every letter that can be had before the run; one that is asked for is written down."""

    own: OwnFunctions
    shown: Callable[[str], Any]

    def __getitem__(self, name: str) -> Any:
        if not self.own.can_be_had(name):
            raise KeyError(name)
        self.own.formulas.require(name)
        return self.shown(name)

    def __iter__(self) -> Iterator[str]:
        formulas = self.own.formulas
        return filter(self.own.can_be_had, (*formulas.given, *formulas.paper.constants))

    def __len__(self) -> int:
        return len(list(iter(self)))
