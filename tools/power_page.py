"""docs/power.md: its prose is written by hand, its tables are made of docs/power.json (tools/markdown.py).

python -m tools.power_page docs/power.json docs/power.md
"""

import json
import sys
from pathlib import Path

from ratecert.claims.claim import Json
from ratecert.power import tables
from tools.markdown import replace_tables


def tables_of(results: Json) -> dict[str, str]:
    """name -> table in Markdown."""
    found = {
        "algorithms": tables.of_algorithms(results["algorithms"]),
        "unseen": tables.unseen(results["algorithms"]),
        "statements": tables.of_statements(results["statements"]),
        "terms": tables.of_terms(results["statements"]),
    }
    return {name: grid.as_markdown() for name, grid in found.items()}


if __name__ == "__main__":
    replace_tables(Path(sys.argv[2]), tables_of(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
