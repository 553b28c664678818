"""The figure of a theorem: both sides and every term against T; where no ordinary run can be drawn, the search."""

import math
from collections.abc import Iterator

from ratecert.base.chart import Chart
from ratecert.base.errors import RatecertError
from ratecert.base.own_code import undecided_by_mistakes
from ratecert.binding.steps import chosen
from ratecert.catalogue import find
from ratecert.catalogue.version import require_version
from ratecert.claims.claim import Json
from ratecert.claims.lines import figure, level, line
from ratecert.claims.rows import Rows
from ratecert.search.theorem_case import TheoremCase
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Theorem
from ratecert.theory.numbers.evaluation import evaluate
from ratecert.verdicts.ordinary import devices_of, ordinary

LONGEST = 2**40
DEVICES = 8
TINY = 1e-40  # beside the largest bound
PART = 0.5  # of the largest steps


def curve(paper: str, theorem: str, variant: str, points: int, code: str) -> list[Json]:
    """Both sides and every term against T, on an ordinary world with half the largest steps; nothing where refused."""
    require_version(paper, code)
    with undecided_by_mistakes():
        return list(_curve(TheoremCase(paper, theorem, variant), find.paper(variant, paper), points))


def _curve(case: TheoremCase, source: Paper, points: int) -> Iterator[Json]:
    run, theorem = case.binding, source.the(Theorem, case.statement)
    for T in _times(run.most_iterations, points):
        try:
            setting = ordinary(run, devices_of(run, (DEVICES,))[0], T)
            fractions = dict.fromkeys(case.letters, PART)
            known = run.given_by(setting)
            values = known | chosen(source, theorem, known, fractions, case.letters, run.at_least)
            sides = run.run(source, theorem, setting, values)
            bound = evaluate(source, theorem.id, values | sides.letters())
        except RatecertError:
            continue
        yield {
            "curve of T": T,
            "left": sides.left,
            "bound": bound.total,
            **{f"term.{name}": value for name, value in bound.terms.items()},
        }


def _times(most: int, points: int) -> list[int]:
    """From 1 to the most that a search tries, evenly in logarithms."""
    last = math.log(min(most, LONGEST))
    return sorted({round(math.exp(last * i / (points - 1))) for i in range(points)})


def _visible(runs: Rows) -> Rows:
    """Without what is too small beside the start to be drawn on one axis, as linear rates soon become."""
    largest = max((row["bound"] for row in runs), default=0.0)
    return Rows(row for row in runs if min(row["left"], row["bound"]) > TINY * max(largest, 1.0))


def _ratio_alone(theorem: Theorem, rows: Rows) -> Chart:
    """Where no ordinary run can be drawn: how near the search came to the bound."""
    search = rows.having("largest")
    return figure(
        f"{theorem.title}: the largest measured/bound of {search.only().get('inside')} worlds.",
        "worlds inside the conditions",
        "measured/bound",
        [
            level("the bound", [1.0, float(search.only()["inside"])], 1.0, kind="bound", colour=6),
            line("largest found", search, "inside", "largest", kind="points", colour=0),
        ],
    )


def chart(theorem: Theorem, rows: Rows) -> Chart:
    runs = _visible(rows.having("curve of T"))
    terms = [name for name in theorem.terms if runs and all(row[f"term.{name}"] > TINY for row in runs)]
    if not runs:
        return _ratio_alone(theorem, rows)
    return figure(
        f"{theorem.title}: both sides on an ordinary world, with half the largest steps.",
        "iterations $T$",
        "measured, and the bound",
        [
            line("the bound: sum of all terms", runs, "curve of T", "bound", kind="bound", colour=6),
            *(
                line(name, runs, "curve of T", f"term.{name}", kind="predicted", colour=1 + i % 5)
                for i, name in enumerate(terms)
                if len(theorem.terms) > 1
            ),
            line("measured", runs, "curve of T", "left", colour=0),
        ],
    )
