"""A theorem that is bound to a run, on trial: the search inside its conditions, its terms, what the linter says."""

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from ratecert.base.errors import NothingTriedError, UndecidedError
from ratecert.base.lists import as_ratio
from ratecert.base.own_code import undecided_by_mistakes
from ratecert.base.words import not_seen
from ratecert.binding.binding import Binding
from ratecert.catalogue import find
from ratecert.catalogue.version import require_version
from ratecert.claims.check import Check
from ratecert.claims.checks import at_most
from ratecert.claims.claim import Budget, Claim, Json, Piece
from ratecert.claims.rows import Row, Rows
from ratecert.search.finding import Outcome, falsify
from ratecert.search.terms import NOTHING_LEFT, of_terms
from ratecert.search.watched_case import WatchedCase
from ratecert.theory.language.statements import Theorem
from ratecert.verdicts.linted import LINTER, errata_of, findings, sound, unsound
from ratecert.verdicts.nearest import ATTAINED, Nearest, nearest
from ratecert.verdicts.theorem_figure import chart, curve

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
        case = WatchedCase(paper, theorem, variant)
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


def _falsified(case: WatchedCase, budget: int, seed: int) -> Outcome:
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
