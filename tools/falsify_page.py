"""docs/falsify.md: its prose is written by hand, its table is made of docs/falsify.json (tools/markdown.py).

docs/falsify.json is a list of what `ratecert falsify STATEMENT --variant VARIANT --json` has printed for all of them,
docs/search.jsonl what tools/search_record.py has, and docs/search-before.jsonl what it had with the first search.

    python -m tools.falsify_page docs
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tools.markdown import replace_tables
from tools.search_record import read
from tools.search_record import table as worlds

COLUMNS = ("statement", "variant", "found", "measured/bound", "simplified", "what is wrong", "worlds")
HEAD = f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}\n"


def table(outcomes: Sequence[Mapping[str, Any]]) -> str:
    """One row per finding; one for a statement that was not refuted."""
    return HEAD + "".join(row for outcome in outcomes for row in _rows(outcome))


def _rows(outcome: Mapping[str, Any]) -> list[str]:
    begin, tried = f"| `{outcome['statement']}` | {outcome['variant']} |", outcome["worlds"]
    if not outcome["falsified"]:
        return [f"{begin} not refuted | {outcome['ratio']:.3g} | | | {tried} |\n"]
    return [
        f"{begin} refuted | {f['ratio']:.3g} | {f['simplified_ratio']:.3g} | `{f['term'] or ''}` | {tried} |\n"
        for f in outcome["findings"]
    ]


def tables(docs: Path) -> dict[str, str]:
    """Of the page, by name."""
    outcomes = json.loads((docs / "falsify.json").read_text(encoding="utf-8"))
    searched, before = (worlds(read(docs / f"{name}.jsonl")) for name in ("search", "search-before"))
    return {"outcomes": table(outcomes), "search": searched, "before": before}


if __name__ == "__main__":
    docs = Path(sys.argv[1])
    replace_tables(docs / "falsify.md", tables(docs))
