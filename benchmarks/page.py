"""docs/speed.md: its prose is written by hand, its tables are made of docs/bench.json (tools/markdown.py).

python -m benchmarks.page docs/bench.json docs/speed.md
"""

import sys
from pathlib import Path

from benchmarks.record import Record, read
from benchmarks.tables import tables
from tools.markdown import replace_tables


def in_markdown(record: Record) -> dict[str, str]:
    """name of a place on a page -> its table."""
    return {name: table.as_markdown() for name, table in tables(record).items()}


if __name__ == "__main__":
    for page in sys.argv[2:]:
        replace_tables(Path(page), in_markdown(read(Path(sys.argv[1]))))
