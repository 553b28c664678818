"""The tables of docs/verified.md, methods.md, falsify.md and sharpen.md, made of what commands have written.

results.json     a whole run of `ratecert verify` (tools/records.py)
falsify.json     a list of what `ratecert falsify STATEMENT --variant VARIANT --json` prints
search.jsonl     a line for each statement, mistake and seed: how many worlds and seconds of one processor a search
                 took until the first world that shows it, searches for other mistakes included; null where none did
sharpened.json   a list of what `ratecert sharpen STATEMENT --json` prints, with the texts of the files that it writes
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from ratecert.base.asked import full_id
from ratecert.catalogue.find import holding
from ratecert.claims.check import in_words
from ratecert.report.results import read
from ratecert.sharpening.powers import SAME
from ratecert.sharpening.shown import ENDS, about, times
from tools.markdown import plain, tabulated

Record = Mapping[str, Any]
Row = tuple[str, ...]
OF_EPS = ("1/eps in samples", "1/eps in rounds")
OF_K = ("tension", "no tension", "tension, K in its steps", "no tension, K in its steps")


# What is verified.


def of_verified(docs: Path) -> dict[str, str]:
    claims = read(docs / "results.json")["claims"]
    return {"statements": of_statements(claims), "claims": of_claims(claims)}


@tabulated("statement", "not refuted or proved by", "refuted by", "evidence")
def of_statements(claims: Sequence[Record]) -> Iterator[Row]:
    """One row per statement of the papers that the claims are about, in the papers' order, claims or none."""

    def named(*verdicts: str) -> str:
        return ", ".join(f"`{claim['id']}`" for claim in about_it if claim["verdict"] in verdicts) or "–"

    papers = {paper.key: paper for paper in (holding(id) for claim in claims for id in claim["of"])}
    for paper in papers.values():
        for statement in paper.statements.values():
            id = full_id(paper.key, statement.id)
            about_it = [claim for claim in claims if id in claim["of"]]
            evidence = ", ".join(dict.fromkeys(kind for claim in about_it for kind in kinds(claim)))
            title = f"`{id}`: {plain(statement.title)}"
            yield title, named("not refuted", "proved"), named("refuted"), evidence


@tabulated("claim", "verdict", "evidence", "where")
def of_claims(claims: Sequence[Record]) -> Iterator[Row]:
    for claim in claims:
        yield f"`{claim['id']}`", in_words(claim), ", ".join(kinds(claim)), plain(claim["regime"])


def kinds(claim: Record) -> list[str]:
    """The kinds of evidence; sampling with its probability of error."""
    return [f"{kind} ({claim['false_alarm']:g})" if kind == "sampled" else kind for kind in claim["evidence"]]


def of_methods(docs: Path) -> dict[str, str]:
    """The paper's table of complexities as it was measured: one row per method."""
    (claim,) = (each for each in read(docs / "results.json")["claims"] if each["id"] == "complexity-table")
    methods: dict[str, dict[str, Record]] = {}
    for check in claim["checks"]:
        method, exponent, of = check["name"].partition(": exponent of ")
        if exponent:
            methods.setdefault(method, {})[of] = check
    return {"complexity": complexities(methods)}


@tabulated(
    *("method", "1/eps in samples: expected", "measured", "1/eps in rounds: expected", "measured"),
    *(f"K in samples, {where}" for where in OF_K),
)
def complexities(methods: Mapping[str, Mapping[str, Record]]) -> Iterator[Row]:
    for method, checks in methods.items():
        # the method without a lower level is measured on a world of one level, where the others have tension
        one = {"tension": "one level"} if "K in samples, one level" in checks else {}
        cells = [(of, *each) for of in OF_EPS for each in (("predicted", "g"), ("measured", ".4f"))]
        cells += [(f"K in samples, {one.get(where, where)}", "measured", ".4f") for where in OF_K]
        yield method, *(f"{checks[of][what]:{form}}" if of in checks else "–" for of, what, form in cells)


# What falsify finds.


def of_falsify(docs: Path) -> dict[str, str]:
    outcomes = json.loads((docs / "falsify.json").read_text(encoding="utf-8"))
    lines = (docs / "search.jsonl").read_text(encoding="utf-8").splitlines()
    return {"outcomes": found(outcomes), "search": until_shown(map(json.loads, lines))}


@tabulated("statement", "variant", "found", "measured/bound", "simplified", "what is wrong", "worlds")
def found(outcomes: Sequence[Record]) -> Iterator[Row]:
    """One row per finding; one for a statement that was not refuted."""
    for outcome in outcomes:
        begin, tried = (f"`{outcome['statement']}`", outcome["variant"]), str(outcome["worlds"])
        if not outcome["falsified"]:
            yield *begin, "not refuted", f"{outcome['ratio']:.3g}", "", "", tried
        for each in outcome["findings"] if outcome["falsified"] else ():
            ratios = (f"{each['ratio']:.3g}", f"{each['simplified_ratio']:.3g}")
            yield *begin, "refuted", *ratios, f"`{each['term'] or ''}`", tried


