"""What sharpening came to, as text and as JSON."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import sympy
from rich.table import Table

from ratecert.base.chart import Chart, Panel, Series
from ratecert.base.lists import as_ratio, as_text
from ratecert.base.terminal import columns, folded
from ratecert.binding.families import Level
from ratecert.search.case import Case, Trial
from ratecert.search.finding import Confirmed
from ratecert.search.objective import Numbers
from ratecert.sharpening.beyond import FURTHEST, Room
from ratecert.sharpening.least import rounded_up
from ratecert.sharpening.powers import SAME, Exponent, letter_along
from ratecert.sharpening.sharpen import TIGHT, Sharpened
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Theorem
from ratecert.typeset.outline import AT_MOST
from ratecert.typeset.printed import as_formulas

ENDS = ("from", "to")  # of a power: its two worlds
NEARLY_ONE = 1.005


def as_lines(result: Sharpened, files: Mapping[str, Path]) -> str:
    """Tables of terms, conditions and exponents, and the sharpened statement."""
    tables = [_terms(result)]
    tables += [_conditions(result)] if result.room else []
    tables += [_exponents(result)] if result.exponents else []
    parts = [folded(headline(result)), *(as_text(table, columns()) for table in tables)]
    parts += [f"{line}\n" for line in _conjecture(result)]
    parts += [f"{name:<12} {path}\n" for name, path in files.items() if not name.endswith(ENDS)]
    if any(each.pair for each in result.exponents):
        parts.append("Every power has a file for each of its two worlds, ...along-LETTER-from and -to.\n")
    return "".join(parts)


def headline(result: Sharpened) -> str:
    worlds = f"{len(result.book.seen)} worlds kept of those tried"
    if result.exceeded:
        what = (
            f"DOES NOT HOLD as it stands: measured/bound is {as_ratio(result.worst, 3)} at a world; `ratecert falsify` "
            "tells what is wrong, and the factors below would mend it"
        )
    elif result.tight:
        what = f"nothing to sharpen: every term has a world that needs at least {TIGHT:.0%} of its constant"
    else:
        what = (
            f"{about(result.bound.gain)} times smaller in the geometric mean, as far as these worlds can tell"
        )
    return f"{result.id} ({result.case.variant}): {what}; {worlds}."


def _terms(result: Sharpened) -> Table:
    title = "With the other terms as they are, no proof can bring a constant below these factors of its own"
    table = Table(title=title)
    for name in ("term", "least factor", "sharpened", "a world that needs it"):
        table.add_column(
            name, overflow="fold", justify="right" if name in ("least factor", "sharpened") else "left"
        )
    for each in result.least:
        factor, world = f"{each.factor:.4g}", in_words(each.witness)
        if not each.factor:
            world = "not needed on the worlds tried"
        table.add_row(each.term, factor, f"{result.bound.factors[each.term]:.3g}", world)
    return table


def _conditions(result: Sharpened) -> Table:
    table = Table(title="How far beyond its condition a step breaks the bound; nearer ones may break it, too")
    for name in ("condition", "clause", "broken at", "the world"):
        table.add_column(name, overflow="fold", justify="right" if name == "broken at" else "left")
    for each in result.room:
        table.add_row(each.place.removeprefix("condition."), clause_of(result, each), *fate_of(each))
    return table


def clause_of(result: Sharpened, room: Room) -> str:
    """The right side, after what is on the left where that is more than the step itself."""
    theorem = result.case.theorem
    name = room.place.split(".")[1]
    condition = theorem.conditions[name]
    left = "" if str(condition.left) == name else f"{condition.left} {condition.relation} "
    return f"{left}{room.clause}"


def fate_of(room: Room) -> tuple[str, str]:
    """From where on the bound breaks, and at which world."""
    if room.breaks_at is not None:
        return f"{times(room.breaks_at)} times", in_words(room.witness)
    if room.worlds:
        return "not seen", f"none of {room.worlds} worlds, up to {FURTHEST:.0f} times"
    return "not tried", room.untried or "beyond it nothing can be run"


def about(number: float) -> str:
    """In two digits: about 260, about 7.8e+06."""
    return f"about {float(f'{number:.2g}'):g}"


def times(factor: float) -> str:
    """Rounded up, so that it still breaks: 1.71, and 1 + 6e-07 where three digits would not tell it from 1."""
    return f"{rounded_up(factor):.3g}" if factor >= NEARLY_ONE else f"1 + {rounded_up(factor - 1, 1):.1g}"


def _exponents(result: Sharpened) -> Table:
    table = Table(title="Powers, and those that worlds were found to need; a smaller one is a conjecture")
    for name in ("term", "along", "printed", "needed", "least factors there"):
        table.add_column(name, overflow="fold")
    for each in result.exponents:
        factors = ", ".join(f"{point.factor:.3g} at {point.value:.3g}" for point in each.points)
        printed = "no power" if each.printed is None else f"{each.printed:g}"
        table.add_row(each.term, letter_along(each.along, result.case), printed, power_of(each), factors)
    return table


def power_of(exponent: Exponent) -> str:
    """In words: the same, another power, or none to be seen."""
    if exponent.change is None:
        return "not seen" if len(exponent.slopes) > 1 else "too few worlds"
    doubt = "" if exponent.pair else " (not confirmed)"
    if abs(exponent.change) < SAME:
        return f"the same{doubt}"
    power = f"{exponent.change:+.1f}" if exponent.needed is None else f"{exponent.needed:.1f}"
    return power + doubt


def in_words(found: Confirmed | None) -> str:
    """The numbers of a world, the zeros left out."""
    if found is None:
        return ""
    entries = [
        f"{name} = {short(value)}" if isinstance(value, (int, float)) else f"{name} = {value}"
        for table in found.witness.instance.values()
        for name, value in table.items()
        if value != 0
    ]
    return ", ".join(entries)


def short(value: float) -> str:
    """Four digits, or seven where four would hide that a step is the edge of its condition and a little more."""
    two, four = f"{value:.2g}", f"{value:.4g}"
    return f"{value:.7g}" if float(two) == float(four) != value else four


def _conjecture(result: Sharpened) -> list[str]:
    printed = result.case.theorem.terms
    kept = {name: factor for name, factor in result.bound.factors.items() if factor}
    tried = f"{_fate(result)}; largest measured/bound {as_ratio(result.bound.largest, 6)}"
    blind = result.case.binding.blind
    return [
        f"Conjecture ({tried}):",
        *(
            f"  {' +' if i else '<='} {factor:.3g} ({printed[name]})    [{name}]"
            for i, (name, factor) in enumerate(kept.items())
        ),
        *([f"What these worlds cannot show: {blind}"] if blind else []),
    ]


def _fate(result: Sharpened) -> str:
    """How the conjecture fared; one that was made after the last trial has not been tried."""
    if not result.survived:
        return f"NOT TRIED: {len(result.trials)} before it fell, and it fits their worlds"
    fallen = len(result.trials) - 1
    return f"not exceeded by {result.trials[-1]} fresh worlds" + (
        f"; {fallen} before it fell" if fallen else ""
    )


def as_object(result: Sharpened, files: Mapping[str, Path]) -> dict[str, Any]:
    """For --json."""
    return {
        "statement": result.id,
        "variant": result.case.variant,
        "budget": result.budget,
        "seed": result.seed,
        "tight": result.tight,
        "worst": result.worst,
        "gain": result.bound.gain,
        "largest": result.bound.largest,
        "survived": result.survived,
        "formula": as_inequality(result),
        "trials": list(result.trials),
        "blind": result.case.binding.blind,
        "terms": [
            {
                "term": each.term,
                "least": each.factor,
                "sharpened": result.bound.factors[each.term],
                "world": _in_json(each.witness) if each.witness else None,
            }
            for each in result.least
        ],
        "conditions": [
            {
                "place": each.place,
                "clause": clause_of(result, each),
                "breaks_at": each.breaks_at,
                "worlds": each.worlds,
                "untried": each.untried,
            }
            for each in result.room
        ],
        "exponents": [
            {
                "term": each.term,
                "along": letter_along(each.along, result.case),
                "level": each.along,
                "printed": each.printed,
                "change": each.change,
                "points": [[point.value, point.factor] for point in each.points],
            }
            for each in result.exponents
        ],
        "files": {name: str(path) for name, path in files.items()},
    }


def _in_json(found: Confirmed) -> dict[str, dict[str, float | str]]:
    """The numbers of a world; an endless run, which JSON has no number for, as a text."""
    return {
        table: {name: value if math.isfinite(value) else str(value) for name, value in numbers.items()}
        for table, numbers in found.witness.instance.items()
    }


# The sharpened statement as a theorem: each term with its factor in front, and dropped terms left out.


def sharpened_theorem(result: Sharpened) -> tuple[Paper, Theorem]:
    """With the paper whose letters it is written in. A conjecture, and its title says so."""
    source, printed = result.case.source, result.case.theorem
    terms = {
        name: _with_factor(factor, printed.terms[name])
        for name, factor in result.bound.factors.items()
        if factor
    }
    return source, replace(printed, title=f"{printed.title}, sharpened (a conjecture)", terms=terms)


def as_inequality(result: Sharpened) -> str:
    """The measure and its sharpened bound, in LaTeX."""
    source, theorem = sharpened_theorem(result)
    terms = (latex for _, latex in dict(as_formulas(source, theorem))[AT_MOST])
    return rf"{theorem.measure} \;\le\; {' + '.join(terms)}"


def _with_factor(factor: float, term: sympy.Expr) -> sympy.Expr:
    """0.334 (c t), so that the printed constant is still to be seen."""
    return term if factor == 1 else sympy.Mul(sympy.Float(f"{factor:.3g}", 3), term, evaluate=False)


# How much too large both bounds are along T, K and other counts, as a figure. At every value the worlds that came
# nearest to one of the bounds are moved there, one of every subspace; a bound is measured against the one that it
# covers most tightly, which need not be the same for both.

ALONG = ("T", "K", "p")  # and whatever else is a count
POINTS = 13
WORLDS = 5  # that are moved, for each bound


@dataclass(frozen=True)
class Row:
    """Bound over measured, the smallest of the worlds that were moved there."""

    value: float
    printed: float
    sharpened: float


def curves(result: Sharpened) -> dict[str, list[Row]]:
    """By the name of what is varied; what does not vary is left out."""
    factors = np.array(list(result.bound.factors.values()))
    worlds = [world for each in (np.ones(len(factors)), factors) for world in _nearest(result, each)]
    letters = {letter_along(level.name, result.case): level for level in result.case.levels}
    levels = {name: level for name, level in letters.items() if name in ALONG or _is_count(result.case, name)}
    found = {name: list(_curve(result, factors, worlds, name, level)) for name, level in levels.items()}
    return {name: rows for name, rows in found.items() if len(rows) > 1}


def _nearest(result: Sharpened, factors: np.ndarray) -> list[Numbers]:
    """The worlds that come nearest to the bound with these factors."""
    peaks = result.book.peaks(result.book.ratios(factors), result.case.subspaces)
    return [world for _, world in peaks[:WORLDS]]


def _is_count(case: Case, name: str) -> bool:
    return name in case.source.notation and case.source.notation[name].least is not None


def _curve(
    result: Sharpened, factors: np.ndarray, worlds: Sequence[Numbers], letter: str, level: Level
) -> Iterator[Row]:
    done = set()
    for number in dict.fromkeys(level.value(u) for u in np.linspace(0.0, 1.0, POINTS)):
        trials = list(_moved(result, worlds, level, number))
        if not trials:
            continue
        value = number if letter == level.name else trials[0].values[letter]
        terms = np.array([list(trial.terms.values()) for trial in trials])
        measured = np.array([trial.measured for trial in trials])
        if value not in done:
            done.add(value)
            yield Row(
                value, float((terms.sum(axis=1) / measured).min()), float((terms @ factors / measured).min())
            )


def _moved(result: Sharpened, worlds: Sequence[Numbers], level: Level, number: float) -> Iterator[Trial]:
    """What is measured at the worlds with another number in the place of theirs, where something is."""
    for world in worlds:
        try:
            trial = result.case.draw({**world, level.name: number}, result.case.source)
        except (ArithmeticError, ValueError):
            continue
        if trial.measured > 0:
            yield trial


def chart(result: Sharpened, found: Mapping[str, list[Row]]) -> Chart:
    """One panel for each of what is varied."""
    return Chart(
        caption=f"{result.id}: how much larger than what is measured the bounds are, at the worlds nearest to them.",
        panels=[_panel(name, rows) for name, rows in found.items()],
    )


def _panel(name: str, rows: list[Row]) -> Panel:
    x = [row.value for row in rows]
    return Panel(
        x_label=f"${name}$",
        y_label="bound/measured, the smallest found",
        series=[
            Series(label="printed bound", x=x, y=[row.printed for row in rows], kind="bound", colour=6),
            Series(
                label="sharpened (conjecture)",
                x=x,
                y=[row.sharpened for row in rows],
                kind="predicted",
                colour=1,
            ),
            Series(label="measured", x=x, y=[1.0] * len(x), colour=0),
        ],
    )
