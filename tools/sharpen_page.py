"""docs/sharpen.md: its prose is written by hand, its tables are made of docs/sharpened (tools/markdown.py).

docs/sharpened holds what `ratecert sharpen STATEMENT --out docs/sharpened` has written for every statement listed.

    python -m tools.sharpen_page docs/sharpened docs/sharpen.md
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ratecert.sharpening.exponents import SAME
from ratecert.sharpening.shown import ENDS, about, times
from tools.markdown import replace_tables

Record = Mapping[str, Any]


def head(*columns: str) -> str:
    return f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n"


def terms(records: Sequence[Record]) -> str:
    """The least factor of every term, with its file where there is one."""
    rows = []
    for record in records:
        for each in record["terms"]:
            file = record["files"].get(f"term.{each['term']}")
            shown = f"[{each['least']:.4g}](sharpened/{Path(file).name})" if file else "not needed here"
            factor = f"{each['sharpened']:.3g}" if each["sharpened"] else "dropped"
            rows.append(f"| `{record['statement']}` | {each['term']} | {shown} | {factor} |\n")
    return head("statement", "term", "least factor", "conjecture") + "".join(rows)


def statements(records: Sequence[Record]) -> str:
    """How much smaller each bound could be, and how its conjecture fared."""
    rows = []
    for record in records:
        gain = "nothing to sharpen" if record["tight"] else f"{about(record['gain'])} times"
        fallen = len(record["trials"]) - record["survived"]
        before = f"; {fallen} before it fell" if fallen else ""
        tried = (
            f"stands after {record['trials'][-1]} worlds" if record["survived"] else "not tried"
        ) + before
        cells = (f"`{record['statement']}`", record["variant"], gain, tried, f"{record['largest']:.4g}")
        rows.append(f"| {' | '.join(cells)} | {record.get('budget', 'not kept')} |\n")
    columns = (
        "statement",
        "variant",
        "smaller by",
        "conjecture",
        "largest measured/bound",
        "worlds of a search",
    )
    return head(*columns) + "".join(rows)


def unseen(records: Sequence[Record]) -> str:
    """What the papers say that their worlds cannot show."""
    return "".join(f"- `{r['statement']}`: {r['blind']}\n" for r in records if r.get("blind"))


def conditions(records: Sequence[Record]) -> str:
    """Where a step beyond its condition breaks the bound."""
    rows = []
    for record in records:
        for each in record["conditions"]:
            file = record["files"].get(each["place"])
            if each["breaks_at"] is not None and file:
                shown = f"[{times(each['breaks_at'])} times](sharpened/{Path(file).name})"
            else:
                untried = each.get("untried") or "nothing can be run beyond"
                shown = f"not seen in {each['worlds']} worlds" if each["worlds"] else untried
            name = each["place"].removeprefix("condition.").split(".")[0]
            rows.append(f"| `{record['statement']}` | {name} | `{each['clause']}` | {shown} |\n")
    return head("statement", "step", "clause", "broken at") + "".join(rows)


def powers(records: Sequence[Record]) -> str:
    """The printed power and the needed one, wherever one was seen, with its two worlds."""
    rows = []
    for record in records:
        for each in record["exponents"]:
            if each["change"] is None:
                continue
            worlds = [
                record["files"].get(f"term.{each['term']} along {each['level']}, {end}") for end in ENDS
            ]
            links = ", ".join(
                f"[{end}](sharpened/{Path(w).name})" for end, w in zip(ENDS, worlds, strict=True) if w
            )
            points = ", ".join(f"{factor:.3g} at {value:.3g}" for value, factor in each["points"] if factor)
            cells = (
                f"`{record['statement']}`",
                each["term"],
                each["along"],
                *_both(each),
                points,
                links or "not confirmed",
            )
            rows.append(f"| {' | '.join(cells)} |\n")
    return head("statement", "term", "along", "printed", "needed", "least factors there", "worlds") + "".join(
        rows
    )


def _both(exponent: Mapping[str, Any]) -> tuple[str, str]:
    printed, change = exponent["printed"], exponent["change"]
    needed = "the same" if abs(change) < SAME else f"{change:+.1f}"
    if printed is None:
        return "no power", needed
    return f"{printed:g}", needed if needed == "the same" else f"**{printed + change:.1f}**"


def formulas(records: Sequence[Record]) -> str:
    """The conjectures, typeset."""
    return "".join(
        f"`{record['statement']}`, {record['variant']}:\n\n$$\n{record['formula']}\n$$\n\n"
        for record in records
        if not record["tight"]
    )


def records_in(folder: Path) -> list[Record]:
    """In the order of their names."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]


if __name__ == "__main__":
    found = records_in(Path(sys.argv[1]))
    tables = {
        "statements": statements,
        "formulas": formulas,
        "terms": terms,
        "unseen": unseen,
        "conditions": conditions,
        "powers": powers,
    }
    replace_tables(Path(sys.argv[2]), {name: made(found) for name, made in tables.items()})
