"""A theorem that is bound to a run, on trial: the search inside its conditions, its terms, what the linter says.

Of the worlds that do not break a bound the nearest one is shown. A bound is attained where a run that moves has the
ratio 1. Of several such worlds the one is shown whose two sides are nearest to 1, made simple, so that a reader can
compute it without a machine. A start says nothing of the method; nor do steps so small that a run hardly moves, or so
large that it only changes sides; and a run so long that it is at its limit tells no bound that is attained from one
that is approached. Where the nearest world stands at an end of what was searched, others may be nearer.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from ratecert.base.chart import Chart
from ratecert.base.errors import NothingTriedError, RatecertError, UndecidedError
from ratecert.base.lists import BEYOND, as_number, as_ratio
from ratecert.base.words import not_seen
from ratecert.binding.binding import Binding
from ratecert.binding.families import counted
from ratecert.binding.steps import chosen
from ratecert.catalogue import find
from ratecert.catalogue.cases import bound_case
from ratecert.claims.check import Check, at_most
from ratecert.claims.claim import Budget, Claim, Json, Task
from ratecert.claims.rows import Row, Rows, figure, flat, level, line
from ratecert.search.blame import of_terms
from ratecert.search.case import Case, Trial, fraction
from ratecert.search.finding import Outcome, falsify
from ratecert.search.simplify import simplified
from ratecert.search.witness import Instance
from ratecert.theory.numbers.evaluation import evaluate
from ratecert.theory.statements import Theorem
from ratecert.verdicts.corollary_runs import devices_of, ordinary
from ratecert.verdicts.statement import (
    IN_FRACTIONS,
    LINTER,
    Variant,
    errata_of,
    findings,
    in_fractions,
    of_paper,
    proofs_of,
    sound,
    unsound,
    without_infinity,
)

WORLDS, QUICK_WORLDS = (
    256,
    40,
)  # quick: twice as many where a print has mistakes, each of which has its own search
POINTS, QUICK_POINTS = 11, 6  # of the figure
ON_QUADRATICS_ALONE = "what of its class is not quadratic: no other world is searched"
NOT_PROVED = "Not refuted is not proved: the worlds are quadratic, and finitely many."


def claim_of(variant: Variant, theorem: Theorem) -> Claim:
    """No world that is tried breaks the theorem, and its statement is sound."""
    run = find.bindings(variant.key)[theorem.id]
    why = run.because if variant.name == "printed" else ""
    proofs = proofs_of(variant.key, theorem.id) if variant.name == "printed" else []
    searches = bound_case(variant.key, theorem.id, variant.name).searched
    claim = variant.claim(
        theorem,
        ": in its conditions the measure is at most the bound, and the statement is sound.",
        tasks=lambda budget: [*_tasks(variant, theorem.id, budget), *proofs],
        checks=_checks,
        regime=f"inside the theorem's own conditions, on worlds of the families {searches}",
        method="exact moments, both sides; a counterexample is confirmed in intervals",
        evidence=("exact moments", "search", *(IN_FRACTIONS if proofs else ())),
        settings={"worlds": [each.name for each in run.families]},
        chart=partial(chart, theorem),
        notes=lambda rows: list(_notes(run, why, rows)),
        table=lambda rows: rows.having("largest"),
    )
    return replace(claim, because=claim.because or why)


def _tasks(variant: Variant, theorem: str, budget: Budget) -> list[Task]:
    mistakes = variant.name == "printed" and bool(errata_of(variant.key, theorem))
    worlds = QUICK_WORLDS * (1 + mistakes) if budget.quick else WORLDS
    return [
        variant.task(searched, 0.1 * worlds, theorem=theorem, budget=worlds, seed=budget.seed),
        variant.task(findings, statement=theorem),
        variant.task(curve, theorem=theorem, points=QUICK_POINTS if budget.quick else POINTS),
    ]


def _checks(rows: Rows) -> Iterator[Check]:
    search = rows.having("largest").only()
    yield at_most(
        "largest measured/bound of the worlds inside the conditions", search["largest"], 1.0
    )  # rounding is taken off what was measured
    yield from in_fractions(rows)
    yield sound(rows)


def _notes(run: Binding, why: str, rows: Rows) -> Iterator[str]:
    """Tight or loose, which terms are needed, which were never tested, and what quadratics cannot see."""
    search, wrong = rows.having("largest").only(), unsound(rows)
    broken = search["largest"] > 1
    if wrong and not broken:
        yield "The linter alone speaks against it: no world that was tried breaks the bound."
    if not broken:
        yield _nearness(search, run.rests)
        if search.get("at the start") is not None:
            ratio = as_ratio(search["at the start"], attained=False)
            yield f"At the first iterate, before any step, measured/bound is up to {ratio}. {NOT_PROVED}"
        else:
            yield NOT_PROVED
    if search.get("interpreted"):
        yield f"{search['interpreted']}."
    if why:
        yield f"Why: {why}."
    yield from (f"Taken: {said}." for said in run.taken)
    yield from (f"{LINTER}{row['finding']}, at {row['place']}: printed {row['says']}." for row in wrong)
    yield from map(_of_term, rows.having("term"))
    unseen = run.blind or ("" if broken or search["attained"] else ON_QUADRATICS_ALONE)
    if unseen:
        yield not_seen(unseen)


def _nearness(search: Row, rests: str) -> str:
    """How near worlds come to the bound, where none breaks it."""
    largest, ends = search["largest"], search.get("at the end of")
    if rests and largest >= ATTAINED:
        return f"A ratio of 1 says nothing here: {rests}."
    if search["attained"]:
        return f"The bound is attained: measured/bound is 1 at a world of the family {search['family']}."
    if largest >= ATTAINED:
        return "The bound is approached as steps become small, where a run hardly moves, and not attained."
    said = f"The nearest world has measured/bound {as_ratio(largest, attained=False)}."
    beyond = f" It stands at an end of what is searched, in {ends}; beyond it others may be nearer."
    return said + (beyond if ends else "")


def _of_term(row: Row) -> str:
    ratio, said = row["without it"], "not needed by any world that was tried"
    if ratio > 1:
        left = f"measured/bound is {ratio:.3g}" if ratio < BEYOND else "nothing is left of the bound"
        said = f"needed: without it {left} at some world"
    where = "never tested: it is nowhere the larger part of the bound"
    if row["leads in"]:
        where = f"leads in {row['leads in']} worlds, measured/bound there up to {as_number(row['largest there'], 3)}"
    return f"Term {row['term']}: {said}; {where}."


# The search, and the world that comes nearest to a bound that none breaks.

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


@of_paper
def searched(paper: str, theorem: str, variant: str, budget: int, seed: int) -> Iterator[Json]:
    """Search for a counterexample, and ask of every term whether it is needed."""
    case = bound_case(paper, theorem, variant, archived=True)
    outcome = _falsified(case, budget, seed)
    terms = of_terms(case, budget=budget // 4, seed=seed)
    if outcome.unconfirmed:
        raise UndecidedError(
            f"of {outcome.inside} worlds one has measured/bound {as_ratio(outcome.largest, 6)}, which no second "
            "way confirms."
        )
    near = nearest(case, outcome)
    yield {
        "largest": min(near.ratio, BEYOND),
        "at the start": near.at_start,
        "attained": near.attained,
        "family": case.family_of(near.instance).name,
        "at the end of": ", ".join(near.ends),
        "tried": outcome.tried,
        "inside": outcome.inside,
        "broken after": outcome.broken_after or 0,
        "certified": any(finding.simple.again.measured is not None for finding in outcome.findings),
        "interpreted": "; ".join(said for each in outcome.findings[:1] for said in each.simple.interpreted),
        "ways": max((1 + bool(finding.simple.again.counted) for finding in outcome.findings), default=0),
        **without_infinity(flat(**near.instance)),
    }
    yield from terms


def _falsified(case: Case, budget: int, seed: int) -> Outcome:
    """Where none of a few worlds is inside the conditions, more are tried."""
    try:
        return falsify(case, budget=budget, seed=seed, jobs=1, advance=lambda _: None)
    except NothingTriedError:
        if budget >= WORLDS:
            raise
        return _falsified(case, WORLDS, seed)


def nearest(case: Case, outcome: Outcome) -> Nearest:
    """The world that breaks the bound most clearly, or the nearest that was tried, after a step where there is one."""
    if outcome.findings:
        return Nearest(outcome.largest, outcome.findings[0].simple.witness.instance)
    if not case.binding.rests and (numbers := _attaining(case)):
        ratio = case.draw(numbers, case.source).ratio
        return Nearest(ratio, case.instance(numbers, case.source), attained=True)
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
            return case.in_range(numbers) and _attains(case, case.draw(numbers, case.source), numbers)
        except (ArithmeticError, ValueError):
            return False

    return simplified({"numbers": counted(case.levels, numbers)}, holds)["numbers"]


def _attains(case: Case, trial: Trial, numbers: Numbers) -> bool:
    near = trial.ratio >= ATTAINED and numbers["T"] <= SHORT and _moves(case, numbers, NOT_SMALL)
    return near and not math.isclose(case.at_start(numbers), trial.measured, rel_tol=SAME)


def _ends(case: Case, numbers: Numbers) -> tuple[str, ...]:
    """Of the world's own numbers and of T, those that cannot go on in one direction, unless that means nothing."""
    own = {level.name for level in case.family(numbers).levels} | {"T"}
    found = [(each.name, each.place(numbers[each.name])) for each in case.levels if each.name in own]
    return tuple(name for name, at in found if at in (0.0, 1.0) and numbers[name] not in (0.0, NATURAL))