@tabulated(
    "statement", "mistake", "seeds", *("worlds, median", "worst", "seconds, median", "worst"), "misses"
)
def until_shown(lines: Iterable[Record]) -> Iterator[Row]:
    """How many worlds and seconds it took until a mistake was shown: a row per mistake, over all seeds."""
    groups: dict[tuple[str, str], list[Record]] = {}
    for line in lines:
        groups.setdefault((line["statement"], line["place"]), []).append(line)
    for (statement, place), own in groups.items():
        shown = [line for line in own if line["worlds"] is not None]
        cells = [f"`{statement}`", f"`{place}`" if place else "any", str(len(own))]
        for name, digits in (("worlds", ".0f"), ("seconds", ".1f")):
            numbers = [line[name] for line in shown]
            cells += [f"{of(numbers):{digits}}" if numbers else "" for of in (median, max)]
        yield *cells, str(len(own) - len(shown))


# What sharpen finds.


def of_sharpen(docs: Path) -> dict[str, str]:
    records = json.loads((docs / "sharpened.json").read_text(encoding="utf-8"))
    makers = (statements, formulas, terms, unseen, conditions, powers)
    return {made.__name__: made(records) for made in makers}


@tabulated("statement", "variant", "smaller by", "conjecture", "largest measured/bound", "worlds of a search")
def statements(records: Sequence[Record]) -> Iterator[Row]:
    """How much smaller each bound could be, and how its conjecture fared."""
    for record in records:
        gain = "nothing to sharpen" if record["tight"] else f"{about(record['gain'])} times"
        fallen = len(record["trials"]) - record["survived"]
        tried = f"stands after {record['trials'][-1]} worlds" if record["survived"] else "not tried"
        before = f"; {fallen} before it fell" if fallen else ""
        largest, budget = f"{record['largest']:.4g}", str(record.get("budget", "not kept"))
        yield f"`{record['statement']}`", record["variant"], gain, tried + before, largest, budget


def formulas(records: Sequence[Record]) -> str:
    """The conjectures, typeset."""
    return "".join(
        f"`{record['statement']}`, {record['variant']}:\n\n$$\n{record['formula']}\n$$\n\n"
        for record in records
        if not record["tight"]
    )


@tabulated("statement", "term", "least factor", "conjecture")
def terms(records: Sequence[Record]) -> Iterator[Row]:
    """The least factor of every term, and its factor in the conjecture."""
    for record in records:
        for each in record["terms"]:
            needed = f"term.{each['term']}" in record["files"]
            least = f"{each['least']:.4g}" if needed else "not needed here"
            factor = f"{each['sharpened']:.3g}" if each["sharpened"] else "dropped"
            yield f"`{record['statement']}`", each["term"], least, factor


def unseen(records: Sequence[Record]) -> str:
    """What the papers say that their worlds cannot show."""
    return "".join(f"- `{r['statement']}`: {r['blind']}\n" for r in records if r.get("blind"))


@tabulated("statement", "step", "clause", "broken at")
def conditions(records: Sequence[Record]) -> Iterator[Row]:
    """Where a step beyond its condition breaks the bound."""
    for record in records:
        for each in record["conditions"]:
            untried = each.get("untried") or "nothing can be run beyond"
            shown = f"not seen in {each['worlds']} worlds" if each["worlds"] else untried
            if each["breaks_at"] is not None and each["place"] in record["files"]:
                shown = f"{times(each['breaks_at'])} times"
            name = each["place"].removeprefix("condition.").split(".")[0]
            yield f"`{record['statement']}`", name, f"`{each['clause']}`", shown


@tabulated("statement", "term", "along", "printed", "needed", "least factors there", "worlds confirmed")
def powers(records: Sequence[Record]) -> Iterator[Row]:
    """The printed power and the needed one, wherever one was seen, and whether both its worlds were confirmed."""
    for record in records:
        for each in (exponent for exponent in record["exponents"] if exponent["change"] is not None):
            ends = [f"term.{each['term']} along {each['level']}, {end}" for end in ENDS]
            points = ", ".join(f"{factor:.3g} at {value:.3g}" for value, factor in each["points"] if factor)
            confirmed = "yes" if all(end in record["files"] for end in ends) else "no"
            both = _both(each["printed"], each["change"])
            yield f"`{record['statement']}`", each["term"], each["along"], *both, points, confirmed


def _both(printed: float | None, change: float) -> tuple[str, str]:
    needed = "the same" if abs(change) < SAME else f"{change:+.1f}"
    if printed is None:
        return "no power", needed
    return f"{printed:g}", needed if needed == "the same" else f"**{printed + change:.1f}**"
