"""Both sides along T, K and other counts, at the world that comes nearest to the sharpened bound, as a figure."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ratecert.claim.chart import Chart, Panel, Series
from ratecert.executable.search_space import Level
from ratecert.registry import paper
from ratecert.sharpening.letters import letter_along
from ratecert.sharpening.whole import Sharpened
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Theorem

ALONG = ("T", "K", "p")  # and whatever else is a count
POINTS = 13


@dataclass(frozen=True)
class Row:
    value: float
    measured: float
    printed: float
    sharpened: float


def curves(result: Sharpened) -> dict[str, list[Row]]:
    """By the name of what is varied; what is held at infinity, or does not vary, is left out."""
    factors = np.array(list(result.bound.factors.values()))
    nearest = result.book.seen[int(np.argmax(result.book.ratios(factors)))].numbers
    source = paper(result.case.variant, result.case.key)
    theorem = source.the(Theorem, result.case.statement)
    letters = {letter_along(level.name, theorem, source): level for level in result.case.levels}
    levels = {name: level for name, level in letters.items() if name in ALONG or _counts(source, name)}
    found = {
        name: list(_curve(result, factors, nearest, name, level))
        for name, level in levels.items()
        if level.low <= nearest[level.name] <= level.high
    }
    return {name: rows for name, rows in found.items() if len(rows) > 1}


def _counts(source: Paper, name: str) -> bool:
    return name in source.notation and source.notation[name].least is not None


def _curve(
    result: Sharpened, factors: np.ndarray, nearest: Mapping[str, float], letter: str, level: Level
) -> Iterator[Row]:
    source = paper(result.case.variant, result.case.key)
    done = set()
    for number in dict.fromkeys(level.value(u) for u in np.linspace(0.0, 1.0, POINTS)):
        try:
            trial = result.case.draw({**nearest, level.name: number}, source)
        except (ArithmeticError, ValueError):
            continue
        terms = np.array(list(trial.terms.values()))
        value = number if letter == level.name else trial.values[letter]
        row = Row(value, trial.measured, math.fsum(terms), float(terms @ factors))
        if min(row.measured, row.sharpened) > 0 and value not in done:
            done.add(value)
            yield row


def chart(result: Sharpened, found: Mapping[str, list[Row]]) -> Chart:
    """One panel for each of what is varied."""
    return Chart(
        caption=f"{result.id}: the printed and the sharpened bound at the world that comes nearest to the latter.",
        panels=[_panel(name, rows) for name, rows in found.items()],
    )


def _panel(name: str, rows: list[Row]) -> Panel:
    x = [row.value for row in rows]
    return Panel(
        x_label=f"${name}$",
        y_label="measured, and both bounds",
        series=[
            Series(label="printed bound", x=x, y=[row.printed for row in rows], kind="bound", colour=6),
            Series(
                label="sharpened (conjecture)",
                x=x,
                y=[row.sharpened for row in rows],
                kind="predicted",
                colour=1,
            ),
            Series(label="measured", x=x, y=[row.measured for row in rows], colour=0),
        ],
    )
