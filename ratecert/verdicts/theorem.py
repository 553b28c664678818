"""A theorem that is bound to a run, on trial: the search inside its conditions, its terms, what the linter says.

Of the worlds that do not break a bound the nearest one is shown. A bound is attained where a run that moves has the
ratio 1. Of several such worlds the one is shown whose two sides are nearest to 1, made simple, so that a reader can
compute it without a machine. A start says nothing of the method; nor do steps so small that a run hardly moves, or so
large that it only changes sides; and a run so long that it is at its limit tells no bound that is attained from one
that is approached. Where the nearest world stands at an end of what was searched, others may be nearer.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from ratecert.base.chart import Chart
from ratecert.base.errors import NothingTriedError, RatecertError, UndecidedError
from ratecert.base.lists import as_ratio
from ratecert.base.own_code import undecided_by_mistakes
from ratecert.base.words import not_seen
from ratecert.binding.binding import Binding
from ratecert.binding.families import counted
from ratecert.binding.steps import chosen
from ratecert.catalogue import find
from ratecert.catalogue.cases import bound_case
from ratecert.catalogue.version import require_version
from ratecert.claims.check import Check
from ratecert.claims.checks import at_most
from ratecert.claims.claim import Budget, Claim, Json, Piece
from ratecert.claims.lines import figure, level, line
from ratecert.claims.rows import Row, Rows
from ratecert.search.blame import NOTHING_LEFT, of_terms
from ratecert.search.case import Case, Trial, fraction
from ratecert.search.finding import Outcome, falsify
from ratecert.search.simplify import simplified
from ratecert.search.witness import Instance
from ratecert.theory.language.statements import Theorem
from ratecert.theory.numbers.evaluation import evaluate
from ratecert.verdicts.corollary_runs import devices_of, ordinary
from ratecert.verdicts.statement import LINTER, errata_of, findings, sound, unsound

WORLDS, QUICK_WORLDS = (
    256,
    40,
)  # twice as many where a print has mistakes, each of which has a search of its own
POINTS, QUICK_POINTS = 11, 6  # of the figure

ON_QUADRATICS_ALONE = "what of its class is not quadratic: no other world is searched"


def searched(paper: str, theorem: str, variant: str, budget: int, seed: int, code: str) -> list[Json]:
    """Search for a counterexample, and ask of every term whether it is needed; `code`: the version of the file."""
    require_version(paper, code)
    with undecided_by_mistakes():
        case = bound_case(paper, theorem, variant, archived=True)
        outcome = _falsified(case, budget, seed)
        terms = of_terms(case, budget=budget // 4, seed=seed)
    if outcome.unconfirmed:
        raise UndecidedError(
            f"of {outcome.inside} worlds one has measured/bound {outcome.largest:.6g}, which no second way confirms."
        )
    if outcome.findings:
        near = Nearest(outcome.largest, outcome.findings[0].simple.witness.instance)
    else:
        near = nearest(case, outcome)
    found = {
        "largest": min(near.ratio, NOTHING_LEFT),
        "at the start": near.at_start,
        "attained": near.attained,
        "at the end of": ", ".join(near.ends),
        "tried": outcome.tried,
        "inside": outcome.inside,
        "broken after": outcome.broken_after or 0,
        "certified": any(finding.simple.again.measured is not None for finding in outcome.findings),
    }
    return [{**found, **_as_texts(_flat(near.instance))}, *terms]


def _falsified(case: Case, budget: int, seed: int) -> Outcome:
    """Where none of a few worlds is inside the conditions, more are tried."""
    try:
        return falsify(case, budget=budget, seed=seed, jobs=1, advance=lambda _: None)
    except NothingTriedError:
        if budget >= WORLDS:
            raise
        return _falsified(case, WORLDS, seed)


def _flat(instance: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {
        f"{table}.{name}": value for table, entries in instance.items() for name, value in entries.items()
    }


def _as_texts(numbers: Mapping[str, Any]) -> dict[str, Any]:
    """The limit of long runs, T = inf, as a text: JSON has no infinity."""
    return {name: str(value) if value == math.inf else value for name, value in numbers.items()}


def claim_of(key: str, theorem: Theorem, variant: str, code: str) -> Claim:
    """No world that is tried breaks the theorem, and its statement is sound."""
    run = find.bindings(key)[theorem.id]
    errata = errata_of(key, theorem.id)
    because = "; ".join(e.reason for e in errata) or run.because
    return Claim(
        id=f"{theorem.id}.{variant}" if errata else theorem.id,
        of=(theorem.id,),
        sentence=f"{theorem.title}: in its conditions the measure is at most the bound, and the statement is sound.",
        pieces=partial(_pieces, key, theorem.id, variant, code),
        checks=_checks,
        regime=f"inside the theorem's own conditions, on worlds of the families {run.searched}",
        method="exact moments, both sides; a counterexample is confirmed in intervals",
        evidence=("exact moments", "search"),
        settings={"worlds": [each.name for each in run.families]},
        chart=partial(chart, theorem),
        notes=partial(_notes, run, run.because if variant == "printed" else ""),
        table=lambda rows: rows.having("largest"),
        runs=(run.name,),
        because=because if variant == "printed" else "",
    )


def _pieces(key: str, theorem: str, variant: str, code: str, budget: Budget) -> list[Piece]:
    same = {"paper": key, "variant": variant, "code": code}
    mistakes = variant == "printed" and bool(errata_of(key, theorem))
    worlds = QUICK_WORLDS * (1 + mistakes) if budget.quick else WORLDS
    return [
        Piece(searched, {**same, "theorem": theorem, "budget": worlds, "seed": budget.seed}, 0.1 * worlds),
        Piece(findings, {**same, "statement": theorem}),
        Piece(curve, {**same, "theorem": theorem, "points": QUICK_POINTS if budget.quick else POINTS}),
    ]


def _checks(rows: Rows) -> Iterator[Check]:
    search = rows.having("largest").only()
    yield at_most(
        "largest measured/bound of the worlds inside the conditions", search["largest"], 1.0
    )  # rounding is taken off what was measured
    yield sound(rows)


def _notes(run: Binding, because: str, rows: Rows) -> list[str]:
    """Tight or loose, which terms are needed, which were never tested, and what quadratics cannot see."""
    said = [*_nearness(rows.having("largest").only(), run.rests), *([f"Why: {because}."] if because else [])]
    if not rows.having("largest").only()["largest"] > 1 and unsound(rows):
        said = ["The linter alone speaks against it: no world that was tried breaks the bound.", *said]
    said += [f"{LINTER}{row['finding']}, at {row['place']}: printed {row['says']}." for row in unsound(rows)]
    for row in rows.having("term"):
        ratio = row["without it"]
        left = f"measured/bound is {ratio:.3g}" if ratio < NOTHING_LEFT else "nothing is left of the bound"
        needed = f"needed: without it {left} at some world"
        spare = "not needed by any world that was tried"
        where = (
            f"leads in {row['leads in']} worlds, measured/bound there up to {row['largest there']:.3g}"
            if row["leads in"]
            else "never tested: it is nowhere the larger part of the bound"
        )
        said.append(f"Term {row['term']}: {needed if ratio > 1 else spare}; {where}.")
    blind = run.blind or (ON_QUADRATICS_ALONE if _leaves_room(rows.having("largest").only()) else "")
    return [*said, *([not_seen(blind)] if blind else [])]


def _leaves_room(search: Row) -> bool:
    """Whether no world attains the bound, so that others may come nearer."""
    return not search["largest"] > 1 and not search["attained"]


def _nearness(search: Row, rests: str) -> list[str]:
    """How near worlds come to the bound, where none breaks it."""
    largest = search["largest"]
    if largest > 1:
        return []
    limits = "Not refuted is not proved: the worlds are quadratic, and finitely many."
    if search.get("at the start") is not None:
        ratio = as_ratio(search["at the start"], attained=False)
        limits = f"At the first iterate, before any step, measured/bound is up to {ratio}. {limits}"
    if rests and largest >= ATTAINED:
        return [f"A ratio of 1 says nothing here: {rests}.", limits]
    if search["attained"]:
        return ["The bound is attained: measured/bound is 1 at a world that was tried.", limits]
    if largest >= ATTAINED:
        return [
            "The bound is approached as steps become small, where a run hardly moves, and not attained.",
            limits,
        ]
    ends = search.get("at the end of")
    beyond = (
        f" It stands at an end of what is searched, in {ends}; beyond it others may be nearer."
        if ends
        else ""
    )
    return [f"The nearest world has measured/bound {as_ratio(largest, attained=False)}.{beyond}", limits]


# The world that comes nearest to a bound that none breaks.

ATTAINED = 1 - 1e-9  # all but what the engine states as its error
SHORT = 16  # iterations: with more, what is approached cannot be told from what is attained
SAME = 1e-9  # relative: what has not changed
NOT_SMALL = 1e-2  # of the largest steps: with smaller ones many bounds are attained by rest
NATURAL = 1.0  # as an end: no spread, one iteration
Numbers = Mapping[str, float]


@dataclass(frozen=True)
class Nearest:
    ratio: float
    instance: Instance
    attained: bool = False
    at_start: float | None = None  # the ratio before any step, where that is the largest of all
    ends: tuple[str, ...] = ()  # numbers that are the smallest or the largest of those searched


def nearest(case: Case, outcome: Outcome) -> Nearest:
    """Of all worlds that were tried, after a step where there is one."""
    attaining = {} if case.binding.rests else _attaining(case)
    if attaining:
        return Nearest(_tried(case, attaining).ratio, case.instance(attaining, case.source), attained=True)
    ratio, numbers = nearest_ratio(case)
    if not numbers:
        return Nearest(outcome.largest, outcome.nearest)
    before = outcome.largest if outcome.nearest["run"]["T"] == 0 else None
    return Nearest(ratio, case.instance(numbers, case.source), at_start=before, ends=_ends(case, numbers))


def nearest_ratio(case: Case) -> tuple[float, Numbers]:
    """The largest ratio after a step, and its numbers."""
    fit = [(trial.ratio, numbers) for numbers, trial in case.archive or [] if _moves(case, numbers)]
    return max(fit, key=lambda pair: pair[0], default=(0.0, {}))


def _moves(case: Case, numbers: Numbers, least: float = 0.0) -> bool:
    """Whether there is a step, and all letters are at least this part of the most they may be."""
    return numbers["T"] >= 1 and all(numbers[fraction(name)] >= least for name in case.letters)


def _attaining(case: Case) -> Numbers:
    """Numbers with which the bound is attained, as simple as they become; none where there are no such."""
    found = [(trial, numbers) for numbers, trial in case.archive or [] if _attains(case, trial, numbers)]
    if not found:
        return {}
    _, numbers = min(found, key=lambda pair: abs(math.log(pair[0].bound)))

    def holds(table: Instance) -> bool:
        numbers = table["numbers"]
        try:
            return case.in_range(numbers) and _attains(case, _tried(case, numbers), numbers)
        except (ArithmeticError, ValueError):
            return False

    return simplified({"numbers": counted(case.levels, numbers)}, holds)["numbers"]


def _attains(case: Case, trial: Trial, numbers: Numbers) -> bool:
    near = trial.ratio >= ATTAINED and numbers["T"] <= SHORT and _moves(case, numbers, NOT_SMALL)
    return near and not math.isclose(case.at_start(numbers), trial.measured, rel_tol=SAME)


def _tried(case: Case, numbers: Numbers) -> Trial:
    return case.draw(numbers, case.source)


def _ends(case: Case, numbers: Numbers) -> tuple[str, ...]:
    """Of the world's own numbers and of T, those that cannot go on in one direction, unless that means nothing."""
    own = {level.name for level in case.family(numbers).levels} | {"T"}
    return tuple(
        level.name
        for level in case.levels
        if level.name in own
        and level.place(numbers[level.name]) in (0.0, 1.0)
        and numbers[level.name] not in (0.0, NATURAL)
    )


# The figure: both sides and every term against T; where no ordinary run can be drawn, the search.

LONGEST = 2**40
DEVICES = 8
TINY = 1e-40  # beside the largest bound
PART = 0.5  # of the largest steps


def curve(paper: str, theorem: str, variant: str, points: int, code: str) -> list[Json]:
    """Both sides and every term against T, on an ordinary world with half the largest steps; nothing where refused."""
    require_version(paper, code)
    with undecided_by_mistakes():
        return list(_curve(bound_case(paper, theorem, variant), points))


def _curve(case: Case, points: int) -> Iterator[Json]:
    run, source, theorem = case.binding, case.source, case.theorem
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