# The figure: both sides and every term against T; where no ordinary run can be drawn, the search.

LONGEST = 2**40
DEVICES = 8
TINY = 1e-40  # beside the largest bound
PART = 0.5  # of the largest steps


@of_paper
def curve(paper: str, theorem: str, variant: str, points: int) -> Iterator[Json]:
    """Both sides and every term against T, on an ordinary world with half the largest steps; nothing where refused.

    From 1 to the most that a search tries, evenly in logarithms.
    """
    case = bound_case(paper, theorem, variant)
    run, source, last = case.binding, case.source, math.log(min(case.binding.most_iterations, LONGEST))
    for T in sorted({round(math.exp(last * i / (points - 1))) for i in range(points)}):
        try:
            setting = ordinary(run, devices_of(run, (DEVICES,))[0], T)
            known, fractions = run.given_by(setting), dict.fromkeys(case.letters, PART)
            values = known | chosen(source, case.theorem, known, fractions, case.letters, run.at_least)
            sides = run.run(source, case.theorem, setting, values)
            bound = evaluate(source, theorem, values | sides.letters())
        except RatecertError:
            continue
        terms = {f"term.{name}": value for name, value in bound.terms.items()}
        yield {"curve of T": T, "left": sides.left, "bound": bound.total, **terms}


