"""The tables of docs/falsify.md and docs/sharpen.md, made of what their commands have printed and written.

falsify.json     a list of what `ratecert falsify STATEMENT --variant VARIANT --json` prints
search.jsonl     a line for each statement, mistake and seed: how many worlds and seconds of one processor a search
                 took until the first world that shows it, searches for other mistakes included; null where none did
sharpened.json   a list of what `ratecert sharpen STATEMENT --json` prints, with the texts of the files that it writes
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from ratecert.base.lists import Grid
from ratecert.sharpening.powers import SAME
from ratecert.sharpening.shown import ENDS, about, times

Record = Mapping[str, Any]


def of_falsify(docs: Path) -> dict[str, str]:
    outcomes = json.loads((docs / "falsify.json").read_text(encoding="utf-8"))
    lines = (docs / "search.jsonl").read_text(encoding="utf-8").splitlines()
    return {"outcomes": found(outcomes), "search": until_shown(map(json.loads, lines))}


def of_sharpen(docs: Path) -> dict[str, str]:
    records = json.loads((docs / "sharpened.json").read_text(encoding="utf-8"))
    makers = (statements, formulas, terms, unseen, conditions, powers)
    return {made.__name__: made(records) for made in makers}


def found(outcomes: Sequence[Record]) -> str:
    """One row per finding; one for a statement that was not refuted."""
    rows = []
    for outcome in outcomes:
        begin, tried = (f"`{outcome['statement']}`", outcome["variant"]), str(outcome["worlds"])
        if not outcome["falsified"]:
            rows.append((*begin, "not refuted", f"{outcome['ratio']:.3g}", "", "", tried))
        for each in outcome["findings"] if outcome["falsified"] else ():
            ratios = (f"{each['ratio']:.3g}", f"{each['simplified_ratio']:.3g}")
            rows.append((*begin, "refuted", *ratios, f"`{each['term'] or ''}`", tried))
    columns = ("statement", "variant", "found", "measured/bound", "simplified", "what is wrong", "worlds")
    return Grid("", columns, rows).as_markdown()


def until_shown(lines: Iterable[Record]) -> str:
    """How many worlds and seconds it took until a mistake was shown: a row per mistake, over all seeds."""
    groups: dict[tuple[str, str], list[Record]] = {}
    for line in lines:
        groups.setdefault((line["statement"], line["place"]), []).append(line)
    rows = []
    for (statement, place), own in groups.items():
        shown = [line for line in own if line["worlds"] is not None]
        cells = [f"`{statement}`", f"`{place}`" if place else "any", str(len(own))]
        for name, digits in (("worlds", ".0f"), ("seconds", ".1f")):
            numbers = [line[name] for line in shown]
            cells += [f"{of(numbers):{digits}}" if numbers else "" for of in (median, max)]
        rows.append([*cells, str(len(own) - len(shown))])
    columns = (
        "statement",
        "mistake",
        "seeds",
        "worlds, median",
        "worst",
        "seconds, median",
        "worst",
        "misses",
    )
    return Grid("", columns, rows).as_markdown()


def statements(records: Sequence[Record]) -> str:
    """How much smaller each bound could be, and how its conjecture fared."""
    rows = []
    for record in records:
        gain = "nothing to sharpen" if record["tight"] else f"{about(record['gain'])} times"
        fallen = len(record["trials"]) - record["survived"]
        tried = f"stands after {record['trials'][-1]} worlds" if record["survived"] else "not tried"
        before = f"; {fallen} before it fell" if fallen else ""
        cells = (f"`{record['statement']}`", record["variant"], gain, tried + before)
        rows.append((*cells, f"{record['largest']:.4g}", str(record.get("budget", "not kept"))))
    end = ("largest measured/bound", "worlds of a search")
    return Grid("", ("statement", "variant", "smaller by", "conjecture", *end), rows).as_markdown()


def formulas(records: Sequence[Record]) -> str:
    """The conjectures, typeset."""
    return "".join(
        f"`{record['statement']}`, {record['variant']}:\n\n$$\n{record['formula']}\n$$\n\n"
        for record in records
        if not record["tight"]
    )


def terms(records: Sequence[Record]) -> str:
    """The least factor of every term, and its factor in the conjecture."""
    rows = []
    for record in records:
        for each in record["terms"]:
            needed = f"term.{each['term']}" in record["files"]
            least = f"{each['least']:.4g}" if needed else "not needed here"
            factor = f"{each['sharpened']:.3g}" if each["sharpened"] else "dropped"
            rows.append((f"`{record['statement']}`", each["term"], least, factor))
    return Grid("", ("statement", "term", "least factor", "conjecture"), rows).as_markdown()


def unseen(records: Sequence[Record]) -> str:
    """What the papers say that their worlds cannot show."""
    return "".join(f"- `{r['statement']}`: {r['blind']}\n" for r in records if r.get("blind"))


def conditions(records: Sequence[Record]) -> str:
    """Where a step beyond its condition breaks the bound."""
    rows = []
    for record in records:
        for each in record["conditions"]:
            untried = each.get("untried") or "nothing can be run beyond"
            shown = f"not seen in {each['worlds']} worlds" if each["worlds"] else untried
            if each["breaks_at"] is not None and each["place"] in record["files"]:
                shown = f"{times(each['breaks_at'])} times"
            name = each["place"].removeprefix("condition.").split(".")[0]
            rows.append((f"`{record['statement']}`", name, f"`{each['clause']}`", shown))
    return Grid("", ("statement", "step", "clause", "broken at"), rows).as_markdown()


def powers(records: Sequence[Record]) -> str:
    """The printed power and the needed one, wherever one was seen, and whether both its worlds were confirmed."""
    rows = []
    for record in records:
        for each in (exponent for exponent in record["exponents"] if exponent["change"] is not None):
            ends = [f"term.{each['term']} along {each['level']}, {end}" for end in ENDS]
            points = ", ".join(f"{factor:.3g} at {value:.3g}" for value, factor in each["points"] if factor)
            confirmed = "yes" if all(end in record["files"] for end in ends) else "no"
            both = _both(each["printed"], each["change"])
            rows.append((f"`{record['statement']}`", each["term"], each["along"], *both, points, confirmed))
    columns = ("statement", "term", "along", "printed", "needed", "least factors there", "worlds confirmed")
    return Grid("", columns, rows).as_markdown()


def _both(printed: float | None, change: float) -> tuple[str, str]:
    needed = "the same" if abs(change) < SAME else f"{change:+.1f}"
    if printed is None:
        return "no power", needed
    return f"{printed:g}", needed if needed == "the same" else f"**{printed + change:.1f}**"
