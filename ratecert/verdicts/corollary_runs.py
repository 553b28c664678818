"""Runs along a corollary: every letter that it scales is a unit times its order in K and T, or in K and eps.

O(.) leaves the unit open: it is a part of the largest with which all runs are inside the theorem's conditions. Where a
window ends, runs go on just outside it, with the same units. A constant that holds on a ball which no outcome of a run
leaves is known only after the run: units are then chosen anew with the balls of the runs that the last ones gave.

Runs are made for numbers of devices, and of iterations or accuracies, inside the corollary's window and just outside. A
rate speaks of what comes in the end, so they are long: 2^62 iterations are the longest.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from scipy.optimize import brentq

from ratecert.base.errors import DivergedError, OutsideConditionsError, UndecidedError, UnderivableError
from ratecert.binding.binding import Binding
from ratecert.binding.setting import Setting
from ratecert.binding.steps import chosen
from ratecert.catalogue import find
from ratecert.claims.claim import Json
from ratecert.solvers.engines.counting import count
from ratecert.theory.notation import letter
from ratecert.theory.numbers.evaluation import complete, evaluate, number
from ratecert.theory.orders.derivation import as_monomial, free_parameters
from ratecert.theory.orders.monomials import ONE, Monomial
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Corollary, Theorem
from ratecert.verdicts.exponents import FEWEST
from ratecert.verdicts.statement import of_paper

POWERS = (43, 49, 55, 61)  # of 2: iterations; where they follow from eps, those of one device
ACCURACIES = (1e-3, 200.0)  # -log2 of those among which the ones with so many iterations are found
LONGEST = 2**62
DEVICES = range(6, -1, -1)  # cubes of these powers of 2 are the most devices, down to one
OUTSIDE, FACTOR = 2, 4  # runs beyond the end of a window, and by how much K grows from one to the next
Point = tuple[int, float]  # K, and T or eps
COUNT = 4.0  # of what nothing bounds, such as a period that does not grow
MANY = 2.0**10  # times as many, to count costs
PART, SMALL = 0.5, 1e-3  # of the largest unit; of a letter that falls, so that it is small at the end
TRIES = 4  # how often units are chosen, where constants hold on balls


def ordinary(run: Binding, K: int, T: int) -> Setting:
    """The usual member of the first family."""
    own = run.families[0]
    world = own.member(own.ordinary())
    return Setting(world, K, T, own.begin(world, own.ordinary()))


def devices_of(run: Binding, choice: tuple[int, ...]) -> tuple[int, ...]:
    """The numbers of devices that can be tried: those of the world, where it has a number of its own."""
    own = run.families[0]
    fixed = own.count(own.ordinary())
    if fixed is not None:
        return (fixed,)
    return choice if run.devices else (1,)


@dataclass(frozen=True)
class Points:
    """Where a corollary is tried whose theorem has this run; `one` if nothing depends on the number of devices."""

    statement: Corollary
    run: Binding
    one: bool = False

    @cached_property
    def free(self) -> str:
        """T, or eps where the corollary says how T follows from it."""
        return free_parameters(self.statement)[1]

    @cached_property
    def sweep(self) -> list[float]:
        """Values of the free letter, from short runs to long ones."""
        if self.free == "T":
            return [2.0**n for n in POWERS]

        def iterations(n: float) -> float:
            return math.log2(self.size("T", 1, 2.0**-n))

        first, last = map(iterations, ACCURACIES)
        if not first < POWERS[0] < POWERS[-1] < last:
            raise UndecidedError(
                f"{self.statement.id}: T = {self.statement.scalings['T'].order} does not come to runs of 2^{POWERS[0]} "
                f"and 2^{POWERS[-1]} iterations at any eps from 2^-{ACCURACIES[1]:g} to 1."
            )
        return [2.0 ** -brentq(lambda n, p=p: iterations(n) - p, *ACCURACIES) for p in POWERS]

    @cached_property
    def devices(self) -> tuple[int, ...]:
        """Evenly spaced in their logarithm, as many as the longest run may have."""
        most = next((n for n in DEVICES if self.allowed(2 ** (3 * n), self.sweep[-1])), 0)
        evenly = tuple(dict.fromkeys(2 ** (n * most) for n in range(4)))
        return devices_of(self.run, evenly[1:2] or evenly if self.one else evenly)

    @cached_property
    def inside(self) -> list[Point]:
        """With the fewest devices and with the most, from short runs to long ones; the longest with all."""
        found = [(K, at) for K in self.devices for at in self.sweep if self.allowed(K, at)]
        if len({at for _, at in found}) < FEWEST:
            tried = ", ".join(f"2^{math.log2(at):.4g}" for at in self.sweep)
            raise UndecidedError(
                f"fewer than {FEWEST} of the {self.free} that are tried, {tried}, are in the window of "
                f"{self.statement.id}: no exponent can be read there."
            )
        lengths = Counter(K for K, _ in found)
        most = max(K for K, n in lengths.items() if n == max(lengths.values()))  # a window may cut some off
        return [(K, at) for K, at in found if K in (self.devices[0], most) or at == self.sweep[-1]]

    @cached_property
    def outside(self) -> list[Point]:
        """With the shortest run, more and more devices until the window ends: the first ones beyond."""
        if not self.statement.window or len(self.devices) == 1:
            return []
        at = self.sweep[0]
        more = (FACTOR**n for n in range(int(math.log(LONGEST, FACTOR))))
        beyond = ((K, at) for K in more if not self.in_window(K, at) and self.T(K, at) >= 1)
        return list(islice(beyond, OUTSIDE))

    def allowed(self, K: int, at: float) -> bool:
        return self.in_window(K, at) and 1 <= self.T(K, at) <= LONGEST

    def in_window(self, K: int, at: float) -> bool:
        here = {letter("K"): K, letter(self.free): at}
        return all(bool(relation.subs(here)) for relation in self.statement.window)

    def T(self, K: int, at: float) -> int:
        return round(at if self.free == "T" else self.size("T", K, at))

    def size(self, name: str, K: int, at: float) -> float:
        """The order of a letter, in numbers."""
        scaling = self.statement.scalings.get(name)
        return number(scaling.order, {"K": K, self.free: at}) if scaling else 1.0

    def falls(self, name: str) -> bool:
        """Whether a letter becomes small along the corollary."""
        exponent = self._growth(name).exponent(self.free)
        return exponent < 0 if self.free == "T" else exponent > 0

    def is_fixed(self, name: str) -> bool:
        """Whether the corollary leaves a letter as it is, but for logarithms."""
        return not self._growth(name).powers

    def _growth(self, name: str) -> Monomial:
        scaling = self.statement.scalings.get(name)
        return as_monomial(scaling.order) if scaling else ONE


@dataclass(frozen=True, kw_only=True)
class CorollaryRuns(Points):
    """The runs at these points."""

    paper: Paper

    @cached_property
    def theorem(self) -> Theorem:
        return self.paper.the(Theorem, self.statement.theorem)

    def rows(self) -> Iterator[Json]:
        """Inside the window, and where it ends a few runs just outside."""
        for point in self.inside:
            yield {**self.row(*point), "inside": True}
        for K, at in self.outside:
            try:
                yield {**self.row(K, at), "inside": False}
            except (OutsideConditionsError, DivergedError) as error:
                yield {"K": K, self.free: at, "inside": False, "refused": str(error)}

    def row(self, K: int, at: float) -> Json:
        setting, values = self._at((K, at), self.units)
        if not self._known_after:
            evaluate(self.paper, self.theorem.id, values)  # refuses what is outside before it is run
        sides = self.run.run(self.paper, self.theorem, setting, values)
        bound = evaluate(self.paper, self.theorem.id, values | sides.letters())
        found = {"measure": sides.left, "bound": bound.total, "precision": sides.precision}
        return {"K": K, self.free: at, **found, **{f"unit of {n}": u for n, u in self.units.items()}}

    def costs(self) -> Iterator[Json]:
        """What each run costs a device; refused where the theorem's conditions allow none, since nothing is run."""
        if not self._known_after:
            for point in (self.inside[0], self.inside[-1]):
                evaluate(self.paper, self.theorem.id, self._at(point, self.first_units)[1])
        for K, at in self.inside:
            yield {"K": K, self.free: at, **self.cost(K, at)}

    def cost(self, K: int, at: float) -> dict[str, int]:
        """Of one run, with counts so large that it does not matter that they are whole."""
        many = {name: MANY * unit for name, unit in self.open_counts.items()}
        setting, values = self._at((K, at), self.first_units | many)
        full = complete(self.paper, self.theorem, values, later=set(self.run.measured))
        found = count(setting.world, self.run.solver(self.paper, full), setting.T)
        samples = int(found.samples_f + found.samples_g)
        return {"iterations": setting.T, "samples": samples, "rounds": int(found.rounds)}

    @property
    def _known_after(self) -> bool:
        """Whether conditions are known after a run alone."""
        return bool(self.run.measured) or self.run.on_balls

    @cached_property
    def first_units(self) -> dict[str, float]:
        """For every free letter a part of what all runs allow, before anyone knows how far they lead."""
        return self._allowed_by({})

    @cached_property
    def units(self) -> dict[str, float]:
        """The same, once that is known."""
        units = self.first_units
        for _ in range(TRIES if self.run.on_balls else 0):
            balls = {point: self.radius(point, units) for point in self.inside}
            if all(self.allows(point, units, radius) for point, radius in balls.items()):
                break
            units = self._allowed_by(balls)
        return units

    def _allowed_by(self, balls: Mapping[Point, float]) -> dict[str, float]:
        """The same with the constants of these balls: one letter after the other, since the next is bounded by it."""
        known = {at: self.run.given_by(self.setting(*at), balls.get(at)) for at in self.inside}
        units = dict(self.open_counts)

        def most(names: list[str], at: Point) -> dict[str, float]:
            given = known[at] | self._scaled(units, at)
            return chosen(self.paper, self.theorem, given, dict.fromkeys(names, 1.0), names)

        left = [name for name in self.run.free(self.paper, self.theorem) if name not in units]
        for name in most(left, self.inside[0]):  # in the order in which they can be chosen
            largest = min(most([name], at)[name] / self.size(name, *at) for at in self.inside)
            units[name] = (SMALL if self.falls(name) else PART) * largest
        return units

    def radius(self, point: Point, units: Mapping[str, float]) -> float:
        """Of the ball that the run does not leave."""
        return self.run.radius(self.paper, self.theorem, *self._at(point, units))

    def allows(self, point: Point, units: Mapping[str, float], radius: float) -> bool:
        """Whether the theorem's conditions hold with the constants of this ball."""
        try:
            evaluate(self.paper, self.theorem.id, self._at(point, units, radius)[1])
        except OutsideConditionsError:
            return False
        return True

    @cached_property
    def open_counts(self) -> dict[str, float]:
        """The units of counts that no condition bounds by itself, such as a period."""
        bounded = {c.name for c in self.theorem.conditions.values() if c.relation in ("<=", "<")}
        free = set(self.run.free(self.paper, self.theorem)) - bounded
        counts = [name for name in self.paper.notation if name in free and self._least(name) is not None]
        return {name: COUNT if self.is_fixed(name) else 1.0 for name in counts}

    def setting(self, K: int, at: float) -> Setting:
        return ordinary(self.run, K, self.T(K, at))

    def _at(
        self, point: Point, units: Mapping[str, float], radius: float | None = None
    ) -> tuple[Setting, dict[str, float]]:
        """What runs at a point, and its letters; constants that hold on a ball are those of this one."""
        setting = self.setting(*point)
        return setting, {**self.run.given_by(setting, radius), **self._scaled(units, point)}

    def _scaled(self, units: Mapping[str, float], point: Point) -> dict[str, float]:
        """Each unit times its order; counts are whole."""
        values = {name: unit * self.size(name, *point) for name, unit in units.items()}
        counts = {name: least for name in values if (least := self._least(name)) is not None}
        return values | {name: float(max(n, math.floor(values[name]))) for name, n in counts.items()}

    def _least(self, name: str) -> int | None:
        """The least that a count may be; None of other letters."""
        return self.run.at_least.get(name, self.paper.notation[name].least)


def runs_along(paper: str, corollary: str, one: bool = False, variant: str = "printed") -> CorollaryRuns:
    """The runs along a corollary of a paper."""
    found = find.paper(variant, paper)
    statement = found.the(Corollary, corollary)
    return CorollaryRuns(statement, find.bindings(paper)[statement.theorem], one, paper=found)


@of_paper
def measured(paper: str, corollary: str, one: bool, variant: str) -> Iterator[Json]:
    """The measure at every point, with the steps that the corollary says."""
    return runs_along(paper, corollary, one, variant).rows()


@of_paper
def counted(paper: str, corollary: str, variant: str) -> Iterator[Json]:
    """The costs of each device at every point inside the window."""
    return runs_along(paper, corollary, variant=variant).costs()


def measurable(corollary: Corollary) -> bool:
    """Whether orders are powers, and runs become long by one of eps; where T is a logarithm, its constant decides."""
    try:
        orders = {name: as_monomial(scaling.order) for name, scaling in corollary.scalings.items()}
        as_monomial(corollary.claim.order)
    except UnderivableError:
        return False
    return "T" not in orders or orders["T"].exponent("eps") != 0
