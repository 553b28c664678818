"""docs/sharpen.md: its prose is written by hand, its tables are made of docs/sharpened (tools/markdown.py).

docs/sharpened holds what `ratecert sharpen STATEMENT --out docs/sharpened` has written for every statement listed.

    python -m tools.sharpen_page docs/sharpened docs/sharpen.md
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

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
        gain = "nothing to sharpen" if record["tight"] else f"{record['gain']:.3g} times"
        fate = "stands" if record["survived"] else "fell"
        before = f"; {fallen} before it fell" if (fallen := len(record["trials"]) - 1) else ""
        tried = f"{fate} after {record['trials'][-1]} worlds{before}"
        rows.append(
            f"| `{record['statement']}` | {record['variant']} | {gain} | {tried} | {record['largest']:.4g} |\n"
        )
    return head("statement", "variant", "smaller by", "conjecture", "largest measured/bound") + "".join(rows)


def conditions(records: Sequence[Record]) -> str:
    """Where a step beyond its condition breaks the bound."""
    rows = []
    for record in records:
        for each in record["conditions"]:
            file = record["files"].get(each["place"])
            if each["breaks_at"] is not None and file:
                shown = f"[{each['breaks_at']:.3g} times](sharpened/{Path(file).name})"
            else:
                shown = (
                    f"not seen in {each['worlds']} worlds" if each["worlds"] else "nothing can be run beyond"
                )
            name = each["place"].removeprefix("condition.").split(".")[0]
            rows.append(f"| `{record['statement']}` | {name} | `{each['clause']}` | {shown} |\n")
    return head("statement", "step", "clause", "breaks at") + "".join(rows)


def powers(records: Sequence[Record]) -> str:
    """By how much a power may change, wherever one was seen."""
    rows = []
    for record in records:
        for each in record["exponents"]:
            if each["change"] is None:
                continue
            change = "needed" if abs(each["change"]) < 0.05 else f"{each['change']:+.2f}"
            points = ", ".join(f"{factor:.3g} at {value:.3g}" for value, factor in each["points"] if factor)
            rows.append(
                f"| `{record['statement']}` | {each['term']} | {each['along']} | {change} | {points} |\n"
            )
    return head("statement", "term", "along", "change of the power", "least factors there") + "".join(rows)


def records_in(folder: Path) -> list[Record]:
    """In the order of their names."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]


if __name__ == "__main__":
    found = records_in(Path(sys.argv[1]))
    tables = {"statements": statements, "terms": terms, "conditions": conditions, "powers": powers}
    replace_tables(Path(sys.argv[2]), {name: made(found) for name, made in tables.items()})
