"""The binding of one theorem: what is run, what is measured, on which worlds, and where each letter comes from."""

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

import sympy

from ratecert.base.errors import OutsideConditionsError, PrecisionWarning, UserError, UserTypeError
from ratecert.base.exact import rational, working_precision
from ratecert.base.own_code import called
from ratecert.base.validation import require_whole
from ratecert.binding.families import Family
from ratecert.binding.outcomes import EXACT, default, family, kind
from ratecert.binding.setting import Setting, Within, radius_before, radius_of_run
from ratecert.solvers import expect, stationary
from ratecert.solvers.contract.measures import Measure
from ratecert.theory.notation import names_of, require_enclosable
from ratecert.theory.numbers.enclosed import MOST_BITS, enclosed, ends
from ratecert.theory.numbers.evaluation import complete, needed, number
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Theorem, require_no_text

MOST_DEVICES = 10**6  # that a search tries
LONGEST = 2**62  # iterations
MAPPINGS = ("hyperparameters", "constants", "measured", "at_least")
UNBOUNDED = {"sigma": "the Hessians of samples differ, and sigma_star is the noise at the minimiser"}
FAR = 2.0**1000  # iterations, for which infinity stands on the right side
Values = Mapping[str, float]


@dataclass(frozen=True)
class Measured:
    """A letter that the run itself gives: a measure of it, to a power.

    measure   of rc.measures, or a function of all letters' values that makes one
    power     1/2 where the letter stands for a norm, and the measure for its square
    before    how many iterations before the end it is read, where a lemma speaks of the state before a step

    >>> import ratecert as rc
    >>> rc.statements.Measured(rc.measures.sampled_gradient().largest(), power=0.5).before
    0
    """

    measure: Measure | Callable[[Values], Measure]
    power: float = 1.0
    before: int = 0


def made(name: str, measure: Measure | Callable[[Values], Measure], values: Values) -> Measure:
    """The measure itself, of the letters where it is a function of them."""
    found = measure if isinstance(measure, Measure) else called(name, measure, values)
    if not isinstance(found, Measure):
        raise UserTypeError(f"{name} must return a measure of rc.measures, got {found!r:.60}.")
    return found


@dataclass(frozen=True)
class Sides:
    """Results by how many iterations before the end they are."""

    results: Mapping[int, Any]
    measured: Mapping[str, Measured]
    within: Mapping[str, float] = field(default_factory=dict)  # letters that hold on the ball of this radius
    radius: float = 0.0

    @property
    def left(self) -> float:
        return float(self.results[0].left)

    @property
    def left_low(self) -> float:
        """The lower end: of the enclosure where there is one, otherwise by the stated error."""
        return self._end("left", 0, -1)

    @property
    def precision(self) -> float:
        """Relative, the worst of all that was measured."""
        return max(float(result.precision) for result in self.results.values())

    def letters(self) -> dict[str, float]:
        """Those of the ball, and the measured ones at the end that makes the right side largest: their upper one."""
        found = dict(self.within)
        for name, each in self.measured.items():
            value = max(self._end(name, each.before, +1), 0.0) ** each.power
            found[name] = math.nextafter(value, math.inf) if value else value
        return found

    def _end(self, name: str, before: int, sign: int) -> float:
        result = self.results[before]
        if result.certified:
            return float(getattr(result.enclosure, name)[sign > 0])
        return float(getattr(result, name) + sign * getattr(result.absolute_error, name))


