"""The letters of the field with their usual meaning: what they are called, their units, the number that they stand for.

What a meaning is, MEANINGS says: its units and the number of the world, of its start or of the run. A letter that has
two readings is never guessed: its meaning says which was taken, and `said` how to say the other.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from ratecert.base.errors import UserError
from ratecert.base.words import did_you_mean
from ratecert.binding.binding import Measured
from ratecert.binding.setting import Setting, Within
from ratecert.short.formulas import Formula, Place, merged, place, require, require_formula, scope
from ratecert.theory.notation import Symbol, names_of
from ratecert.theory.notation import letter as symbol_of
from ratecert.theory.statements import Definition
from ratecert.typeset.prose import GREEK

STEP, CURVATURE, SLOPE = "x^2 f^-1", "f x^-2", "f x^-1"
ITERATIONS, DEVICES = "iterations", "devices"  # what is no number of the world


@dataclass(frozen=True)
class Squared:
    """The square of a constant of the world."""

    constant: str

    def __call__(self, setting: Setting) -> float:
        return float(setting.constants[self.constant] ** 2)


@dataclass(frozen=True)
class InOneDirection:
    """The root of the largest eigenvalue of a sample's covariance, infinite where that has no bound."""

    constant: str = "sigma"

    def __call__(self, setting: Setting) -> float:
        bounded = setting.constants[self.constant] < math.inf
        return float(getattr(setting.world, "sigma_in_one_direction", math.inf)) if bounded else math.inf


Source = str | Within | Measured | Callable[[Setting], float] | None


@dataclass(frozen=True)
class Meaning:
    """What a letter may stand for."""

    units: str | None
    source: Source = None  # the number of the world, of its start or of the run
    letters: str = ""  # that usually do
    words: str = ""  # by which users may call it
    least: int | None = None  # where it counts


MEANINGS = {
    "number of iterations": Meaning("1", ITERATIONS, "T", "iterations n_iter steps horizon", 1),
    "number of devices": Meaning("1", DEVICES, "K", "devices clients workers nodes", 1),
    "local steps between two averages": Meaning("1", None, "p", "tau local_steps period", 1),
    "number of terms": Meaning("1", "n", "n", "terms n_samples", 1),
    "batch": Meaning("1", None, "B", "batch_size minibatch", 1),
    "step size": Meaning(STEP, None, "eta alpha gamma", "lr learning_rate step stepsize step_size"),
    "momentum": Meaning("1", None, "beta theta", "momentum"),
    "probability": Meaning("1", None, "q", "prob probability"),
    "accuracy": Meaning(None, None, "eps", "epsilon accuracy tol tolerance"),
    "Lipschitz constant of the gradient": Meaning(CURVATURE, "L", "L", "smoothness lipschitz"),
    "Lipschitz constant of every term's gradient": Meaning(CURVATURE, "L_max", "L_max"),
    "average Lipschitz constant of the gradients": Meaning(CURVATURE, "L_average", "L_average"),
    "expected smoothness": Meaning(CURVATURE, "calL", "calL"),
    "strong convexity": Meaning(CURVATURE, "mu", "mu", "strong_convexity"),
    "standard deviation of a sample": Meaning(SLOPE, "sigma", "sigma", "noise std"),
    "variance of a sample": Meaning("f^2 x^-2", Squared("sigma")),
    "standard deviation of a sample in one direction": Meaning(SLOPE, InOneDirection()),
    "standard deviation of a sample at the minimiser": Meaning(SLOPE, "sigma_star", "sigma_star"),
    "root of the largest second moment of a sample": Meaning(SLOPE, "largest_gradient", "G"),
    "heterogeneity of the devices' gradients at the minimiser": Meaning(SLOPE, "heterogeneity", "zeta"),
    "distance of the start": Meaning("x", "distance", "R", "radius distance dist"),
    "squared distance of the start": Meaning("x^2", "squared_distance"),
    "gap at the start": Meaning("f", "gap", "Delta", "gap suboptimality"),
    "distance of the lower level's start": Meaning("x", "lower_distance"),
}
LETTERS = {letter: means for means, kind in MEANINGS.items() for letter in kind.letters.split()}
LOOKS = {  # where the name alone does not say it
    "eps": r"\epsilon",
    "L_max": r"L_{\max}",
    "L_average": r"\bar{L}",
    "calL": r"\mathcal{L}",
    "sigma_star": r"\sigma_\star",
    "R": r"\|x_0-x_\star\|",
    "Delta": r"(F(x_0)-F_\star)",
}
READINGS = {  # of a meaning: what was taken, and how to say the other
    "standard deviation of a sample": "{0}^2 bounds the trace E||g - grad F||^2; if {0} is the variance, say "
    "rc.letter('{0}', means='variance of a sample'); if {0}^2 bounds the covariance in every direction (its operator "
    "norm), means='standard deviation of a sample in one direction'",
    "distance of the start": "{0} is the distance ||x_0 - x*||; if it is the square, say rc.letter('{0}', "
    "means='squared distance of the start')",
    "root of the largest second moment of a sample": "{0}^2 bounds E||g||^2 along the run, as a quadratic has no bound "
    "of its gradients elsewhere",
    "heterogeneity of the devices' gradients at the minimiser": "{0}^2 is the mean of ||grad F_k(x*)||^2, at the "
    "minimiser alone",
}
SHORT = 4  # of names with fewer characters any other is near


