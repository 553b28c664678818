"""A paper's own functions, called with exact numbers instead of doubles: with rationals, or with letters."""

from fractions import Fraction
from typing import Any

from ratecert.arithmetic.exact import rational
from ratecert.errors import NotExactError, PaperError
from ratecert.executable.called import called
from ratecert.executable.executable import Executable
from ratecert.executable.setting import Setting
from ratecert.proofs.by_data.formulas import Formulas
from ratecert.proofs.by_data.known import InLetters, Known, expression_of
from ratecert.theory.language.letters import names_of


class OwnFunctions:
    """Of one executable statement; every letter is written down before the first of them is called."""

    def __init__(self, formulas: Formulas, executable: Executable) -> None:
        self.formulas, self.executable = formulas, executable

    def on_rationals(self, what: str, function: Any) -> Any:
        """Of the values of all letters that are fractions."""
        self._require_letters()
        known = self.formulas.values.items()
        values = {name: rational(value) for name, value in known if isinstance(value, int | Fraction)}
        try:
            return called(what, function, values)
        except PaperError as error:
            raise NotExactError(str(error).rstrip(".")) from error

    def in_letters(self, what: str, function: Any) -> Any:
        """Of all letters, as formulas."""
        self._require_letters()
        letters = {name: Known.letter(self.formulas, name) for name in self.formulas.values}
        try:
            return called(what, function, letters)
        except PaperError as error:
            raise NotExactError(str(error).rstrip(".")) from error

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
        instead = InLetters(self.formulas, self.executable.constants, setting)
        try:
            with self.formulas.trying():
                self.formulas.script.lines.append(f"# {name}, by the paper's own function in letters.")
                found = expression_of(called(f"constants[{name!r}]", function, instead))
                if not names_of(found):
                    raise NotExactError(f"{name} is a number")
        except (NotExactError, PaperError):
            return None
        return found

    def _require_letters(self) -> None:
        constants, measured = self.formulas.paper.constants, set(self.executable.measured)
        for each in self.formulas.given:
            if each not in measured:
                self.formulas.require(each)
        for each in constants:
            if not names_of(constants[each]) & measured:
                self.formulas.require(each)
