"""Claims about a theorem: inside its own conditions, measured/bound <= 1. One per mistake of the print, one repaired.

A printed theorem is shown to be false by a witness: a setting with a certified ball in which the ratio exceeds 1.
Beside it stand shorter runs of the same setting, along which the ratio passes 1. One erratum alone cures the witness,
and all the others together do not: so that one is what is wrong there. Every mistake has its own witness and its own
claim, so that none hides behind another.

A repaired theorem cannot be shown to be true by examples. It is tried on a grid of settings and on tight ones: for
a term, a setting in which the bound without this term is false. From these follows how small a term could be made
without being noticed (both_sides.py), and that is reported. Terms for which this is much are called untested.

The bound has the constants of a ball, so its radius is tried as well: it may not be smaller than a distance that some
outcome attains (attained.py), and in tight settings it is not much larger.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

from ratecert.claims import Budget, Chart, Check, Claim, Json, Panel, Piece, Row, Rows, Series
from ratecert.claims.checks import at_least, at_most
from ratecert.claims.lines import Quantity, level, line, values
from ratecert.claims.rows import group
from ratecert.papers.federated_bilevel.evidence.theorems.both_sides import both_sides, largest_divisor, ratio
from ratecert.papers.federated_bilevel.evidence.theorems.grid import TheoremSetting, grid
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.proofs.prove import note
from ratecert.theory.language.statements import Theorem

# Every n-th setting of the grid; both have every world and every level of K, p, T, ...
EVERY, EVERY_QUICK = 37, 157
ROUNDING = 1e-12  # of a distance in doubles
GIVEN_AWAY = 3.0  # a certified radius over what is attained, where settings are tight
TESTED = 1e6  # a term that may be divided by more than this is untested
METHOD = "exact moments; the bound with the constants of a ball that holds the run"
ASSUMED = "where the ball is assumed, with twice the root mean square as its radius"
ALGORITHMS = {"theorem-1": "LocalBSGM", "theorem-2": "LocalBSGVRM", "theorem-3": "LocalBSGVRM"}
NAMES = {"grid": "grid, {}", "sharp": "where {} is needed", "witness": "{}", "sweep": "{}, along T"}

PRECISE = {"precision": "exact moments are known to many more digits than it takes to tell the ratios from 1"}
FAR = dict.fromkeys(("measured", "bound"), "the ratio of no run is within a factor of 2 of 1")
NEVER_NEAR = dict.fromkeys(
    ("measured", "bound"),
    "the largest ratio is below 1/2: even where descent is all there is, start_x charges twice what it can spend",
)
RATIO = "measured / bound"
MOST_TERMS = 3  # drawn of a bound
COLOURS = {"grid and sweep": 0, "sharp settings and witnesses": 2, "ball assumed": 3}


@dataclass(frozen=True, kw_only=True)
class Mistake:
    place: str  # of the erratum, which may depend on the theorem
    where: str  # for the sentence: the print is tried where ...
    because: str


MISTAKES = {
    "G": Mistake(
        place="constant.G.left",
        where="f is small",
        because="G is defined by what is a second moment already, and squared again in the bounds: where f is small, "
        "G^2 is of the order of f^4 and too small.",
    ),
    "noise_u": Mistake(
        place="{theorem}.term.noise_u",
        where="f alone is noisy",
        because="noise_u charges sigma, the noise of g, for samples of the hypergradient: where f alone is noisy this "
        "term is zero, and the rest of the bound is too small.",
    ),
}


@dataclass(frozen=True, kw_only=True)
class Witness:
    setting: TheoremSetting
    shorter: tuple[int, ...]  # further T
    far: bool = True  # is every ratio of a quick run farther from 1 than a factor of 2?


@dataclass(frozen=True, kw_only=True)
class Trials:
    tight_settings: Mapping[str, TheoremSetting]  # term -> a setting in which the bound without it is false
    untested_terms: tuple[str, ...]  # how their names begin
    sweep: TheoremSetting  # a typical run, for the figure
    times: tuple[int, ...]


def printed(theorem: str, name: str, witness: Witness) -> Claim:
    """The claim that a mistake of the print refutes, named by what is wrong."""
    title, mistake = _title(theorem), MISTAKES[name]
    erratum = mistake.place.format(theorem=theorem)

    def pieces(budget: Budget) -> list[Piece]:
        times = (*witness.shorter[:: 2 if budget.quick else 1], witness.setting.T)
        settings = [replace(witness.setting, T=T) for T in times]
        return [_piece(theorem, "printed", "witness", s, erratum=erratum) for s in settings]

    return Claim(
        id=f"{theorem}.printed-{name}",
        of=(theorem,),
        sentence=f"{title} as printed says: inside its conditions the measure is at most the bound, also where "
        f"{mistake.where}.",
        pieces=pieces,
        checks=_checks_of_witness,
        regime=lambda rows: f"inside the printed conditions, {_spans(rows)}; there all assumptions hold",
        method=METHOD,
        evidence=("exact moments", "proof in fractions"),
        settings=_settings,
        chart=partial(chart_of_witness, f"{title} as printed, where {mistake.where}"),
        notes=lambda rows: [*_cured(rows), note(paper().key, theorem, name)],
        table=lambda rows: _table(rows.largest(ratio)),
        runs=(ALGORITHMS[theorem],),
        because=mistake.because,
        blind_to={**PRECISE, **(FAR if witness.far else {})},
    )


def _checks_of_witness(rows: Rows) -> Iterator[Check]:
    for (name, T), run in rows.by("name", "T"):
        yield _check(f"{name}, T = {power(T)}", run)


def _cured(rows: Rows) -> list[str]:
    run = rows.sorted("T")[-1]
    alone, others = (run["measured"] / run[f"repaired.{some}"] for some in ("alone", "others"))
    return [
        f"{run['name']}, T = {power(run['T'])}: with the erratum at {run['erratum']} alone the ratio is {alone:.2g}, "
        f"with all others but not this one it is {others:.3g}."
    ]


def repaired(theorem: str, trials: Trials, witnesses: Mapping[str, Witness]) -> Claim:
    """The claim that the repaired theorem holds wherever it is tried."""
    title = _title(theorem)

    def pieces(budget: Budget) -> list[Piece]:
        times = trials.times[:6:2] if budget.quick else trials.times
        roles = {
            "grid": grid(EVERY_QUICK if budget.quick else EVERY),
            "sharp": [replace(setting, name=term) for term, setting in trials.tight_settings.items()],
            "witness": [witness.setting for witness in witnesses.values()],
            "sweep": [replace(trials.sweep, T=T) for T in times],
        }
        return [_piece(theorem, "repaired", role, s) for role, settings in roles.items() for s in settings]

    return Claim(
        id=f"{theorem}.repaired",
        of=(theorem,),
        sentence=f"Inside the conditions of {title}, repaired, the measure is at most the bound wherever it was tried, "
        f"which is no sharp test of its terms {_listed(trials.untested_terms)}.",
        pieces=pieces,
        checks=_checks_of_trials,
        regime=lambda rows: f"inside the repaired conditions, {_spans(rows)}",
        method=METHOD,
        evidence=("exact moments",),
        settings=_settings,
        chart=chart_of_trials,
        notes=_limits,
        table=_table_of_trials,
        runs=(ALGORITHMS[theorem],),
        blind_to={**PRECISE, **NEVER_NEAR},
    )


def _checks_of_trials(rows: Rows) -> Iterator[Check]:
    """The grid world by world, tight settings and witnesses one by one, the sweep."""
    for (role, name), runs in rows.where(certified=True).by("role", "name"):
        yield _check(NAMES[role].format(name), runs)
    if assumed := rows.where(certified=False):
        yield _check(ASSUMED, assumed)
    yield from _checks_of_radii(rows.where(certified=True))


def _checks_of_radii(rows: Rows) -> Iterator[Check]:
    """No certified radius forgets what signs that never change attain; tight settings give little away."""
    moving = Rows(run for run in rows if run["attained"] > 0)
    if moving:
        smallest = min(map(_given_away, moving))
        yield at_least("smallest certified radius/distance attained", smallest, 1.0, tolerance=ROUNDING)
    if tight := [run for run in moving if run["role"] in ("sharp", "witness")]:
        name = "largest certified radius/distance attained, tight settings"
        yield at_most(name, max(map(_given_away, tight)), GIVEN_AWAY)


def _given_away(run: Row) -> float:
    return float(run["reach"] / run["attained"])


def _check(name: str, runs: Rows) -> Check:
    """The largest ratio. Where the ball is not certified a ratio above 1 refutes nothing."""
    top = runs.largest(lambda run: ratio(run) + _error(run))
    number = "measured/bound" if len(runs) == 1 else "largest measured/bound"
    known = top["certified"] or ratio(top) + _error(top) <= 1
    return at_most(f"{number}, {name}", ratio(top), 1.0, _error(top) if known else math.inf)


def _error(run: Row) -> float:
    return float(abs(ratio(run)) * run["precision"])


def _title(theorem: str) -> str:
    return theorem.replace("theorem-", "Theorem ")


def _listed(names: Sequence[str]) -> str:
    *rest, last = names
    return f"{', '.join(rest)} and {last}" if rest else last


def _piece(theorem: str, variant: str, role: str, setting: TheoremSetting, **more: Any) -> Piece:
    decays = theorem == "theorem-3" and 10**7 * setting.K**2 * setting.p**3 < setting.T
    arguments = {"theorem": theorem, "variant": variant, "role": role, "setting": setting.as_json(), **more}
    return Piece(both_sides, arguments, seconds=1.0 if decays else 0.15)


def largest_divisors(runs: Rows) -> dict[str, float | None]:
    """term -> by how much it may be divided without being noticed in any of these runs; None: left out."""
    found: dict[str, float | None] = {}
    for term in group(runs[0], "terms"):
        divisors = [d for run in runs if (d := largest_divisor(run, term)) is not None]
        found[term] = min(divisors, default=None)
    return found


def _limits(rows: Rows) -> list[str]:
    """What a theorem that was not refuted may still hide."""
    shown = rows.where(certified=True)
    if ratio(shown.largest(ratio)) > 1:
        return []
    divisors = largest_divisors(shown)
    seen = {term: value for term, value in divisors.items() if value is not None}
    tested = [f"{value:.2g} ({term})" for term, value in seen.items() if value <= TESTED]
    untested = [f"{term} by any factor" for term in divisors if term not in seen]
    untested += [f"{term} by a factor of {value:.2g}" for term, value in seen.items() if value > TESTED]
    notes = [f"Not refuted in {len(rows)} settings, which is not a proof."]
    if tested:
        notes.append(f"It would not hold if one of these terms were divided by more than {_listed(tested)}.")
    if untested:
        notes.append(f"What could be smaller unnoticed, one at a time: {_listed(untested)}.")
    return notes


def _table_of_trials(rows: Rows) -> list[Row]:
    shown = rows.where(certified=True)
    return _table(shown.largest(ratio), largest_divisors(shown))


def _table(run: Row, divisors: Mapping[str, float | None] | None = None) -> list[Row]:
    """The bound term by term, the largest first, then the conditions."""
    terms = sorted(group(run, "terms").items(), key=lambda item: -item[1])
    conditions = paper(run["variant"]).the(Theorem, run["theorem"]).conditions.values()
    every = [f"{c.name} {c.relation}" for c in conditions]
    names = [name for name in every if f"limits.{name}" in run]  # without those on schedules
    rows: list[dict[str, Json]] = [
        {"part": "measured", "value": run["measured"]},
        {"part": "bound", "value": run["bound"]},
        *(
            {"part": f"term {term}", "value": value, "share": value / run["bound"],
             "largest_divisor": divisors[term] if divisors else None}
            for term, value in terms
        ),
        *(
            {"part": f"condition {name}", "value": run[f"values.{name}"], "limit": run[f"limits.{name}"],
             "margin": run[f"margins.{name}"]}
            for name in names
        ),
    ]  # fmt: skip
    empty = dict.fromkeys(("part", "value", "share", "largest_divisor", "limit", "margin"))
    return [{**empty, **row} for row in rows]


def _settings(rows: Rows) -> dict[str, Json]:
    setting = (field.name for field in fields(TheoremSetting))
    names = ("role", *setting, "steps", "measured", "bound", "precision", "radius", "certified")
    runs = [{name: run.get(name, group(run, name)) for name in names} for run in rows]
    return {"runs": [{name: cell for name, cell in run.items() if cell != {}} for run in runs]}


def _spans(rows: Rows) -> str:
    letters = {letter: [int(run[letter]) for run in rows] for letter in "KpT"}
    spans = ", ".join(f"{letter} from {power(min(v))} to {power(max(v))}" for letter, v in letters.items())
    certified = len(rows.where(certified=True))
    return f"{spans}; no outcome leaves the ball of the constants in {certified} of {len(rows)} runs"


def power(number: int) -> str:
    """2^60 or 1e6 rather than all digits."""
    if number < 10**4:
        return str(number)
    binary = number & (number - 1) == 0
    return f"2^{number.bit_length() - 1}" if binary else f"{number:.4g}".replace("e+0", "e")


def chart_of_witness(title: str, rows: Rows) -> Chart:
    """Draw both sides, then their ratio under the print and under parts of the errata."""
    runs = rows.sorted("T")
    alone = f"with the erratum at {runs[0]['erratum']} alone"
    ratios = [
        _along("bound as printed", runs, ratio),
        _along("with all other errata", runs, _over("repaired.others"), kind="contrast", colour=3),
        _along(alone, runs, _over("repaired.alone"), kind="predicted", colour=2),
        _edge(runs.column("T")),
    ]
    return Chart(
        caption="What was measured exceeds the printed bound in long runs. One erratum alone lifts the bound above it; "
        "all the others together do not.",
        panels=[_both_sides(runs, title), Panel(x_label="$T$", y_label=RATIO, title=title, series=ratios)],
    )


def chart_of_trials(rows: Rows) -> Chart:
    """Draw both sides along the sweep, and all ratios in order."""
    sweep = rows.where(role="sweep").sorted("T")
    ordered = sorted((run for run in rows if run["measured"] > 0), key=ratio)
    points = Rows({**run, "place": i + 1, "kind": _kind(run)} for i, run in enumerate(ordered))
    ratios = [
        line(kind, points.where(kind=kind), "place", ratio, kind="sampled", colour=colour)
        for kind, colour in COLOURS.items()
        if kind in points.cells("kind")
    ]
    return Chart(
        caption="First what was measured and the bound, with the terms that dominate it. Then measured over bound in "
        "every setting in which something was measured, in order; above the line the theorem would be false.",
        panels=[
            _both_sides(sweep, f"{sweep[0]['name']}, K = {sweep[0]['K']}"),
            Panel(
                x_label="setting, in order",
                y_label=RATIO,
                series=[*ratios, _edge(points.column("place"))],
                x_scale="linear",
            ),
        ],
    )


def _kind(run: Row) -> str:
    if not run["certified"]:
        return "ball assumed"
    return "grid and sweep" if run["role"] in ("grid", "sweep") else "sharp settings and witnesses"


def _both_sides(runs: Rows, title: str) -> Panel:
    """The terms drawn are those with the largest share of the bound somewhere."""
    shares = {
        term: max(run[f"terms.{term}"] / run["bound"] for run in runs) for term in group(runs[0], "terms")
    }
    terms = [term for term in sorted(shares, key=lambda term: -shares[term])[:MOST_TERMS] if shares[term] > 0]
    return Panel(
        x_label="$T$",
        y_label="the measure of the theorem",
        title=title,
        series=[
            _along("measured", runs, "measured"),
            _along("bound", runs, "bound", kind="bound", colour=1),
            *(
                _along(f"its term {term}", runs, f"terms.{term}", kind="predicted", colour=2 + i)
                for i, term in enumerate(terms)
            ),
        ],
    )


def _along(label: str, runs: Rows, y: Quantity, **look: Any) -> Series:
    """Against T, where it is not zero."""
    drawn = Rows(run for run, value in zip(runs, values(runs, y), strict=True) if value > 0)
    return line(label, drawn, "T", y, **look)


def _over(bound: str) -> Quantity:
    return lambda run: float(run["measured"] / run[bound])


def _edge(x: Sequence[float]) -> Series:
    return level("above it the theorem is false", x, 1.0, kind="bound", colour=1)