def _usual(name: str) -> str:
    """What to write for a letter that is not known, or the list of those that are."""
    for means, each in MEANINGS.items():
        if name.lower() in each.words.split():
            return f"for the {means} write {each.letters.replace(' ', ' or ')}."
    same = [each for each in LETTERS if each.lower() == name.lower()]
    near = same or [*LETTERS] * (len(name) >= SHORT)
    return did_you_mean(name, near, f"those known are {', '.join(LETTERS)}.")


@dataclass(frozen=True)
class Letter:
    """What a letter of a theorem means, and where its number comes from."""

    symbol: Symbol
    source: Source
    place: Place
    value: Any = None  # where other letters define it
    standard: bool = True  # in its usual meaning
    inner: Mapping[str, "Letter"] | None = None  # letters that define it
    named: Mapping[str, str] | None = None  # id, title and source of that definition
    number: int = field(default_factory=count().__next__)  # in the order in which letters were made

    @property
    def reading(self) -> str:
        """Which of its readings was taken; empty where it has one."""
        return READINGS.get(self.symbol.meaning, "").format(self.symbol.name)


def letters(names: str) -> tuple[Any, ...]:
    """Make the letters of a theorem, each in its usual meaning: its units, and the number of the world behind it.

    names   separated by blanks; what means something else here is said with `rc.letter`

    Formulas are made of them with Python's operators and SymPy's functions. Comparisons are recorded, not decided.

    >>> import ratecert as rc
    >>> T, gamma, L, mu, R = rc.letters("T gamma L mu R")
    >>> (1 - gamma * mu) ** (2 * T) * R**2
    R**2*(-gamma*mu + 1)**(2*T)
    >>> 1 >= gamma * L
    L*gamma <= 1
    """
    require("names", names, isinstance(names, str), "a text such as 'T gamma L'")
    return tuple(letter(name) for name in names.split())


def letter(
    name: str,
    *,
    means: str = "",
    units: str | None = None,
    of: Source = None,
    latex: str = "",
    least: int | None = None,
    ours: bool = False,
) -> Any:
    """Make one letter, and say what it means here.

    name    as in Python, such as "R2"
    means   a known meaning, such as "squared distance of the start", which says its units and number too, or your own
    units   such as "x^2", "f x^-1", "1"; left out they follow from where the letter occurs
    of      the number that it stands for: a constant of the world, "iterations", "devices", `rc.statements.Within`,
            `rc.statements.Measured`, or a function of the setting; left out, a hyperparameter
    latex   its look
    least   a whole number, at least this
    ours    not a symbol of the paper: repaired statements need it

    >>> import ratecert as rc
    >>> R2 = rc.letter("R2", means="squared distance of the start")
    >>> ell = rc.letter("ell", means="Lipschitz constant of the gradient", latex=r"\\ell")
    """
    here, fits = place(), isinstance(name, str) and name.isidentifier()
    require("the name of a letter", name, fits, "a Python name such as 'eta'")
    if (name, means) == ("kappa", ""):
        L, mu = letters("L mu")
        return define("kappa", L / mu, means="condition number", units="1")
    usual = LETTERS.get(name, "")
    if not (usual or means):
        raise UserError(
            f"{here}: {name} is no letter that has a usual meaning; {_usual(name)} One of your own is said with "
            f"rc.letter({name!r}, means='...', units='...')."
        )
    means = means or usual
    standard = (means, units, of, least) == (usual or means, None, None, None)
    kind = MEANINGS.get(means, Meaning(None))
    if kind.source and of is None and units not in (None, kind.units):
        raise UserError(
            f"{here}: {name}, the {means}, has the units {kind.units}, got units={units!r}; leave them out, or say "
            f"with means='...' and of=a function of the setting what else it is."
        )
    symbol = Symbol(
        name,
        latex or (LOOKS.get(name, _look(name)) if standard else _look(name)),
        means,
        units=kind.units if units is None else units,
        least=kind.least if least is None else least,
        ours=ours,
    )
    return _formula(Letter(symbol, kind.source if of is None else of, here, standard=standard))