def chart(theorem: Theorem, rows: Rows) -> Chart:
    """Without what is too small beside the start to be drawn on one axis, as linear rates soon become."""
    runs = rows.having("curve of T")
    least = TINY * max((row["bound"] for row in runs), default=0.0)
    runs = Rows(row for row in runs if min(row["left"], row["bound"]) > max(least, TINY))
    if not runs:
        return _ratio_alone(theorem, rows.having("largest"))
    names = theorem.terms if len(theorem.terms) > 1 else ()
    terms = [
        line(name, runs, "curve of T", f"term.{name}", kind="predicted", colour=1 + i % 5)
        for i, name in enumerate(n for n in names if all(row[f"term.{n}"] > TINY for row in runs))
    ]
    return figure(
        f"{theorem.title}: both sides on an ordinary world, with half the largest steps.",
        "iterations $T$",
        "measured, and the bound",
        [
            line("the bound: sum of all terms", runs, "curve of T", "bound", kind="bound", colour=6),
            *terms,
            line("measured", runs, "curve of T", "left", colour=0),
        ],
    )


def _ratio_alone(theorem: Theorem, search: Rows) -> Chart:
    """Where no ordinary run can be drawn: how near the search came to the bound."""
    inside = search.only()["inside"]
    return figure(
        f"{theorem.title}: the largest measured/bound of {inside} worlds.",
        "worlds inside the conditions",
        "measured/bound",
        [
            level("the bound", [1.0, float(inside)], 1.0, kind="bound", colour=6),
            line("largest found", search, "inside", "largest", kind="points", colour=0),
        ],
    )