@dataclass(frozen=True, kw_only=True)
class Binding:
    """What the left side of a theorem is, in a run.

    method           the algorithm's class, or a function that makes one of its hyperparameters
    hyperparameters  field -> expression in the paper's letters, a number, or a function of all letters' values, such as
                     one that makes a schedule
    measure          of rc.measures, or a function of all letters' values that makes one, such as a Lyapunov function
    constants        letter -> the name of a world's constant or of the start's (gap, distance, squared_distance,
                     lower_distance), `Within` for one that holds where the run can go, or a function of the setting:
                     its world, K, T, start and x0
    measured         letter -> what the run itself gives, such as a bound on the gradients along the iterates
    worlds           families, by name or own; without any the general small world (outcomes.py), as narrow as the
                     constants that letters stand for ask
    devices          the letter for the number of devices; empty where the theorem knows one machine
    iterations       the letter for the number of iterations
    counts_from      the index of the start: 1 where the first iterate is x_1, so that x_T is T - 1 iterations later
    most_iterations  that a search tries
    constant_until   a function of the letters' values: the iteration until which steps are constant; a search tries no
                     longer run, where steps that change take long
    at_least         letter -> the least that the printed algorithm asks of a count, where its notation allows less;
                     repaired statements are searched with all that the notation allows
    blind            what these worlds cannot show, and why
    rests            why a ratio of 1 says nothing, where runs that hardly move have it
    because          why the print is expected to be refuted, where no erratum says so
    taken            what was taken where the statement says nothing, such as which reading of a letter
    elsewhere        of the library: what another tool has for a statement, by its id, as rows; "says" is for readers

    >>> import ratecert as rc
    >>> alpha, L, gap, T = rc.statements.letters("alpha L Delta T")
    >>> descent = rc.statements.Binding(
    ...     method=rc.methods.SGD, hyperparameters={"alpha": alpha}, measure=rc.measures.gradient(),
    ...     constants={"L": "L", "Delta": "gap"}, devices="")
    >>> [each.name for each in descent.families], descent.gradients
    (['quadratics', 'two_directions'], 'exact gradients')
    """

    method: Callable[..., Any]
    hyperparameters: Mapping[str, Any]
    measure: Measure | Callable[[Values], Measure]
    constants: Mapping[str, str | Within | Callable[[Setting], float]]
    measured: Mapping[str, Measured] = field(default_factory=dict)
    worlds: tuple[str | Family, ...] = ()
    devices: str = "K"
    iterations: str = "T"
    counts_from: int = 0
    most_iterations: int = LONGEST
    constant_until: Callable[[Values], float] | None = None
    at_least: Mapping[str, int] = field(default_factory=dict)
    blind: str = ""
    rests: str = ""
    because: str = ""
    taken: tuple[str, ...] = ()
    elsewhere: Callable[[str], list[dict[str, Any]]] | None = None

    def __post_init__(self) -> None:
        readable = isinstance(self.measure, Measure) or callable(self.measure)
        until = self.constant_until is None or callable(self.constant_until)
        for name, fits, what in (
            ("measure", readable, "one of rc.measures, or a function that makes one"),
            ("worlds", isinstance(self.worlds, tuple | list), "a tuple such as ('quadratics',)"),
            ("devices", isinstance(self.devices, str), "the name of a letter, or '' for one device"),
            ("iterations", isinstance(self.iterations, str) and self.iterations, "the name of a letter"),
            ("constant_until", until, "a function of the letters' values"),
            *((each, isinstance(getattr(self, each), Mapping), "a mapping by name") for each in MAPPINGS),
        ):
            if not fits:
                raise UserTypeError(f"{name} must be {what}, got {getattr(self, name)!r:.60}.")
        for name, value in self.hyperparameters.items():
            require_no_text(f"hyperparameters[{name!r}]", value)
            if name in self.settings:
                require_enclosable(f"hyperparameters[{name!r}]", value)
        for name, each in self.measured.items():
            if not isinstance(each, Measured):
                raise UserTypeError(
                    f"measured[{name!r}] must be a Measured of rc.statements, got {each!r:.60}."
                )
        require_whole("counts_from", self.counts_from, least=0, most=1)
        require_whole("most_iterations", self.most_iterations, least=1, most=LONGEST)
        names = [each.name for each in self.families]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice:
            raise UserError(f"worlds has two families called {twice}; a witness could not tell them apart.")

    @property
    def settings(self) -> dict[str, sympy.Expr]:
        """The hyperparameters, as far as letters give them."""
        return {name: value for name, value in self.hyperparameters.items() if isinstance(value, sympy.Expr)}

    @property
    def name(self) -> str:
        """That of the method."""
        return str(getattr(self.method, "__name__", ""))

    @property
    def families(self) -> list[Family]:
        """The worlds, by their numbers."""
        return [family(each) for each in self.worlds] or list(default(self._of_worlds))

    @property
    def _of_worlds(self) -> frozenset[str]:
        """The constants of a world that letters stand for, by name."""
        named = (
            each if isinstance(each, str) else getattr(each, "constant", "")
            for each in self.constants.values()
        )
        return frozenset(filter(None, named))

    @property
    def gradients(self) -> str:
        """What samples may be, where that is read off the constants; nothing where worlds are named."""
        return "" if self.worlds else kind(self._of_worlds)

    @property
    def searched(self) -> str:
        """The worlds and the runs that a search varies, with their ranges."""
        varied = self.devices and any(each.devices is None for each in self.families)
        devices = f", K from 1 to {MOST_DEVICES:g}" if varied else ""
        T = f"T from 1 to 2^{math.log2(self.most_iterations):.4g}"
        end = " and no longer than the steps are constant" if self.constant_until else ""
        exact = ", gradients exact as no letter is a constant of samples" * (self.gradients == EXACT)
        return f"{'; '.join(map(str, self.families))}{exact}{devices}, {T}{end}"

    @property
    def begins_at_start(self) -> bool:
        """Whether the statement speaks of the start, too, as its first iterate."""
        return self.counts_from == 1 and isinstance(self.measure, Measure) and self.measure.at == "last"

    def require(self, paper: Paper, theorem: Theorem) -> None:
        """Refuse a letter that nothing gives, and one that nothing uses."""
        place, letters = f"{paper.key}:{theorem.id}", {*paper.notation, *paper.constants}
        if is_dataclass(self.method):  # what a function takes only it knows
            fields_ = [each.name for each in fields(self.method) if each.init]
            if strange := [name for name in self.hyperparameters if name not in fields_]:
                raise UserError(
                    f"{place}: hyperparameters name {strange[0]!r}, which is no field of {self.name}; those are "
                    f"{', '.join(fields_) or 'none'}."
                )
        free = set(self.free(paper, theorem))
        own = [
            self.measure,
            *self.hyperparameters.values(),
            *(each.measure for each in self.measured.values()),
        ]
        functions = [each for each in own if callable(each) and not isinstance(each, sympy.Basic)]
        read = [letters_read(each, letters) for each in functions]
        unbound = sorted(free - _with_what_defines(paper, self._in_expressions.union(*filter(None, read))))
        if unbound and None not in read:
            raise UserError(
                f"{place}: the letter {unbound[0]} is bound to no field and to no constant; name it in hyperparameters "
                f"or in constants."
            )
        for name, least in self.at_least.items():
            count = name in free and paper.notation[name].least is not None
            if not count or not isinstance(least, int) or least < 1:
                raise UserError(
                    f"{place}: at_least must have whole numbers >= 1 for counts that are chosen, such as a period, got "
                    f"{name!r}: {least!r}."
                )
        if unknown := sorted((self._in_expressions | self._known) - letters):
            raise UserError(f"{place}: {unknown[0]} is no letter of the paper's notation.")

    def free(self, paper: Paper, theorem: Theorem) -> list[str]:
        """The letters that are left to choose: hyperparameters, in the order of the notation."""
        wanted = needed(theorem) | self._in_expressions
        wanted |= {each for name in wanted & set(paper.constants) for each in names_of(paper.constants[name])}
        given = {*self._known, *paper.constants, *theorem.prescribed}
        return [name for name in paper.notation if name in wanted - given]

    @property
    def _known(self) -> set[str]:
        """The letters that a setting or its run gives."""
        return {*self.constants, *self.measured, self.iterations, *filter(None, [self.devices])}

    @property
    def _in_expressions(self) -> set[str]:
        return names_of(*self.settings.values())

    def given_by(self, setting: Setting, radius: float | None = None) -> dict[str, float]:
        """The letters that a setting gives, before anything is run; those of a ball as if there were room in it."""
        values = {
            letter: self._constant(letter, source, setting)
            for letter, source in self.constants.items()
            if not isinstance(source, Within)
        }
        if self.on_balls:
            values |= self._on_ball(setting, radius_before(setting) if radius is None else radius)
        values[self.iterations] = float(min(setting.T + self.counts_from, FAR))
        return {**values, self.devices: float(setting.K)} if self.devices else values

    def run(self, paper: Paper, theorem: Theorem, setting: Setting, values: Values, **how: Any) -> Sides:
        """Run the method with these letters, and read the left side and what else is measured."""
        full = complete(paper, theorem, values, later=set(self.measured))
        solver = self.solver(paper, full)
        radius, within = 0.0, dict[str, float]()
        if self.on_balls:
            radius = radius_of_run(setting, solver)
            within = self._on_ball(setting, radius)
            full = complete(paper, theorem, {**values, **within}, later=set(self.measured))
            if self.solver(paper, full) != solver:
                radius, within = self._with_room(setting, radius)
                full = complete(paper, theorem, {**values, **within}, later=set(self.measured))
        if how.get("certified"):
            solver = self.exact_solver(paper, theorem, {**values, **within})
        left = made("measure", self.measure, full)
        results = {}
        for before in {0, *(each.before for each in self.measured.values())}:
            own = {
                name: made(f"measured[{name!r}]", each.measure, full)
                for name, each in self.measured.items()
                if each.before == before
            }
            wanted = own if before else {"left": left, **own}
            results[before] = _after(setting, setting.T - before, solver, wanted, how)
        return Sides(results, self.measured, within, radius)

    def radius(self, paper: Paper, theorem: Theorem, setting: Setting, values: Values) -> float:
        """Of the ball that no outcome of the run with these letters leaves."""
        full = complete(paper, theorem, values, later=set(self.measured))
        return radius_of_run(setting, self.solver(paper, full))

    def solver(self, paper: Paper, values: Values, exact: Mapping[str, Any] | None = None) -> Any:
        """The method with these letters; counts are whole numbers, and what is `exact` is no double."""
        whole = {name for name, symbol in paper.notation.items() if symbol.least is not None}
        fields = {name: _value(name, value, values, whole) for name, value in self.hyperparameters.items()}
        return called("method", self.method, **{**fields, **(exact or {})})

    def exact_solver(self, paper: Paper, theorem: Theorem, values: Values) -> Any:
        """The method with its steps as what they are: a rational such as 1/L, or a ball around a root."""
        later = set(self.measured)
        with working_precision(MOST_BITS):
            full = complete(paper, theorem, values, later, enclosed)
            steps = {name: enclosed(value, full) for name, value in self.settings.items()}
        exact = {name: step for name, step in steps.items() if step != rational(ends(step)[0])}
        return self.solver(paper, complete(paper, theorem, values, later), exact)

    def source_of(self, letter: str) -> str:
        """How the value of a letter is had on a world, and whether that reads more into it than it says."""
        source = self.constants.get(letter)
        if isinstance(source, Within):
            return "interpreted: on the ball that the run never leaves"
        if letter in self.measured or source == "largest_gradient":
            return "interpreted: along this run"
        return (
            "of the world"
            if isinstance(source, str)
            else "by the paper's own function"
            if source
            else "chosen"
        )

    @property
    def on_balls(self) -> bool:
        """Whether some letter stands for a constant that holds where the run can go."""
        return any(isinstance(each, Within) for each in self.constants.values())

    def _on_ball(self, setting: Setting, radius: float) -> dict[str, float]:
        """The letters that hold on a ball of this radius."""
        balls = {letter: each for letter, each in self.constants.items() if isinstance(each, Within)}
        return {letter: each.on(setting, radius) for letter, each in balls.items()}

    def _with_room(self, setting: Setting, radius: float) -> tuple[float, dict[str, float]]:
        """Steps that are made of a ball's constants are made for one with room, in which the run has to stay."""
        room = radius_before(setting)
        if radius > room:
            raise OutsideConditionsError(
                f"steps are made of constants on the ball of radius {room:.6g}, and the run may leave it: only the one "
                f"of radius {radius:.6g} is known to hold every outcome."
            )
        return room, self._on_ball(setting, room)

    @staticmethod
    def _constant(letter: str, source: str | Callable[[Setting], float], setting: Setting) -> float:
        if callable(source):
            found = called(f"constants[{letter!r}]", source, setting)
            try:
                return float(found)
            except (TypeError, ValueError) as error:
                raise UserError(f"constants[{letter!r}] must return a number, got {found!r:.60}.") from error
        if math.isinf(setting.constants.get(source, 0.0)):
            raise OutsideConditionsError(
                f"{letter} stands for {source}, which is infinite here: {UNBOUNDED.get(source, 'nothing bounds it')}."
            )
        if source not in setting.constants:
            raise UserError(
                f"{type(setting.world).__name__} gives no constant {source!r} for the letter {letter}; it gives "
                f"{', '.join(setting.constants)}."
            )
        return setting.constants[source]


