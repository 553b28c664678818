"""What sharpening came to, as text and as JSON."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.table import Table

from ratecert.base.lists import as_text
from ratecert.base.terminal import columns, folded
from ratecert.catalogue.find import bindings, paper
from ratecert.search.finding import Confirmed
from ratecert.sharpening.conditions import FURTHEST, Room
from ratecert.sharpening.exponents import SAME, Exponent
from ratecert.sharpening.letters import letter_along
from ratecert.sharpening.smallest import rounded_up
from ratecert.sharpening.statement import as_inequality
from ratecert.sharpening.whole import TIGHT, Sharpened
from ratecert.theory.language.statements import Theorem

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
            f"DOES NOT HOLD as it stands: measured/bound is {result.worst:.3g} at a world; `ratecert falsify` "
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
    theorem = paper(result.case.variant, result.case.key).the(Theorem, result.case.statement)
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
    source = paper(result.case.variant, result.case.key)
    theorem = source.the(Theorem, result.case.statement)
    for each in result.exponents:
        factors = ", ".join(f"{point.factor:.3g} at {point.value:.3g}" for point in each.points)
        printed = "no power" if each.printed is None else f"{each.printed:g}"
        table.add_row(each.term, letter_along(each.along, theorem, source), printed, power_of(each), factors)
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
    printed = paper(result.case.variant, result.case.key).the(Theorem, result.case.statement).terms
    kept = {name: factor for name, factor in result.bound.factors.items() if factor}
    tried = f"{_fate(result)}; largest measured/bound {result.bound.largest:.6g}"
    blind = _blind(result)
    return [
        f"Conjecture ({tried}):",
        *(
            f"  {' +' if i else '<='} {factor:.3g} ({printed[name]})    [{name}]"
            for i, (name, factor) in enumerate(kept.items())
        ),
        *([f"What these worlds cannot show: {blind}"] if blind else []),
    ]


def _blind(result: Sharpened) -> str:
    """What the paper says that its worlds cannot show."""
    return getattr(bindings(result.case.key).get(result.case.statement), "blind", "")


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
    source = paper(result.case.variant, result.case.key)
    theorem = source.the(Theorem, result.case.statement)
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
        "blind": _blind(result),
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
                "along": letter_along(each.along, theorem, source),
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