def define(
    name: str, value: Any, *, means: str = "", units: str | None = None, latex: str = "", **named: str
) -> Any:
    """Make a letter that stands for a formula of others, such as kappa = L/mu.

    means, units, latex   as of `rc.letter`
    named                 id, title and source of the statement that defines it

    >>> import ratecert as rc
    >>> L, mu = rc.letters("L mu")
    >>> kappa = rc.define("kappa", L / mu, means="condition number", units="1")
    """
    given, here = require_formula("value", value), place()
    symbol = Symbol(name, latex or _look(name), means or f"{given}", units=units)
    inner = Letters(here, scope(), [given]).known
    return _formula(Letter(symbol, None, here, given.value, standard=False, inner=inner, named=named))


def _formula(found: Letter) -> Formula:
    return Formula(symbol_of(found.symbol.name), {found.symbol.name: found})


def _look(name: str) -> str:
    """sigma_0 as \\sigma_{0}."""
    parts = [f"\\{part}" if part in GREEK else part for part in name.strip("_").split("_")]
    return parts[0] + (f"_{{{','.join(parts[1:])}}}" if parts[1:] else "")


class Letters:
    """The letters of a theorem by name: those of its formulas, of the user's scope, or in their usual meaning."""

    iterations: str

    def __init__(self, here: Place, scope: Mapping[str, Any], used: Iterable[Formula]) -> None:
        self.here, self.scope, self.known = here, scope, dict[str, Letter]()
        for each in used:
            self.take(each)

    def take(self, used: Formula) -> None:
        """All letters of a formula, with those that define them."""
        self.put(used.letters)
        for name in sorted(names_of(used.value) - {*self.known}):  # of a function of SymPy's alone
            self.add(name)

    def add(self, name: str) -> Formula:
        """A letter by its name."""
        if name not in self.known:
            own = self.scope.get(name)
            try:
                found = own.letters.get(name) if isinstance(own, Formula) else None
                self.put({name: found or letter(name).letters[name]})
            except UserError as error:
                why = str(error).removeprefix(f"{self.here}: ")
                raise UserError(f"{self.here}: {name} has to be a letter, and {why}") from None
        return _formula(self.known[name])

    def put(self, letters: Mapping[str, Letter]) -> None:
        """These letters, and those that define them."""
        self.known = merged(self.known, letters)
        for each in letters.values():
            self.put(each.inner or {})

    @property
    def ordered(self) -> list[tuple[str, Letter]]:
        """In the order in which the user made them: what defines a letter comes before it."""
        return sorted(self.known.items(), key=lambda each: each[1].number)

    def by_source(self, source: str) -> str:
        """The letter that stands for this; empty where none does."""
        return next((name for name, each in self.known.items() if each.source == source), "")

    def counting(self) -> str:
        """The letter for iterations: of the formulas, of the user's scope, or T."""
        own = [each.letters for each in self.scope.values() if isinstance(each, Formula)]
        names = [name for each in own for name in each if each[name].source == ITERATIONS]
        return self.by_source(ITERATIONS) or str(self.add(names[0] if len({*names}) == 1 else "T"))

    def definitions(self) -> list[Definition]:
        """What defines letters, as statements."""
        found = []
        for name, each in self.ordered:
            if each.value is not None:
                said: dict[str, Any] = {"id": f"constant.{name}", "title": each.symbol.meaning, "source": ""}
                said |= each.named or {}
                found.append(Definition(**said, left=symbol_of(name), right=each.value))
        return found

    def require_bound(self, method: str, chosen: Collection[str], own: Mapping[str, Any]) -> None:
        """Refuse a letter that nothing gives; what functions of the user's read, the binding knows."""
        if any(callable(each) for each in own.values()):
            return
        for name, each in self.known.items():
            if each.source is None and each.value is None and name not in chosen:
                numbers = ", ".join(said for said, kind in MEANINGS.items() if kind.source)
                raise UserError(
                    f"{each.place}: nothing gives the letter {name} ({each.symbol.meaning}): {method} has the "
                    f"hyperparameters {', '.join(own) or '(none)'}; write hyperparameters={{'field': {name}}}, or, if "
                    f"it stands for a number of the world, rc.letter({name!r}, means=...) with one of: {numbers}; or "
                    f"of=a function of the setting."
                )