def _with_what_defines(paper: Paper, names: set[str]) -> set[str]:
    """These letters, and those that define them."""
    inner = set().union(*(names_of(paper.constants[name]) for name in names & set(paper.constants)))
    return names if inner <= names else _with_what_defines(paper, names | inner)


def _at_start(measure: Measure) -> Measure:
    """At the last of no iterations, which is the mean over t < 1."""
    if measure.at != "last":
        raise OutsideConditionsError(f"before the first iteration nothing is read at {measure.at!r}.")
    return replace(measure, at="average")


def _at_rest(measure: Measure, solver: Any) -> Measure:
    """Where all iterations are alike, the limit at the last one is that of their average."""
    alike = sum(stage.repeats for stage in solver.stages) == 1
    return replace(measure, at="average") if alike and measure.at == "last" else measure


def _after(
    setting: Setting, T: float, solver: Any, measures: Mapping[str, Measure], how: Mapping[str, Any]
) -> Any:
    """Measured after T iterations, and without a warning on few digits: both sides are read at their ends."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrecisionWarning)
        if math.inf == T:
            limits = {name: _at_rest(each, solver) for name, each in measures.items()}
            return stationary(setting.world, solver, K=setting.K, measures=limits, **how)
        return expect(
            setting.world,
            solver,
            K=setting.K,
            T=max(int(T), 1),
            start=setting.start,
            measures=measures if T else {name: _at_start(each) for name, each in measures.items()},
            times=[],
            **how,
        )


def _value(name: str, value: Any, values: Values, whole: set[str]) -> Any:
    if isinstance(value, sympy.Basic):
        found = number(value, values)
        return round(found) if names_of(value) <= whole and found == round(found) else found
    return called(f"hyperparameters[{name!r}]", value, values) if callable(value) else value


class Asked(Mapping[str, Any]):
    """Letters by their names, each made when a function asks for it, by whatever method of a mapping."""

    def __init__(self, names: Iterable[str], made: Callable[[str], Any]) -> None:
        self.names, self.made = list(names), made

    def __getitem__(self, name: str) -> Any:
        if name not in self.names:
            raise KeyError(name)
        return self.made(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def letters_read(function: Callable[..., Any], names: Iterable[str]) -> set[str] | None:
    """The letters that a paper's own function reads where all are 1; None where it does not take these values."""
    read: dict[str, float] = {}
    with suppress(Exception):  # whatever it is, a run will show it with its place
        function(Asked(names, lambda name: read.setdefault(name, 1.0)))
        return set(read)
    return None
