"""A theorem on trial at worlds of its families: its own method, steps inside its own conditions, both sides exact.

Everything is data of the paper (binding/binding.py), so that a theorem of one's own needs no search of its own. What is
found is confirmed in intervals: by the lower end of an enclosure of the measure, where there is one, and the upper end
of the bound.

The right side can be had again under another version of the paper, which is how a mistake is told from its neighbours.
The theorem may also have factors at its terms and at the clauses of its conditions (factors.py).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import count, product
from typing import Any

import numpy as np
from scipy.stats import qmc

from ratecert.base.asked import full_id, registered_only
from ratecert.base.errors import (
    NotExactError,
    OutsideConditionsError,
    RatecertError,
    UndecidedError,
    UserError,
    WitnessError,
)
from ratecert.base.own_code import called
from ratecert.binding.binding import LONGEST, MOST_DEVICES, Binding, Sides
from ratecert.binding.families import Family, Level
from ratecert.binding.setting import Setting
from ratecert.binding.steps import SCALE, SMALLEST, chosen, is_open
from ratecert.search.factors import Factors, with_factors
from ratecert.search.objective import Numbers
from ratecert.search.second_way import over_outcomes
from ratecert.search.witness import Instance, require_numbers, require_tables
from ratecert.theory.numbers.enclosed import enclosed, ends, refined
from ratecert.theory.numbers.evaluation import complete, evaluate, require_inside
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Assumption, Theorem

NEAR = 1e-6  # relative: so little above a bound, doubles are not believed
OWN = 1e-9  # relative, by which a paper's own function may be off
FEW_DEVICES = 3  # of a theorem that has no letter for them
HARDLY = 1e-3  # relative, of the measure: a run that changes it by less hardly moves
WIDTH = 1e-14  # of an enclosure that is asked for where a wider one does not tell the sides apart
FEW = 4.0  # iterations
SHORT = 64.0  # iterations, at most, of every other run that is drawn blindly
SMALL = 1e-280  # a bound that doubles hardly know
VANISHED = 1e-9  # of a bound after one iteration, what is left of one that has no limit but zero


@dataclass(frozen=True, kw_only=True)
class Trial:
    """Both sides of the theorem at one instance."""

    measured: float  # the lower end of what was measured
    bound: float
    precision: float  # of the measured side, relative
    values: Numbers  # what the right side was evaluated at
    conditions: Sequence[Mapping[str, Any]] = ()  # part, left, right, margin
    terms: Numbers = field(default_factory=dict)
    radius: float = 0.0  # of the ball on which the constants hold

    @property
    def ratio(self) -> float:
        """0 where nothing is measured; a bound of zero is broken by anything, a negative one by nothing, too."""
        if math.isnan(self.measured) or math.isnan(self.bound):
            raise UndecidedError(f"no numbers: measured {self.measured}, bound {self.bound}.")
        if self.bound < 0:
            return math.inf
        if not self.measured > 0:
            return 0.0
        return self.measured / self.bound if self.bound else math.inf


@dataclass(frozen=True, kw_only=True)
class Again:
    """Both sides in enclosures, and by a second way; None where there is none."""

    measured: float | None
    bound: float | None
    how: str  # it was measured
    bound_how: str = "in intervals, upper end"
    counted: tuple[float, float] | None = None  # both, of all outcomes of a short run, in fractions
    objection: str = ""  # of the second way: a constant or a condition does not hold
    missing: str = ""  # why there is no second way


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A theorem, printed or repaired, with both versions of its paper and its binding.

    `source`, an argument of many methods, is the version of the paper under which an instance is tried; the factors are
    put into each.
    """

    key: str  # of the paper
    statement: str  # the id inside the paper
    variant: str  # printed or repaired: which version is on trial
    printed: Paper
    repaired: Paper
    binding: Binding
    factors: Factors = field(default_factory=dict)
    archive: list[tuple[Numbers, Trial]] | None = field(
        default=None, compare=False
    )  # all that was drawn here
    made_by: tuple[Callable[..., "Case"], tuple[Any, ...]] = field(
        compare=False
    )  # what another process calls
    registered: bool = False  # in this process alone: no other one can make it

    def __post_init__(self) -> None:
        """Refuse factors at what the theorem does not have."""
        self._scaled(self.source)

    def __reduce__(self) -> tuple[Any, ...]:
        """A worker gets names alone, and loads the paper's file itself."""
        return _made_again, (*self.made_by, self.factors)

    def require_for(self, jobs: int) -> None:
        """Refuse to share the work on a paper that other processes cannot load."""
        if self.registered and jobs != 1:
            raise registered_only(self.key, jobs)

    @property
    def id(self) -> str:
        """`paper:statement`; of the first paper the id inside it."""
        return full_id(self.key, self.statement)

    @property
    def source(self) -> Paper:
        """The version of the paper that is on trial."""
        return self.printed if self.variant == "printed" else self.repaired

    @property
    def theorem(self) -> Theorem:
        """As it is on trial, with its factors."""
        return self._scaled(self.source).the(Theorem, self.statement)

    def _scaled(self, source: Paper) -> Paper:
        return with_factors(source, self.statement, self.factors) if self.factors else source

    # What a search varies.

    @cached_property
    def families(self) -> list[Family]:
        return self.binding.families

    @cached_property
    def letters(self) -> dict[str, float]:
        """The letters that are chosen inside the conditions, each with its largest coordinate.

        That is a fraction of the most that the letter may be, and where nothing bounds it the letter itself.
        """
        theorem = self.source.the(Theorem, self.statement)
        free = self.binding.free(self.source, theorem)
        open_steps = {name for name in free if is_open(theorem, name)} - self._counts
        return {name: SCALE if name in open_steps else 1.0 for name in free}

    @property
    def _counts(self) -> set[str]:
        return {name for name, symbol in self.source.notation.items() if symbol.least is not None}

    @property
    def _open_counts(self) -> list[str]:
        """Letters that are whole numbers, and that no condition has."""
        theorem = self.source.the(Theorem, self.statement)
        return [name for name in self.letters if name in self._counts and is_open(theorem, name)]

    @property
    def at_least(self) -> Mapping[str, int]:
        """What the printed algorithm asks of counts; a repaired one may have all that its notation allows."""
        return self.binding.at_least if self.variant == "printed" else {}

    @property
    def levels(self) -> Sequence[Level]:
        """Which family, its numbers, devices, iterations, and a fraction for every letter that is left."""
        return self._levels(self._most_devices)

    def _levels(self, most_devices: int) -> Sequence[Level]:
        worlds = {level.name: level for each in self.families for level in each.levels}
        steps = [
            Level(name=fraction(name), low=SMALLEST * most, high=most) for name, most in self.letters.items()
        ]
        T = Level(name="T", low=1.0, high=float(self.binding.most_iterations), whole=True)
        choice = Level(name="family", low=1.0, high=float(len(self.families)), whole=True)
        devices = [Level(name="K", low=1.0, high=most_devices, whole=True)] if most_devices > 1 else []
        return [*worlds.values(), *devices, T, *steps, choice]

    @property
    def searched(self) -> str:
        """The worlds and the runs that a search varies, and the letters that it chooses, with their ranges."""
        every = [f"{name} from {SMALLEST * most:g} to {most:g}" for name, most in self.letters.items()]
        scaled = [
            text if most == SCALE else f"{text} of its largest"
            for text, most in zip(every, self.letters.values(), strict=True)
        ]
        few = "" if self.binding.devices or self._most_devices == 1 else f", K from 1 to {self._most_devices}"
        return "; ".join([self.binding.searched + few, *scaled])

    @cached_property
    def _most_devices(self) -> int:
        """Without a letter for them one, but a few where the method averages after several steps of its own.

        Families may have their own number of them.
        """
        if self.binding.devices:
            return MOST_DEVICES
        if all(each.devices for each in self.families):
            return 1
        middle = {level.name: level.value(0.5) for level in self._levels(1)}
        with suppress(RatecertError, ArithmeticError):
            setting, instance = self._drawn(middle, self.source)
            values, later = self.letters_of(setting, instance), set(self.binding.measured)
            stages = self.binding.solver(
                self.source, complete(self.source, self.theorem, values, later)
            ).stages
            moves = [move for stage in stages for move in getattr(stage, "moves", (stage,))]
            local = [move for move in moves if not move.averaged or move.repeats > 1]
            return FEW_DEVICES if local and any(move.averaged for move in moves) else 1
        return 1

    @property
    def subspaces(self) -> Sequence[Numbers]:
        """Every family by itself; with all letters at their most, and free; where the start counts, there as well."""
        most = {fraction(name): value for name, value in self.letters.items()}
        every = [
            {**held, **steps, **only}
            for steps in ((most, {}) if most else ({},))
            for each, only in self._families_alone
            for held in each.held
        ]
        every += self._limits
        start = [
            {**held, "T": 0.0, **most, **only} for each, only in self._families_alone for held in each.held
        ]
        return [*every, *start] if self.binding.begins_at_start else every

    @property
    def _families_alone(self) -> list[tuple[Family, dict[str, float]]]:
        """Each with its number, counted from one, and 1 for the numbers of the others, which it does not read."""
        ones = {level.name: 1.0 for each in self.families for level in each.levels}
        read = [{level.name for level in each.levels} for each in self.families]
        unread = [{name: one for name, one in ones.items() if name not in own} for own in read]
        return [
            (each, {"family": i, **unread[int(i) - 1]})
            for i, each in zip(count(1.0), self.families, strict=False)
        ]

    @cached_property
    def _limits(self) -> list[dict[str, float]]:
        """The limit of long runs, for every family; not where a bound has none above zero, or speaks of few steps."""
        found = list[dict[str, float]]()
        if self.binding.most_iterations < LONGEST or self.binding.constant_until:
            return found
        for _, only in self._families_alone:
            limit = {"T": math.inf, **only}
            simple = {level.name: level.value(level.place(1.0)) for level in self.levels} | limit
            try:
                far, once = (self._try({**simple, "T": T}, self.source) for T in (math.inf, 1.0))
            except (RatecertError, ArithmeticError):
                continue
            found += [limit] if far.measured > 0 and far.bound > VANISHED * once.bound else []
        return found

    @property
    def simple(self) -> Sequence[Numbers]:
        """In every subspace all numbers as near to 1 as they may be, and letters at their most, or at parts of it.

        With the former few devices, or as many as may be, make one iteration, or as many as may be; with halves, or
        halves of all letters but the first, a few are made; with a tenth as many as may be.
        """
        ones = {level.name: level.value(level.place(1.0)) for level in self.levels}
        most = {"T": float(self.binding.most_iterations)}
        many = {
            level.name: level.high
            for level in self.levels
            if level.whole and level.name not in ("T", "family")
        }
        several: list[dict[str, float]] = [{}, many, {**many, **most}]
        several += [{**self._parts(0.5, after=i), "T": FEW} for i in range(min(2, len(self.letters)))]
        several += [{**self._parts(0.1), **most}] if self.letters else []
        several += [
            {fraction(name): SMALLEST} for name in self._open_counts
        ]  # a count is large where that is small
        found = [{**ones, **few, **held} for held in self.subspaces for few in several]
        return [numbers for i, numbers in enumerate(found) if numbers not in found[:i]]

    def drawn(self, count: int, seed: int) -> list[Numbers]:
        """Blind worlds, evenly over every family: every other run is short, where nothing has vanished yet."""
        cube = qmc.Sobol(len(self.levels), rng=np.random.default_rng(seed)).random(_power_above(count))[
            :count
        ]
        found = list[Numbers]()
        for i, u in enumerate(cube.tolist()):
            levels = [
                replace(level, high=min(level.high, SHORT)) if level.name == "T" and i % 2 == 0 else level
                for level in self.levels
            ]
            point = {level.name: level.value(part) for level, part in zip(levels, u, strict=True)}
            found.append({**point, "family": float(1 + i // 2 % len(self.families))})
        return found

    def _parts(self, part: float, after: int = 0) -> dict[str, float]:
        """This part of the most, for all letters but the first ones."""
        return dict.fromkeys(map(fraction, [*self.letters][after:]), part)

    def in_range(self, numbers: Numbers) -> bool:
        """Whether a search may try these numbers: each in its range, or held there by a subspace."""
        held = {pair for subspace in self.subspaces for pair in subspace.items()}
        return all(
            level.low <= numbers[level.name] <= level.high or (level.name, numbers[level.name]) in held
            for level in self.levels
        )

    # Numbers of a search: both sides there, and the instance that they stand for.

    def draw(self, numbers: Numbers, source: Paper) -> Trial:
        """Both sides at these numbers; ValueError or ArithmeticError where there is no such instance."""
        return self._try(numbers, self._scaled(source))

    def _try(self, numbers: Numbers, source: Paper) -> Trial:
        """In doubles, and again with enclosures where these are cheap, or needed, if that breaks the bound."""
        setting, instance = self._drawn(numbers, source)
        found = self._attempt(setting, instance, source, certified=False)
        if found.ratio > 1:
            found = self._attempt(setting, instance, source)
        if 1 < found.ratio < 1 + NEAR or (found.ratio > 1 and self._rounds_steps):
            with suppress(RatecertError):
                found = self._attempt(setting, instance, source, certified=True, width=WIDTH)
        if self.archive is not None:
            self.archive.append((numbers, found))
        return found

    def instance(self, numbers: Numbers, source: Paper) -> Instance:
        """The instance that `draw` tries."""
        return self._drawn(numbers, self._scaled(source))[1]

    def hardly_moves(self, numbers: Numbers) -> bool:
        """Whether the run ends about where it began, so that its ratio says little."""
        with suppress(RatecertError, ArithmeticError):
            start, end = self.at_start(numbers), self.draw(numbers, self.source).measured
            return numbers["T"] < 1 or math.isclose(start, end, rel_tol=HARDLY)
        return False

    def at_start(self, numbers: Numbers) -> float:
        """The measure before any step; nan where it is an average over steps."""
        source = self._scaled(self.source)
        setting, instance = self._drawn(numbers, source)
        start, values = replace(setting, T=0), self.letters_of(setting, instance)
        try:
            return self._run(start, source, values).left_low
        except OutsideConditionsError:
            return math.nan

    def _drawn(self, numbers: Numbers, source: Paper) -> tuple[Setting, Instance]:
        """What runs, whose constants are computed once, and the instance that describes it."""
        own = self.family(numbers)
        world = {level.name: numbers[level.name] for level in own.levels}
        K = own.count(world) or int(numbers.get("K", 1))
        run = {"K": K, "T": numbers["T"] if numbers["T"] == math.inf else int(numbers["T"])}
        setting = self._setting(own, world, run)
        fractions = {name: numbers[fraction(name)] / most for name, most in self.letters.items()}
        theorem, known = source.the(Theorem, self.statement), self.binding.given_by(setting)
        found = chosen(source, theorem, known, fractions, self.letters, self.at_least)
        until = self.binding.constant_until
        most = called("constant_until", until, known | found) if until else math.inf
        if run["T"] > most:
            return self._drawn({**numbers, "T": max(1.0, math.floor(most))}, source)
        instance = {own.name: world, "run": run, "letters": found}
        if SHORT < run["T"] < math.inf and self._vanishes(source, known | found):
            return self._drawn({**numbers, "T": float(math.isqrt(int(run["T"])))}, source)
        return setting, instance

    def _vanishes(self, source: Paper, values: Numbers) -> bool:
        """Whether the bound is no number of a double any more, though it is not zero: a shorter run says something."""
        if self.binding.measured:
            return False
        with suppress(RatecertError, ArithmeticError):
            return 0 < self._top(source, values) < SMALL
        return False

    def family(self, numbers: Numbers) -> Family:
        """The one that these numbers are of; counted from one."""
        number = numbers["family"]
        if not 1 <= number <= len(self.families):
            raise UserError(f"family must be from 1 to {len(self.families)}, got {number:g}.")
        return self.families[int(number) - 1]

    # An instance, such as that of a witness: both sides there.

    def require(self, instance: Instance) -> None:
        """Refuse, with the key, what is no instance."""
        own = self.family_of(instance)
        if own.name not in instance:
            tables = " or ".join(f"[{each.name}]" for each in self.families)
            raise WitnessError(
                f"the table {tables} of a world is missing; `ratecert falsify {self.id} --variant {self.variant}` "
                "writes witnesses that have one."
            )
        keys: dict[str, Sequence[str]] = {
            own.name: [level.name for level in own.levels],
            "run": ("K", "T"),
            "letters": [*self.letters],
        }
        require_tables(instance, keys)
        for table, entries in instance.items():
            for name, value in entries.items():
                require_numbers(f"{table}.{name}", value, infinite=name == "T")
        self._setting(own, instance[own.name], instance["run"])

    def attempt(self, instance: Instance, source: Paper) -> Trial:
        """Both sides; OutsideConditionsError where the theorem says nothing."""
        return self._attempt(self._setting_of(instance), instance, self._scaled(source))

    def _attempt(self, setting: Setting, instance: Instance, source: Paper, **how: Any) -> Trial:
        values = self.letters_of(setting, instance)
        if not self.binding.measured:
            evaluate(source, self.statement, values)  # refuses what is outside before it is run
        sides = self._run(setting, source, values, **how)
        values |= sides.letters()
        bound, total = evaluate(source, self.statement, values), -math.inf
        require_inside(source, source.the(Theorem, self.statement), values)
        if sides.left == 0 and bound.total < SMALL and self._top(source, values) > 0:
            raise UndecidedError(f"measure and bound are below {SMALL:g}; choose larger numbers, or units.")
        if sides.left_low > (1 - NEAR) * bound.total:
            total = self._top(source, values)
        return Trial(
            measured=sides.left_low,
            bound=self._with_own(source, values, max(bound.total, total), sides.left_low),
            precision=sides.precision,
            values=values,
            conditions=[
                {"part": c.name, "left": c.left, "right": c.right, "margin": c.margin} for c in bound.checks
            ],
            terms=bound.terms,
            radius=sides.radius,
        )

    def right_terms(self, values: Numbers, source: Paper) -> Sequence[float]:
        """The terms of the bound of a version of the paper, at the same values."""
        return list(evaluate(self._scaled(source), self.statement, values).terms.values())

    def right_side(self, values: Numbers, source: Paper) -> float:
        """Their sum."""
        return evaluate(self._scaled(source), self.statement, values).total

    def ratio_in(self, tried: Trial, source: Paper) -> float:
        """Measured over the bound of that version; 0 where it says nothing, so that it is not violated."""
        try:
            return tried.ratio and replace(tried, bound=self.right_side(tried.values, source)).ratio
        except OutsideConditionsError:
            return 0.0

    @cached_property
    def _rounds_steps(self) -> bool:
        """Whether steps are computed from letters, so that a run in doubles is one of other steps."""
        return bool(self.theorem.prescribed) or not all(
            value.is_Symbol for value in self.binding.settings.values()
        )

    def _with_own(self, source: Paper, values: Numbers, bound: float, measured: float) -> float:
        """What a paper's own function has computed in doubles is known to nine digits: no refutation rests on the rest.

        Where the bound at some end of these constants is above what was measured, that is taken to attain it.
        """
        given = self.binding.constants.items()
        own = [letter for letter, each in given if callable(each) and letter not in self._counts]
        if not own or not bound < measured:
            return bound
        ends = product((1 - OWN, 1 + OWN), repeat=len(own))
        off = [{l: values[l] * part for l, part in zip(own, parts, strict=True)} for parts in ends]
        return measured if any(self._top(source, {**values, **each}) >= measured for each in off) else bound

    def _top(self, source: Paper, values: Numbers) -> float:
        """A double that the bound is at most."""
        theorem = source.the(Theorem, self.statement)
        full = partial(complete, source, theorem, values, compute=enclosed)
        return ends(refined(lambda: enclosed(theorem.bound, full())))[1]

    def again(self, instance: Instance, tried: Trial) -> Again:
        """The lower end of the measure in balls, the upper end of the bound, inside for certain; and a second way."""
        source = self._scaled(self.source)
        setting, given = self.setting_and_letters(instance)
        try:
            sides = self._run(setting, source, given, certified=True)
            values = {**given, **sides.letters()}
            low, top = sides.left_low, self._top(source, values)
            if low <= top < low * (1 + NEAR):
                low = self._run(setting, source, values, certified=True, width=WIDTH).left_low
            said = "enclosed in balls, lower end"
        except RatecertError as error:
            low, said, values = None, f"no enclosure: {error}", dict(tried.values)
        left = tried.measured if low is None else low
        found = Again(
            measured=low, bound=self._with_own(source, values, self._top(source, values), left), how=said
        )
        try:
            counted, top = over_outcomes(self.binding, source, self.theorem, setting, given)
        except OutsideConditionsError as error:
            return replace(found, objection=str(error))
        except NotExactError as error:
            return replace(found, missing=str(error))
        except (RatecertError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            return replace(found, missing="the run leaves the fractions")
        return replace(found, counted=(counted, self._with_own(source, values, top, counted)))

    def standings(self, tried: Trial) -> list[str]:
        """Every assumption of the theorem at an instance: its constants, and how each of them is known."""
        ball = "no outcome leaves the ball of radius {:.6g} around (a, b); outside it f may be any other"
        said = [ball.format(tried.radius)] if tried.radius else []
        for id in self.theorem.assumptions:
            assumption = self.source.the(Assumption, id)
            known = [
                f"{name} = {tried.values[name]:.6g} ({self.binding.source_of(name)})"
                for name in assumption.constants
                if name in tried.values
            ]
            said.append(f"{assumption.title}: {', '.join(known) or 'nothing of it is a number here'}")
        return said

    def setting_and_letters(self, instance: Instance) -> tuple[Setting, dict[str, float]]:
        """What the instance runs on, and the letters that are known before it runs."""
        setting = self._setting_of(instance)
        return setting, self.letters_of(setting, instance)

    def letters_of(self, setting: Setting, instance: Instance) -> dict[str, float]:
        """The constants of the world, and what the instance has chosen."""
        for name, least in self.at_least.items():
            if instance["letters"].get(name, least) < least:
                raise OutsideConditionsError(
                    f"letters.{name} must be a whole number >= {least}, as the algorithm asks, "
                    f"got {instance['letters'][name]:g}."
                )
        return {**self.binding.given_by(setting), **instance["letters"]}

    def family_of(self, instance: Instance) -> Family:
        """The one that the instance has a table for; refusals speak of the first."""
        return next((each for each in self.families if each.name in instance), self.families[0])

    def _run(self, setting: Setting, source: Paper, values: Numbers, **how: Any) -> Sides:
        return self.binding.run(source, source.the(Theorem, self.statement), setting, values, **how)

    def _setting_of(self, instance: Instance) -> Setting:
        own = self.family_of(instance)
        return self._setting(own, instance[own.name], instance["run"])

    def _setting(self, own: Family, world: Mapping[str, Any], run: Mapping[str, Any]) -> Setting:
        for name, least in (("K", 1), ("T", 0 if self.binding.begins_at_start else 1)):
            limit = name == "T" and run["T"] == math.inf
            if not limit and not (isinstance(run[name], int) and least <= run[name] <= LONGEST):
                raise OutsideConditionsError(
                    f"run.{name} must be a whole number from {least} to 2^62{', or inf' if name == 'T' else ''}, "
                    f"got {run[name]!r}."
                )
        with np.errstate(divide="ignore", invalid="ignore"):  # a simple number may be a zero
            made = own.member(world)
        return Setting(made, run["K"], run["T"], own.begin(made, world))


def _made_again(made: Callable[..., Case], arguments: tuple[Any, ...], factors: Factors) -> Case:
    return replace(made(*arguments), factors=factors)


def _power_above(count: int) -> int:
    """As many points as Sobol's sequence is balanced with."""
    return 1 << max(count - 1, 0).bit_length()


def fraction(name: str) -> str:
    """The coordinate of a letter."""
    return f"of {name}"
