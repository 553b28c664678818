"""Runs along a corollary: every letter that it scales is a unit times its order in K and T, or in K and eps.

O(.) leaves the unit open: it is a part of the largest with which all runs are inside the theorem's conditions. Where a
window ends, runs go on just outside it, with the same units.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from ratecert import registry
from ratecert.claim.claim import Budget, Json, Piece
from ratecert.errors import OutsideConditionsError, UndecidedError
from ratecert.executable.executable import Executable
from ratecert.executable.letters import chosen
from ratecert.executable.setting import Setting
from ratecert.from_data.code import require_version
from ratecert.from_data.ordinary import devices_of, ordinary
from ratecert.from_data.undecided import undecided_by_mistakes
from ratecert.theory.language.letters import letter
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Corollary, Theorem
from ratecert.theory.numbers.evaluation import evaluate, number
from ratecert.theory.orders.derivation import as_monomial, free_parameters

POWERS = (28, 32, 36, 40)  # of 2: iterations, where they are free; with eps at one device
POWERS_IN_EPS = (30, 40, 50, 60)
K_RANGE = (1, 64, 4096, 2**18)
LONGEST = 2**62
FEWEST = 3  # values from which an exponent is read
COUNT = 4.0  # of what nothing bounds, such as a period that does not grow
PART, SMALL = 0.5, 1e-3  # of the largest unit; of a letter that falls, so that it is small at the end
OUTSIDE, FACTOR = 2, 4  # runs beyond the end of a window, and by how much K grows from one to the next
Place = tuple[int, float]  # K, and T or eps


def measured(
    paper: str, corollary: str, devices: list[int], code: str, variant: str = "printed"
) -> list[Json]:
    """The measure and the costs at every place, with the steps that the corollary says."""
    require_version(paper, code)
    with undecided_by_mistakes():
        return list(along(paper, corollary, tuple(devices), variant).rows())


def piece(paper: str, corollary: Corollary, code: str, budget: Budget, variant: str = "printed") -> Piece:
    """The computation of these; a quick one tries one number of devices where nothing depends on it."""
    orders = [corollary.claim, *corollary.scalings.values()]
    same = budget.quick and all(as_monomial(each.order).exponent("K") == 0 for each in orders)
    devices = [K_RANGE[1]] if same else list(K_RANGE)
    arguments = {"paper": paper, "corollary": corollary.id, "devices": devices, "code": code}
    return Piece(measured, arguments if variant == "printed" else {**arguments, "variant": variant}, 2.0)


def measurable(corollary: Corollary) -> bool:
    """Whether runs become long by a power of eps; where T is a logarithm of it, an open constant decides."""
    scaling = corollary.scalings.get("T")
    return scaling is None or as_monomial(scaling.order).exponent("eps") != 0


def along(
    paper: str, corollary: str, devices: tuple[int, ...] = K_RANGE, variant: str = "printed"
) -> "Along":
    """The runs along a corollary of a paper."""
    return Along(registry.paper(variant, paper), registry.executables(paper), corollary, devices)


@dataclass(frozen=True)
class Along:
    """A corollary of which the theorem is bound to a run."""

    paper: Paper
    runs: Mapping[str, Executable]
    corollary: str
    devices: tuple[int, ...]

    @cached_property
    def statement(self) -> Corollary:
        return self.paper.the(Corollary, self.corollary)

    @cached_property
    def theorem(self) -> Theorem:
        return self.paper.the(Theorem, self.statement.theorem)

    @cached_property
    def run(self) -> Executable:
        return self.runs[self.theorem.id]

    @cached_property
    def free(self) -> str:
        """T, or eps where the corollary says how T follows from it."""
        return free_parameters(self.statement)[1]

    @cached_property
    def sweep(self) -> list[float]:
        """Values of the free letter, from short runs to long ones."""
        if self.free == "T":
            return [2.0**n for n in POWERS]
        power = -as_monomial(self.statement.scalings["T"].order).exponent("eps")
        return [2.0 ** (-n / float(power)) for n in POWERS_IN_EPS]

    @cached_property
    def inside(self) -> list[Place]:
        places = [(K, at) for K in devices_of(self.run, self.devices) for at in self.sweep]
        found = [place for place in places if self.in_window(*place) and 1 <= self.T(*place) <= LONGEST]
        if len({at for _, at in found}) < FEWEST:
            raise UndecidedError(
                f"fewer than {FEWEST} of the {self.free} tried, {self.sweep}, are in the window of {self.corollary}."
            )
        return found

    @cached_property
    def units(self) -> dict[str, float]:
        """For every free letter a part of what all runs allow; letters come in the order in which they are chosen."""
        counts = self.open_counts
        order = [name for name in self.run.free(self.paper, self.theorem) if name not in counts]
        largest = dict.fromkeys(order, math.inf)
        for place in self.inside:
            known = self.run.given_by(self.setting(*place)) | self.scaled(counts, *place)
            most = chosen(self.paper, self.theorem, known, dict.fromkeys(order, 1.0), order)
            for name in order:
                largest[name] = min(largest[name], most[name] / self.size(name, *place))
        return counts | {n: (SMALL if self.falls(n) else PART) * value for n, value in largest.items()}

    @cached_property
    def open_counts(self) -> dict[str, float]:
        """The units of counts that no condition bounds by itself, such as a period."""
        bounded = {c.name for c in self.theorem.conditions.values() if c.relation in ("<=", "<")}
        free = set(self.run.free(self.paper, self.theorem)) - bounded
        counts = [name for name in self.paper.notation if name in free and self.least(name) is not None]
        return {name: COUNT if self.is_fixed(name) else 1.0 for name in counts}

    def is_fixed(self, name: str) -> bool:
        """Whether the corollary leaves a letter as it is."""
        scaling = self.statement.scalings.get(name)
        return scaling is None or not as_monomial(scaling.order).powers

    def rows(self) -> Iterator[Json]:
        """Inside the window, and where it ends a few runs just outside."""
        for place in self.inside:
            yield {**self.row(*place), "inside": True}
        for place in self.outside():
            try:
                yield {**self.row(*place), "inside": False}
            except OutsideConditionsError as error:
                yield {"K": place[0], self.free: place[1], "inside": False, "refused": str(error)}

    def outside(self) -> list[Place]:
        """With the shortest run, more and more devices until the window ends: the first ones beyond."""
        if not self.statement.window or len(devices_of(self.run, self.devices)) == 1:
            return []
        at = self.sweep[0]
        more = (FACTOR**n for n in range(int(math.log(LONGEST, FACTOR))))
        beyond = ((K, at) for K in more if not self.in_window(K, at) and self.T(K, at) >= 1)
        return list(islice(beyond, OUTSIDE))

    def row(self, K: int, at: float) -> Json:
        setting = self.setting(K, at)
        values = {**self.run.given_by(setting), **self.letters(K, at)}
        sides = self.run.run(self.paper, self.theorem, setting, values)
        bound = evaluate(self.paper, self.theorem.id, values | sides.letters())  # refuses what is outside
        found = {
            "measure": sides.left,
            "bound": bound.total,
            "precision": sides.precision,
            "iterations": setting.T,
            **sides.costs(),
        }
        return {"K": K, self.free: at, **found, **{f"unit of {name}": u for name, u in self.units.items()}}

    def setting(self, K: int, at: float) -> Setting:
        return ordinary(self.run, K, self.T(K, at))

    def T(self, K: int, at: float) -> int:
        return round(at if self.free == "T" else self.size("T", K, at))

    def in_window(self, K: int, at: float) -> bool:
        here = {letter("K"): K, letter(self.free): at}
        return all(bool(relation.subs(here)) for relation in self.statement.window)

    def size(self, name: str, K: int, at: float) -> float:
        """The order of a letter, in numbers."""
        scaling = self.statement.scalings.get(name)
        return number(scaling.order, {"K": K, self.free: at}) if scaling else 1.0

    def falls(self, name: str) -> bool:
        """Whether a letter becomes small along the corollary."""
        if name not in self.statement.scalings:
            return False
        exponent = as_monomial(self.statement.scalings[name].order).exponent(self.free)
        return exponent < 0 if self.free == "T" else exponent > 0

    def letters(self, K: int, at: float) -> dict[str, float]:
        return self.scaled(self.units, K, at)

    def scaled(self, units: Mapping[str, float], K: int, at: float) -> dict[str, float]:
        """Each unit times its order; counts are whole."""
        values = {name: unit * self.size(name, K, at) for name, unit in units.items()}
        counts = {name: least for name in values if (least := self.least(name)) is not None}
        return values | {name: float(max(n, math.floor(values[name]))) for name, n in counts.items()}

    def least(self, name: str) -> int | None:
        """The least that a count may be; None of other letters."""
        return self.paper.notation[name].least
