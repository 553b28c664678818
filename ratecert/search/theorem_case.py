"""A theorem as something to be tried: worlds of its families, its own method, steps inside its own conditions.

Everything is data of the paper (binding.py), so that a theorem of one's own needs no search of its own. Both sides
are exact; what is found is confirmed in intervals: by the lower end of an enclosure of the measure, where there is one,
and the upper end of the bound.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ratecert.base.asked import resolved
from ratecert.base.errors import OutsideConditionsError, RatecertError, UserError, WitnessError
from ratecert.binding.binding import MOST_DEVICES, Binding, Sides
from ratecert.binding.families import Family, Level
from ratecert.binding.setting import Setting
from ratecert.binding.steps import SCALE, SMALLEST, chosen, is_open
from ratecert.catalogue.find import bindings, full_id, paper
from ratecert.search.falsifiable import Again, Instance, Trial
from ratecert.search.witness_schema import require_numbers, require_tables
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Theorem
from ratecert.theory.numbers.evaluation import complete, evaluate
from ratecert.theory.numbers.fifty_digits import upper_end

ROUNDING = 1e-9  # of the worlds' constants, which are doubles: a bound that is attained is not broken
LONGEST = 2**62
FEW = 4.0  # iterations
VANISHED = 1e-9  # of a bound after one iteration, what is left of one that has no limit but zero


@dataclass(frozen=True)
class TheoremCase:
    """For the search (search/falsifiable.py): the key of a paper, a theorem of it, printed or repaired."""

    key: str
    statement: str
    variant: str

    def __reduce__(self) -> tuple[Any, ...]:
        """A worker gets names alone, and loads the paper's file itself."""
        return TheoremCase, (resolved(self.key), self.statement, self.variant)

    @cached_property
    def binding(self) -> Binding:
        found: Binding = bindings(self.key)[self.statement]
        source = paper(self.variant, self.key)
        found.require(source, source.the(Theorem, self.statement))
        return found

    @cached_property
    def families(self) -> list[Family]:
        return self.binding.families

    @cached_property
    def letters(self) -> dict[str, float]:
        """The letters that are chosen inside the conditions, each with its largest coordinate.

        That is a fraction of the most that the letter may be, and where nothing bounds it the letter itself.
        """
        source = paper(self.variant, self.key)
        theorem = source.the(Theorem, self.statement)
        free = self.binding.free(source, theorem)
        open_steps = {name for name in free if is_open(theorem, name)} - self._counts
        return {name: SCALE if name in open_steps else 1.0 for name in free}

    @property
    def _counts(self) -> set[str]:
        return {
            name
            for name, symbol in paper(self.variant, self.key).notation.items()
            if symbol.least is not None
        }

    @property
    def _open_counts(self) -> list[str]:
        """Letters that are whole numbers, and that no condition has."""
        theorem = paper(self.variant, self.key).the(Theorem, self.statement)
        return [name for name in self.letters if name in self._counts and is_open(theorem, name)]

    @property
    def at_least(self) -> Mapping[str, int]:
        """What the printed algorithm asks of counts; a repaired one may have all that its notation allows."""
        return self.binding.at_least if self.variant == "printed" else {}

    @property
    def levels(self) -> Sequence[Level]:
        """Which family, its numbers, devices, iterations, and a fraction for every letter that is left."""
        worlds = {level.name: level for each in self.families for level in each.levels}
        devices = [Level(name="K", low=1.0, high=MOST_DEVICES, whole=True)] if self.binding.devices else []
        steps = [
            Level(name=fraction(name), low=SMALLEST * most, high=most) for name, most in self.letters.items()
        ]
        T = Level(name="T", low=1.0, high=float(self.binding.most_iterations), whole=True)
        choice = Level(name="family", low=1.0, high=float(len(self.families)), whole=True)
        return [*worlds.values(), *devices, T, *steps, choice]

    @property
    def subspaces(self) -> Sequence[Mapping[str, float]]:
        """Every family by itself; with all letters at their most, and free; where the start counts, there as well."""
        most = {fraction(name): value for name, value in self.letters.items()}
        every = [
            {**held, **steps, "family": float(i), **self._unused(each)}
            for steps in ((most, {}) if most else ({},))
            for i, each in enumerate(self.families, start=1)
            for held in each.held
        ]
        every += self._limits
        start = [
            {**held, "T": 0.0, "family": float(i), **most, **self._unused(each)}
            for i, each in enumerate(self.families, start=1)
            for held in each.held
        ]
        return [*every, *start] if self.binding.begins_at_start else every

    @cached_property
    def _limits(self) -> list[dict[str, float]]:
        """The limit of long runs, for every family; not where a bound has none above zero, or speaks of few steps."""
        source, found = paper(self.variant, self.key), list[dict[str, float]]()
        if self.binding.most_iterations < LONGEST:
            return found
        for i, each in enumerate(self.families, start=1):
            limit = {"T": math.inf, "family": float(i), **self._unused(each)}
            simple = {level.name: level.value(level.place(1.0)) for level in self.levels} | limit
            try:
                far, once = (self.draw({**simple, "T": T}, source) for T in (math.inf, 1.0))
            except (RatecertError, ArithmeticError):
                continue
            found += [limit] if far.measured > 0 and far.bound > VANISHED * once.bound else []
        return found

    @property
    def simple(self) -> Sequence[Mapping[str, float]]:
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

    def _parts(self, part: float, after: int = 0) -> dict[str, float]:
        """This part of the most, for all letters but the first ones."""
        return dict.fromkeys(map(fraction, [*self.letters][after:]), part)

    def in_range(self, numbers: Mapping[str, float]) -> bool:
        """Whether a search may try these numbers: each in its range, or held there by a subspace."""
        held = {pair for subspace in self.subspaces for pair in subspace.items()}
        return all(
            level.low <= numbers[level.name] <= level.high or (level.name, numbers[level.name]) in held
            for level in self.levels
        )

    def _unused(self, own: Family) -> dict[str, float]:
        """Numbers of other families, which this one does not read."""
        names = {level.name for level in own.levels}
        return {level.name: 1.0 for each in self.families for level in each.levels if level.name not in names}

    def draw(self, numbers: Mapping[str, float], source: Paper) -> Trial:
        """In doubles, and again with enclosures where these are cheap if that breaks the bound."""
        setting, instance = self.drawn(numbers, source)
        found = self._attempt(setting, instance, source, certified=False)
        return found if found.ratio <= 1 else self._attempt(setting, instance, source)

    def instance(self, numbers: Mapping[str, float], source: Paper) -> Instance:
        return self.drawn(numbers, source)[1]

    def drawn(self, numbers: Mapping[str, float], source: Paper) -> tuple[Setting, Instance]:
        """What runs, whose constants are computed once, and the instance that describes it."""
        own = self.family(numbers)
        world = {level.name: numbers[level.name] for level in own.levels}
        K = own.count(world) or (int(numbers["K"]) if self.binding.devices else 1)
        run = {"K": K, "T": numbers["T"] if numbers["T"] == math.inf else int(numbers["T"])}
        setting = self._setting(own, world, run)
        fractions = {name: numbers[fraction(name)] / most for name, most in self.letters.items()}
        theorem = source.the(Theorem, self.statement)
        known = self.binding.given_by(setting)
        found = chosen(source, theorem, known, fractions, self.letters, self.at_least)
        return setting, {own.name: world, "run": run, "letters": found}

    def family(self, numbers: Mapping[str, float]) -> Family:
        """The one that these numbers are of; counted from one."""
        number = numbers["family"]
        if not 1 <= number <= len(self.families):
            raise UserError(f"family must be from 1 to {len(self.families)}, got {number:g}.")
        return self.families[int(number) - 1]

    def require(self, instance: Instance) -> None:
        own = self.family_of(instance)
        if own.name not in instance:
            tables, id = (
                " or ".join(f"[{each.name}]" for each in self.families),
                full_id(self.key, self.statement),
            )
            raise WitnessError(
                f"the table {tables} of a world is missing; `ratecert falsify {id} --variant {self.variant}` writes "
                "witnesses that have one."
            )
        keys: dict[str, Sequence[str]] = {
            own.name: [level.name for level in own.levels],
            "run": ("K", "T"),
            "letters": [*self.letters],
        }
        require_tables(instance, {table: dict.fromkeys(wanted, True) for table, wanted in keys.items()})
        for table, entries in instance.items():
            for name, value in entries.items():
                require_numbers(f"{table}.{name}", value, infinite=name == "T")
        self._setting(own, instance[own.name], instance["run"])

    def attempt(self, instance: Instance, source: Paper) -> Trial:
        return self._attempt(self._setting_of(instance), instance, source)

    def _attempt(self, setting: Setting, instance: Instance, source: Paper, **how: Any) -> Trial:
        values = self.letters_of(setting, instance)
        self._require_inside(source, values)
        sides = self.run(setting, source, values, **how)
        values |= sides.letters()
        bound = evaluate(source, self.statement, values)
        return Trial(
            measured=sides.left_low * (1 - ROUNDING),
            bound=bound.total,
            precision=sides.precision,
            values=values,
            conditions=[
                {"part": c.name, "left": c.left, "right": c.right, "margin": c.margin} for c in bound.checks
            ],
            terms=bound.terms,
            radius=sides.radius,
        )

    def right_side(self, values: Mapping[str, float], source: Paper) -> float:
        return evaluate(source, self.statement, values).total

    def right_terms(self, values: Mapping[str, float], source: Paper) -> Sequence[float]:
        return list(evaluate(source, self.statement, values).terms.values())

    def standings(self, instance: Instance, tried: Trial) -> list[str]:
        if not tried.radius:
            return []
        return [
            f"no outcome leaves the ball of radius {tried.radius:.6g} around (a, b); outside it f may be any other"
        ]

    def again(self, instance: Instance, tried: Trial) -> Again:
        """The lower end of the measure, and the upper end of the bound."""
        source = paper(self.variant, self.key)
        theorem = source.the(Theorem, self.statement)
        how = "in intervals, upper end"
        try:
            setting, values = self.setting_and_letters(instance)
            sides = self.run(setting, source, values, certified=True)
            values |= sides.letters()
            low, said = sides.left_low * (1 - ROUNDING), "enclosed in balls, lower end"
        except RatecertError as error:
            low, said, values = None, f"no enclosure: {error}", dict(tried.values)
        bound = upper_end(theorem.bound, complete(source, theorem, values))
        return Again(measured=low, bound=bound, how=said, bound_how=how)

    def _require_inside(self, source: Paper, values: Mapping[str, float]) -> None:
        """Before anything is run, where nothing that is measured stands in the conditions."""
        if not self.binding.measured:
            evaluate(source, self.statement, values)

    def run(self, setting: Setting, source: Paper, values: Mapping[str, float], **how: Any) -> Sides:
        return self.binding.run(source, source.the(Theorem, self.statement), setting, values, **how)

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

    def _setting_of(self, instance: Instance) -> Setting:
        own = self.family_of(instance)
        return self._setting(own, instance[own.name], instance["run"])

    def family_of(self, instance: Instance) -> Family:
        """The one that the instance has a table for; refusals speak of the first."""
        return next((each for each in self.families if each.name in instance), self.families[0])

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


def fraction(name: str) -> str:
    """The coordinate of a letter."""
    return f"of {name}"
