"""Claims about a theorem: inside its own conditions, measured/bound <= 1. One per mistake of the print, one repaired.

A printed theorem is shown to be false by a witness: a setting with a certified ball in which the ratio exceeds 1.
Beside it stand shorter runs of the same setting, along which the ratio passes 1. One erratum alone cures the witness,
and all the others together do not: so that one is what is wrong there. Every mistake has its own witness and its own
claim, so that none hides behind another.

A repaired theorem cannot be shown to be true by examples. It is tried on a grid of settings and on sharp ones: for
a term, a setting in which the bound without this term is false. From these follows how small a term could be made
without being noticed (both_sides.py), and that is reported. Terms for which this is much are called blunt.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.theorems.both_sides import Sides, both_sides
from ratecert.papers.federated_bilevel.evidence.theorems.charts import (
    chart_of_trials,
    chart_of_witness,
    power,
)
from ratecert.papers.federated_bilevel.evidence.theorems.grid import Setting, grid

EVERY, EVERY_QUICK = (
    37,
    157,
)  # n-th setting of the grid; both have every world and every level of K, p, T, ...
SHARP = 1e6  # a term that may be divided by more than this was not tested sharply
METHOD = "exact moments; the bound with the constants of a ball that holds the run"
ASSUMED = "where the ball is assumed, with twice the root mean square as its radius"


@dataclass(frozen=True, kw_only=True)
class Witness:
    setting: Setting
    erratum: str  # the place where the print is wrong
    where: str  # for the sentence: the print is tried where ...
    because: str
    shorter: tuple[int, ...]  # further T


@dataclass(frozen=True, kw_only=True)
class Trials:
    sharp: Mapping[str, Setting]  # term -> a setting in which the bound without it is false
    blunt: tuple[str, ...]  # how the names of terms begin that are not tested sharply
    sweep: Setting  # a typical run, for the figure
    times: tuple[int, ...]


def printed(theorem: str, title: str, witnesses: Mapping[str, Witness]) -> list[Claim]:
    """One claim per mistake, named by what is wrong."""
    return [_printed(theorem, title, mistake, witness) for mistake, witness in witnesses.items()]


def _printed(theorem: str, title: str, mistake: str, witness: Witness) -> Claim:
    tried = f"{title} as printed, where {witness.where}"

    def pieces(budget: Budget) -> list[Piece]:
        times = (*witness.shorter[:: 2 if budget.quick else 1], witness.setting.T)
        settings = [replace(witness.setting, T=T) for T in times]
        return [_piece(theorem, "printed", "witness", s, erratum=witness.erratum) for s in settings]

    return Claim(
        id=f"{theorem}.printed-{mistake}",
        of=(theorem,),
        sentence=f"{title} as printed holds where {witness.where}: "
        "inside its conditions the measure is at most the bound.",
        pieces=pieces,
        judge=partial(_judge_printed, tried),
        expected="violated",
        because=witness.because,
    )


def repaired(theorem: str, title: str, trials: Trials, witnesses: Mapping[str, Witness]) -> Claim:
    def pieces(budget: Budget) -> list[Piece]:
        roles = {
            "grid": grid(EVERY_QUICK if budget.quick else EVERY),
            "sharp": [replace(setting, name=term) for term, setting in trials.sharp.items()],
            "witness": [witness.setting for witness in witnesses.values()],
            "sweep": [
                replace(trials.sweep, T=T) for T in (trials.times[:6:2] if budget.quick else trials.times)
            ],
        }
        return [_piece(theorem, "repaired", role, s) for role, settings in roles.items() for s in settings]

    return Claim(
        id=f"{theorem}.repaired",
        of=(theorem,),
        sentence=f"Inside the conditions of {title}, repaired, the measure is at most the bound wherever it was tried, "
        f"which is no sharp test of its terms {_listed(trials.blunt)}.",
        pieces=pieces,
        judge=_judge_repaired,
    )


def _listed(names: Sequence[str]) -> str:
    *rest, last = names
    return f"{', '.join(rest)} and {last}" if rest else last


def _piece(theorem: str, variant: str, role: str, setting: Setting, **more: Any) -> Piece:
    decays = theorem == "theorem-3" and 10**7 * setting.K**2 * setting.p**3 < setting.T
    arguments = {"theorem": theorem, "variant": variant, "role": role, "setting": setting.as_json(), **more}
    return Piece(both_sides, arguments, seconds=1.0 if decays else 0.15)


def _judge_printed(tried: str, values: Sequence[Json]) -> Judgement:
    runs = [Sides(**value) for value in values]
    worst = max(runs, key=lambda run: run.ratio)
    return Judgement(
        checks=[_check(f"{run.name}, T = {power(run.T)}", [run]) for run in runs],
        regime=f"inside the printed conditions, {_spans(runs)}; there all assumptions hold",
        settings={"runs": [_as_setting(run) for run in runs]},
        method=METHOD,
        chart=chart_of_witness(tried, runs),
        notes=[_cured(max(runs, key=lambda run: run.T))],
        table=_table(worst),
    )


def _cured(run: Sides) -> str:
    alone, others = (run.measured / run.partly[some] for some in ("alone", "others"))
    return (
        f"{run.name}, T = {power(run.T)}: with the erratum at {run.erratum} alone the ratio is {alone:.2g}, with all "
        f"others but not this one it is {others:.3g}."
    )


def _judge_repaired(values: Sequence[Json]) -> Judgement:
    runs = [Sides(**value) for value in values]
    shown = [run for run in runs if run.certified]
    assumed = [run for run in runs if not run.certified]
    checks = [_check(name, some) for name, some in _by_kind(shown).items()]
    checks += [_check(ASSUMED, assumed)] if assumed else []
    worst = max(shown, key=lambda run: run.ratio)
    return Judgement(
        checks=checks,
        regime=f"inside the repaired conditions, {_spans(runs)}",
        settings={"runs": [_as_setting(run) for run in runs]},
        method=METHOD,
        chart=chart_of_trials(runs),
        notes=_limits(len(runs), shown) if worst.ratio <= 1 else [],
        table=_table(worst, largest_divisors(shown)),
    )


def _by_kind(runs: Iterable[Sides]) -> dict[str, list[Sides]]:
    """The grid world by world, sharp settings and witnesses one by one, the sweep."""
    names = {"grid": "grid, {}", "sharp": "where {} is needed", "witness": "{}", "sweep": "{}, along T"}
    kinds: dict[str, list[Sides]] = {}
    for run in runs:
        kinds.setdefault(names[run.role].format(run.name), []).append(run)
    return kinds


def _check(name: str, runs: Sequence[Sides]) -> Check:
    """The largest ratio. Where the ball is not certified a ratio above 1 refutes nothing."""
    top = max(runs, key=lambda run: run.ratio + run.error)
    radius = f"radius {top.radius:.3g} certified" if top.certified else f"radius {top.radius:.3g}"
    number = "measured/bound" if len(runs) == 1 else f"largest measured/bound of {len(runs)}"
    return Check(
        name=f"{number}, {name} ({radius})",
        measured=top.ratio,
        predicted=1.0,
        relation="<=",
        uncertainty=top.error if top.certified or top.ratio + top.error <= 1 else math.inf,
    )


def largest_divisors(runs: Sequence[Sides]) -> dict[str, float | None]:
    """term -> by how much it may be divided without being noticed in any of these runs; None: left out."""
    found: dict[str, float | None] = {}
    for term in runs[0].terms:
        divisors = [d for run in runs if (d := run.largest_divisor(term)) is not None]
        found[term] = min(divisors, default=None)
    return found


def _limits(settings: int, runs: Sequence[Sides]) -> list[str]:
    """What a theorem that was not falsified may still hide."""
    divisors = largest_divisors(runs)
    seen = {term: value for term, value in divisors.items() if value is not None}
    sharp = [f"{value:.2g} ({term})" for term, value in seen.items() if value <= SHARP]
    blunt = [f"{term} by a factor of {value:.2g}" for term, value in seen.items() if value > SHARP]
    unseen = [f"{term} by any factor" for term in divisors if term not in seen]
    notes = [f"Not falsified in {settings} settings, which is not a proof."]
    if sharp:
        notes.append(f"It would not hold if one of these terms were divided by more than {_listed(sharp)}.")
    if unseen or blunt:
        notes.append(f"What could be smaller unnoticed, one at a time: {_listed([*unseen, *blunt])}.")
    return notes


def _table(run: Sides, divisors: Mapping[str, float | None] | None = None) -> list[dict[str, Json]]:
    """The bound term by term, the largest first, then the conditions."""
    empty = {"share": None, "largest_divisor": None, "limit": None, "margin": None}
    rows: list[dict[str, Json]] = [
        {"part": "measured", "value": run.measured, **empty},
        {"part": "bound", "value": run.bound, **empty},
    ]
    for term, value in sorted(run.terms.items(), key=lambda item: -item[1]):
        more = {"share": value / run.bound, "largest_divisor": divisors[term] if divisors else None}
        rows.append({"part": f"term {term}", "value": value, **empty, **more})
    for c in run.conditions:
        limits = {"limit": c["right"], "margin": c["margin"]}
        rows.append({"part": f"condition {c['part']}", "value": c["left"], **empty, **limits})
    return rows


def _as_setting(run: Sides) -> dict[str, Json]:
    numbers = {"measured": run.measured, "bound": run.bound, "precision": run.precision}
    ball = {"radius": run.radius, "certified": run.certified}
    return {"role": run.role, **run.setting, "steps": dict(run.steps), **numbers, **ball}


def _spans(runs: Sequence[Sides]) -> str:
    letters = {letter: [int(run.setting[letter]) for run in runs] for letter in "KpT"}
    spans = ", ".join(f"{letter} from {power(min(v))} to {power(max(v))}" for letter, v in letters.items())
    certified = sum(run.certified for run in runs)
    return f"{spans}; no outcome leaves the ball of the constants in {certified} of {len(runs)} runs"
