"""How much too large both bounds are along T, K and other counts, as a figure.

At every value the worlds that came nearest to one of the bounds are moved there, one of every subspace; a bound is
measured against the one that it covers most tightly, which need not be the same for both.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ratecert.base.chart import Chart, Panel, Series
from ratecert.binding.families import Level
from ratecert.catalogue.find import paper
from ratecert.search.falsifiable import Trial
from ratecert.search.landscape import Numbers
from ratecert.sharpening.letters import letter_along
from ratecert.sharpening.whole import Sharpened
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Theorem

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
    source = paper(result.case.variant, result.case.key)
    theorem = source.the(Theorem, result.case.statement)
    letters = {letter_along(level.name, theorem, source): level for level in result.case.levels}
    levels = {name: level for name, level in letters.items() if name in ALONG or _counts(source, name)}
    found = {name: list(_curve(result, factors, worlds, name, level)) for name, level in levels.items()}
    return {name: rows for name, rows in found.items() if len(rows) > 1}


def _nearest(result: Sharpened, factors: np.ndarray) -> list[Numbers]:
    """The worlds that come nearest to the bound with these factors."""
    peaks = result.book.peaks(result.book.ratios(factors), result.case.subspaces)
    return [world for _, world in peaks[:WORLDS]]


def _counts(source: Paper, name: str) -> bool:
    return name in source.notation and source.notation[name].least is not None


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
    source = paper(result.case.variant, result.case.key)
    for world in worlds:
        try:
            trial = result.case.draw({**world, level.name: number}, source)
        except (ArithmeticError, ValueError):
            continue
        if trial.measured > 0 and trial.certified:
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
