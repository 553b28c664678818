"""docs/falsify.md: its prose is written by hand, its table is made of docs/falsify.json (tools/markdown.py).

docs/falsify.json is a list of what `ratecert falsify STATEMENT --variant VARIANT --json` has printed for all of them,
docs/search.jsonl what tools/search_record.py has.

    python -m tools.falsify_page docs/falsify.json docs/search.jsonl docs/falsify.md
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
    """One row per finding; one for a statement that was not falsified."""
    return HEAD + "".join(row for outcome in outcomes for row in _rows(outcome))


def _rows(outcome: Mapping[str, Any]) -> list[str]:
    begin, tried = f"| `{outcome['statement']}` | {outcome['variant']} |", outcome["worlds"]
    if not outcome["falsified"]:
        return [f"{begin} not falsified | {outcome['ratio']:.3g} | | | {tried} |\n"]
    return [
        f"{begin} falsified | {f['ratio']:.3g} | {f['simplified_ratio']:.3g} | `{f['term'] or ''}` | {tried} |\n"
        for f in outcome["findings"]
    ]


if __name__ == "__main__":
    outcomes = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    replace_tables(
        Path(sys.argv[3]), {"outcomes": table(outcomes), "search": worlds(read(Path(sys.argv[2])))}
    )
