"""Instances in simpler numbers, where those of a witness do not do: short runs, powers of four, steps of few digits.

They need not be near in any other sense: a statement is false wherever it is broken, and what is asked for is an
instance that shows the same mistake. Each is tried in doubles before it is handed on.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import product

from ratecert.binding.families import Family
from ratecert.binding.steps import chosen
from ratecert.search.blame import cured, source_of
from ratecert.search.case import Case
from ratecert.search.witness import Instance
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Theorem

LENGTHS = (1, 2, 4, 8, 16, 32, 64)
PARTS = (1.0, 0.5, 0.2, 0.1)  # of the most that a letter may be
CLEAR = 1.05  # how far the bound has to be broken, in doubles
MANY = 2  # devices, where the witness has more
MOST = 6000  # instances that are tried

Table = Mapping[str, float]


def nearby(case: Case, place: str, instance: Instance) -> Iterator[Instance]:
    """Those that break the statement by doubles, the simplest first."""
    source, own = source_of(case, place), case.family_of(instance)
    devices = sorted({1, min(instance["run"]["K"], MANY)}) if case.binding.devices else [1]
    worlds, parts = _worlds(own, instance[own.name]), (None, *PARTS)
    lengths = (0, *LENGTHS) if case.binding.begins_at_start else LENGTHS
    every = product(lengths, worlds, devices, parts, (math.floor, math.ceil))
    seen: list[Instance] = []
    for _, (T, world, K, part, towards) in zip(range(MOST), every, strict=False):
        letters = instance["letters"] if part is None else part
        try:
            found = _instance(case, source, own, world, {"K": K, "T": T}, letters, towards)
            if found in seen:
                continue
            seen.append(found)
            if _breaks(case, place, found, source):
                yield found
        except (ArithmeticError, ValueError):
            continue


def _worlds(own: Family, world: Table) -> list[Table]:
    """Rounded; held where a search holds them; each number at the ends of its range; and as they are."""
    short = {name: float(f"{value:.1e}") for name, value in world.items()}
    fours, tens = ({name: _power(base, value) for name, value in world.items()} for base in (4.0, 10.0))
    bases = [short, fours, tens, *({**fours, **held} for held in own.held)]
    ends = [{level.name: end} for level in own.levels for end in (level.low, level.high)]
    every = [*bases, dict(world), *({**base, **end} for base in bases for end in ends)]
    return [each for i, each in enumerate(every) if each not in every[:i]]


def _power(base: float, value: float) -> float:
    """The nearest; zero stays."""
    return float(base ** round(math.log(value, base))) if value > 0 else value


def _instance(
    case: Case,
    source: Paper,
    own: Family,
    world: Table,
    run: Mapping[str, int],
    letters: Table | float,
    towards: Callable[[float], int],
) -> Instance:
    made: Instance = {own.name: world, "run": {**run, "K": own.count(world) or run["K"]}, "letters": {}}
    if isinstance(letters, float):
        setting, _ = case.setting_and_letters(made)
        known, theorem = case.binding.given_by(setting), source.the(Theorem, case.statement)
        letters = chosen(
            source,
            theorem,
            known,
            dict.fromkeys(case.letters, letters),
            case.letters,
            case.at_least,
        )
    return {**made, "letters": {name: _short(value, towards) for name, value in letters.items()}}


def _short(value: float, towards: Callable[[float], int]) -> float:
    """At most two digits; what has them already stays."""
    if value <= 0 or float(f"{value:.1e}") == value:
        return value
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{towards(value / unit) * unit:.1e}")


def _breaks(case: Case, place: str, instance: Instance, source: Paper) -> bool:
    """By a finite factor, and because of this mistake."""
    tried = case.attempt(instance, source)
    if not CLEAR < tried.ratio < math.inf:
        return False
    return not place or case.ratio_in(tried, cured(case, (place,))) <= 1
